// SPDX-License-Identifier: BSD-3-Clause
#include "ops/pinned_tree.h"

#include <algorithm>
#include <set>

#include "source/read_blobs.h"
#include "support/text.h"

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

}  // namespace torchpatch::ops
