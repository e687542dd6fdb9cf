// SPDX-License-Identifier: BSD-3-Clause
#include "elf/gpu_code.h"

#include <set>

namespace torchpatch::elf {

namespace {

constexpr std::uint64_t kMagic = 0xBA55ED50;
constexpr std::size_t kHeaderBytes = 16, kEntryBytes = 32, kArchitecture = 28;
constexpr std::uint64_t kPtx = 1, kMachineCode = 2;

void read_entries(const ElfFile& file, std::string_view bytes, std::set<GpuCode>& found) {
  while (bytes.size() >= kEntryBytes) {
    const std::uint64_t kind = file.number_at(bytes.substr(0, 2));
    const std::uint64_t header = file.number_at(bytes.substr(4, 4)), content = file.number_at(bytes.substr(8, 8));
    if (header < kEntryBytes || header > bytes.size() || content > bytes.size() - header)
      file.fail("an entry of a fat binary reaches beyond its end");
    const auto architecture = static_cast<std::uint32_t>(file.number_at(bytes.substr(kArchitecture, 4)));
    if (kind == kPtx || kind == kMachineCode) found.insert({kind == kPtx, architecture});
    bytes.remove_prefix(header + content);
  }
}

}  // namespace

std::vector<GpuCode> find_gpu_code(const ElfFile& file) {
  std::set<GpuCode> found;
  for (const ElfFile::Section& section : file.sections()) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    std::string_view bytes = section.bytes;
    while (bytes.size() >= kHeaderBytes) {
      if (file.number_at(bytes.substr(0, 4)) != kMagic) {  // filled up to where the next one may begin
        bytes.remove_prefix(4);
        continue;
      }
      const std::uint64_t header = file.number_at(bytes.substr(6, 2)), content = file.number_at(bytes.substr(8, 8));
      if (header < kHeaderBytes || header > bytes.size() || content > bytes.size() - header)
        file.fail("a fat binary reaches beyond its section");
      read_entries(file, bytes.substr(header, content), found);
      bytes.remove_prefix(header + content);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace torchpatch::elf
