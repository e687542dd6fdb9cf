// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/add_release.h"

#include <algorithm>
#include <array>

#include "catalog/data_file.h"
#include "git/object.h"
#include "plan/make_plan.h"
#include "record/sbom.h"
#include "source/closure/closure.h"
#include "source/store/archive_source.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

namespace {

const Release& release_before(const Catalog& catalog, const Version& version) {
  const auto after = catalog.releases.lower_bound(version);
  if (after == catalog.releases.begin())
    throw Error(ErrorKind::usage, concat("adding release ", version.text(), ": the catalog has no release before it"),
                "pass the release to copy from with --like");
  return std::prev(after)->second;
}

/// Returns the options with the constructed commit of each component pinned by content.
AddReleaseOptions with_contents(const AddReleaseOptions& options, const std::map<Component, ContentPin>& contents) {
  AddReleaseOptions with = options;
  for (const auto& [component, content] : contents) {
    const auto wanted = with.wanted.find(component);
    if (wanted == with.wanted.end() || wanted->second.version.empty())
      throw Error(ErrorKind::usage,
                  concat("the archive ", quote(content.archive), " is of a ", name_of(component),
                         " whose version is not named"),
                  concat("--", name_of(component), " VERSION names it"));
    std::optional<ObjectId>& commit = wanted->second.commit;
    if (commit && content.claims && *commit != *content.claims)
      throw Error(ErrorKind::usage, concat("the archive ", quote(content.archive), " was made from commit ",
                                           content.claims->hex(), ", not of ", commit->hex()));
    if (!commit) commit = content.commit;
  }
  return with;
}

/// Sets the draft's release: its pins, and the other data of the older one, for a person to check.
void begin_release(const Catalog& catalog, const Release& like, const Version& version,
                   const std::map<Component, ContentPin>& contents, ReleaseDraft& draft) {
  Release& release = draft.release = like;
  release.version = version;
  release.replaces.reset();
  release.components.clear();
  release.flags.clear();
  release.imports.clear();
  release.notes.clear();
  release.citations = {};
  for (const NewPin& pin : draft.pins) {
    ComponentPin& now = release.components[pin.component] = *pin_before(catalog, like, pin.component);
    const std::string old_version = now.version;
    now.version = pin.version;
    now.commit = pin.commit;
    now.tag = pin.tag;
    now.content.reset();
    if (const ContentPin* const content = find_value(contents, pin.component)) {
      now.content = *content;
      now.take_content();
    }
    for (auto& [name, value] : now.environment)
      if (value == old_version) value = pin.version;
  }
  for (const OpenCompanion& each : draft.open)
    release.notes.push_back(
        concat("torch", name_of(each.component), " is omitted: release add did not find the version for this release"));
  for (auto& [name, value] : release.environment)
    if (value == like.version.text()) value = version.text();
}

/// Sets the commits for the file: for pins by content, upstream's, if given.
void settle_commits(ReleaseDraft& draft) {
  for (const NewPin& pin : draft.pins) {
    ComponentPin& now = draft.release.components.at(pin.component);
    if (now.is_content() && now.commit != pin.commit) now.content->claims.reset();
    now.commit = pin.commit;
  }
}

/// Returns descriptions of pins by content: files, submodules and what is missing.
std::vector<std::string> content_texts(const Release& release, const source::ObjectSource& source) {
  std::vector<std::string> texts;
  for (const auto& [component, pin] : release.components) {
    if (!pin.is_content()) continue;
    const ContentPin& content = *pin.content;
    texts.push_back(concat(name_of(component), ": ", source::describe_content(content, source), "; tree ",
                           content.tree.hex(), ", commit ", content.commit.hex(), " constructed of it; ",
                           content.gitlinks.size(), content.gitlinks.size() == 1 ? " submodule" : " submodules",
                           " pinned", content.absent.empty() ? "" : "; absent: " + join(content.absent, ", ")));
  }
  return texts;
}

source::Closure closure_of(const Catalog& catalog, const Release& release, source::ObjectSource& source, int jobs,
                           Console& console) {
  return source::read_closure(release, keys_of(release.components), {}, catalog.moved_repositories, source, jobs,
                              console, source::Gaps::surveyed);
}

RepositoryPath gap_path(const source::ClosureGap& gap) {
  return {gap.repository.component, join_path(gap.repository.path, gap.entry.path)};
}

/// Returns the repositories of a closure by name, as if they were new; unavailable ones have neither URL nor copy.
std::map<std::string, SubmoduleChange> known_repositories(const source::Closure& closure,
                                                          const source::ObjectSource& source) {
  std::map<std::string, SubmoduleChange> known;
  for (const source::ClosureRepository& repository : closure.repositories) {
    const std::string name = repository.path.text();
    known[name] = {"new", name, "", repository.url};
    if (repository.store >= 0)
      known[name].found = parent_path(source.object_folders()[static_cast<std::size_t>(repository.store)]);
  }
  for (const source::ClosureGap& gap : closure.gaps)
    if (gap.entry.mode == FileMode::gitlink) known[gap_path(gap).text()] = {"new", gap_path(gap).text(), "", ""};
  return known;
}

std::vector<SubmoduleChange> submodule_changes(const std::map<std::string, SubmoduleChange>& before,
                                               const std::map<std::string, SubmoduleChange>& after) {
  std::vector<SubmoduleChange> changes;
  for (const auto& [repository, now] : after) {
    const SubmoduleChange* const known = find_value(before, repository);
    if (!known)
      changes.push_back(now);
    else if (!known->after.empty() && !now.after.empty() && known->after != now.after)
      changes.push_back({"moved", repository, known->after, now.after});
  }
  for (const auto& [repository, was] : before)
    if (!after.contains(repository)) changes.push_back({"gone", repository, was.after, ""});
  return changes;
}

/// Returns what is missing, one line per repository.
std::vector<std::string> missing_texts(const source::Closure& closure) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> files;
  for (const source::ClosureGap& gap : closure.gaps)
    if (gap.entry.mode == FileMode::gitlink)
      texts.push_back(gap.refused.empty()
                          ? concat("submodule ", gap_path(gap).text(), " was not found: commit ", gap.entry.id.hex())
                          : concat("submodule ", gap_path(gap).text(), " blocks prepare: ", gap.refused));
    else
      files[gap.repository.text()].push_back(gap.entry.path);
  for (const auto& [repository, paths] : files) {
    texts.push_back(concat(paths.size(), paths.size() == 1 ? " file of " : " files of ", repository,
                           ", whose commit is available, ", paths.size() == 1 ? "is" : "are", " missing: ",
                           paths.front(), paths.size() == 1 ? "" : concat(" and ", paths.size() - 1, " more")));
  }
  return texts;
}

/// Returns the licence files at the roots of the repositories → blob.
std::map<std::string, ObjectId> licences_of(const source::Closure& closure) {
  static constexpr std::array<const char*, 4> kBeginnings = {"license", "licence", "copying", "notice"};
  std::map<std::string, ObjectId> licences;
  for (const source::ClosureFile& file : closure.files) {
    const std::string name = lower_case(file.path);
    const bool is_licence = std::ranges::any_of(kBeginnings, [&](const char* each) { return starts_with(name, each); });
    if (!is_licence || name.find('/') != std::string::npos) continue;
    const auto& repository = closure.repositories[static_cast<std::size_t>(file.repository)];
    licences.emplace(concat(repository.path.text(), ":", file.path), file.blob);
  }
  return licences;
}

std::vector<LicenceChange> licence_changes(const source::Closure& before, const source::Closure& after) {
  const std::map<std::string, ObjectId> old_files = licences_of(before), new_files = licences_of(after);
  std::vector<LicenceChange> changes;
  for (const auto& [file, blob] : new_files) {
    const auto known = old_files.find(file);
    if (known == old_files.end())
      changes.push_back({"new", file});
    else if (known->second != blob)
      changes.push_back({"changed", file});
  }
  for (const auto& [file, blob] : old_files)
    if (!new_files.contains(file)) changes.push_back({"gone", file});
  return changes;
}

/// Sets the differences in submodules and licence files from the older release; `older`: its components with available
/// sources.
void compare_closures(const Catalog& catalog, const Release& like, const std::set<Component>& older,
                      const source::Closure& after, source::ObjectSource& source, int jobs, ReleaseDraft& draft,
                      Console& console) {
  Release compared = like;
  std::erase_if(compared.components, [&](const auto& each) { return !older.contains(each.first); });
  const source::Closure before = closure_of(catalog, compared, source, jobs, console);
  std::map<std::string, SubmoduleChange> known = known_repositories(before, source);
  std::vector<std::string> unread;  // component prefixes, as in "torch:third_party/fmt"
  for (const auto& [component, pin] : like.components) {
    if (older.contains(component)) continue;
    const std::string name = name_of(component);
    known[name] = {"new", name, "", pin.url};
    if (!draft.release.find(component)) continue;
    unread.push_back(name);
    console.warning(concat(name, " of ", like.version.text(),
                           " is not available: places move to the nearest line that "
                           "names the variable; new variables, submodules and licence files are not listed"));
  }
  const auto is_unread = [&](const std::string& name) {
    return std::ranges::count(unread, name.substr(0, name.find(':'))) > 0;
  };
  draft.submodules = submodule_changes(known, known_repositories(after, source));
  std::erase_if(draft.submodules, [&](const SubmoduleChange& each) { return is_unread(each.repository); });
  draft.licences = licence_changes(before, after);
  std::erase_if(draft.licences, [&](const LicenceChange& each) { return is_unread(each.file); });
}

bool has_patch(const IssueDecision& decision) {
  return decision.status == IssueStatus::applied && !decision.variant.empty();
}

/// Returns whether the new release is worse for a board: a lost patch, a newly unknown fact, or an issue that newly
/// applies.
bool is_worse_off(const IssueDecision& was, const IssueDecision& is) {
  if (is.status == IssueStatus::not_affected) return false;
  const bool loses_patch = has_patch(was) && !has_patch(is);
  const bool loses_fact = was.status != IssueStatus::undecided && is.status == IssueStatus::undecided;
  const bool begins = was.status == IssueStatus::not_affected && is.status != IssueStatus::applied;
  return loses_patch || loses_fact || begins;
}

void add_plan_changes(const Plan& before, const Plan& after, std::vector<PlanChange>& changes) {
  const auto is_same = [](const IssueDecision& a, const IssueDecision& b) {
    return a.issue == b.issue && a.status == b.status && a.fix == b.fix && a.variant == b.variant;
  };
  for (std::size_t i = 0; i < before.issues.size(); ++i) {
    const IssueDecision &was = before.issues[i], &is = after.issues[i];
    if (!is_worse_off(was, is)) continue;
    auto known = std::ranges::find_if(
        changes, [&](const PlanChange& each) { return is_same(each.before, was) && is_same(each.after, is); });
    if (known == changes.end()) known = changes.insert(changes.end(), {was, is, {}});
    if (known->boards.empty() || known->boards.back() != after.board->id) known->boards.push_back(after.board->id);
  }
}

std::vector<PlanChange> plan_changes(const Catalog& catalog, const Release& like, const Release& release) {
  Catalog with = catalog;
  const Release& added = with.releases.insert_or_assign(release.version, release).first->second;
  const Release& before = with.releases.at(like.version);
  std::vector<PlanChange> changes;
  for (const auto& [id, board] : with.boards) {
    for (const Image& image : board.images) {
      const std::optional<Plan> was = plan::plan_if_fits(with, before, board, image);
      const std::optional<Plan> is = plan::plan_if_fits(with, added, board, image);
      if (was && is) add_plan_changes(*was, *is, changes);
    }
  }
  const auto turn = [](const PlanChange& change) {  // those that port does not resolve first
    return std::pair(change.before.status != IssueStatus::not_affected, change.after.issue);
  };
  std::ranges::stable_sort(changes, {}, turn);
  return changes;
}

/// Returns the patchsets that a board loses, except those with a variant for the release, where a fix's condition
/// ended.
std::vector<std::string> lost_patchsets(const Catalog& catalog, const Version& release,
                                        const std::vector<PlanChange>& changes) {
  std::set<std::string> lost;
  for (const PlanChange& change : changes)
    if (has_patch(change.before) && !has_patch(change.after))
      for (const Fix& fix : catalog.issues.at(change.before.issue).fixes)
        if (fix.id == change.before.fix && !variant_made_for(catalog.patchsets.at(fix.patchset), release))
          lost.insert(fix.patchset);
  return {lost.begin(), lost.end()};
}

/// Returns names of the older release used in texts (cited places and tags) → their names in the new one.
std::map<std::string, std::string> moved_names(const Release& like, const ReleaseDraft& draft) {
  std::map<std::string, std::string> moved;
  const auto without_component = [](const std::string& place) {
    const std::size_t colon = place.find(':');
    return colon == place.rfind(':') ? place : place.substr(colon + 1);
  };
  auto now = draft.release.citations.present.begin();
  for (const Citation& each : like.citations.present) {
    const bool is_lost = std::ranges::count(draft.lost_citations, each.place, &WrongCitation::place) > 0;
    if (each.release == draft.like && !is_lost)
      moved[without_component(each.place)] = without_component((now++)->place);
  }
  for (const NewPin& pin : draft.pins)
    if (const ComponentPin* old = like.find(pin.component); old && !old->tag.empty()) moved[old->tag] = pin.tag;
  return moved;
}

/// Replaces names in one pass; a longer number is a different name.
std::string with_moved_names(const std::string& text, const std::map<std::string, std::string>& moved) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_here = [&](const auto& each) {
      const std::size_t end = at + each.first.size();
      return text.compare(at, each.first.size(), each.first) == 0 &&
             (end == text.size() || text[end] < '0' || text[end] > '9');
    };
    const auto name = std::ranges::find_if(moved, is_here);
    result += name == moved.end() ? text.substr(at, 1) : name->second;
    at += name == moved.end() ? 1 : name->first.size();
  }
  return result;
}

/// Returns the older release's note on a key or its parent, with the new release's places.
SourceNote carried_note(const Release& like, const ReleaseDraft& draft, const std::string& key) {
  const std::string by = concat("as of ", like.version.text(), ", by release add");
  const auto holds = [&](const std::string& each) { return key == each || starts_with(key, each + "."); };
  for (const SourceNote& note : like.sources)
    if (std::ranges::any_of(note.keys, holds))
      return {{key}, concat(with_moved_names(note.source, moved_names(like, draft)), " (", by, ")"), false};
  return {{key}, by, false};
}

/// Returns the source of each figure of the draft, without details of this machine.
std::vector<SourceNote> sources_of_draft(const Release& like, const ReleaseDraft& draft, const PinTable& table,
                                         bool has_cmake) {
  const Release& release = draft.release;
  std::vector<SourceNote> notes;
  const auto add = [&](std::vector<std::string> keys, std::string source) {
    notes.push_back({std::move(keys), std::move(source), false});
  };
  for (const NewPin& pin : draft.pins) {
    const std::string key = concat("components.", name_of(pin.component)), url = release.find(pin.component)->url;
    if (pin.table)
      add({key + ".version"}, concat(pin.table->file, " of commit ", pin.table->commit.hex(), " of ", url));
    add({pin.table ? key + ".commit" : key},
        pin.asked.empty() ? "given to release add" : concat("tag ", pin.tag, " of ", url));
    if (release.find(pin.component)->is_content())
      add({key + ".content"},
          concat("the file ", release.find(pin.component)->content->archive,
                 pin.component == Component::torch && !table.source.empty() ? concat("; its submodules: ", table.source)
                                                                            : ""));
    if (release.find(pin.component)->front_end) notes.push_back(carried_note(like, draft, key + ".front_end"));
  }
  add({"flags", "imports"},
      concat("the places of ", like.version.text(), ", moved according to the differences between the pinned files"));
  if (release.find(Component::torch)->is_content()) notes.push_back(carried_note(like, draft, "date"));
  notes.push_back(carried_note(like, draft, "python"));
  if (release.cuda) notes.push_back(carried_note(like, draft, "cuda"));
  if (!release.unsupported_archs.empty()) notes.push_back(carried_note(like, draft, "unsupported_archs"));
  for (const auto& [tool, range] : release.build_tools) {
    notes.push_back(carried_note(like, draft, "build_tools." + tool));
    if (tool == "cmake" && has_cmake)
      notes.back().source =
          concat("lower bound: CMakeLists.txt of the pinned commit; upper bound: ", notes.back().source);
  }
  return notes;
}

/// Replaces the lower bound by CMake's minimum.
void set_cmake(Release& release, const std::string& minimum) {
  const auto known = release.build_tools.find("cmake");
  std::string range = ">=" + minimum;
  if (known != release.build_tools.end()) {
    for (const std::string& part : split(known->second.text(), ' '))
      if (starts_with(part, "<")) range += " " + part;
  }
  if (const auto parsed = VersionRange::parse(range)) release.build_tools.insert_or_assign("cmake", *parsed);
}

std::string release_path(const Version& version) { return concat("releases/", version.text(), ".json"); }

/// Reads a release file.
Release read_release(const std::string& path) {
  Findings findings;
  const std::optional<catalog::DataFile> file = catalog::read_json_file(path, findings);
  Release release = file ? catalog::read_value<Release>(*file, findings) : Release();
  findings.raise_if_any("reading " + quote(path));
  return release;
}

std::string pin_text(const ComponentPin* pin) {
  if (!pin) return "none";
  const bool has_both = pin->content && !pin->is_content();
  return concat(pin->commit.hex(), has_both ? concat(" and content ", pin->content->commit.hex()) : "");
}

/// Raises usage if a file has other pins than the draft, so that its edits are kept.
void require_same_pins(const std::string& path, const Release& draft) {
  const Release there = read_release(path);
  std::vector<std::string> differences;
  for (const Component component : kComponents) {
    const std::string old_pin = pin_text(there.find(component)), new_pin = pin_text(draft.find(component));
    if (old_pin != new_pin)
      differences.push_back(concat(name_of(component), ": the file has ", old_pin, ", the options give ", new_pin));
  }
  if (differences.empty()) return;
  throw Error(ErrorKind::usage,
              concat("adding release ", draft.version.text(), ": ", quote(path), " exists, with other pins:\n  ",
                     join(differences, "\n  ")),
              "its edits are kept: write the release into another directory (--into) and copy 'components' from there, "
              "or move the file away");
}

/// Writes the file, unless it exists: unchanged, or with a person's edits, which are kept.
void write_draft(const std::string& directory, ReleaseDraft& draft, Console& console) {
  const std::string bytes = file_bytes(draft.release, "a release");
  draft.file = concat(directory, "/", release_path(draft.release.version));
  draft.is_written = !file_exists(draft.file);
  if (draft.is_written) {
    write_recorded(directory, {{release_path(draft.release.version), bytes}}, console);
    return;
  }
  draft.is_edited = read_file(draft.file) != bytes;
  if (draft.is_edited) require_same_pins(draft.file, draft.release);
}

}  // namespace

ReleaseDraft add_release(const Catalog& whole, const AddReleaseOptions& options, source::ObjectSource& source,
                         Console& console) {
  const std::optional<Version> version = Version::parse(options.version);
  if (!version) throw Error(ErrorKind::usage, concat(quote(options.version), " is not a version such as 1.10.2"));
  const bool is_there = file_exists(concat(options.directory, "/", release_path(*version)));
  if (whole.releases.contains(*version) && !is_there)
    throw Error(
        ErrorKind::usage, concat("adding release ", version->text(), ": the catalog has it already"),
        concat("edit its file, or pass the directory that has it: --into DIR, with DIR/", release_path(*version)));
  Catalog catalog = whole;
  catalog.releases.erase(*version);  // an existing file is compared with the result without it
  const Release& like = options.like.empty() ? release_before(catalog, *version) : catalog.release(options.like);

  ReleaseDraft draft;
  PinTable table;
  std::map<Component, ContentPin> contents;
  if (!options.pins.empty()) {
    table = read_pin_table(read_file(options.pins), options.pins);
    contents = pin_contents(table, catalog, source);
  }
  resolve_pins(catalog, like, with_contents(options, contents), source, console, draft);
  begin_release(catalog, like, *version, contents, draft);
  draft.contents = content_texts(draft.release, source);
  draft.like = like.version.text();
  CarriedPlaces places = carry_places(catalog, like, draft.release, source, console);
  draft.release.flags = std::move(places.flags);
  draft.release.imports = std::move(places.imports);
  if (!places.cmake.empty()) set_cmake(draft.release, places.cmake);
  draft.moved = draft.release.flags.size();
  for (const auto& [component, modules] : draft.release.imports) draft.moved += modules.size();
  draft.changed = std::move(places.changed);
  draft.lost = std::move(places.lost);
  draft.first = std::move(places.first);
  draft.cited = places.citations.present.size() + places.citations.absent.size();
  draft.release.citations = std::move(places.citations);
  draft.lost_citations = std::move(places.lost_citations);
  draft.release.sources = sources_of_draft(like, draft, table, !places.cmake.empty());
  draft.notes = like.notes;

  const source::Closure after = closure_of(catalog, draft.release, source, options.jobs, console);
  for (const source::ClosureRepository& repository : after.repositories) {
    if (repository.path != RepositoryPath{Component::torch, ""} || contents.contains(Component::torch)) continue;
    const git::Commit commit = git::parse_commit(repository.raw_commit);  // the date in the committer's time zone
    draft.release.date = record::utc_time(std::max<std::int64_t>(0, commit.time + commit.zone)).substr(0, 10);
  }
  compare_closures(catalog, like, places.older, after, source, options.jobs, draft, console);
  draft.missing = missing_texts(after);
  draft.plans = plan_changes(catalog, like, draft.release);
  // By default, port compares with the previous release.
  if (const auto next = catalog.releases.lower_bound(*version);
      next != catalog.releases.begin() && std::prev(next)->first != like.version)
    draft.to_port = lost_patchsets(catalog, *version, draft.plans);
  draft.pages = std::move(places.pages);
  settle_commits(draft);
  write_draft(options.directory, draft, console);
  return draft;
}

}  // namespace torchpatch::upkeep
