// SPDX-License-Identifier: BSD-3-Clause
/// The record of a tree, torchpatch/: the manifest (make_manifest), the copies and generated files beside it, and their
/// companions. prepare writes it (write_record), verify and diff compute it again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"
#include "model/plan.h"
#include "record/manifest_file.h"
#include "record/sbom.h"
#include "record/tree_scripts.h"
#include "tree/write_files.h"
#include "trees/prepare/patched_tree.h"
#include "trees/sign/signature.h"

namespace torchpatch::trees {

/// Returns the name of the copy of the `index`-th patch: "patches/0001-nccl-default.patch".
std::string patch_copy_name(std::size_t index, const std::string& patchset);
/// Returns the name of the copy of an added file: "files/pytorch/torch/a.py".
std::string added_copy_name(const RepositoryPath& repository, const std::string& path);

using SideFile = record::GeneratedFile;  ///< of torchpatch/

/// Returns KNOWN_ISSUES.md, build.env, build.sh, check.sh, numerics.py and numerics.txt, in this order. `manifest` must
/// be complete but for side_files.
std::vector<SideFile> generated_files(const Manifest& manifest, const Plan& plan, const Catalog& catalog);

/// What a tree's record has to say of the files beside the manifest, by name.
struct KnownSideFile {
  bool is_executable = false;
  std::optional<Sha256> sha256;  ///< of a copy; of a generated file nothing
};
std::map<std::string, KnownSideFile> known_side_files(const Manifest& manifest);

/// Returns the file of this name. Raises data where `files` has none: the manifest names it.
const SideFile& find_side_file(const std::vector<SideFile>& files, const std::string& name);

/// Returns the companions of a manifest, whose bytes have `digest`: SBOMs and provenance. `read` gives the bytes of the
/// copy that has a name.
std::vector<record::GeneratedFile> make_companions(const Manifest& manifest, const Sha256& digest,
                                                   const std::function<std::string(const std::string& name)>& read);

/// A manifest with its bytes, and the files that it lists.
struct TreeRecord {
  Manifest manifest;
  std::string bytes;
  std::vector<SideFile> side_files;
};

/// Returns the record of a tree from its manifest, which is complete but for side_files.
TreeRecord make_record(Manifest manifest, const Plan& plan, const Catalog& catalog);

/// Reads a manifest and the files beside it that it lists. Raises as parse_manifest(); data where one of the files is
/// not what the manifest says, environment.
TreeRecord read_record(const std::string& manifest_path);

/// Writes torchpatch/ below `root`: `record`, the companions, SHA256SUMS (`sums` and what lies in torchpatch/, but the
/// signature) and, if there is one, the manifest's signature; modes and times as tree::write_files has them. Returns
/// the manifest's digest. Raises as that does.
Sha256 write_record(const std::string& root, const TreeRecord& record, record::Sums sums, const Signature& signature,
                    const tree::WriteOptions& options);

/// Returns the manifest of a plan. Of `known` come what sources and files alone tell: pins, licences, gaps, trees,
/// time, counts, executables, links, side files, --allow-uncertified, and the edges of each patch as it was applied; of
/// a patch that it does not have, the edges are the certified ones. All else is what plan and catalog say.
Manifest make_manifest(const Plan& plan, const Catalog& catalog, Manifest known);

/// What was written, and of what.
struct WrittenTree {
  std::string root;  ///< of OUT
  const source::Closure& closure;
  const PatchedTree& patched;
  std::vector<tree::WrittenFile> files;  ///< of patched.files
};

/// Returns what pins, sources and written files tell of a tree, and nothing else.
Manifest found_in(const WrittenTree& tree);

/// Returns `manifest` with what such a finding tells put in: the same one where it says the truth of pins, trees, time,
/// counts, gaps, executables, links, licences, and the edges of patches.
Manifest with_found(Manifest manifest, Manifest found);

/// A regular file of OUT.
struct OutFile {
  std::string_view path;
  ObjectId blob;
  std::uint64_t size = 0;
};

/// Returns the licence files at the root of each of `repositories`, by name, and what they state; `files` are those of
/// OUT, which is at `root`. Raises environment where one cannot be read.
std::vector<std::vector<LicenceFile>> find_licences(const std::string& root,
                                                    const std::vector<ManifestRepository>& repositories,
                                                    const std::vector<OutFile>& files);

}  // namespace torchpatch::trees
