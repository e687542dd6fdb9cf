// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "elf/elf_file.h"
#include "elf/gpu_code.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"

namespace torchpatch::fuzz {

namespace {

void check_uses(const elf::ElfFile& file, std::string_view bytes) {
  const std::set<elf::Extension> present = {elf::Extension::crc, elf::Extension::neon};
  std::uint64_t count = 0;
  for (const elf::ExtensionUse& use : elf::find_extension_uses(file, present)) {
    require(!present.contains(use.extension), "what the core has is not told");
    require(!use.function.empty() && use.count > 0, "each use has a place");
    count += use.count;
  }
  // Sections may lie over one another, as many times as there are headers.
  require(count <= bytes.size() * bytes.size(), "there are no more instructions than the file has room for");
}

}  // namespace

void check_elf(std::string_view bytes) {
  attempt([&] {
    const elf::ElfFile file(bytes, "fuzz");
    for (const std::string& library : file.facts().needed)
      require(bytes.find(library) != bytes.npos, "names are the file's");
    for (const elf::VersionNeed& need : file.facts().versions)
      require(bytes.find(need.version) != bytes.npos, "versions are the file's");
    const std::vector<elf::Function> functions = elf::find_functions(file);
    require(std::ranges::is_sorted(functions, std::less<>(), &elf::Function::begin), "functions are in order");
    for (std::size_t i = 0; i + 1 < functions.size(); ++i)
      require(functions[i].end <= functions[i + 1].begin, "and do not overlap");
    check_uses(file, bytes);
    elf::find_symbol_names(file);
    elf::find_gpu_code(file);
    elf::find_gpu_kernels(file, 62);
    return 0;
  });
}

}  // namespace torchpatch::fuzz
