// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/closure.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "git/object.h"
#include "model/url.h"
#include "source/store/archive_source.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

constexpr const char* kOverrideHint =
    "the patchset with this override is for other pins; drop its fix with --without FIX";

constexpr int kMaxLevels = 16;
constexpr std::size_t kMaxRepositories = 1000;

using Level = std::vector<PinnedRepository>;

/// Returns whether an incomplete tree has at least one blob.
bool has_files(const RepositoryTree& tree) {
  const auto files = std::count_if(tree.entries.begin(), tree.entries.end(),
                                   [](const PinnedEntry& entry) { return entry.mode != FileMode::gitlink; });
  return tree.missing_files.size() < static_cast<std::size_t>(files);
}

/// Returns the innermost repository around a submodule.
const ClosureRepository& innermost_around(const RepositoryPath& path,
                                          const std::vector<ClosureRepository>& repositories) {
  const ClosureRepository* found = nullptr;
  for (const ClosureRepository& each : repositories) {
    const bool is_around = each.path.component == path.component &&
                           (each.path.path.empty() || starts_with(path.path, each.path.path + "/"));
    if (is_around && (!found || each.path.path.size() > found->path.path.size())) found = &each;
  }
  return *found;
}

/// Sorts repositories by path and files by (repository, path).
void sort_closure(Closure& closure) {
  std::vector<std::size_t> order(closure.repositories.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> const RepositoryPath& { return closure.repositories[i].path; });
  std::vector<int> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<int>(i);
  for (ClosureFile& file : closure.files) file.repository = places[static_cast<std::size_t>(file.repository)];
  std::ranges::sort(closure.repositories, {}, &ClosureRepository::path);
  std::ranges::stable_sort(closure.files, {}, &ClosureFile::repository);  // already sorted within each repository
  std::ranges::sort(closure.gaps, {}, [](const ClosureGap& gap) { return std::tie(gap.repository, gap.entry.path); });
}

/// Reads the trees of repositories in worker processes; `keep` reduces each to what is sent back.
std::vector<RepositoryTree> read_trees_of(const Level& level, const ObjectSource& source, int jobs,
                                          const std::function<void(RepositoryTree&)>& keep,
                                          const std::function<void(const RepositoryTree&)>& on_read) {
  std::optional<git::ObjectStore> store;  // each worker opens its own
  const auto read = [&](std::size_t item) {
    if (!store) store.emplace(source.object_folders());
    const PinnedRepository& repository = level[item];
    try {
      RepositoryTree tree = read_repository_tree(*store, repository.commit, repository_directory(repository.path));
      keep(tree);
      return tree;
    } catch (Error& error) {
      error.add_context("while reading " + name_of(repository));
      throw;
    }
  };
  return map_in_workers(
      level.size(), jobs, read, [&](std::size_t item) { return "reading " + name_of(level[item]); },
      [&](std::size_t, RepositoryTree& tree) { on_read(tree); });
}

class ClosureReader {
 public:
  ClosureReader(const Release& release, const std::vector<SubmoduleOverride>& overrides,
                const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs, Console& console, Gaps gaps,
                Level hints)
      : release_(release),
        overrides_(overrides),
        moved_(moved),
        source_(source),
        jobs_(jobs),
        console_(console),
        gaps_(gaps),
        hints_(std::move(hints)) {}

  Closure read(Level level) {
    for (const PinnedRepository& pin : level) components_.insert(pin.path.component);
    for (int depth = 0; !level.empty(); ++depth) {
      if (depth == kMaxLevels) {
        throw Error(ErrorKind::unsafe, concat("reading ", name_of(level.front()), ": submodules lie more than ",
                                              kMaxLevels, " levels deep"));
      }
      const std::vector<RepositoryTree> trees = read_level(level);
      Level next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        if (!trees[i].missing.empty()) {
          const bool is_accepted = accept_gap(level[i], trees[i]);
          if (!is_accepted) note_missing(level[i], trees[i]);
          if (is_accepted ? !has_files(trees[i]) : trees[i].missing_files.empty()) continue;
        }
        add(level[i], trees[i]);
        Level found = find_submodules(level[i], trees[i], moved_, closure_.notes,
                                      gaps_ == Gaps::surveyed ? &closure_.gaps : nullptr);
        overridden_.merge(take_overrides(overrides_, moved_, found));
        std::move(found.begin(), found.end(), std::back_inserter(next));
      }
      level = std::move(next);
    }
    console_.progress_done();
    if (!missing_.empty()) raise_missing("reading the closure", missing_, source_, hint(), lack_);
    require_all_overridden();
    sort_closure(closure_);
    return std::move(closure_);
  }

 private:
  /// Lets the source bring what is missing, and reads that again; what is still missing has a reason.
  std::vector<RepositoryTree> read_level(const Level& level) {
    std::vector<RepositoryTree> trees = read_trees(level);
    std::vector<std::size_t> missing;
    Level wanted;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (trees[i].missing.empty()) continue;
      missing.push_back(i);
      wanted.push_back(level[i]);
    }
    if (missing.empty()) return trees;

    std::ranges::move(std::exchange(hints_, {}), std::back_inserter(wanted));
    const std::vector<std::string> reasons = source_.bring(wanted, console_);
    Level brought;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (reasons[i].empty()) brought.push_back(level[missing[i]]);
      if (!reasons[i].empty()) trees[missing[i]].missing += "; " + reasons[i];
    }
    std::vector<RepositoryTree> again = read_trees(brought);
    for (std::size_t i = 0, next = 0; i < missing.size(); ++i)
      if (reasons[i].empty()) trees[missing[i]] = std::move(again[next++]);
    return trees;
  }

  std::vector<RepositoryTree> read_trees(const Level& level) {
    return read_trees_of(
        level, source_, jobs_, [](RepositoryTree&) {}, [&](const RepositoryTree& tree) { report_progress(tree); });
  }

  /// Returns whether --allow-partial can omit it: files, and whole submodules.
  static bool may_be_gap(const PinnedRepository& repository, const RepositoryTree& tree) {
    return has_files(tree) || (!repository.path.path.empty() && repository.commit == repository.gitlink);
  }

  /// Returns whether what is missing may be omitted; records a whole missing submodule as a gap of its parent.
  bool accept_gap(const PinnedRepository& repository, const RepositoryTree& tree) {
    if (gaps_ <= Gaps::refused || !may_be_gap(repository, tree)) return false;
    if (has_files(tree)) return true;
    const ClosureRepository& parent = innermost_around(repository.path, closure_.repositories);
    const std::size_t skipped = parent.path.path.empty() ? 0 : parent.path.path.size() + 1;
    closure_.gaps.push_back(
        {parent.path, {repository.path.path.substr(skipped), FileMode::gitlink, repository.gitlink}});
    return true;
  }

  void note_missing(const PinnedRepository& repository, const RepositoryTree& tree) {
    if (!may_be_gap(repository, tree)) blocked_.insert(repository.path.component);
    missing_in_.insert(repository.path.component);
    if (repository.content) ++contents_;
    if (!tree.missing_files.empty()) ++lack_.partial;
    lack_.files += tree.missing_files.size();
    std::string text = missing_text({repository, tree.missing});
    if (has_files(tree) || repository.path.path.empty())
      for (const std::string& line : explain_missing(repository.path, tree.missing_files, source_.archives()))
        text += "\n    " + line;
    missing_.push_back(std::move(text));
  }

  /// Raises data if a content pin's submodules differ from its tree's, which may have been made before they changed.
  static void check_gitlinks(const PinnedRepository& repository, const RepositoryTree& tree, const ObjectId& id) {
    if (!repository.content) return;
    std::map<std::string, ObjectId> pinned, found;
    for (const auto& [path, submodule] : repository.content->gitlinks) pinned[path] = submodule.commit;
    for (const PinnedEntry& entry : tree.entries)
      if (entry.mode == FileMode::gitlink) found[entry.path] = entry.id;
    if (pinned == found) return;
    throw Error(ErrorKind::data,
                concat("reading ", repository.path.text(), ": tree ", id.hex(),
                       " has different submodules from 'gitlinks' of its content pin"),
                "the release was changed by hand: 'release add --pins' makes the pin");
  }

  void add(const PinnedRepository& repository, const RepositoryTree& tree) {
    const git::Commit commit = git::parse_commit(tree.raw_commit);
    check_gitlinks(repository, tree, commit.tree);
    const int index = static_cast<int>(closure_.repositories.size());
    closure_.repositories.push_back({repository.path, repository.url, repository.commit, tree.raw_commit, commit.tree,
                                     commit.time, tree.store, repository.gitlink});
    if (tree.store >= 0) source_.note_use(tree.store, repository.commit);
    entry_count_ += tree.entries.size();
    closure_.bytes += tree.bytes;
    if (closure_.repositories.size() > kMaxRepositories || entry_count_ > kMaxEntries) {
      throw Error(ErrorKind::unsafe, concat("reading ", name_of(repository), ": the closure has more than ",
                                            kMaxRepositories, " repositories or ", kMaxEntries, " entries"));
    }
    auto gap = tree.missing_files.begin();  // both are sorted
    for (const PinnedEntry& entry : tree.entries)
      if (gap != tree.missing_files.end() && gap->path == entry.path)
        closure_.gaps.push_back({repository.path, *gap++});
      else if (entry.mode != FileMode::gitlink)
        closure_.files.push_back({index, entry.path, entry.mode, entry.id});
  }

  void report_progress(const RepositoryTree& tree) {
    if (tree.missing.empty()) console_.progress("reading repositories", ++read_count_, 0, 0);
    for (const std::string& line : tree.damage)
      if (told_.insert(line).second) console_.warning(line);
  }

  /// Returns the options that omit companions, and what is still missing then; empty text if torch is one of them.
  std::string without(const std::set<Component>& companions) const {
    if (companions.contains(Component::torch) || gaps_ == Gaps::surveyed) return {};
    if (companions != missing_in_ && gaps_ == Gaps::never) return {};
    std::vector<std::string> left, options;
    for (const Component component : companions) left.emplace_back(name_of(component));
    for (const Component component : components_)
      if (!companions.contains(component)) options.push_back(concat("--component ", name_of(component)));
    return options.empty() ? ""
                           : concat("leave ", join(left, " and "), " out (", join(options, " "), ")",
                                    companions == missing_in_ ? "" : " and pass --allow-partial");
  }

  /// Adds how content pins can replace the missing commits, or why an archive is not the pinned one.
  void add_contents(std::vector<std::string>& ways) const {
    for (const Component component : missing_in_) {
      const ComponentPin& pin = release_.components.at(component);
      if (!pin.content) continue;
      const std::string pinned = concat(pin.content->archive, ", SHA-256 ", pin.content->sha256.hex());
      const auto named = std::ranges::find(source_.archives(), RepositoryPath{component, ""},
                                           [](const OpenArchive& each) { return each.name.repository; });
      if (named == source_.archives().end() && !pin.is_content())
        ways.push_back(concat("pass --archive ", name_of(component), "=FILE, where FILE is ", pinned));
      else if (named != source_.archives().end() && named->digest != pin.content->sha256)
        ways.push_back(concat(quote(named->name.file), " has SHA-256 ", named->digest.hex(), "; ",
                              release_.version.text(), " pins the content of ", pinned));
    }
  }

  /// Returns where it is available, and the ways to continue without it.
  std::string hint() const {
    std::vector<std::string> ways;
    add_contents(ways);
    const std::string elsewhere =
        lack_.partial == missing_.size() ? "pass a source that has them with --mirror or --archive" : source_.hint();
    if (!elsewhere.empty() && contents_ != missing_.size()) ways.push_back(elsewhere);  // a content has its own way
    const bool may_continue = blocked_.empty() && gaps_ != Gaps::never;
    if (may_continue) ways.emplace_back("continue without them (--allow-partial)");
    if (const std::string way = without(blocked_.empty() ? missing_in_ : blocked_); !way.empty()) ways.push_back(way);
    return join(ways, "; or ");
  }

  /// Raises patch if an override did not match any submodule.
  void require_all_overridden() const {
    for (const SubmoduleOverride& what : overrides_) {
      if (overridden_.contains(what.repository)) continue;
      std::string others;
      for (const SubmoduleOverride& other : overrides_) {
        const bool is_outer = other.repository != what.repository && lies_in(what.repository, other.repository);
        if (is_outer) others += concat(" with ", other.repository.text(), " at ", other.commit.hex());
      }
      throw Error(ErrorKind::patch,
                  concat("replacing the commit of submodule ", what.repository.text(), " at ", what.commit.hex(),
                         ": no such submodule", others),
                  kOverrideHint);
    }
  }

  const Release& release_;
  const std::vector<SubmoduleOverride>& overrides_;
  const std::vector<MovedRepository>& moved_;
  ObjectSource& source_;
  int jobs_;
  Console& console_;
  Gaps gaps_;
  Level hints_;  ///< until requested
  Closure closure_;
  std::set<RepositoryPath> overridden_;
  std::vector<std::string> missing_;  ///< a text for each incomplete commit
  MissingFiles lack_;                 ///< of them
  std::size_t contents_ = 0;          ///< number of them pinned by content
  std::set<Component> missing_in_;    ///< the components concerned
  std::set<Component> blocked_;       ///< those where something must not be omitted
  std::set<Component> components_;    ///< all that are read
  std::set<std::string> told_;        ///< damage already reported on the console
  std::uint64_t entry_count_ = 0;
  std::uint64_t read_count_ = 0;
};

/// Returns commits to request before it is known whether the closure includes them.
Level hints_of(const Release& release, const std::vector<Component>& components,
               const std::vector<SubmoduleOverride>& overrides, const std::vector<MovedRepository>& moved) {
  Level hints;
  const auto add = [&](Component component, const std::string& url, const ObjectId& commit, bool may_fetch) {
    hints.push_back({{component, ""}, url, commit, commit, may_fetch, find_moved_urls(url, moved), true});
  };
  for (const Component component : components) {
    const ComponentPin& pin = release.components.at(component);
    for (const SubmodulePin& each : pin.submodules)
      if (std::ranges::find(overrides, each.commit, &SubmoduleOverride::replaces) == overrides.end())
        add(component, each.url, each.commit, url_origin(each.url) == url_origin(pin.url));
  }
  for (const SubmoduleOverride& each : overrides)
    if (!url_problem(each.url)) add(each.repository.component, each.url, each.commit, true);
  return hints;
}

/// Reduces a tree to its submodules and whether files are missing.
void keep_submodules(RepositoryTree& tree) {
  std::erase_if(tree.entries, [](const PinnedEntry& entry) { return entry.mode != FileMode::gitlink; });
  if (!tree.missing_files.empty()) tree.missing_files.resize(1);
}

/// Walks the closures of many releases at once, level by level.
class ClosureSurveyor {
 public:
  ClosureSurveyor(std::size_t releases, const std::vector<MovedRepository>& moved, const ObjectSource& source, int jobs,
                  Console& console)
      : moved_(moved), source_(source), jobs_(jobs), console_(console) {
    survey_.submodules.resize(releases);
  }

  /// A repository's occurrence in a release.
  struct Place {
    std::size_t release = 0;
    PinnedRepository repository;
  };

  ClosureSurvey run(std::vector<Place> level) {
    for (int depth = 0; !level.empty() && depth < kMaxLevels; ++depth) {
      read_new(level);
      std::vector<Place> next;
      for (Place& place : level) {
        const RepositoryTree& tree = trees_.at(place.repository.commit);
        const bool has_commit = tree.missing.empty() || !tree.missing_files.empty();
        if (has_commit) {  // a tree without some files still has its gitlinks
          const auto& [path, url, commit] =
              std::tie(place.repository.path, place.repository.url, place.repository.commit);
          if (!path.path.empty()) survey_.submodules[place.release][path.component].insert({commit, url});
          for (PinnedRepository& found : find_submodules(place.repository, tree, moved_, notes_))
            next.push_back({place.release, std::move(found)});
        }
        if (!tree.missing.empty())
          survey_.incomplete.push_back({place.release, {std::move(place.repository), tree.missing}, has_commit});
      }
      level = std::move(next);
    }
    console_.progress_done();
    std::ranges::stable_sort(survey_.incomplete, {}, &IncompleteCommit::release);
    return std::move(survey_);
  }

 private:
  void read_new(const std::vector<Place>& level) {
    Level wanted;
    std::set<ObjectId> seen;
    for (const Place& place : level)
      if (!trees_.contains(place.repository.commit) && seen.insert(place.repository.commit).second)
        wanted.push_back(place.repository);
    std::vector<RepositoryTree> trees = read_trees_of(
        wanted, source_, jobs_, keep_submodules,
        [&](const RepositoryTree&) { console_.progress("checking what prepare would miss", ++read_count_, 0, 0); });
    for (std::size_t i = 0; i < wanted.size(); ++i) trees_[wanted[i].commit] = std::move(trees[i]);
  }

  const std::vector<MovedRepository>& moved_;
  const ObjectSource& source_;
  int jobs_;
  Console& console_;
  std::map<ObjectId, RepositoryTree> trees_;  ///< by commit, without files
  ClosureSurvey survey_;
  std::vector<std::string> notes_;
  std::uint64_t read_count_ = 0;
};

/// Returns the commit of a tag in an object folder's repository, from packed-refs: the peeled line ("^id") of an
/// annotated tag. Loose annotated tags are not peeled or judged. Raises environment if packed-refs cannot be read.
std::optional<ObjectId> find_tag(const std::string& objects_folder, const std::string& tag) {
  const std::string packed_refs = parent_path(objects_folder) + "/packed-refs";
  if (!file_exists(packed_refs)) return std::nullopt;
  std::optional<ObjectId> found;
  for (const std::string& line : split(read_file(packed_refs), '\n')) {
    if (found && starts_with(line, "^")) return ObjectId::parse(line.substr(1));
    if (found) return found;
    if (line.size() > 41 && line.substr(41) == "refs/tags/" + tag) found = ObjectId::parse(line.substr(0, 40));
  }
  return found;
}

/// Returns the problem with a component's tag in the folder its commit was read from, or empty text.
std::string tag_problem(const ClosureRepository& repository, const ComponentPin& pin, const std::string& folder) {
  try {
    const std::optional<ObjectId> named = find_tag(folder, pin.tag);
    if (!named || *named == pin.commit) return {};
    return concat("tag ", quote(pin.tag), " of ", repository.path.text(), " names ", named->hex(), " in ",
                  quote(folder), ", not the pinned ", pin.commit.hex());
  } catch (const Error& error) {
    return concat("tag ", quote(pin.tag), " of ", repository.path.text(), " cannot be checked: ", error.message());
  }
}

}  // namespace

std::set<RepositoryPath> take_overrides(const std::vector<SubmoduleOverride>& overrides,
                                        const std::vector<MovedRepository>& moved,
                                        std::vector<PinnedRepository>& submodules) {
  std::set<RepositoryPath> overridden;
  for (PinnedRepository& submodule : submodules) {
    for (const SubmoduleOverride& what : overrides) {
      if (what.repository != submodule.path) continue;
      const std::string action =
          concat("replacing the commit of submodule ", what.repository.text(), " at ", what.commit.hex(), ": ");
      if (submodule.gitlink != what.replaces) {
        throw Error(
            ErrorKind::patch,
            concat(action, "pinned at ", submodule.gitlink.hex(), ", but the override replaces ", what.replaces.hex()),
            kOverrideHint);
      }
      if (const auto problem = url_problem(what.url))
        throw Error(ErrorKind::unsafe, concat(action, "the URL ", redact_url(what.url), " is refused: ", *problem));
      submodule.commit = what.commit;
      submodule.url = what.url;
      submodule.may_fetch_recorded = true;  // the catalog is trusted, as for a component's URL
      submodule.moved_urls = find_moved_urls(what.url, moved);
      overridden.insert(what.repository);
    }
  }
  return overridden;
}

Closure read_closure(const Release& release, const std::vector<Component>& components,
                     const std::vector<SubmoduleOverride>& overrides, const std::vector<MovedRepository>& moved,
                     ObjectSource& source, int jobs, Console& console, Gaps gaps) {
  Level pins;
  for (const Component component : components) pins.push_back(component_pin(release, component, moved));
  return ClosureReader(release, overrides, moved, source, jobs, console, gaps,
                       hints_of(release, components, overrides, moved))
      .read(std::move(pins));
}

std::map<Component, std::set<SubmodulePin>> submodule_pins(const Closure& closure) {
  std::map<Component, std::set<SubmodulePin>> pins;
  for (const ClosureRepository& each : closure.repositories)
    if (!each.path.path.empty()) pins[each.path.component].insert({each.commit, each.url});
  return pins;
}

ClosureSurvey survey_closures(const std::vector<const Release*>& releases, const std::vector<MovedRepository>& moved,
                              const ObjectSource& source, int jobs, Console& console) {
  std::vector<ClosureSurveyor::Place> pins;
  for (std::size_t i = 0; i < releases.size(); ++i)
    for (const auto& [component, pin] : releases[i]->components)
      pins.push_back({i, component_pin(*releases[i], component, moved)});
  return ClosureSurveyor(releases.size(), moved, source, jobs, console).run(std::move(pins));
}

std::vector<std::string> check_tags(const Release& release, const Closure& closure, const ObjectSource& source,
                                    bool strict) {
  std::vector<std::string> warnings;
  for (const ClosureRepository& repository : closure.repositories) {
    const ComponentPin* pin = repository.path.path.empty() ? release.find(repository.path.component) : nullptr;
    if (!pin || pin->tag.empty() || repository.store < 0) continue;
    const std::string& folder = source.object_folders()[static_cast<std::size_t>(repository.store)];
    std::string problem = tag_problem(repository, *pin, folder);
    if (!problem.empty()) warnings.push_back(std::move(problem));
  }
  if (strict && !warnings.empty()) {
    throw Error(ErrorKind::source, join(warnings, "; "),
                "the pinned commit is used; without --strict-tags this is a warning");
  }
  return warnings;
}

}  // namespace torchpatch::source
