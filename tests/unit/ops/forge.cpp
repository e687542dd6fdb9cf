// SPDX-License-Identifier: BSD-3-Clause
#include "forge.h"

#include "ops/prepare/describe.h"
#include "record/manifest_file.h"
#include "record/sums.h"
#include "support/digest.h"
#include "support/file.h"

namespace torchpatch::test {

void forge_manifest(const std::string& root, Manifest forged) {
  const std::string directory = root + "/torchpatch/";
  std::vector<ops::SideFile> files;
  for (ManifestSideFile& side : forged.side_files) {
    files.push_back({side.name, read_file(directory + side.name), side.is_executable});
    side.sha256 = sha256(files.back().bytes);
  }
  const std::string bytes = record::manifest_json(forged);
  write_file_atomically(directory + "manifest.json", bytes);
  for (const record::Companion& companion : ops::make_companions(forged, sha256(bytes), files)) {
    write_file_atomically(directory + companion.name, companion.bytes);
  }
  record::Sums sums = record::parse_sums(read_file(directory + "SHA256SUMS"), "SHA256SUMS");
  for (auto& [name, digest] : sums) digest = sha256(read_file(root + "/" + name));
  write_file_atomically(directory + "SHA256SUMS", record::sums_text(sums));
}

}  // namespace torchpatch::test
