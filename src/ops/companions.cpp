// SPDX-License-Identifier: BSD-3-Clause
#include "ops/companions.h"

#include <algorithm>
#include <functional>

#include "patch/header.h"
#include "patch/parse_patch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// `read` returns the bytes of a file of torchpatch/.
std::vector<emit::Companion> companions_from(const Manifest& manifest, const Sha256& digest,
                                             const std::function<std::string(const std::string& name)>& read) {
  emit::CompanionInput input;
  input.manifest = &manifest;
  input.manifest_digest = digest;
  for (const ManifestPatch& entry : manifest.patches) {
    emit::PatchCopy copy{read(entry.file), {}};
    const patch::PatchHeader header = patch::parse_header(patch::parse_patch(copy.bytes, entry.file).preamble);
    if (const patch::HeaderField* const origin = header.find("Origin")) copy.origin = origin->value;
    input.patches.push_back(std::move(copy));
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    input.added_files.push_back(read(added_copy_name(file.repository, file.path)));
  }
  return emit::companions(input);
}

/// Returns the offset of the first byte that differs.
std::size_t first_difference(const std::string& a, const std::string& b) {
  const auto longest = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + longest, b.begin()).first - a.begin());
}

}  // namespace

std::vector<emit::Companion> make_companions(const Manifest& manifest, const Sha256& digest,
                                             const std::vector<SideFile>& copies) {
  return companions_from(manifest, digest,
                         [&copies](const std::string& name) { return find_side_file(copies, name).bytes; });
}

std::vector<emit::Difference> check_companions(const std::string& root, const Manifest& manifest,
                                               const Sha256& digest) {
  const auto read = [&root](const std::string& name) { return read_file(concat(root, "/torchpatch/", name)); };
  std::vector<emit::Difference> differences;
  try {
    for (const emit::Companion& companion : companions_from(manifest, digest, read)) {
      const std::string path = "torchpatch/" + companion.name;
      if (!file_exists(concat(root, "/", path))) continue;  // reported as missing
      const std::string bytes = read(companion.name);
      if (bytes == companion.bytes) continue;
      differences.push_back({path, "companion",
                             concat("is not what the manifest gives: the first byte that differs is number ",
                                    first_difference(bytes, companion.bytes) + 1)});
    }
  } catch (const Error& error) {
    differences.push_back({"torchpatch", "companion", concat("computing them again: ", error.message())});
  }
  return differences;
}

}  // namespace torchpatch::ops
