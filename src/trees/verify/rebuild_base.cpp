// SPDX-License-Identifier: BSD-3-Clause
#include "trees/verify/verify.h"

#include <algorithm>

#include "git/gitmodules.h"
#include "git/object.h"
#include "model/repository_path.h"
#include "model/url.h"
#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

namespace {

bool is_leaf(const tree::ScannedEntry& entry) {
  return entry.type == tree::EntryType::regular || entry.type == tree::EntryType::link;
}

FileMode mode_of(const tree::ScannedEntry& entry) {
  if (entry.type == tree::EntryType::link) return FileMode::link;
  return entry.mode & 0100 ? FileMode::executable : FileMode::regular;
}

/// A repository on disk, and its entry in the manifest.
struct DiskRepository {
  const ManifestRepository* pin = nullptr;
  ScannedFiles files;
  std::vector<SubmodulePlace> submodules;
};

/// Assigns the scanned files to their repositories. A file that is in none, and not in torchpatch/, is a difference,
/// even if listed.
std::vector<DiskRepository> deal_out(const std::vector<const tree::ScannedEntry*>& scanned, const Manifest& manifest,
                                     std::vector<Difference>& differences) {
  std::vector<DiskRepository> dealt;
  std::vector<RepositoryPath> paths;
  std::map<std::string, std::size_t, std::less<>> index;
  for (const ManifestRepository& pin : manifest.repositories) {
    index[repository_directory(pin.path)] = dealt.size();
    dealt.push_back({&pin, {}, {}});
    paths.push_back(pin.path);
  }
  std::vector<std::vector<SubmodulePlace>> submodules = place_submodules(paths);
  for (std::size_t i = 0; i < dealt.size(); ++i) dealt[i].submodules = std::move(submodules[i]);
  const auto owner_of = [&](std::string_view directory) {
    auto found = index.find(directory);
    while (found == index.end() && directory.find('/') != directory.npos) {
      directory = directory.substr(0, directory.rfind('/'));
      found = index.find(directory);
    }
    return found;
  };
  std::string_view directory;  // of the previous file: usually the same
  auto owner = index.end();
  for (const tree::ScannedEntry* entry : scanned) {
    const std::string_view path = entry->path;
    if (!is_leaf(*entry) || starts_with(path, "torchpatch/")) continue;
    const std::string_view parent = path.substr(0, path.find('/') == path.npos ? 0 : path.rfind('/'));
    if (parent != directory) {
      directory = parent;
      owner = owner_of(directory);
    }
    if (owner == index.end()) {
      differences.push_back({entry->path, "extra", "listed, but not in a repository of the plan"});
      continue;
    }
    ScannedFiles& files = dealt[owner->second].files;
    files.emplace_hint(files.end(), path.substr(owner->first.size() + 1), entry);  // in their order
  }
  return dealt;
}

/// Returns the patches of a repository, parsed from their copies.
std::vector<patch::PatchStep> copied_patches(const std::string& root, const RepositoryPath& repository,
                                             const Manifest& manifest) {
  std::vector<patch::PatchStep> steps;
  for (const ManifestPatch& entry : manifest.patches) {
    if (entry.repository != repository) continue;
    steps.push_back(
        {entry.file, repository, patch::parse_patch(read_patch_copy(root, entry), entry.file), entry.edges});
  }
  return steps;
}

/// Applies reversed patches again: in a file with repeated lines, a hunk may be reversible at a place to which it was
/// never applied.
void apply_again(const std::vector<patch::PatchStep>& steps, const RepositoryPath& repository,
                 const patch::Changes& taken_out, DiskFiles& disk) {
  patch::OverlayFiles base(disk, taken_out);
  const patch::Changes again = patch::apply_series(steps, repository, base).changes;
  patch::OverlayFiles patched(base, again);
  std::set<std::string> paths;
  for (const patch::Changes& changes : {taken_out, again})
    for (const auto& [path, file] : changes) paths.insert(path);
  for (const std::string& path : paths) {
    if (patched.read(path) == disk.read(path)) continue;
    throw Error(ErrorKind::patch, concat("applied again, they produce a different ", quote(path)));
  }
}

/// An added file is dropped before the pinned tree is built, so its own digests must verify it.
void check_added_files(const DiskRepository& repository, const Manifest& manifest,
                       std::vector<Difference>& differences) {
  for (const ManifestAddedFile& file : manifest.added_files) {
    if (file.repository != repository.pin->path) continue;
    const std::string path = concat(repository_directory(file.repository), "/", file.path);
    const auto found = repository.files.find(file.path);
    if (found == repository.files.end()) {
      differences.push_back({path, "missing", "listed as an added file in the manifest"});
      continue;
    }
    const tree::ScannedEntry& entry = *found->second;
    const bool is_same = entry.type == tree::EntryType::regular && entry.sha256 == file.sha256 &&
                         entry.blob == file.blob && mode_of(entry) == file.mode;
    if (!is_same) differences.push_back({path, "changed", "differs from the added file in the manifest"});
  }
}

std::vector<tree::Leaf> leaves_of(const DiskRepository& repository, const Manifest& manifest) {
  std::vector<tree::Leaf> leaves;
  for (const auto& [path, entry] : repository.files) leaves.push_back({path, mode_of(*entry), entry->blob});
  for (const SubmodulePlace& place : repository.submodules)
    leaves.push_back({place.path, FileMode::gitlink, manifest.repositories[place.index].gitlink()});
  // The missing files of a partial tree are known by id: with them the result must still be the pinned tree.
  for (const ManifestGap& gap : manifest.gaps) {
    if (gap.repository != repository.pin->path || repository.files.contains(gap.path)) continue;
    leaves.push_back({gap.path, gap.mode, gap.id});
  }
  return leaves;
}

std::vector<tree::Leaf> base_leaves(std::vector<tree::Leaf> leaves, const patch::Changes& changes) {
  std::erase_if(leaves, [&](const tree::Leaf& leaf) { return changes.contains(std::string(leaf.path)); });
  for (const auto& [path, file] : changes)
    if (file) leaves.push_back({path, file->mode, git_blob_id(file->bytes)});
  return leaves;
}

/// A commit vouches for its tree: its id is the digest of its bytes, which contain the tree's id.
std::string commit_problem(const ManifestRepository& repository) {
  if (git_object_id("commit", repository.raw_commit) != repository.commit)
    return "the commit object in the manifest does not have the pinned id";
  if (git::parse_commit(repository.raw_commit).tree == repository.base_tree) return {};
  return "the tree of the pinned commit differs from the manifest";
}

/// A submodule's URL must be that of the pinned .gitmodules; an override's, that of the catalog.
void check_urls(const DiskRepository& repository, const Manifest& manifest, const std::optional<patch::TreeFile>& file,
                std::vector<Difference>& differences) {
  std::map<std::string, std::string> urls;
  for (const git::Submodule& submodule : git::parse_gitmodules(file ? file->bytes : ""))
    urls[submodule.path] = resolve_url(repository.pin->url, submodule.url);
  for (const SubmodulePlace& place : repository.submodules) {
    const ManifestRepository& submodule = manifest.repositories[place.index];
    if (submodule.overridden || submodule.url == urls[place.path]) continue;
    differences.push_back({submodule.path.text(), "manifest",
                           concat("the manifest has the URL ", redact_url(submodule.url), ", .gitmodules has ",
                                  redact_url(urls[place.path]))});
  }
}

void check_repository(const std::string& root, const DiskRepository& repository, const Manifest& manifest,
                      std::vector<Difference>& differences) {
  const ManifestRepository& pin = *repository.pin;
  const std::string name = pin.path.text();
  if (std::string problem = commit_problem(pin); !problem.empty()) differences.push_back({name, "commit", problem});
  for (const ManifestGap& gap : manifest.gaps) {
    if (gap.repository != pin.path || !repository.files.contains(gap.path)) continue;
    differences.push_back({gap.out_path(), "manifest", "exists, but is listed as missing in the manifest"});
  }
  check_added_files(repository, manifest, differences);
  const std::vector<tree::Leaf> leaves = leaves_of(repository, manifest);
  try {
    const ObjectId patched = tree::tree_id(leaves);
    if (patched != pin.patched_tree) {
      differences.push_back(
          {name, "patched-tree",
           concat("the files on disk give tree ", patched.hex(), ", the manifest has ", pin.patched_tree.hex())});
    }
    const std::vector<patch::PatchStep> steps = copied_patches(root, pin.path, manifest);
    ScannedFiles files = repository.files;
    patch::Changes changes;
    for (const ManifestAddedFile& file : manifest.added_files) {
      if (file.repository != pin.path) continue;
      files.erase(file.path);
      changes[file.path] = std::nullopt;
    }
    DiskFiles disk(root, std::move(files));
    const patch::Changes taken_out = patch::take_series_out(steps, pin.path, disk);
    for (const auto& [path, file] : taken_out) changes[path] = file;
    const ObjectId base = changes.empty() ? patched : tree::tree_id(base_leaves(leaves, changes));
    if (base == pin.base_tree) {
      apply_again(steps, pin.path, taken_out, disk);
      const auto gitmodules = patch::OverlayFiles(disk, taken_out).read(".gitmodules");
      return check_urls(repository, manifest, gitmodules, differences);
    }
    differences.push_back({name, "base-tree",
                           concat("without the patches, the files give tree ", base.hex(), ", the pinned commit has ",
                                  pin.base_tree.hex())});
  } catch (const Error& error) {
    differences.push_back({name, "patch", concat("reverting the patches: ", error.message())});
  }
}

void check_whole_trees(const std::vector<const tree::ScannedEntry*>& scanned, const Manifest& manifest,
                       std::vector<Difference>& differences) {
  std::vector<tree::Leaf> leaves;
  for (const tree::ScannedEntry* entry : scanned) {
    if (!is_leaf(*entry) || starts_with(entry->path, "torchpatch/")) continue;
    leaves.push_back({entry->path, mode_of(*entry), entry->blob});
  }
  const WholeTrees whole = whole_trees(manifest.components, std::move(leaves));
  for (const auto& [component, id] : whole.trees) {
    if (id == manifest.trees.at(component)) continue;
    differences.push_back({component_directory(component), "tree",
                           concat("gives tree ", id.hex(), ", the manifest has ", manifest.trees.at(component).hex())});
  }
  if (whole.tree == manifest.tree) return;
  differences.push_back(
      {"", "tree", concat("the files give tree ", whole.tree.hex(), ", the manifest has ", manifest.tree.hex())});
}

}  // namespace

std::string read_patch_copy(const std::string& root, const ManifestPatch& patch) {
  std::string text = read_file(root + "/torchpatch/" + patch.file);
  if (sha256(text) == patch.sha256) return text;
  throw Error(ErrorKind::data, concat(quote(patch.file), " differs from the patch in the manifest"));
}

ScannedFiles files_in(const std::vector<tree::ScannedEntry>& scanned, const std::string& directory) {
  ScannedFiles files;
  const std::string prefix = directory + "/";
  for (auto entry = std::ranges::lower_bound(scanned, prefix, {}, &tree::ScannedEntry::path);
       entry != scanned.end() && starts_with(entry->path, prefix); ++entry)
    if (is_leaf(*entry)) files.emplace_hint(files.end(), std::string_view(entry->path).substr(prefix.size()), &*entry);
  return files;
}

std::optional<patch::TreeFile> DiskFiles::read(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end()) return std::nullopt;
  const tree::ScannedEntry& entry = *found->second;
  if (entry.type == tree::EntryType::link) return patch::TreeFile{FileMode::link, entry.link_target};
  std::string bytes = read_file(root_ + "/" + entry.path);
  if (git_blob_id(bytes) != entry.blob)
    throw Error(ErrorKind::environment, concat(quote(entry.path), " changed while it was verified"));
  return patch::TreeFile{mode_of(entry), std::move(bytes)};
}

bool DiskFiles::has_others_below(const std::string& path, const std::set<std::string>& removed) {
  auto next = files_.lower_bound(path + "/");
  while (next != files_.end() && removed.contains(std::string(next->first))) ++next;
  return next != files_.end() && starts_with(next->first, path + "/");
}

void check_base_trees(const std::string& root, const std::vector<const tree::ScannedEntry*>& scanned,
                      const Manifest& manifest, std::vector<Difference>& differences) {
  for (const DiskRepository& repository : deal_out(scanned, manifest, differences))
    check_repository(root, repository, manifest, differences);
  check_whole_trees(scanned, manifest, differences);
}

}  // namespace torchpatch::trees
