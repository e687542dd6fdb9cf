// SPDX-License-Identifier: BSD-3-Clause
/// Which extension an ARM instruction belongs to, by its opcode alone, and which extensions a compiler's flags promise.
///
/// Baseline, to which no extension belongs: for A64 Armv8.0-A with floating point and Advanced SIMD; for A32 and T32
/// Armv7-A with VFPv3, its half-precision conversions, and the coprocessors that are not Arm's own. So is what executes
/// as a NOP on cores that do not know it (the hint space: PACIASP, BTI, ESB, SEVL; prefetches) and every use of a
/// system register. Encodings: Arm Architecture Reference Manual, DDI 0487, chapters C4, F3 and F4.
///
/// Words that are no instruction may be taken for one, a third of those of SVE's space above all (a sixteenth of all
/// words): data among code looks like SVE. Not told at all: privileged and debugging instructions (PAN, HLT, DCPS, HVC,
/// ERET), what needs a system register or SYS operation to be there (RNDR, DC CVAP, CFP RCTX, MTE's DC GVA), D16 to D31
/// of VFP, and of A64 TME, THE, D128, GCS, CPA, PAuth_LR, and Advanced SIMD's FP8, LUT and FAMINMAX (FAMAX and FSCALE
/// of half precision count as FP16). What needs SVE and another extension besides (BF16, I8MM, F32MM, AES), or SVE2.1,
/// counts as SVE or SVE2; all of SME counts as one.
///
/// How the masks were checked: LLVM 19.1.7's decoder was asked about every word of A64, every wide instruction of T32,
/// and every word of A32 whose condition is 1110 or 1111, with the baseline alone, with the word's extension, with what
/// that presupposes, and with everything. None of the baseline has an extension here (but for what that decoder takes
/// for an MSR at 0xD50..., as WFET and SMSTART), none has a wrong one, and none but those above has none. Besides, GNU
/// as 2.40 and llvm-mc 19.1.7 assembled some 20,000 instructions with and without their extension.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "support/fields.h"

namespace torchpatch::elf {

/// An extension of Arm's instruction sets that not every core has.
enum class Extension {
  crc,
  lse,       ///< atomics: CAS, SWP, LDADD
  lor,       ///< LDLAR, STLLR: of Armv8.1-A
  rdma,      ///< SQRDMLAH, SQRDMLSH
  aes,       ///< and PMULL of 64 bits
  sha2,      ///< and SHA1
  sha3,      ///< and SHA512
  sm4,       ///< and SM3
  fp16,      ///< arithmetic in half precision
  fp16fml,   ///< FMLAL, FMLSL
  dotprod,   ///< SDOT, UDOT
  rcpc,      ///< LDAPR
  rcpc2,     ///< LDAPUR, STLUR
  rcpc3,     ///< LDIAPP, STILP, and of SIMD registers
  fcma,      ///< complex numbers: FCMLA, FCADD
  jscvt,     ///< FJCVTZS
  pauth,     ///< those pointer authentications that are no hints: RETAA, BRAA, LDRAA, PACIA X0, X1
  flagm,     ///< CFINV, RMIF, SETF8
  flagm2,    ///< AXFLAG, XAFLAG
  frintts,   ///< FRINT32Z and its like
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
  sve,       ///< with all that SVE2 does not add
  sve2,      ///< what it adds to SVE
  sme,       ///< SME, SME2
  idiv,      ///< A32, T32: SDIV, UDIV
  neon,      ///< A32, T32: Advanced SIMD
  vfpv4,     ///< A32, T32: VFMA and its like, of Advanced SIMD as well
  fp_armv8,  ///< A32, T32: VSEL, VMAXNM, VRINT, VCVTA, and conversions of half to double
  armv8,     ///< A32, T32: LDA, STL and their exclusive forms
};

}  // namespace torchpatch::elf

namespace torchpatch {

/// As gcc and GNU as name them behind a `+`, or gcc's -mfpu or -march; the architecture's name where they have none.
NAMES(elf::Extension, crc, lse, lor, rdma, aes, sha2, sha3, sm4, fp16, fp16fml, dotprod, rcpc, rcpc2, rcpc3, fcma,
      jscvt, pauth, flagm, flagm2, frintts, sb, bf16, i8mm, memtag, ls64, wfxt, xs, mops, hbc, cssc, lse128, sve, sve2,
      sme, idiv, neon, vfpv4, (fp_armv8, "fp-armv8"), (armv8, "armv8-a"))

}  // namespace torchpatch

namespace torchpatch::elf {

/// Returns the extension that an instruction of A64 belongs to; nothing for one of the baseline, or for none. Of
/// several that it needs, the one that fewest cores have.
std::optional<Extension> extension_of_a64(std::uint32_t word);

/// Returns the same for A32.
std::optional<Extension> extension_of_a32(std::uint32_t word);

/// Returns whether a halfword of T32 is the first of two that are one instruction.
constexpr bool begins_wide_t32(std::uint16_t first) { return first >> 11 >= 0b11101; }

/// Returns the same for T32; `second` does not matter where `first` is an instruction of its own.
std::optional<Extension> extension_of_t32(std::uint16_t first, std::uint16_t second);

/// Returns what a core has that gcc's flags describe: "-march=armv8.2-a+dotprod", "-mcpu=cortex-a53",
/// "-mcpu=cortex-a9 -mfpu=neon". Nothing where they name no architecture and no core, or one, an extension or an FPU
/// that is not known here. As for gcc, -march goes before -mcpu, the last of each before others, and a core has
/// cryptography only where the flags say so. The set is that of AArch32 where -mfpu, -mfloat-abi, -marm, -mthumb or an
/// architecture of 32 bits says so. Unlike gcc, an -mfpu takes nothing from an Armv8-A core, for such a core has what
/// it has: -mcpu=cortex-a72 -mfpu=neon-vfpv4 still means VSEL.
///
/// Source: gcc 12.2's macros for each of them (-E -dM); for what gcc 12 does not know, its later manuals, unverified.
std::optional<std::set<Extension>> extensions_of_flags(std::string_view flags);

}  // namespace torchpatch::elf
