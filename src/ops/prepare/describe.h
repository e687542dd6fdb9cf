// SPDX-License-Identifier: BSD-3-Clause
/// Manifest fields that follow from the plan alone, and the files of torchpatch/ that follow from the manifest. prepare
/// writes them; verify computes them again.
#pragma once

#include <string>
#include <vector>

#include "model/manifest.h"
#include "model/plan.h"
#include "model/verify.h"
#include "record/sbom.h"
#include "tree/scan.h"
#include "tree/write_files.h"

namespace torchpatch::ops {

/// Sets everything in `manifest` that the plan decides: release, board, image, options, environment, issues, bounds,
/// warnings, origins.
void describe_plan(const Plan& plan, const Catalog& catalog, Manifest& manifest);

/// Notes in manifest.repositories, which are those of the plan's closure, what the plan's overrides replace.
void describe_overrides(const Plan& plan, Manifest& manifest);

/// Adds the warning that the tree is partial, where it has gaps.
void describe_gaps(Manifest& manifest);

/// Adds the plan's patches, with the blobs that their certificates name, and its added files.
void describe_patches(const Plan& plan, Manifest& manifest);

/// Notes what the catalog says of the issues that the manifest's patches, added files and overrides are for.
void describe_answered_issues(const Catalog& catalog, Manifest& manifest);

/// Returns the name of the copy of the `index`-th patch: "patches/0001-nccl-default.patch".
std::string patch_copy_name(std::size_t index, const std::string& patchset);
/// Returns the name of the copy of an added file: "files/pytorch/torch/a.py".
std::string added_copy_name(const RepositoryPath& repository, const std::string& path);

/// A file of torchpatch/.
struct SideFile {
  std::string name;  ///< relative to torchpatch/
  std::string bytes;
  bool is_executable = false;
};

/// Returns the file of this name. Raises data where `files` has none: the manifest names it.
const SideFile& find_side_file(const std::vector<SideFile>& files, const std::string& name);

/// Returns check.sh, build.env, build.sh and KNOWN_ISSUES.md, sorted by name. `manifest` must be complete but for
/// side_files.
std::vector<SideFile> generated_files(const Manifest& manifest, const Plan& plan, const Catalog& catalog);

// SBOMs and provenance: computed from the manifest and the copies beside it, written by prepare, compared by verify.

/// Returns the companions of a manifest, whose bytes have `digest`; `copies` has its patches and added files.
std::vector<record::Companion> make_companions(const Manifest& manifest, const Sha256& digest,
                                               const std::vector<SideFile>& copies);

/// Computes the companions again from the manifest and the copies at `root` and compares them byte by byte.
std::vector<Difference> check_companions(const std::string& root, const Manifest& manifest, const Sha256& digest);

// The licence files at the roots of the repositories, as they stand in OUT: prepare notes what they state, verify
// looks again.

/// Notes in manifest.repositories the licence files among `files`, which were `written` below `root`.
void describe_licences(const std::string& root, const std::vector<tree::FileToWrite>& files,
                       const std::vector<tree::WrittenFile>& written, Manifest& manifest);

/// Compares what the licence files among `scanned`, below `root`, state with what the manifest says of them.
std::vector<Difference> check_licences(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                       const Manifest& manifest);

}  // namespace torchpatch::ops
