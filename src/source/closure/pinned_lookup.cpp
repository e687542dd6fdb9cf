// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/pinned_lookup.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "source/closure/closure.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

FileMode checked_mode(const PinnedRepository& repository, const git::TreeEntry& entry, const std::string& path) {
  if (const auto mode = parse_file_mode(entry.mode)) return *mode;
  throw Error(ErrorKind::unsafe,
              concat("reading ", quote(path), " of ", name_of(repository), ": mode ", entry.mode, " is not supported"));
}

class LookupRunner {
 public:
  LookupRunner(const LookupTask& task, const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
               Console& console)
      : task_(task), moved_(moved), source_(source), jobs_(jobs), console_(console) {}

  std::vector<LookupResult> run(std::size_t items) {
    results_.resize(items);
    std::vector<std::size_t> todo(items);
    for (std::size_t i = 0; i < items; ++i) todo[i] = i;
    while (!todo.empty()) {
      run_round(todo);
      todo = bring_missing();
    }
    console_.progress_done();
    for (LookupResult& result : results_) {
      for (MissingPin& pin : result.missing) {
        const std::string& why = outcomes_.at(pin.repository.commit);
        if (!why.empty()) pin.reason += "; " + why;
      }
    }
    return std::move(results_);
  }

 private:
  void run_round(const std::vector<std::size_t>& todo) {
    std::optional<git::ObjectStore> store;  // each worker opens its own
    const auto look = [&](std::size_t index) {
      if (!store) store.emplace(source_.object_folders());
      PinnedLookup lookup(*store, moved_);
      LookupResult result;
      try {
        result.bytes = task_(lookup, todo[index]);
      } catch (const MissingObject&) {  // recorded in lookup.missing()
      }
      result.missing = lookup.missing();
      result.damage = store->warnings();
      return result;
    };
    std::size_t done = 0;
    const auto take = [&](std::size_t index, LookupResult& result) {
      for (const std::string& line : result.damage)
        if (told_.insert(line).second) console_.warning(line);
      results_[todo[index]] = result;
      console_.progress("reading what the patches touch", ++done, todo.size(), 0);
    };
    map_in_workers(
        todo.size(), jobs_, look,
        [](std::size_t) { return std::string("reading what the patches of a release touch"); }, take);
  }

  /// Requests each missing commit once; returns the items that lack one that arrived.
  std::vector<std::size_t> bring_missing() {
    std::map<ObjectId, PinnedRepository> wanted;
    for (const LookupResult& result : results_)
      for (const auto& [repository, reason] : result.missing)
        if (!outcomes_.contains(repository.commit)) wanted[repository.commit] = repository;
    if (wanted.empty()) return {};
    std::vector<PinnedRepository> asked;
    for (const auto& [commit, each] : wanted) asked.push_back(each);
    const std::vector<std::string> reasons = source_.bring(asked, console_);
    for (std::size_t i = 0; i < asked.size(); ++i) outcomes_[asked[i].commit] = reasons[i];

    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const std::vector<MissingPin>& missing = results_[i].missing;
      const bool has_come = std::any_of(missing.begin(), missing.end(), [&](const MissingPin& pin) {
        const ObjectId& commit = pin.repository.commit;
        return wanted.contains(commit) && outcomes_.at(commit).empty();
      });
      if (has_come) again.push_back(i);
    }
    return again;
  }

  const LookupTask& task_;
  const std::vector<MovedRepository>& moved_;
  ObjectSource& source_;
  int jobs_;
  Console& console_;
  std::vector<LookupResult> results_;
  std::map<ObjectId, std::string> outcomes_;  ///< of each requested commit: the failure, or empty
  std::set<std::string> told_;                ///< damage already reported on the console
};

}  // namespace

MissingObject::MissingObject(const PinnedRepository& repository, const std::string& reason)
    : Error(ErrorKind::source, concat("reading ", name_of(repository), ": ", reason)), commit_(repository.commit) {}

git::Object PinnedLookup::read(const PinnedRepository& pin, int store, const ObjectId& id, git::ObjectType type) {
  try {
    git::Object object = read_or_miss(store_, id, store, concat(git::object_type_name(type), " ", id.hex()));
    if (object.type == type) return object;
    throw Error(ErrorKind::unsafe, concat("reading ", name_of(pin), ": ", id.hex(), " is a ",
                                          git::object_type_name(object.type), ", not a ", git::object_type_name(type)));
  } catch (const AbsentObject& absent) {
    const bool is_known = std::ranges::any_of(missing_, [&](const MissingPin& each) {
      return each.repository.path == pin.path && each.repository.commit == pin.commit;
    });
    if (!is_known) missing_.push_back({pin, absent.reason});
    throw MissingObject(pin, absent.reason);
  }
}

const LocatedRepository& PinnedLookup::open(const Key& key, PinnedRepository pin) {
  const int store = store_.find(pin.commit);
  const git::Object commit = read(pin, store, pin.commit, git::ObjectType::commit);
  return repositories_[key] = {std::move(pin), git::parse_commit(commit.bytes).tree, store};
}

const LocatedRepository* PinnedLookup::enter(const Key& key, const LocatedRepository& parent,
                                             const PinnedEntry& gitlink) {
  RepositoryTree tree;  // only what determines the submodule's origin
  tree.entries = {gitlink};
  const auto modules = find(parent, ".gitmodules");
  if (modules && (modules->mode == FileMode::regular || modules->mode == FileMode::executable))
    tree.gitmodules = read_blob(parent, *modules);
  std::vector<std::string> notes;  // reported with the closure
  std::vector<PinnedRepository> submodules = find_submodules(parent.pin, tree, moved_, notes);
  take_overrides(std::get<2>(key), moved_, submodules);
  return &open(key, std::move(submodules.at(0)));
}

const LocatedRepository* PinnedLookup::find_repository(const Release& release, const RepositoryPath& path,
                                                       const std::vector<SubmoduleOverride>& overrides) {
  const ComponentPin* pin = release.find(path.component);
  if (!pin) return nullptr;
  std::vector<SubmoduleOverride> on_the_way;
  std::ranges::copy_if(overrides, std::back_inserter(on_the_way),
                       [&](const SubmoduleOverride& each) { return lies_in(path, each.repository); });
  const Key key{pin->commit, path, std::move(on_the_way)};
  const auto known = repositories_.find(key);
  if (known != repositories_.end()) return &known->second;
  if (path.path.empty()) return &open(key, component_pin(release, path.component, moved_));
  // The longest prefix of the path that is a repository, then the rest inside it.
  for (std::size_t slash = path.path.rfind('/');; slash = path.path.rfind('/', slash - 1)) {
    const std::size_t end = slash == std::string::npos ? 0 : slash;
    const LocatedRepository* parent = find_repository(release, {path.component, path.path.substr(0, end)}, overrides);
    if (parent) {
      const auto entry = find(*parent, path.path.substr(end == 0 ? 0 : end + 1));
      if (!entry || entry->mode != FileMode::gitlink) return nullptr;
      return enter(key, *parent, *entry);
    }
    if (end == 0) return nullptr;
  }
}

const std::vector<git::TreeEntry>& PinnedLookup::read_tree(const LocatedRepository& repository, const ObjectId& id) {
  const auto known = trees_.find(id);
  if (known != trees_.end()) return known->second;
  const git::Object object = read(repository.pin, repository.store, id, git::ObjectType::tree);
  return trees_[id] = git::parse_tree(object.bytes);
}

std::optional<PinnedEntry> PinnedLookup::find(const LocatedRepository& repository, const std::string& path) {
  PinnedEntry place{path, FileMode::directory, repository.tree};
  std::string walked;
  for (const std::string& name : split(path, '/')) {
    if (place.mode != FileMode::directory) return std::nullopt;
    const std::vector<git::TreeEntry>& entries = read_tree(repository, place.id);
    const auto entry = std::ranges::find(entries, name, &git::TreeEntry::name);
    if (entry == entries.end()) return std::nullopt;
    walked = join_path(walked, name);
    place.mode = checked_mode(repository.pin, *entry, walked);
    place.id = entry->id;
  }
  return place;
}

void PinnedLookup::list(const LocatedRepository& repository, const ObjectId& tree, const std::string& prefix,
                        std::vector<PinnedEntry>& entries) {
  if (entries.size() > kMaxEntries || std::ranges::count(prefix, '/') > kMaxTreeDepth)
    throw Error(ErrorKind::unsafe, concat("listing ", name_of(repository.pin), ": the tree is too large or too deep"));
  for (const git::TreeEntry& entry : read_tree(repository, tree)) {
    const std::string path = join_path(prefix, entry.name);
    const FileMode mode = checked_mode(repository.pin, entry, path);
    if (mode == FileMode::directory)
      list(repository, entry.id, path, entries);
    else
      entries.push_back({path, mode, entry.id});
  }
}

std::vector<PinnedEntry> PinnedLookup::list(const LocatedRepository& repository, const std::string& directory) {
  std::vector<PinnedEntry> entries;
  const auto place =
      directory.empty() ? PinnedEntry{"", FileMode::directory, repository.tree} : find(repository, directory);
  if (place && place->mode == FileMode::directory) list(repository, place->id, directory, entries);
  std::ranges::sort(entries, {}, &PinnedEntry::path);
  return entries;
}

const std::string& PinnedLookup::read_blob(const LocatedRepository& repository, const PinnedEntry& entry) {
  const auto known = blobs_.find(entry.id);
  if (known != blobs_.end()) return known->second;
  return blobs_[entry.id] = read(repository.pin, repository.store, entry.id, git::ObjectType::blob).bytes;
}

std::vector<LookupResult> run_lookups(std::size_t items, const LookupTask& task,
                                      const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
                                      Console& console) {
  return LookupRunner(task, moved, source, jobs, console).run(items);
}

}  // namespace torchpatch::source
