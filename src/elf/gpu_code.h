// SPDX-License-Identifier: BSD-3-Clause
/// Code for NVIDIA GPUs in an ELF file: find_gpu_code(), the GPUs that it has code for; find_gpu_kernels(), the
/// functions launched there, with the requirements of each thread. NVIDIA does not document its fat binaries; the
/// format was derived from the output of nvcc 11.2 and 13.0, and compared with cuobjdump (docs/kernels.md). A header of
/// 16 bytes (magic 0xBA55ED50, version 1, its length, the length of the rest) is followed by entries, each with a
/// header: kind (1 PTX, 2 machine code), its length, the length of the rest; at byte 16 the compressed length, at 28
/// the architecture (75 for sm_75), at 40 flags (0x2000 LZ4, 0x8000 zstd), at 56 the uncompressed length. Machine code
/// is itself an ELF file, a cubin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elf/elf_file.h"
#include "support/fields.h"

namespace torchpatch::elf {

/// Code for a GPU.
struct GpuCode {
  bool is_ptx = false;             ///< compiled by the driver; false: machine code
  std::uint32_t architecture = 0;  ///< 75: compute capability 7.5
  std::string target{};            ///< PTX only: "a" for that architecture only, "f" for its family, or empty
  auto operator<=>(const GpuCode&) const = default;
};
FIELDS(GpuCode, is_ptx, architecture, target)

/// Returns the contents of a file's fat binaries in order, without duplicates; empty if it has none. Raises source if
/// they are damaged.
std::vector<GpuCode> find_gpu_code(const ElfFile& file);

/// A function launched on a GPU.
struct GpuKernel {
  std::string name;             ///< its symbol
  std::uint32_t registers = 0;  ///< 32-bit registers per thread
  std::uint32_t bound = 0;      ///< threads per block that it was compiled for (__launch_bounds__); 0: unspecified
  auto operator<=>(const GpuKernel&) const = default;
};
FIELDS(GpuKernel, name, registers, bound)

/// Returns the kernels with machine code for an architecture in order, without duplicates. Raises source if they are
/// damaged, or unpack to far more than the file's size.
std::vector<GpuKernel> find_gpu_kernels(const ElfFile& file, std::uint32_t architecture);

/// Returns the largest block size of this kernel on a GPU with so many registers per block: registers are allocated to
/// warps of 32 threads in units of 256, warps in groups of four. Limited by the kernel's bound, it equals the driver's
/// own figure for all 30,983 kernels of PyTorch 2.11's CUDA libraries on one card (2026-11). At most 1,024, the limit
/// for any block.
std::uint32_t most_threads(const GpuKernel& kernel, std::int64_t registers_per_block);

}  // namespace torchpatch::elf
