// SPDX-License-Identifier: BSD-3-Clause
#include "ops/verify/rebuild_base.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "git/object.h"
#include "model/repository_path.h"
#include "patch/apply.h"
#include "patch/chain.h"
#include "patch/parse_patch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/tree_id.h"

namespace torchpatch::ops {

namespace {

namespace fs = std::filesystem;

/// Returns what stands at `path`; nothing where a link or a file is on the way.
fs::file_type type_of(const std::string& directory, const std::string& path) {
  std::error_code error;
  std::string place = directory;
  fs::file_type type = fs::file_type::directory;
  for (const std::string& name : split(path, '/')) {
    if (type != fs::file_type::directory) return fs::file_type::not_found;
    place += "/" + name;
    type = fs::symlink_status(place, error).type();
  }
  return type;
}

/// The files of one repository as they lie on disk: path in the repository → what was scanned.
using Scanned = std::map<std::string, const tree::ScannedEntry*>;

FileMode mode_of(const tree::ScannedEntry& entry) {
  if (entry.type == tree::EntryType::link) return FileMode::link;
  return entry.mode & 0100 ? FileMode::executable : FileMode::regular;
}

/// Deals the scanned files out to the repositories they lie in.
class Repositories {
 public:
  Repositories(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest)
      : files_(manifest.repositories.size()) {
    std::vector<RepositoryPath> paths;
    for (std::size_t i = 0; i < manifest.repositories.size(); ++i) {
      paths.push_back(manifest.repositories[i].path);
      index_[repository_directory(paths.back())] = i;
    }
    submodules_ = place_submodules(paths);
    for (const tree::ScannedEntry& entry : scanned) assign(entry);
  }

  const Scanned& files(std::size_t repository) const { return files_[repository]; }
  const std::vector<SubmodulePlace>& submodules(std::size_t repository) const { return submodules_[repository]; }

 private:
  void assign(const tree::ScannedEntry& entry) {
    if (entry.type != tree::EntryType::regular && entry.type != tree::EntryType::link) return;
    for (std::size_t slash = entry.path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = entry.path.rfind('/', slash - 1)) {
      const auto found = index_.find(std::string_view(entry.path).substr(0, slash));
      if (found == index_.end()) continue;
      Scanned& files = files_[found->second];
      files.emplace_hint(files.end(), entry.path.substr(slash + 1), &entry);  // in their order
      return;
    }
  }

  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<Scanned> files_;
  std::vector<std::vector<SubmodulePlace>> submodules_;
};

/// The files of one repository on disk, for the engine.
class DiskFiles : public patch::FileSource {
 public:
  DiskFiles(std::string root, const Scanned& files) : root_(std::move(root)), files_(files) {}

  std::optional<patch::TreeFile> read(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return std::nullopt;
    const tree::ScannedEntry& entry = *found->second;
    if (entry.type == tree::EntryType::link) return patch::TreeFile{FileMode::link, entry.link_target};
    std::string bytes = read_file(root_ + "/" + entry.path);
    if (git_blob_id(bytes) != entry.blob) {
      throw Error(ErrorKind::environment, concat(quote(entry.path), " changed while it was verified"));
    }
    return patch::TreeFile{mode_of(entry), std::move(bytes)};
  }

  bool is_directory(const std::string& path) override { return has_others_below(path, {}); }

  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override {
    auto next = files_.lower_bound(path + "/");
    while (next != files_.end() && removed.contains(next->first)) ++next;
    return next != files_.end() && starts_with(next->first, path + "/");
  }

 private:
  std::string root_;
  const Scanned& files_;
};

/// Takes the patches of one repository back out, last first. Returns what changes against the disk.
patch::Changes take_patches_out(const std::string& root, const RepositoryPath& repository, const Scanned& files,
                                const Manifest& manifest) {
  std::vector<patch::PatchFile> patches;
  std::vector<patch::SeriesStep> series;
  patches.reserve(manifest.patches.size());  // the steps point into it
  for (const ManifestPatch& entry : manifest.patches) {
    if (entry.repository != repository) continue;
    patches.push_back(patch::parse_patch(read_patch_copy(root, entry), entry.file));
    series.push_back({&patches.back(), entry.file, {}});
  }
  DiskFiles disk(root, files);
  return patch::take_series_out(series, disk);
}

std::vector<tree::Leaf> leaves_of(const RepositoryPath& repository, const Scanned& files,
                                  const std::vector<SubmodulePlace>& submodules, const Manifest& manifest) {
  std::vector<tree::Leaf> leaves;
  for (const auto& [path, entry] : files) leaves.push_back({path, mode_of(*entry), entry->blob});
  for (const SubmodulePlace& place : submodules) {
    leaves.push_back(
        {place.path, FileMode::gitlink, manifest.repositories[static_cast<std::size_t>(place.index)].gitlink()});
  }
  // What a partial tree lacks is known by its id: with it the pinned tree must come out all the same.
  for (const ManifestGap& gap : manifest.gaps) {
    if (gap.repository == repository && !files.contains(gap.path)) leaves.push_back({gap.path, gap.mode, gap.id});
  }
  return leaves;
}

std::vector<tree::Leaf> base_leaves(std::vector<tree::Leaf> leaves, const patch::Changes& changes) {
  std::erase_if(leaves, [&](const tree::Leaf& leaf) { return changes.contains(leaf.path); });
  for (const auto& [path, file] : changes) {
    if (file) leaves.push_back({path, file->mode, git_blob_id(file->bytes)});
  }
  return leaves;
}

/// A commit vouches for its tree: its id is the digest of its bytes, and they name the tree.
void check_commit(const ManifestRepository& repository, std::vector<Difference>& differences) {
  const std::string name = repository.path.text();
  if (git_object_id("commit", repository.raw_commit) != repository.commit) {
    differences.push_back({name, "commit", "the manifest's raw commit object does not have the pinned id"});
    return;
  }
  if (git::parse_commit(repository.raw_commit).tree != repository.base_tree) {
    differences.push_back({name, "commit", "the pinned commit names another tree than the manifest"});
  }
}

void check_gaps(const RepositoryPath& repository, const Scanned& files, const Manifest& manifest,
                std::vector<Difference>& differences) {
  for (const ManifestGap& gap : manifest.gaps) {
    if (gap.repository != repository || !files.contains(gap.path)) continue;
    differences.push_back({concat(repository_directory(repository), "/", gap.path), "manifest",
                           "is there, but the manifest says that it is missing"});
  }
}

void check_repository(const std::string& root, std::size_t index, const Repositories& repositories,
                      const Manifest& manifest, std::vector<Difference>& differences) {
  const ManifestRepository& repository = manifest.repositories[index];
  check_commit(repository, differences);
  check_gaps(repository.path, repositories.files(index), manifest, differences);
  Scanned files = repositories.files(index);
  const std::vector<tree::Leaf> leaves = leaves_of(repository.path, files, repositories.submodules(index), manifest);
  const std::string name = repository.path.text();
  try {
    const ObjectId patched = tree::tree_id(leaves);
    if (patched != repository.patched_tree) {
      differences.push_back({name, "patched-tree",
                             concat("the files on disk make tree ", patched.hex(), ", the manifest says ",
                                    repository.patched_tree.hex())});
    }
    patch::Changes changes;
    for (const ManifestAddedFile& added : manifest.added_files) {
      if (added.repository == repository.path) files.erase(added.path);
    }
    changes = take_patches_out(root, repository.path, files, manifest);
    for (const ManifestAddedFile& added : manifest.added_files) {
      if (added.repository == repository.path) changes.try_emplace(added.path, std::nullopt);
    }
    const ObjectId base = changes.empty() ? patched : tree::tree_id(base_leaves(leaves, changes));
    if (base == repository.base_tree) return;
    differences.push_back({name, "base-tree",
                           concat("without the patches the files make tree ", base.hex(), ", the pinned commit names ",
                                  repository.base_tree.hex())});
  } catch (const Error& error) {
    differences.push_back({name, "patch", concat("taking the patches out: ", error.message())});
  }
}

/// The trees with submodules inlined, and the tree of OUT.
void check_whole_trees(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                       std::vector<Difference>& differences) {
  std::vector<tree::Leaf> all;
  std::map<std::string, std::vector<tree::Leaf>, std::less<>> inlined;
  for (const Component component : manifest.components) inlined[component_directory(component)] = {};
  for (const tree::ScannedEntry& entry : scanned) {
    if (entry.type != tree::EntryType::regular && entry.type != tree::EntryType::link) continue;
    if (starts_with(entry.path, "torchpatch/")) continue;
    const std::size_t slash = std::min(entry.path.find('/'), entry.path.size());
    const auto component = inlined.find(std::string_view(entry.path).substr(0, slash));
    if (component == inlined.end() || slash == entry.path.size()) {
      all.push_back({entry.path, mode_of(entry), entry.blob});
    } else {
      component->second.push_back({entry.path.substr(slash + 1), mode_of(entry), entry.blob});
    }
  }
  for (const auto& [component, tree] : manifest.trees) {
    const std::vector<tree::Leaf>& leaves = inlined[component_directory(component)];
    const ObjectId id = tree::tree_id(leaves);
    if (!leaves.empty()) all.push_back({component_directory(component), FileMode::directory, id});
    if (id != tree)
      differences.push_back({component_directory(component), "tree",
                             concat("makes tree ", id.hex(), ", the manifest says ", tree.hex())});
  }
  if (const ObjectId id = tree::tree_id(all); id != manifest.tree) {
    differences.push_back(
        {"", "tree", concat("the files make tree ", id.hex(), ", the manifest says ", manifest.tree.hex())});
  }
}

}  // namespace

std::string read_patch_copy(const std::string& root, const ManifestPatch& patch) {
  std::string text = read_file(root + "/torchpatch/" + patch.file);
  if (sha256(text) == patch.sha256) return text;
  throw Error(ErrorKind::data, concat(quote(patch.file), " is not the patch that the manifest names"));
}

PreparedFiles::PreparedFiles(const std::string& root, const RepositoryPath& repository, const Manifest& manifest)
    : directory_(root + "/" + repository_directory(repository)), repository_(repository), manifest_(manifest) {}

std::optional<patch::TreeFile> PreparedFiles::read(const std::string& path) {
  for (const ManifestRepository& other : manifest_.repositories) {
    const bool is_here = other.path.component == repository_.component &&
                         other.path.path == (repository_.path.empty() ? path : repository_.path + "/" + path);
    if (is_here) return patch::TreeFile{FileMode::gitlink, other.gitlink().hex()};
  }
  const std::string place = directory_ + "/" + path;
  std::error_code error;
  switch (type_of(directory_, path)) {
    case fs::file_type::symlink:
      return patch::TreeFile{FileMode::link, fs::read_symlink(place, error).string()};
    case fs::file_type::regular: {
      const bool is_executable = (fs::status(place, error).permissions() & fs::perms::owner_exec) != fs::perms::none;
      return patch::TreeFile{is_executable ? FileMode::executable : FileMode::regular, read_file(place)};
    }
    default:
      return std::nullopt;
  }
}

bool PreparedFiles::is_directory(const std::string& path) {
  return type_of(directory_, path) == fs::file_type::directory;
}

std::vector<Difference> check_base_trees(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                         const Manifest& manifest) {
  std::vector<Difference> differences;
  const Repositories repositories(scanned, manifest);
  for (std::size_t i = 0; i < manifest.repositories.size(); ++i)
    check_repository(root, i, repositories, manifest, differences);
  check_whole_trees(scanned, manifest, differences);
  return differences;
}

}  // namespace torchpatch::ops
