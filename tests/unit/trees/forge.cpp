// SPDX-License-Identifier: BSD-3-Clause
#include "forge.h"

#include "record/manifest_file.h"
#include "support/digest.h"
#include "support/file.h"
#include "trees/prepare/manifest.h"

namespace torchpatch::test {

void forge_manifest(const std::string& root, Manifest forged) {
  const std::string directory = root + "/torchpatch/";
  const auto read = [&](const std::string& name) { return read_file(directory + name); };
  for (ManifestSideFile& side : forged.side_files) side.sha256 = sha256(read(side.name));
  const std::string bytes = record::manifest_json(forged);
  write_file_atomically(directory + "manifest.json", bytes);
  for (const record::GeneratedFile& companion : trees::make_companions(forged, sha256(bytes), read))
    write_file_atomically(directory + companion.name, companion.bytes);
  record::Sums sums = record::parse_sums(read_file(directory + "SHA256SUMS"), "SHA256SUMS");
  for (auto& [name, digest] : sums) digest = sha256(read_file(root + "/" + name));
  write_file_atomically(directory + "SHA256SUMS", record::sums_text(sums));
}

}  // namespace torchpatch::test
