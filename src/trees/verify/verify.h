// SPDX-License-Identifier: BSD-3-Clause
/// verify: is this tree the pinned commits plus these patches? Nothing that lies in the tree is trusted.
/// scan_prepared_tree() reads a tree; compare_listing(), check_base_trees(), compare_with_catalog() and
/// compare_with_sources() are the parts of verify().
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

/// A prepared tree as it lies on disk.
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

/// Whether files that no list has are hashed as well.
enum class Unlisted { unread, read };

/// Reads the record in torchpatch/ and every file again, and calls `meanwhile`, if it is given, while the tree is
/// listed. Raises environment if `root` is not a prepared tree, data or unsafe if its record cannot be read, and what
/// `meanwhile` raises.
ScannedTree scan_prepared_tree(const std::string& root, int jobs, Console& console, const UseManifest& meanwhile = {},
                               Unlisted unlisted = Unlisted::unread);

/// Returns the manifest of the tree at `root`; raises as scan_prepared_tree does.
Manifest read_manifest_of(const std::string& root);

/// Raises environment if the prepared tree at `root` holds files that neither torchpatch nor a build wrote, whatever
/// they contain, or if its record cannot be read. Does nothing if there is no record.
void require_own_files(const std::string& root);

struct TreeComparison {
  std::vector<Difference> differences;
  std::vector<std::string> extras;  ///< paths that no list has; outermost only (a directory stands for what it holds)
  /// What SHA256SUMS or the manifest's links name; only that belongs to OUT.
  std::vector<const tree::ScannedEntry*> listed;
};

/// Compares the files with SHA256SUMS and the manifest, these with each other, and takes the patches back out: the
/// pinned commits must come out (check_base_trees). Licences are read again, and the manifest's companions computed
/// again. What is listed must be of a repository, or what a tree's record has. `strict_modes` as for compare_listing().
TreeComparison compare_with_record(const ScannedTree& tree, bool strict_modes);

struct VerifyOptions {
  int jobs = 1;
  std::string expect{};  ///< 40-digit tree id, swh:1:dir:<id>, or 64-digit manifest digest; empty = none
  /// Who may have signed the manifest: an allowed_signers file, an OpenSSH or minisign public key; empty = not checked.
  std::string signers{};
  bool strict_modes = false;  ///< all permission bits count, not only the executable one
  bool no_options = false;    ///< non-default options of prepare are differences
  /// Where to read the pinned sources, which name the files whose records were forged as well; null: nowhere.
  source::ObjectSource* source = nullptr;
  bool after_build = false;  ///< paths that are in no list are what a build added, not differences
};

/// Returns the catalog to compare with, by the names of the layers that the manifest says its entries came from (from
/// the user's installation, never from the tree).
using LoadCatalog = std::function<Catalog(const Manifest& manifest)>;

/// Re-reads the tree at `root` and reports every difference. Takes the patches back out in memory, rebuilds every base
/// tree and must arrive at the pinned commits through the raw commit objects of the manifest; pins, patches and added
/// files are then compared with those of the catalog that `load` returns, called while the tree is listed. Raises data
/// if the manifest cannot be read at all, environment if `root` is not a prepared tree.
VerifyReport verify(const std::string& root, const LoadCatalog& load, const VerifyOptions& options, Console& console);

/// The same for a tree that was read already.
VerifyReport verify(const ScannedTree& tree, const Catalog& catalog, const VerifyOptions& options, Console& console);

/// Returns the names of the catalog layers that the manifest says its entries came from.
std::vector<std::string> layers_of(const Manifest& manifest);

// comparisons.cpp: what lies on disk against lists, a catalog, and sources.

/// Compares a scan of OUT, which must outlive the result, with the lists, which were read before it (SHA256SUMS has
/// `sums_digest`): changed, missing, mode, link, type, unreadable, and extras. `strict_modes`: all permission bits
/// count, not only the executable one.
TreeComparison compare_listing(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                               const record::Sums& sums, const Sha256& sums_digest, bool strict_modes);

/// Compares pins, patches, added files and generated files with a catalog that the verifier trusts. Adds to
/// `differences` pin-not-in-catalog, override-not-in-catalog, patch-not-in-catalog, result; and manifest and changed
/// for everything that the same plan would have written otherwise (environment, build files). If another version or
/// another catalog wrote that, it is unvouched. `bytes` are those of the manifest.
void compare_with_catalog(const Manifest& manifest, const std::string& bytes, const Catalog& catalog,
                          std::vector<Difference>& differences);

/// verify --mirror: adds what differs from the tree that the catalog's plan of the manifest gives, read from `source`,
/// whatever the tree's record says: changed, mode, type, missing, extra; what is in `differences` already is not
/// repeated. If no plan has the manifest's options, nothing is added. Raises source if a pinned commit is not found,
/// patch as the engine does.
void compare_with_sources(const ScannedTree& tree, const Catalog& catalog, source::ObjectSource& source, int jobs,
                          Console& console, std::vector<Difference>& differences);

/// Returns the plan that the catalog makes of a manifest's release, board, image and options. Raises as make_plan.
Plan plan_again(const Manifest& manifest, const Catalog& catalog);

/// Returns the components and the image of a manifest as options, unless they are those that its release and board
/// have by themselves.
std::vector<std::string> chosen_parts(const Manifest& manifest, const Catalog& catalog);

/// Returns that another version of torchpatch wrote the tree, or empty text.
std::string other_version(const Manifest& manifest);

/// Returns the difference for a generated file which this program cannot write again, and how to settle it.
Difference unvouched(const std::string& path, const std::string& why);

// rebuild_base.cpp: the proof. From the files on disk alone, the patches are taken back out in memory, added files
// dropped, every repository's tree computed, and each must be the tree that its pinned commit names.

/// Adds to `differences` what does not add up: commit, base-tree, patched-tree, tree, patch. `root` is OUT; contents
/// are read only for files that patches touch, and must be those that were scanned.
void check_base_trees(const std::string& root, const std::vector<const tree::ScannedEntry*>& scanned,
                      const Manifest& manifest, std::vector<Difference>& differences);

/// Returns the copy of a patch beside the manifest. Raises data if it is not the patch that the manifest names.
std::string read_patch_copy(const std::string& root, const ManifestPatch& patch);

/// The files and links of one repository as they were scanned, by their paths in it.
using ScannedFiles = std::map<std::string_view, const tree::ScannedEntry*>;

/// Returns those of `scanned`, which is sorted and must outlive the result, that lie in a directory of OUT; what lies
/// in submodules is among them.
ScannedFiles files_in(const std::vector<tree::ScannedEntry>& scanned, const std::string& directory);

/// The files of one repository on disk, each read on demand. Raises environment if one is not what was scanned.
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
