// SPDX-License-Identifier: BSD-3-Clause
/// For which GPUs of NVIDIA's an ELF file has code, read from its fat binaries. Their form is not documented by NVIDIA;
/// it was read off what nvcc 13.0 writes: a header of 16 bytes (magic 0xBA55ED50, version 1, its length, the length of
/// what follows), and in it entries with a header each (kind 1 PTX, 2 machine code; its length; the length of what
/// follows; at byte 28 the architecture, 75 for sm_75).
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_file.h"
#include "support/fields.h"

namespace torchpatch::elf {

struct GpuCode {
  bool is_ptx = false;             ///< source for the driver to compile; else machine code
  std::uint32_t architecture = 0;  ///< 75: compute capability 7.5
  auto operator<=>(const GpuCode&) const = default;
};
FIELDS(GpuCode, is_ptx, architecture)

/// Returns what the fat binaries of a file have, each once, in order; none where it has none. Raises source where they
/// are damaged.
std::vector<GpuCode> find_gpu_code(const ElfFile& file);

}  // namespace torchpatch::elf
