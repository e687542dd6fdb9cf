// SPDX-License-Identifier: BSD-3-Clause
#include "source/pinned_lookup.h"

#include <algorithm>
#include <iterator>

#include "source/overrides.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

std::string name_of(const PinnedRepository& repository) {
  return concat(repository.path.text(), " at ", repository.commit.hex());
}

FileMode checked_mode(const PinnedRepository& repository, const git::TreeEntry& entry, const std::string& path) {
  if (const auto mode = parse_file_mode(entry.mode)) return *mode;
  throw Error(ErrorKind::unsafe, concat("reading ", quote(path), " of ", name_of(repository), ": mode ", entry.mode,
                                        " is not one that is written"));
}

std::string join_path(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : concat(directory, "/", name);
}

std::vector<SubmoduleOverride> overrides_on_the_way(const RepositoryPath& path,
                                                    const std::vector<SubmoduleOverride>& overrides) {
  std::vector<SubmoduleOverride> on_the_way;
  std::copy_if(overrides.begin(), overrides.end(), std::back_inserter(on_the_way),
               [&](const SubmoduleOverride& each) { return lies_in(path, each.repository); });
  return on_the_way;
}

}  // namespace

MissingObject::MissingObject(const PinnedRepository& repository, const std::string& reason)
    : Error(ErrorKind::source, concat("reading ", name_of(repository), ": ", reason)), commit_(repository.commit) {}

git::Object PinnedLookup::read(const PinnedRepository& pin, int store, const ObjectId& id, git::ObjectType type) {
  std::string reason = concat("the ", git::object_type_name(type), " ", id.hex(), " is in no folder");
  try {
    if (auto object = store_.read(id, store)) {
      if (object->type == type) return std::move(*object);
      throw Error(ErrorKind::unsafe,
                  concat("reading ", name_of(pin), ": ", id.hex(), " is a ", git::object_type_name(object->type),
                         ", not a ", git::object_type_name(type)));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source) throw;
    reason = error.message();
  }
  const bool is_known = std::any_of(missing_.begin(), missing_.end(), [&](const MissingPin& each) {
    return each.repository.path == pin.path && each.repository.commit == pin.commit;
  });
  if (!is_known) missing_.push_back({pin, reason});
  throw MissingObject(pin, reason);
}

const LocatedRepository& PinnedLookup::open(const Key& key, PinnedRepository pin) {
  const int store = store_.find(pin.commit);
  const git::Object commit = read(pin, store, pin.commit, git::ObjectType::commit);
  return repositories_[key] = {std::move(pin), git::parse_commit(commit.bytes).tree, store};
}

const LocatedRepository* PinnedLookup::enter(const Key& key, const LocatedRepository& parent,
                                             const PinnedEntry& gitlink) {
  RepositoryTree tree;  // as much of it as says where the submodule comes from
  tree.entries = {gitlink};
  const auto modules = find(parent, ".gitmodules");
  if (modules && (modules->mode == FileMode::regular || modules->mode == FileMode::executable)) {
    tree.gitmodules = read_blob(parent, *modules);
  }
  std::vector<std::string> warnings;  // the closure gives them
  std::vector<PinnedRepository> submodules = find_submodules(parent.pin, tree, moved_, warnings);
  Overrides(std::get<2>(key), moved_).take(submodules);
  return &open(key, std::move(submodules.at(0)));
}

const LocatedRepository* PinnedLookup::find_repository(const Release& release, const RepositoryPath& path,
                                                       const std::vector<SubmoduleOverride>& overrides) {
  const ComponentPin* pin = release.find(path.component);
  if (!pin) return nullptr;
  const Key key{pin->commit, path, overrides_on_the_way(path, overrides)};
  const auto known = repositories_.find(key);
  if (known != repositories_.end()) return &known->second;
  if (path.path.empty()) return &open(key, component_pin(release, path.component, moved_));
  // The longest part of the path that is a repository, and in it the rest.
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
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [&](const auto& each) { return each.name == name; });
    if (entry == entries.end()) return std::nullopt;
    walked = join_path(walked, name);
    place.mode = checked_mode(repository.pin, *entry, walked);
    place.id = entry->id;
  }
  return place;
}

void PinnedLookup::list(const LocatedRepository& repository, const ObjectId& tree, const std::string& prefix,
                        std::vector<PinnedEntry>& entries) {
  if (entries.size() > kMaxEntries || std::count(prefix.begin(), prefix.end(), '/') > 512) {
    throw Error(ErrorKind::unsafe, concat("listing ", name_of(repository.pin), ": the tree is too large or too deep"));
  }
  for (const git::TreeEntry& entry : read_tree(repository, tree)) {
    const std::string path = join_path(prefix, entry.name);
    const FileMode mode = checked_mode(repository.pin, entry, path);
    if (mode == FileMode::directory) {
      list(repository, entry.id, path, entries);
    } else {
      entries.push_back({path, mode, entry.id});
    }
  }
}

std::vector<PinnedEntry> PinnedLookup::list(const LocatedRepository& repository, const std::string& directory) {
  std::vector<PinnedEntry> entries;
  const auto place =
      directory.empty() ? PinnedEntry{"", FileMode::directory, repository.tree} : find(repository, directory);
  if (place && place->mode == FileMode::directory) list(repository, place->id, directory, entries);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return entries;
}

const std::string& PinnedLookup::read_blob(const LocatedRepository& repository, const PinnedEntry& entry) {
  const auto known = blobs_.find(entry.id);
  if (known != blobs_.end()) return known->second;
  return blobs_[entry.id] = read(repository.pin, repository.store, entry.id, git::ObjectType::blob).bytes;
}

}  // namespace torchpatch::source
