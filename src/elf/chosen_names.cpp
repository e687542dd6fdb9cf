// SPDX-License-Identifier: BSD-3-Clause
#include "elf/chosen_names.h"

#include <gelf.h>

#include <algorithm>
#include <optional>
#include <set>

#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// Parts that together identify names of functions that exist once per kind of core: gcc's outline atomics (libgcc),
/// XNNPACK's kernels, SLEEF's functions for SVE and those of the vector function ABI (vfabia64), ATen's CPU_CAPABILITY
/// namespaces from 2.5 on, kernels of KleidiAI, OpenBLAS by core, Nettle, the Arm Compute Library, NumPy's targets
/// (numpy/_core/meson.build), Highway's namespaces (HWY_NAMESPACE).
struct Family {
  std::string_view part, other;
};
constexpr Family kChosenFamilies[] = {{"__aarch64_", "_"},
                                      {"xnn_", "ukernel"},
                                      {"Sleef_", "sve"},
                                      {"N2at6native", "6SVE256"},
                                      {"N2at6native", "6SVE128"},
                                      {"kai_", "_neon"},
                                      {"kai_", "_sme"},
                                      {"_ZGVs", "_"},
                                      {"N3hwy", "N_"},
                                      {"_nettle_", "_arm64"},
                                      {"N8arm_gemm", "a64_"},
                                      {"N8arm_gemm", "sve_"},
                                      {"N8arm_gemm", "sme"},
                                      {"N8arm_conv", "a64_"},
                                      {"N8arm_conv", "sve_"},
                                      {"N8arm_conv", "sme"},
                                      {"", "_NEOVERSE"},
                                      {"", "_ARMV8SVE"},
                                      {"", "_A64FX"},
                                      {"", "_THUNDERX"},
                                      {"", "_ASIMDHP"},
                                      {"", "_ASIMDDP"},
                                      {"", "_ASIMDFHM"}};
/// Longest text treated as function names.
constexpr std::size_t kLongestNames = 64 << 10;

/// Prefixes of exported functions that an import calls: Python's and Node's.
constexpr std::string_view kRunAtImport[] = {"PyInit_", "napi_register_module_v"};

}  // namespace

ChosenNames::ChosenNames(const ElfFile& file) : file_(file) {
  std::set<std::uint32_t> tables;
  for (const ElfFile::Section& section : file.sections())
    if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM) tables.insert(section.link);
  for (const std::uint32_t table : tables)
    if (table > 0 && table <= file.sections().size()) add(file.sections()[table - 1].bytes);
  std::ranges::sort(ranges_, {}, &Range::begin);
}

bool ChosenNames::has(std::string_view name) const {
  if (name.empty()) return false;
  const std::size_t place = place_of(name);
  const auto after = std::ranges::upper_bound(ranges_, place, {}, &Range::begin);
  return after != ranges_.begin() && place <= (after - 1)->last;
}

std::size_t ChosenNames::place_of(std::string_view text) const {
  return static_cast<std::size_t>(text.data() - file_.bytes().data());
}

void ChosenNames::add(std::string_view table) {
  file_.note_read(table.size());
  ByteSteps steps;
  for (std::size_t begin = 0; begin < table.size();) {
    steps.at(begin);
    const std::size_t end = std::min(table.find('\0', begin), table.size());
    const std::string_view text = table.substr(begin, end - begin);
    std::optional<std::size_t> last;
    for (const Family& family : kChosenFamilies) {
      const std::size_t part = text.size() > kLongestNames ? text.npos : text.rfind(family.part);
      const std::size_t other = part == text.npos ? part : text.rfind(family.other);
      if (other != text.npos) last = std::max(last.value_or(0), std::min(part, other));
    }
    if (last) ranges_.push_back({place_of(text), place_of(text) + *last});
    begin = end + 1;
  }
}

bool is_run_at_import(std::string_view name) {
  return std::ranges::any_of(kRunAtImport, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace torchpatch::elf
