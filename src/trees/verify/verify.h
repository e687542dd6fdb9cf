// SPDX-License-Identifier: BSD-3-Clause
/// verify(): is this tree the pinned commits plus these patches? Nothing in the tree is trusted. scan_prepared_tree()
/// reads a tree; compare_listing(), check_base_trees(), compare_with_catalog() and compare_with_sources() are the parts
/// of verify().
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/catalog.h"
#include "model/differences.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "patch/apply.h"
#include "record/manifest_file.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "tree/scan.h"

namespace torchpatch::trees {

/// A prepared tree on disk.
struct ScannedTree {
  std::string root;
  Manifest manifest;
  std::string manifest_bytes;
  Sha256 digest;  ///< of the manifest's bytes
  record::Sums sums;
  Sha256 sums_digest;                       ///< of SHA256SUMS, as it was read
  std::vector<tree::ScannedEntry> scanned;  ///< every path below root, sorted bytewise
};

using UseManifest = std::function<void(const Manifest&)>;

/// Whether unlisted files are hashed too.
enum class Unlisted { unread, read };

/// Reads the record in torchpatch/ and every file, and calls `meanwhile`, if given, while the tree is listed. Raises
/// environment if `root` is not a prepared tree, data or unsafe if its record cannot be read, and what `meanwhile`
/// raises.
ScannedTree scan_prepared_tree(const std::string& root, int jobs, Console& console, const UseManifest& meanwhile = {},
                               Unlisted unlisted = Unlisted::unread);

/// Returns the manifest of the tree at `root`. Raises as scan_prepared_tree.
Manifest read_manifest_of(const std::string& root);

/// Raises environment if the prepared tree at `root` contains files that neither torchpatch nor a build wrote, or if
/// its record cannot be read. Does nothing without a record.
void require_own_files(const std::string& root);

struct TreeComparison {
  std::vector<Difference> differences;
  std::vector<std::string> extras;  ///< unlisted paths; outermost only (a directory stands for its contents)
  /// Entries of SHA256SUMS or the manifest's links; only those belong to OUT.
  std::vector<const tree::ScannedEntry*> listed;
};

/// Compares the files with SHA256SUMS and the manifest, and these with each other, and reverses the patches: the result
/// must be the pinned commits (check_base_trees). Licences are read and the manifest's companions computed again.
/// Everything listed must belong to a repository or a tree's record. `strict_modes` as for compare_listing().
TreeComparison compare_with_record(const ScannedTree& tree, bool strict_modes);

struct VerifyOptions {
  int jobs = 1;
  std::string expect{};  ///< 40-digit tree id, swh:1:dir:<id>, or 64-digit manifest digest; empty = none
  /// Allowed signers of the manifest: an allowed_signers file, an OpenSSH or minisign public key; empty = not checked.
  std::string signers{};
  bool strict_modes = false;  ///< compare all permission bits, not only the executable one
  bool no_options = false;    ///< non-default options of prepare are differences
  /// The pinned sources, which also identify files whose records were forged; null: not read.
  source::ObjectSource* source = nullptr;
  bool after_build = false;  ///< unlisted paths were added by a build and are not differences
};

/// Returns the catalog to compare with, from the layers in the manifest (read from the user's installation, never from
/// the tree).
using LoadCatalog = std::function<Catalog(const Manifest& manifest)>;

/// Reads the tree at `root` again and reports every difference. Reverses the patches in memory, rebuilds every base
/// tree and must arrive at the pinned commits through the manifest's raw commit objects; pins, patches and added files
/// are then compared with the catalog from `load`, which is called while the tree is listed. Raises data if the
/// manifest cannot be read at all, environment if `root` is not a prepared tree.
VerifyReport verify(const std::string& root, const LoadCatalog& load, const VerifyOptions& options, Console& console);

/// The same for a tree already read.
VerifyReport verify(const ScannedTree& tree, const Catalog& catalog, const VerifyOptions& options, Console& console);

/// Returns the names of the catalog layers in the manifest.
std::vector<std::string> layers_of(const Manifest& manifest);

// comparisons.cpp: compares the disk with lists, a catalog, and sources.

/// Compares a scan of OUT, which must outlive the result, with the lists, which were read before it (SHA256SUMS has
/// `sums_digest`): changed, missing, mode, link, type, unreadable, and extras. `strict_modes`: compares all permission
/// bits, not only the executable one.
TreeComparison compare_listing(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                               const record::Sums& sums, const Sha256& sums_digest, bool strict_modes);

/// Compares pins, patches, added files and generated files with a trusted catalog. Adds to `differences`
/// pin-not-in-catalog, override-not-in-catalog, patch-not-in-catalog, result; and manifest and changed for what the
/// same plan would have written differently (environment, build files). If another version or another catalog wrote
/// that, it is unvouched. `bytes` are the manifest's.
void compare_with_catalog(const Manifest& manifest, const std::string& bytes, const Catalog& catalog,
                          std::vector<Difference>& differences);

/// verify --mirror: adds the differences from the tree of the catalog's plan for the manifest, read from `source`,
/// whatever the tree's record contains: changed, mode, type, missing, extra; those already in `differences` are not
/// repeated. Adds nothing if no plan has the manifest's options. Raises source if a pinned commit is not found, patch
/// as the engine.
void compare_with_sources(const ScannedTree& tree, const Catalog& catalog, source::ObjectSource& source, int jobs,
                          Console& console, std::vector<Difference>& differences);

/// Returns the catalog's plan for a manifest's release, board, image and options. Raises as make_plan.
Plan plan_again(const Manifest& manifest, const Catalog& catalog);

/// Returns the components and the image of a manifest as options, unless they are the defaults for its release and
/// board.
std::vector<std::string> chosen_parts(const Manifest& manifest, const Catalog& catalog);

/// Returns a note if another version of torchpatch wrote the tree, or empty text.
std::string other_version(const Manifest& manifest);

/// Returns the difference for a generated file that this program cannot reproduce, and how to resolve it.
Difference unvouched(const std::string& path, const std::string& why);

// rebuild_base.cpp: the proof. Using only the files on disk, reverses the patches in memory, drops added files and
// computes every repository's tree, each of which must be the tree of its pinned commit.

/// Adds inconsistencies to `differences`: commit, base-tree, patched-tree, tree, patch. `root` is OUT; reads only files
/// that patches touch, which must be unchanged since the scan.
void check_base_trees(const std::string& root, const std::vector<const tree::ScannedEntry*>& scanned,
                      const Manifest& manifest, std::vector<Difference>& differences);

/// Returns the copy of a patch next to the manifest. Raises data if it is not the patch in the manifest.
std::string read_patch_copy(const std::string& root, const ManifestPatch& patch);

/// The scanned files and links of one repository, by path.
using ScannedFiles = std::map<std::string_view, const tree::ScannedEntry*>;

/// Returns the entries of `scanned`, which is sorted and must outlive the result, in a directory of OUT, including its
/// submodules.
ScannedFiles files_in(const std::vector<tree::ScannedEntry>& scanned, const std::string& directory);

/// The files of one repository on disk, read on demand. Raises environment if one changed since the scan.
class DiskFiles : public patch::FileSource {
 public:
  DiskFiles(std::string root, ScannedFiles files) : root_(std::move(root)), files_(std::move(files)) {}

  std::optional<patch::TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override { return has_others_below(path, {}); }
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  std::string root_;
  ScannedFiles files_;
};

}  // namespace torchpatch::trees
