// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/patched_tree.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

std::vector<RepositoryPath> paths_of(const source::Closure& closure) {
  std::vector<RepositoryPath> paths;
  paths.reserve(closure.repositories.size());
  for (const source::ClosureRepository& repository : closure.repositories) paths.push_back(repository.path);
  return paths;
}

[[noreturn]] void raise_gap(const std::string& name) {
  throw Error(ErrorKind::source, concat("patching ", quote(name), ": it is missing from the sources"),
              "find a source that has it, or drop the fix with --without FIX");
}

/// One repository of a PinnedTree, for the patch engine.
class PinnedFiles : public patch::FileSource {
 public:
  PinnedFiles(const PinnedTree& tree, std::size_t repository) : tree_(tree), repository_(repository) {}

  std::optional<patch::TreeFile> read(const std::string& path) override {
    for (const SubmodulePlace& place : tree_.submodules(repository_)) {
      if (place.path != path) continue;
      return patch::TreeFile{FileMode::gitlink, tree_.closure().repositories[place.index].gitlink.hex()};
    }
    const source::ClosureFile* file = tree_.find(repository_, path);
    if (!file) return std::nullopt;
    return patch::TreeFile{file->mode, tree_.content(*file)};
  }

  bool is_directory(const std::string& path) override { return has_others_below(path, {}); }

  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override {
    const std::string prefix = path + "/";
    const auto stays = [&](const auto& each) { return starts_with(each, prefix) && !removed.contains(each); };
    const auto files = tree_.files(repository_);
    auto next = std::ranges::lower_bound(files, prefix, {}, &source::ClosureFile::path);
    while (next != files.end() && removed.contains(next->path)) ++next;
    return (next != files.end() && stays(next->path)) ||
           std::ranges::any_of(tree_.submodules(repository_), stays, &SubmodulePlace::path) ||
           std::ranges::any_of(tree_.gaps(repository_), stays, &source::PinnedEntry::path);
  }

 private:
  const PinnedTree& tree_;
  std::size_t repository_;
};

/// Adds the planned files of one repository to its patches' changes.
void add_planned_files(PinnedFiles& files, const RepositoryPath& repository, const std::vector<AddedFile>& added,
                       patch::Changes& changes) {
  for (const AddedFile& add : added) {
    if (add.repository != repository) continue;
    const auto changed = changes.find(add.path);
    const bool is_there = changed != changes.end() ? changed->second.has_value() : files.read(add.path).has_value();
    if (is_there) {
      throw Error(ErrorKind::patch, concat(add.file, ": ", quote(add.path), " is already in ", add.repository.text()),
                  "a fix cannot add an existing file; use a patch");
    }
    changes[add.path] = patch::TreeFile{add.mode(), add.bytes};
  }
}

/// Returns a warning for names in one directory of OUT that differ only in case. The contents of such directories are
/// not compared. `files` are sorted by path.
std::vector<std::string> case_collisions(const std::vector<tree::FileToWrite>& files) {
  std::vector<std::string> warnings;
  std::unordered_map<std::string, std::string_view> names;  // paths of files and directories, in lower case → original
  std::string_view previous, collided;
  for (const tree::FileToWrite& file : files) {
    const std::string_view path = file.path;
    if (!collided.empty() && starts_with(path, collided) && path[collided.size()] == '/') continue;
    // The part shared with the previous path was already compared.
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(path, previous).in1 - path.begin());
    previous = path;
    collided = {};
    for (std::size_t end = path.find('/', shared); collided.empty(); end = path.find('/', end + 1)) {
      const std::string_view name = path.substr(0, end);
      const auto [other, is_new] = names.emplace(lower_case(name), name);
      if (!is_new && other->second != name) {
        collided = name;
        warnings.push_back(concat(quote(other->second), " and ", quote(name),
                                  " differ only in case; the tree cannot be copied to a file system that ignores it"));
      }
      if (end == path.npos) break;
    }
  }
  return warnings;
}

[[noreturn]] void refuse_moved_pin(const std::string& path) {
  throw Error(ErrorKind::patch, concat("a patch changes the submodule ", quote(path)),
              "a patch cannot change a pinned commit; use an override in its variant");
}

/// Appends the files of one repository as in OUT, and returns its tree's id: without changes, that of the pinned
/// commit, from which the files were read.
ObjectId lay_out(const PinnedTree& pinned, std::size_t repository, const patch::Changes& changes,
                 std::vector<tree::FileToWrite>& files) {
  const source::Closure& closure = pinned.closure();
  const source::ClosureRepository& owner = closure.repositories[repository];
  const std::string prefix = repository_directory(owner.path) + "/";
  const std::size_t begin = files.size();
  std::vector<tree::Leaf> leaves;

  for (const source::ClosureFile& file : pinned.files(repository)) {
    if (changes.contains(file.path)) continue;
    files.push_back({prefix + file.path, file.mode, file.blob, owner.store, std::nullopt});
  }
  for (const SubmodulePlace& place : pinned.submodules(repository)) {
    if (changes.contains(place.path)) refuse_moved_pin(place.path);
    leaves.push_back({place.path, FileMode::gitlink, closure.repositories[place.index].gitlink});
  }
  for (const source::PinnedEntry* gap : pinned.gaps(repository)) leaves.push_back({gap->path, gap->mode, gap->id});
  for (const auto& [path, file] : changes) {
    if (!file) continue;
    if (file->mode == FileMode::gitlink) refuse_moved_pin(path);
    files.push_back({prefix + path, file->mode, git_blob_id(file->bytes), -1, file->bytes});
  }
  if (changes.empty()) return owner.tree;
  for (std::size_t i = begin; i < files.size(); ++i)
    leaves.push_back({std::string_view(files[i].path).substr(prefix.size()), files[i].mode, files[i].blob});
  return tree::tree_id(std::move(leaves));
}

}  // namespace

PinnedTree::PinnedTree(source::Closure closure, source::ObjectSource& source)
    : closure_(std::move(closure)), source_(source), submodules_(place_submodules(paths_of(closure_))) {
  for (std::size_t i = 0; i < closure_.repositories.size(); ++i) index_[closure_.repositories[i].path] = i;
}

std::size_t PinnedTree::repository(const RepositoryPath& path) const {
  const auto found = index_.find(path);
  if (found != index_.end()) return found->second;
  for (const source::ClosureGap& gap : closure_.gaps) {
    if (gap.entry.mode != FileMode::gitlink) continue;
    const RepositoryPath missing{gap.repository.component, join_path(gap.repository.path, gap.entry.path)};
    if (missing == path) raise_gap(path.text());
  }
  throw Error(ErrorKind::patch, concat("the sources have no repository ", quote(path.text())),
              "the patchset names a submodule that this release does not have");
}

std::span<const source::ClosureFile> PinnedTree::files(std::size_t repository) const {
  const auto index = static_cast<int>(repository);
  const auto first = std::ranges::lower_bound(closure_.files, index, {}, &source::ClosureFile::repository);
  const auto last = std::ranges::upper_bound(closure_.files, index, {}, &source::ClosureFile::repository);
  return {first, last};
}

const source::ClosureFile* PinnedTree::find(std::size_t repository, const std::string& path) const {
  const auto all = files(repository);
  const auto found = std::ranges::lower_bound(all, path, {}, &source::ClosureFile::path);
  return found != all.end() && found->path == path ? &*found : nullptr;
}

std::vector<const source::PinnedEntry*> PinnedTree::gaps(std::size_t repository) const {
  std::vector<const source::PinnedEntry*> gaps;
  for (const source::ClosureGap& gap : closure_.gaps)
    if (gap.repository == closure_.repositories[repository].path) gaps.push_back(&gap.entry);
  return gaps;
}

void PinnedTree::load(const std::vector<std::pair<std::size_t, std::string>>& paths, Console& console) {
  std::vector<source::BlobRequest> wanted;
  std::set<ObjectId> asked;
  for (const auto& [repository, path] : paths) {
    const source::ClosureRepository& owner = closure_.repositories[repository];
    const std::string name = concat(owner.path.text(), ": ", path);
    for (const source::PinnedEntry* gap : gaps(repository))
      if (gap->path == path) raise_gap(name);
    const source::ClosureFile* file = find(repository, path);
    if (!file || blobs_.contains(file->blob) || !asked.insert(file->blob).second) continue;
    wanted.push_back({file->blob, owner.store, name});
  }
  std::vector<std::string> contents = source::read_blobs(wanted, source_, console);
  for (std::size_t i = 0; i < wanted.size(); ++i) blobs_[wanted[i].id] = std::move(contents[i]);
}

const std::string& PinnedTree::content(const source::ClosureFile& file) const {
  const auto blob = blobs_.find(file.blob);
  if (blob != blobs_.end()) return blob->second;
  throw Error(ErrorKind::internal, concat("the content of ", quote(file.path), " was not loaded"));
}

std::int64_t newest_time(const source::Closure& closure) {
  std::int64_t newest = 0;
  for (const source::ClosureRepository& repository : closure.repositories) newest = std::max(newest, repository.time);
  return newest;
}

WholeTrees whole_trees(const std::vector<Component>& components, std::vector<tree::Leaf> leaves) {
  const tree::TreeIds ids = tree::tree_ids(std::move(leaves));
  WholeTrees whole{{}, ids.tree};
  for (const Component component : components) {
    const auto directory = ids.directories.find(component_directory(component));
    whole.trees[component] = directory == ids.directories.end() ? tree::tree_id({}) : directory->second;
  }
  return whole;
}

PatchedTree make_patched_tree(PinnedTree& pinned, const std::vector<patch::PatchStep>& patches,
                              const std::vector<AddedFile>& added, Console& console) {
  std::vector<std::pair<std::size_t, std::string>> touched;
  for (const patch::PatchStep& step : patches) {
    const std::size_t repository = pinned.repository(step.repository);
    for (const std::string& path : patch::touched_paths(step.patch)) touched.emplace_back(repository, path);
  }
  for (const AddedFile& file : added) touched.emplace_back(pinned.repository(file.repository), file.path);
  pinned.load(touched, console);

  PatchedTree result;
  result.edges.resize(patches.size());
  result.files.reserve(pinned.closure().files.size());
  std::set<Component> components;
  for (std::size_t i = 0; i < pinned.closure().repositories.size(); ++i) {
    const RepositoryPath& path = pinned.closure().repositories[i].path;
    components.insert(path.component);
    PinnedFiles files(pinned, i);
    patch::SeriesResult applied = patch::apply_series(patches, path, files);
    for (std::size_t step = 0; step < patches.size(); ++step)
      if (patches[step].repository == path) result.edges[step] = std::move(applied.edges[step]);
    for (const patch::MovedHunk& moved : applied.moved) {
      result.moved.push_back(
          concat("hunk ", moved.hunk, " of ", quote(moved.path), " was found ", moved.offset, " lines off"));
    }
    add_planned_files(files, path, added, applied.changes);
    result.repository_trees.push_back(lay_out(pinned, i, applied.changes, result.files));
  }
  std::ranges::sort(result.files, {}, &tree::FileToWrite::path);
  for (std::string& warning : case_collisions(result.files)) result.notes.push_back(std::move(warning));
  std::vector<tree::Leaf> leaves;
  for (const tree::FileToWrite& file : result.files) leaves.push_back({file.path, file.mode, file.blob});
  result.whole = whole_trees({components.begin(), components.end()}, std::move(leaves));
  return result;
}

std::vector<SubmoduleOverride> overrides_of(const Plan& plan) {
  std::vector<SubmoduleOverride> overrides;
  for (const PlannedOverride& planned : plan.overrides) overrides.push_back(*planned.what);
  return overrides;
}

std::vector<patch::PatchStep> patch_steps(const std::vector<PlannedPatch>& patches) {
  std::vector<patch::PatchStep> steps;
  for (const PlannedPatch& planned : patches) {
    const std::string name = planned.patchset + "/" + planned.patch->file;
    steps.push_back({name, planned.patch->repository, patch::parse_patch(planned.patch->text, name), planned.edges});
  }
  return steps;
}

std::vector<AddedFile> files_to_add(const std::vector<PlannedFile>& files) {
  std::vector<AddedFile> added;
  for (const PlannedFile& planned : files) {
    added.push_back(*planned.file);
    added.back().file = planned.patchset + "/" + planned.file->file;
  }
  return added;
}

}  // namespace torchpatch::trees
