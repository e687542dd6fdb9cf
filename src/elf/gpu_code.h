// SPDX-License-Identifier: BSD-3-Clause
/// What an ELF file has for GPUs of NVIDIA's: find_gpu_code(), the GPUs that there is code for; find_gpu_kernels(), the
/// functions that are launched there, with what each of their threads needs. NVIDIA does not document the form of its
/// fat binaries; it was read off what nvcc 11.2 and 13.0 write, and compared with cuobjdump (docs/kernels.md). A header
/// of 16 bytes (magic 0xBA55ED50, version 1, its length, the length of what follows), and in it entries with a header
/// each: kind (1 PTX, 2 machine code), its length, the length of what follows; at byte 16 the length that is
/// compressed, at 28 the architecture (75 for sm_75), at 40 flags (0x2000 LZ4, 0x8000 zstd), at 56 the length before it
/// was compressed. Machine code is an ELF file of its own, a cubin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elf/elf_file.h"
#include "support/fields.h"

namespace torchpatch::elf {

/// Code for a GPU.
struct GpuCode {
  bool is_ptx = false;             ///< source for the driver to compile; else machine code
  std::uint32_t architecture = 0;  ///< 75: compute capability 7.5
  std::string target{};            ///< of PTX "a", for that architecture alone; "f", for its family; or empty
  auto operator<=>(const GpuCode&) const = default;
};
FIELDS(GpuCode, is_ptx, architecture, target)

/// Returns what the fat binaries of a file have, each once, in order; none if it has none. Raises source if they are
/// damaged.
std::vector<GpuCode> find_gpu_code(const ElfFile& file);

/// A function that programs launch on a GPU.
struct GpuKernel {
  std::string name;             ///< its symbol
  std::uint32_t registers = 0;  ///< that each of its threads takes, of 32 bits
  std::uint32_t bound = 0;      ///< threads of a block that it was compiled for (__launch_bounds__); 0: not said
  auto operator<=>(const GpuKernel&) const = default;
};
FIELDS(GpuKernel, name, registers, bound)

/// Returns the kernels that a file has machine code of for an architecture, in order, each once. Raises source if they
/// are damaged, or if they unpack to far more than the file has.
std::vector<GpuKernel> find_gpu_kernels(const ElfFile& file, std::uint32_t architecture);

/// Returns the most threads that a block of this kernel can have on a GPU whose blocks have so many registers: a warp
/// of 32 threads takes registers by 256, warps come by four. With the kernel's bound it is the driver's own figure for
/// all 30,983 kernels of PyTorch 2.11's CUDA libraries on one card (2026-11). At most 1,024, which is any block's
/// limit.
std::uint32_t most_threads(const GpuKernel& kernel, std::int64_t registers_per_block);

}  // namespace torchpatch::elf
