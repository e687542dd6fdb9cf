// SPDX-License-Identifier: BSD-3-Clause
/// Extension: which extension an ARM instruction belongs to, by its opcode, and which ones a compiler's flags imply.
///
/// Baseline, which needs no extension: for A64, Armv8.0-A with floating point and Advanced SIMD; for A32 and T32,
/// Armv7-A with VFPv3, its half-precision conversions, and coprocessors other than Arm's. It includes what executes as
/// a NOP on cores that do not implement it (the hint space: PACIASP, BTI, ESB, SEVL; prefetches) and all uses of system
/// registers. Encodings: Arm Architecture Reference Manual, DDI 0487, chapters C4, F3 and F4.
///
/// Words that are not instructions may be taken for one, mostly of SVE: a third of its space, a sixteenth of all words,
/// is unallocated, so data within code looks like SVE. Not recognised: privileged and debugging instructions (PAN, HLT,
/// DCPS, HVC, ERET), those that need a system register or SYS operation (RNDR, DC CVAP, CFP RCTX, MTE's DC GVA), D16 to
/// D31 of VFP, and in A64 TME, THE, D128, GCS, CPA, PAuth_LR, and Advanced SIMD's FP8, LUT and FAMINMAX (half-precision
/// FAMAX and FSCALE count as FP16). What needs SVE plus another extension (BF16, I8MM, F32MM, AES), or SVE2.1, counts
/// as SVE or SVE2; all of SME counts as one.
///
/// How the masks were verified: LLVM 19.1.7's decoder was run on every word of A64, every wide instruction of T32, and
/// every word of A32 with condition 1110 or 1111, with the baseline only, with the word's extension, with its
/// prerequisites, and with everything. No baseline instruction has an extension here (except what that decoder takes
/// for an MSR at 0xD50..., such as WFET and SMSTART), none has a wrong one, and only those above lack one. In addition,
/// GNU as 2.40 and llvm-mc 19.1.7 assembled about 20,000 instructions with and without their extension.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "support/fields.h"

namespace torchpatch::elf {

/// An extension of Arm's instruction sets that only some cores have.
enum class Extension {
  crc,
  lse,       ///< atomics: CAS, SWP, LDADD
  lor,       ///< LDLAR, STLLR of Armv8.1-A
  rdma,      ///< SQRDMLAH, SQRDMLSH
  aes,       ///< and PMULL of 64 bits
  sha2,      ///< and SHA1
  sha3,      ///< and SHA512
  sm4,       ///< and SM3
  fp16,      ///< half-precision arithmetic
  fp16fml,   ///< FMLAL, FMLSL
  dotprod,   ///< SDOT, UDOT
  rcpc,      ///< LDAPR
  rcpc2,     ///< LDAPUR, STLUR
  rcpc3,     ///< LDIAPP, STILP, also of SIMD registers
  fcma,      ///< complex numbers: FCMLA, FCADD
  jscvt,     ///< FJCVTZS
  pauth,     ///< pointer authentication other than hints: RETAA, BRAA, LDRAA, PACIA X0, X1
  flagm,     ///< CFINV, RMIF, SETF8
  flagm2,    ///< AXFLAG, XAFLAG
  frintts,   ///< FRINT32Z and similar
  sb,        ///< the barrier
  bf16,      ///< of Advanced SIMD and floating point
  i8mm,      ///< SMMLA, USDOT of Advanced SIMD
  memtag,    ///< MTE: IRG, STG
  ls64,      ///< LD64B, ST64B
  wfxt,      ///< WFET, WFIT
  xs,        ///< DSB nXS
  mops,      ///< CPYP, SETP
  hbc,       ///< BC.cond
  cssc,      ///< SMAX, CNT, ABS, CTZ of general registers
  lse128,    ///< LDCLRP, SWPP
  sve,       ///< everything not added by SVE2
  sve2,      ///< additions to SVE
  sme,       ///< SME, SME2
  idiv,      ///< A32, T32: SDIV, UDIV
  neon,      ///< A32, T32: Advanced SIMD
  vfpv4,     ///< A32, T32: VFMA and similar, also of Advanced SIMD
  fp_armv8,  ///< A32, T32: VSEL, VMAXNM, VRINT, VCVTA, and conversions of half to double
  armv8,     ///< A32, T32: LDA, STL and their exclusive forms
};

}  // namespace torchpatch::elf

namespace torchpatch {

/// Names as after `+` in gcc and GNU as, or in gcc's -mfpu or -march; if there is none, the architecture's.
NAMES(elf::Extension, crc, lse, lor, rdma, aes, sha2, sha3, sm4, fp16, fp16fml, dotprod, rcpc, rcpc2, rcpc3, fcma,
      jscvt, pauth, flagm, flagm2, frintts, sb, bf16, i8mm, memtag, ls64, wfxt, xs, mops, hbc, cssc, lse128, sve, sve2,
      sme, idiv, neon, vfpv4, (fp_armv8, "fp-armv8"), (armv8, "armv8-a"))

}  // namespace torchpatch

namespace torchpatch::elf {

/// Returns the extension of an A64 instruction; nothing for the baseline or for words that are not instructions. If it
/// needs several, the one that the fewest cores have.
std::optional<Extension> extension_of_a64(std::uint32_t word);

/// The same for A32.
std::optional<Extension> extension_of_a32(std::uint32_t word);

/// Returns whether a halfword of T32 is the first half of a 32-bit instruction.
constexpr bool begins_wide_t32(std::uint16_t first) { return first >> 11 >= 0b11101; }

/// The same for T32; `second` is ignored if `first` is a complete instruction.
std::optional<Extension> extension_of_t32(std::uint16_t first, std::uint16_t second);

/// Returns the extensions of a core described by gcc's flags: "-march=armv8.2-a+dotprod", "-mcpu=cortex-a53",
/// "-mcpu=cortex-a9 -mfpu=neon". Nothing if they contain neither an architecture nor a core, or an unknown one, or an
/// unknown extension or FPU. As in gcc, -march overrides -mcpu, the last of each overrides earlier ones, and a core has
/// cryptography only if the flags include it. The set is AArch32's if there is -mfpu, -mfloat-abi, -marm, -mthumb or a
/// 32-bit architecture. Unlike gcc, -mfpu does not remove anything from an Armv8-A core: -mcpu=cortex-a72
/// -mfpu=neon-vfpv4 still includes VSEL.
///
/// Source: gcc 12.2's macros for each of them (-E -dM); for what gcc 12 does not know, later manuals, unverified.
std::optional<std::set<Extension>> extensions_of_flags(std::string_view flags);

}  // namespace torchpatch::elf
