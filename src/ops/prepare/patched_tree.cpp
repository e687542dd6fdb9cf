// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prepare/patched_tree.h"

#include <algorithm>
#include <set>

#include "patch/parse_patch.h"
#include "source/closure/object_source.h"
#include "support/digest.h"
#include "support/text.h"
#include "tree/tree_id.h"

namespace torchpatch::ops {

namespace {

std::vector<RepositoryPath> paths_of(const source::Closure& closure) {
  std::vector<RepositoryPath> paths;
  paths.reserve(closure.repositories.size());
  for (const source::ClosureRepository& repository : closure.repositories) paths.push_back(repository.path);
  return paths;
}

std::string join_path(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : concat(directory, "/", name);
}

[[noreturn]] void raise_gap(const std::string& name) {
  throw Error(ErrorKind::source, concat("patching ", quote(name), ": it is missing from the sources"),
              "find a source that has it, or leave the fix out with --without FIX");
}

constexpr const char* kMovedPin = "a patch cannot move a pin; an override of its variant can";

struct ParsedSteps {
  std::vector<patch::PatchFile> files;
  std::vector<int> repositories;
};

ParsedSteps parse_steps(const PinnedTree& pinned, const std::vector<PatchStep>& steps) {
  ParsedSteps parsed;
  for (const PatchStep& step : steps) {
    parsed.files.push_back(patch::parse_patch(*step.text, step.name));
    parsed.repositories.push_back(pinned.repository(step.repository));
  }
  return parsed;
}

/// Reads what the patches touch.
void load_touched(PinnedTree& pinned, const ParsedSteps& parsed, const std::vector<AddStep>& added, Console& console) {
  std::vector<std::pair<int, std::string>> touched;
  for (std::size_t i = 0; i < parsed.files.size(); ++i) {
    for (const std::string& path : patch::touched_paths(parsed.files[i]))
      touched.emplace_back(parsed.repositories[i], path);
  }
  for (const AddStep& add : added) touched.emplace_back(pinned.repository(add.repository), add.path);
  pinned.load(touched, console);
}

/// Applies the patches of one repository; `edges` has a place for every step.
patch::Changes apply_to_repository(const PinnedTree& pinned, int repository, const std::vector<PatchStep>& steps,
                                   const ParsedSteps& parsed, PatchedTree& result) {
  std::vector<patch::SeriesStep> series;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (parsed.repositories[i] != repository) continue;
    series.push_back({&parsed.files[i], steps[i].name, steps[i].expected});
    places.push_back(i);
  }
  if (series.empty()) return {};
  const auto files = pinned.files(repository);
  patch::SeriesResult applied = patch::apply_series(series, *files);
  for (std::size_t i = 0; i < places.size(); ++i) result.edges[places[i]] = std::move(applied.edges[i]);
  for (const patch::MovedHunk& moved : applied.moved) {
    result.notes.push_back(
        concat("hunk ", moved.hunk, " of ", quote(moved.path), " was found ", moved.offset, " lines off its line"));
  }
  return std::move(applied.changes);
}

void add_files(const PinnedTree& pinned, int repository, const std::vector<AddStep>& added, patch::Changes& changes) {
  for (const AddStep& add : added) {
    if (pinned.repository(add.repository) != repository) continue;
    const auto changed = changes.find(add.path);
    const bool is_there =
        changed != changes.end() ? changed->second.has_value() : pinned.files(repository)->read(add.path).has_value();
    if (is_there) {
      throw Error(ErrorKind::patch, concat(add.name, ": ", quote(add.path), " is already in ", add.repository.text()),
                  "a file that a fix adds must not exist; make it a patch");
    }
    changes[add.path] = patch::TreeFile{add.mode, *add.bytes};
  }
}

tree::FileToWrite unchanged(const source::ClosureFile& file, const std::string& directory, int store) {
  return {directory + "/" + file.path, file.mode, file.blob, store, std::nullopt};
}

tree::FileToWrite changed(const std::string& path, const patch::TreeFile& file, const std::string& directory) {
  if (file.mode == FileMode::gitlink) {
    throw Error(ErrorKind::patch, concat("a patch changes the submodule ", quote(path)), kMovedPin);
  }
  return {directory + "/" + path, file.mode, git_blob_id(file.bytes), -1, file.bytes};
}

/// Appends the files of one repository as they will stand in OUT, and returns its tree's id: where nothing changes,
/// that of the pinned commit, from which the files were read.
ObjectId lay_out(const PinnedTree& pinned, int repository, const patch::Changes& changes,
                 std::vector<tree::FileToWrite>& files) {
  const source::Closure& closure = pinned.closure();
  const source::ClosureRepository& owner = closure.repositories[static_cast<std::size_t>(repository)];
  const std::string directory = repository_directory(owner.path);
  const std::size_t begin = files.size();
  std::vector<tree::Leaf> leaves;

  const auto [first, last] = pinned.files_of(repository);
  for (std::size_t i = first; i < last; ++i) {
    if (!changes.contains(closure.files[i].path)) files.push_back(unchanged(closure.files[i], directory, owner.store));
  }
  for (const SubmodulePlace& place : pinned.submodules(repository)) {
    const auto found = changes.find(place.path);
    if (found != changes.end()) {
      throw Error(ErrorKind::patch, concat("a patch changes the submodule ", quote(place.path)), kMovedPin);
    }
    leaves.push_back(
        {place.path, FileMode::gitlink, closure.repositories[static_cast<std::size_t>(place.index)].gitlink});
  }
  for (const source::PinnedEntry* gap : pinned.gaps_of(repository)) leaves.push_back({gap->path, gap->mode, gap->id});
  for (const auto& [path, file] : changes) {
    if (file) files.push_back(changed(path, *file, directory));
  }
  if (changes.empty()) return owner.tree;
  for (std::size_t i = begin; i < files.size(); ++i) {
    leaves.push_back({files[i].path.substr(directory.size() + 1), files[i].mode, files[i].blob});
  }
  return tree::tree_id(std::move(leaves));
}

void compute_whole_trees(const source::Closure& closure, PatchedTree& result) {
  std::map<Component, std::vector<tree::Leaf>> inlined;
  for (const source::ClosureRepository& repository : closure.repositories) inlined[repository.path.component];
  for (const tree::FileToWrite& file : result.files) {
    for (const Component component : {Component::torch, Component::vision, Component::audio}) {
      const std::string prefix = std::string(component_directory(component)) + "/";
      if (starts_with(file.path, prefix))
        inlined[component].push_back({file.path.substr(prefix.size()), file.mode, file.blob});
    }
  }
  std::vector<tree::Leaf> whole;
  for (auto& [component, leaves] : inlined) {
    const bool has_directory = !leaves.empty();
    const ObjectId id = tree::tree_id(std::move(leaves));
    result.trees[component] = id;
    if (has_directory) whole.push_back({component_directory(component), FileMode::directory, id});
  }
  result.tree = tree::tree_id(std::move(whole));
}

}  // namespace

PinnedTree::PinnedTree(source::Closure closure, source::ObjectSource& source)
    : closure_(std::move(closure)), source_(source), submodules_(place_submodules(paths_of(closure_))) {
  for (std::size_t i = 0; i < closure_.repositories.size(); ++i) {
    index_[closure_.repositories[i].path] = static_cast<int>(i);
  }
  ranges_.resize(closure_.repositories.size());
  for (std::size_t i = 0; i < closure_.files.size(); ++i) {
    auto& [first, last] = ranges_[static_cast<std::size_t>(closure_.files[i].repository)];
    if (last == 0) first = i;
    last = i + 1;
  }
}

int PinnedTree::repository(const RepositoryPath& path) const {
  const auto found = index_.find(path);
  if (found == index_.end()) {
    for (const source::ClosureGap& gap : closure_.gaps) {
      if (gap.entry.mode != FileMode::gitlink) continue;
      const RepositoryPath missing{gap.repository.component, join_path(gap.repository.path, gap.entry.path)};
      if (missing == path) raise_gap(path.text());
    }
    throw Error(ErrorKind::patch, concat("the closure has no repository ", quote(path.text())),
                "the patchset names a submodule that these pins do not have");
  }
  return found->second;
}

std::vector<const source::PinnedEntry*> PinnedTree::gaps_of(int repository) const {
  const RepositoryPath& path = closure_.repositories[static_cast<std::size_t>(repository)].path;
  std::vector<const source::PinnedEntry*> gaps;
  for (const source::ClosureGap& gap : closure_.gaps) {
    if (gap.repository == path) gaps.push_back(&gap.entry);
  }
  return gaps;
}

void PinnedTree::require_no_gap(int repository, const std::string& path) const {
  for (const source::PinnedEntry* gap : gaps_of(repository)) {
    if (gap->path != path) continue;
    raise_gap(concat(closure_.repositories[static_cast<std::size_t>(repository)].path.text(), ": ", path));
  }
}

const std::vector<SubmodulePlace>& PinnedTree::submodules(int repository) const {
  return submodules_[static_cast<std::size_t>(repository)];
}

std::pair<std::size_t, std::size_t> PinnedTree::files_of(int repository) const {
  return ranges_[static_cast<std::size_t>(repository)];
}

const source::ClosureFile* PinnedTree::find(int repository, const std::string& path) const {
  const auto [first, last] = files_of(repository);
  const auto begin = closure_.files.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = closure_.files.begin() + static_cast<std::ptrdiff_t>(last);
  const auto found =
      std::lower_bound(begin, end, path, [](const auto& file, const auto& key) { return file.path < key; });
  return found != end && found->path == path ? &*found : nullptr;
}

void PinnedTree::load(const std::vector<std::pair<int, std::string>>& paths, Console& console) {
  std::vector<source::BlobRequest> wanted;
  std::set<ObjectId> asked;
  for (const auto& [repository, path] : paths) {
    require_no_gap(repository, path);
    const source::ClosureFile* file = find(repository, path);
    if (!file || blobs_.contains(file->blob) || !asked.insert(file->blob).second) continue;
    const source::ClosureRepository& owner = closure_.repositories[static_cast<std::size_t>(repository)];
    wanted.push_back({file->blob, owner.store, concat(owner.path.text(), ": ", path)});
  }
  std::vector<std::string> contents = source::read_blobs(wanted, source_, console);
  for (std::size_t i = 0; i < wanted.size(); ++i) blobs_[wanted[i].id] = std::move(contents[i]);
}

/// One repository of a PinnedTree.
class PinnedFiles : public patch::FileSource {
 public:
  PinnedFiles(const PinnedTree& tree, int repository) : tree_(tree), repository_(repository) {}

  std::optional<patch::TreeFile> read(const std::string& path) override {
    for (const SubmodulePlace& place : tree_.submodules(repository_)) {
      if (place.path != path) continue;
      const auto& submodule = tree_.closure().repositories[static_cast<std::size_t>(place.index)];
      return patch::TreeFile{FileMode::gitlink, submodule.gitlink.hex()};
    }
    const source::ClosureFile* file = tree_.find(repository_, path);
    if (!file) return std::nullopt;
    const auto blob = tree_.blobs_.find(file->blob);
    if (blob == tree_.blobs_.end())
      throw Error(ErrorKind::internal, concat("the content of ", quote(path), " was not loaded"));
    return patch::TreeFile{file->mode, blob->second};
  }

  bool is_directory(const std::string& path) override { return has_others_below(path, {}); }

  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override {
    const std::string prefix = path + "/";
    const auto stays = [&](const std::string& each) { return starts_with(each, prefix) && !removed.contains(each); };
    for (const SubmodulePlace& place : tree_.submodules(repository_)) {
      if (stays(place.path)) return true;
    }
    for (const source::PinnedEntry* gap : tree_.gaps_of(repository_)) {
      if (stays(gap->path)) return true;
    }
    const auto [first, last] = tree_.files_of(repository_);
    const auto begin = tree_.closure().files.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = tree_.closure().files.begin() + static_cast<std::ptrdiff_t>(last);
    auto next = std::lower_bound(begin, end, prefix, [](const auto& file, const auto& key) { return file.path < key; });
    while (next != end && removed.contains(next->path)) ++next;
    return next != end && stays(next->path);
  }

 private:
  const PinnedTree& tree_;
  int repository_;
};

std::unique_ptr<patch::FileSource> PinnedTree::files(int repository) const {
  return std::make_unique<PinnedFiles>(*this, repository);
}

PatchedTree make_patched_tree(PinnedTree& pinned, const std::vector<PatchStep>& patches,
                              const std::vector<AddStep>& added, Console& console) {
  const ParsedSteps parsed = parse_steps(pinned, patches);
  load_touched(pinned, parsed, added, console);

  PatchedTree result;
  result.edges.resize(patches.size());
  result.files.reserve(pinned.closure().files.size());
  for (int i = 0; i < static_cast<int>(pinned.closure().repositories.size()); ++i) {
    patch::Changes changes = apply_to_repository(pinned, i, patches, parsed, result);
    add_files(pinned, i, added, changes);
    result.repository_trees.push_back(lay_out(pinned, i, changes, result.files));
  }
  std::sort(result.files.begin(), result.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  compute_whole_trees(pinned.closure(), result);
  return result;
}

std::vector<SubmoduleOverride> overrides_of(const Plan& plan) {
  std::vector<SubmoduleOverride> overrides;
  for (const PlannedOverride& planned : plan.overrides) overrides.push_back(*planned.what);
  return overrides;
}

std::vector<PatchStep> patch_steps(const std::vector<PlannedPatch>& patches) {
  std::vector<PatchStep> steps;
  for (const PlannedPatch& planned : patches) {
    PatchStep step{planned.patchset + "/" + planned.patch->file, planned.patch->repository, &planned.patch->text, {}};
    for (const CertificateEdge& edge : planned.edges) step.expected.push_back({edge.path, edge.before, edge.after});
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<AddStep> add_steps(const std::vector<PlannedFile>& files) {
  std::vector<AddStep> steps;
  for (const PlannedFile& planned : files) {
    const AddedFile& file = *planned.file;
    steps.push_back({planned.patchset + "/" + file.file, file.repository, file.path,
                     file.is_executable ? FileMode::executable : FileMode::regular, &file.bytes});
  }
  return steps;
}

}  // namespace torchpatch::ops
