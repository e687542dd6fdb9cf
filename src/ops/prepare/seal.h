// SPDX-License-Identifier: BSD-3-Clause
/// Seals a staging directory: writes torchpatch/ with the copies, the generated files, the manifest and SHA256SUMS.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/manifest.h"
#include "ops/prepare/describe.h"
#include "ops/prepare/patched_tree.h"
#include "record/sbom.h"
#include "record/sums.h"

namespace torchpatch::ops {

/// Notes in the manifest what was written: links, executables, counts; returns the sums of the regular files.
record::Sums describe_written(const std::vector<tree::FileToWrite>& files,
                              const std::vector<tree::WrittenFile>& written, Manifest& manifest);

/// Notes repositories and tree ids in the manifest, from the closure and the patched tree.
void describe_trees(const PinnedTree& pinned, const PatchedTree& patched, Manifest& manifest);

/// Notes in the manifest what lies beside it.
void describe_side_files(const std::vector<SideFile>& files, Manifest& manifest);

/// What is written into torchpatch/, besides SHA256SUMS.
struct SealedFiles {
  std::vector<SideFile> listed;               ///< those that the manifest lists
  std::string manifest;                       ///< bytes of manifest.json
  std::vector<record::Companion> companions;  ///< what derives from the manifest
  std::optional<SideFile> signature{};        ///< of the manifest; in no list, for it may be added later
};

/// Writes `files` and SHA256SUMS (`sums` and what lies in torchpatch/, but the signature) below `root`/torchpatch;
/// every mtime, and that of `root`, is `mtime`. Modes 0644 and 0755 whatever the umask.
void write_side_files(const std::string& root, const SealedFiles& files, record::Sums sums, std::int64_t mtime,
                      bool sync);

}  // namespace torchpatch::ops
