// SPDX-License-Identifier: BSD-3-Clause
#include "elf/instruction_sets.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "support/text.h"

namespace torchpatch::elf {

namespace {

/// A pattern of opcodes and its extension.
struct Rule {
  /// `bits` are those from 31 down, ignoring spaces: 0, 1, '.' for any, "cccc" for a condition, 'q' for 0 if 'Q' is 1.
  /// Bits not given are arbitrary.
  consteval Rule(std::string_view bits, Extension of) : extension(of) {
    std::uint32_t bit = 1U << 31;
    for (const char c : bits) {
      if (c == ' ') continue;
      if (bit == 0 || std::string_view("01.cQq").find(c) == std::string_view::npos) throw "not the bits of a word";
      if (c == '0' || c == '1') mask |= bit;
      if (c == '1') value |= bit;
      if (c == 'c') has_condition = true;
      if (c == 'Q') quad |= bit;
      if (c == 'q') even |= bit;
      bit >>= 1;
    }
  }

  bool fits(std::uint32_t word) const { return (word & mask) == value && ((word & quad) == 0 || (word & even) == 0); }

  std::uint32_t mask = 0, value = 0;
  std::uint32_t quad = 0;  ///< A32: the bit that selects 128-bit registers,
  std::uint32_t even = 0;  ///< in which case these are 0
  Extension extension;
  bool has_condition = false;  ///< A32: bits 31 to 28 are a condition, i.e. not 1111
};

/// Rules by the top eleven bits of a word, so that few are tested. The first match counts.
class RuleIndex {
 public:
  explicit RuleIndex(std::span<const Rule> rules) {
    for (std::uint32_t top = 0; top < kTops; ++top) {
      starts_[top] = static_cast<std::uint16_t>(rules_.size());
      const std::uint32_t word = top << kShift;
      std::copy_if(rules.begin(), rules.end(), std::back_inserter(rules_), [word](const Rule& rule) {
        const bool may_fit = ((word ^ rule.value) & rule.mask) >> kShift == 0;
        return may_fit && !(rule.has_condition && word >> 28 == 0xF);
      });
    }
    starts_[kTops] = static_cast<std::uint16_t>(rules_.size());
  }

  std::optional<Extension> find(std::uint32_t word) const {
    const std::uint32_t top = word >> kShift;
    for (std::size_t i = starts_[top]; i < starts_[top + 1]; ++i)
      if (rules_[i].fits(word)) return rules_[i].extension;
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kShift = 21, kTops = 1U << (32 - kShift);
  std::array<std::uint16_t, kTops + 1> starts_{};
  std::vector<Rule> rules_;
};

RuleIndex rules_of_a64() {
  using enum Extension;
  static constexpr auto kRules = std::to_array<Rule>({
      // SME's words have 1..0 000. at the top level, SVE's ...0 010.
      {"1000 000. 10..", sme},
      {"1000 0000 110.", sme},
      {"1010 000. .0..", sme},
      {"1010 000. 1...", sme},
      {"1010 000. ...0", sme},
      {"1100 0000 ..00", sme},
      {"1100 0000 1.01 000.", sme},
      {"1100 0000 1001 1", sme},
      {"1100 0001", sme},
      {"1110 0000", sme},
      {"1110 0001 00.1 1111 1000 00", sme},
      {"1110 0001 00.0 0000 0..0 00", sme},
      {"1110 0001 11", sme},
      {"1101 0101 0000 0011 0100 001. 0111 1111", sme},  // SMSTART, SMSTOP
      {"1101 0101 0000 0011 0100 010. 0111 1111", sme},
      {"1101 0101 0000 0011 0100 011. 0111 1111", sme},

      {"0000 0100 ..00 011. 100", sve2},      // SQSHL by a number
      {"0000 0100 ..00 11.1 100", sve2},      // URSHR, SQSHLU
      {"0000 0100 ..00 1100 100", sve2},      // SRSHR
      {"0000 0100 ..1. .... 0011 1.", sve2},  // EOR3, BSL
      {"0000 0100 ..1. .... 0011 01", sve2},  // XAR
      {"0000 0100 ..1. .... 0110 ..", sve2},  // MUL, SMULH
      {"0000 0100 ..1. .... 0111 0.", sve2},  // SQDMULH
      {"0000 0101 011. .... 000", sve2},      // EXT of two registers
      {"0000 0101 ..1. .... 0010 1.", sve2},  // TBL of two registers, TBX
      {"0000 0101 ..10 1101 100", sve2},      // SPLICE of two registers
      {"0010 0101 ..1. .... 000. .0", sve2},  // WHILEGE
      {"0010 0101 ..1. .... 0011 00", sve2},  // WHILEWR
      {"0100 0100 1... .... 0000 0.", sve},   // SDOT
      {"0100 0100 100. .... 0111 10", sve},   // USDOT
      {"0100 0100 101. .... 0001 1.", sve},   // USDOT, SUDOT by element
      {"0100 0101 ..0. .... 1001 10", sve},   // SMMLA
      {"0100 010.", sve2},
      {"0110 0100 1000 1010 101", sve},       // BFCVTNT
      {"0110 0100 ..00 10.. 101", sve2},      // FCVTNT, FCVTLT, FCVTXNT
      {"0110 0100 ..01 0... 100", sve2},      // FADDP
      {"0110 0100 101. .... 01.0", sve2},     // FMLALB by element
      {"0110 0100 101. .... 10.0 0.", sve2},  // FMLALB
      {"0110 0101 0000 1010 101", sve2},      // FCVTX
      {"0110 0101 0001 1..0 101", sve2},      // FLOGB
      {"1000 010. .00. .... 10.", sve2},      // LDNT1B by a vector of addresses
      {"1100 010. .00. .... 1.0", sve2},
      {"1110 010. .00. .... 001", sve2},  // STNT1B by a vector of addresses
      {"1110 010. .10. .... 001", sve2},
      {"...0 010.", sve},

      // integers: immediates and registers
      {"1.01 0001 10.. .... 00", memtag},  // ADDG, SUBG
      {".001 0001 1100", cssc},            // SMAX, SMIN by a number
      {"0001 1010 110. .... 010. 00", crc},
      {"0001 1010 110. .... 010. 01", crc},
      {"0001 1010 110. .... 010. 10", crc},
      {"1001 1010 110. .... 010. 11", crc},
      {".001 1010 110. .... 0110", cssc},                  // SMAX, SMIN
      {".101 1010 1100 0000 0001 1", cssc},                // CTZ, CNT
      {".101 1010 1100 0000 0010 00", cssc},               // ABS
      {"10.1 1010 110. .... 0000 00", memtag},             // SUBP, SUBPS
      {"1001 1010 110. .... 0001 0.", memtag},             // IRG, GMI
      {"1001 1010 110. .... 0011 00", pauth},              // PACGA
      {"1101 1010 1100 0001 000", pauth},                  // PACIA to AUTDB
      {"1101 1010 1100 0001 001. ..11 111", pauth},        // PACIZA to AUTDZB
      {"1101 1010 1100 0001 0100 0.11 111", pauth},        // XPACI, XPACD
      {"1011 1010 000. .... .000 01.. ...0", flagm},       // RMIF
      {"0011 1010 0000 0000 0.00 10.. ...0 1101", flagm},  // SETF8, SETF16

      // branches and the system
      {"0101 0100 .... .... .... .... ...1", hbc},
      {"1101 0110 00.1 1111 0000 1... ...1 1111", pauth},  // BRAAZ, BLRAAZ
      {"1101 0110 0101 1111 0000 1.11 1111 1111", pauth},  // RETAA
      {"1101 0110 1001 1111 0000 1.11 1111 1111", pauth},  // ERETAA
      {"1101 0111 00.1 1111 0000 1", pauth},               // BRAA, BLRAA
      {"1101 0101 0000 0011 0001 0000 00", wfxt},          // WFET, WFIT
      {"1101 0101 0000 0011 0011 0000 1111 1111", sb},
      {"1101 0101 0000 0011 0011 ..10 0011 1111", xs},      // DSB nXS
      {"1101 0101 0000 0000 0100 0000 0001 1111", flagm},   // CFINV
      {"1101 0101 0000 0000 0100 0000 0011 1111", flagm2},  // XAFLAG
      {"1101 0101 0000 0000 0100 0000 0101 1111", flagm2},  // AXFLAG

      // loads and stores
      {"0.00 1000 0.1. ...0 .111 11.. .... ...0", lse},  // CASP
      {"..00 1000 1.1. .... .111 11", lse},              // CAS
      {"..00 1000 1.01 1111 0111 11", lor},
      {"..11 1000 ..1. .... 0... 00", lse},    // LDADD to LDUMIN
      {"..11 1000 ..1. .... 1000 00", lse},    // SWP
      {"..11 1000 1011 1111 1100 00", rcpc},   // LDAPR
      {"1111 1000 0011 1111 1.01 00", ls64},   // LD64B, ST64B
      {"1111 1000 001. .... 1010 00", ls64},   // ST64BV0
      {"1111 1000 001. .... 1011 00", ls64},   // ST64BV
      {"1111 1000 ..1. .... .... .1", pauth},  // LDRAA
      {"0001 1001 ..1. .... 0001 00", lse128},
      {"0001 1001 ..1. .... 0011 00", lse128},
      {"0001 1001 ..1. .... 1000 00", lse128},
      {"0.01 1001 ..0. .... .... 00", rcpc2},
      {"1.01 1001 0.0. .... .... 00", rcpc2},
      {"1001 1001 100. .... .... 00", rcpc2},
      {"0001 1101 ..0. .... .... 10", rcpc3},
      {"..01 1101 0.0. .... .... 10", rcpc3},  // LDAPUR, STLUR of SIMD registers
      {"1.01 1001 0.0. .... 000. 10", rcpc3},  // LDIAPP, STILP
      {"1.01 1001 1.00 0000 0000 10", rcpc3},  // LDAPR, STLR with writeback
      {"0.00 1101 0.00 0001 1000 01", rcpc3},  // LDAP1, STL1
      {"0001 1.01 0.0. .... .... 01", mops},   // CPY
      {"0001 1.01 100. .... .... 01", mops},
      {"0001 1.01 110. .... 0... 01", mops},  // SET
      {"0001 1.01 110. .... 10.. 01", mops},
      {"1101 1001 ..1. .... .... .1", memtag},  // STG and its like
      {"1101 1001 ..1. .... .... 10", memtag},
      {"1101 1001 011. .... .... 00", memtag},  // LDG
      {"1101 1001 0010 0000 0000 00", memtag},  // STZGM
      {"1101 1001 1.10 0000 0000 00", memtag},  // STGM, LDGM
      {"0110 1000 10", memtag},                 // STGP
      {"0110 1001 .0", memtag},

      // cryptography
      {"0100 1110 0010 1000 01.. 10", aes},
      {"0.00 1110 111. .... 1110 00", aes},  // PMULL of 64 bits
      {"0101 1110 000. .... 00.. 00", sha2},
      {"0101 1110 000. .... 010. 00", sha2},
      {"0101 1110 000. .... 0110 00", sha2},
      {"0101 1110 0010 1000 000. 10", sha2},
      {"0101 1110 0010 1000 0010 10", sha2},
      {"1100 1110 00.. .... 0", sha3},        // EOR3, BCAX
      {"1100 1110 011. .... 1000", sha3},     // SHA512H, RAX1
      {"1100 1110 100", sha3},                // XAR
      {"1100 1110 1100 0000 1000 00", sha3},  // SHA512SU0
      {"1100 1110 010. .... 0", sm4},         // SM3SS1
      {"1100 1110 010. .... 10", sm4},        // SM3TT1A
      {"1100 1110 011. .... 1100 0.", sm4},   // SM3PARTW1
      {"1100 1110 011. .... 1100 10", sm4},   // SM4EKEY
      {"1100 1110 1100 0000 1000 01", sm4},   // SM4E

      // Advanced SIMD
      {"0.10 1110 010. .... 1000 .1", rdma},
      {"0.10 1110 100. .... 1000 .1", rdma},
      {"0111 1110 010. .... 1000 .1", rdma},
      {"0111 1110 100. .... 1000 .1", rdma},
      {"0.10 1111 01.. .... 11.1 .0", rdma},
      {"0.10 1111 10.. .... 11.1 .0", rdma},
      {"0111 1111 01.. .... 11.1 .0", rdma},
      {"0111 1111 10.. .... 11.1 .0", rdma},
      {"0..0 1110 100. .... 1001 01", dotprod},
      {"0..0 1111 10.. .... 1110 .0", dotprod},
      {"0.00 1110 100. .... 1001 11", i8mm},  // USDOT
      {"0.00 1111 .0.. .... 1111 .0", i8mm},  // USDOT, SUDOT by element
      {"01.0 1110 100. .... 1010 01", i8mm},  // SMMLA, UMMLA
      {"0100 1110 100. .... 1010 11", i8mm},  // USMMLA
      {"0.10 1110 .10. .... 1111 11", bf16},  // BFDOT, BFMLAL
      {"0110 1110 010. .... 1110 11", bf16},  // BFMMLA
      {"0.00 1111 .1.. .... 1111 .0", bf16},  // BFDOT, BFMLAL by element
      {"0.00 1110 1010 0001 0110 10", bf16},  // BFCVTN
      {"0.10 1110 010. .... 110. .1", fcma},
      {"0.10 1110 100. .... 110. .1", fcma},
      {"0110 1110 110. .... 110. .1", fcma},
      {"0.10 1110 010. .... 111. 01", fcma},
      {"0.10 1110 100. .... 111. 01", fcma},
      {"0110 1110 110. .... 111. 01", fcma},
      {"0.10 1111 01.. .... 0..1 .0", fcma},
      {"0110 1111 10.. .... 0..1 .0", fcma},
      {"0.00 1110 .01. .... 1110 11", fp16fml},
      {"0.10 1110 .01. .... 1100 11", fp16fml},
      {"0.00 1111 10.. .... 0.00 .0", fp16fml},
      {"0.10 1111 10.. .... 1.00 .0", fp16fml},
      {"0..0 1110 0010 0001 111. 10", frintts},
      {"01.0 1110 0110 0001 111. 10", frintts},
      {"0..0 1110 .10. .... 00.. .1", fp16},  // three registers
      {"01.1 1110 .10. .... 00.. .1", fp16},
      {"0..0 1110 .111 100. .... 10", fp16},  // two
      {"01.1 1110 .111 100. .... 10", fp16},
      {"0.00 1110 .011 0000 1100 10", fp16},  // FMAXNMV
      {"0.00 1110 .011 0000 1111 10", fp16},  // FMAXV
      {"0101 1110 .011 0000 1100 10", fp16},  // FMAXNMP of a pair
      {"0101 1110 0011 0000 1101 10", fp16},  // FADDP of a pair
      {"0101 1110 .011 0000 1111 10", fp16},  // FMAXP of a pair
      {"0.00 1111 00.. .... 0.01 .0", fp16},  // FMLA by element
      {"0101 1111 00.. .... 0.01 .0", fp16},
      {"0..0 1111 00.. .... 1001 .0", fp16},  // FMUL, FMULX by element
      {"01.1 1111 00.. .... 1001 .0", fp16},
      {"0.00 1111 0000 0... 1111 11", fp16},  // FMOV of a number
      {"0..0 1111 0001 .... 1110 01", fp16},  // SCVTF from fixed point
      {"01.1 1111 0001 .... 1110 01", fp16},
      {"0..0 1111 0001 .... 1111 11", fp16},  // FCVTZS to fixed point
      {"01.1 1111 0001 .... 1111 11", fp16},

      // floating point; FCVT between half and other precisions is in the baseline
      {"0001 1110 0111 1110 0000 00", jscvt},
      {"0001 1110 0110 0011 0100 00", bf16},  // BFCVT
      {"0001 1110 0.10 100. .100 00", frintts},
      {".001 1110 1100 001", fp16},           // SCVTF from fixed point
      {".001 1110 1101 100", fp16},           // FCVTZS to fixed point
      {".001 1110 1110 0... 0000 00", fp16},  // conversions to and from integers
      {".001 1110 111. .00. 0000 00", fp16},
      {"0001 1110 1110 000. .100 00", fp16},              // FMOV, FABS, FNEG, FSQRT
      {"0001 1110 1110 01.. .100 00", fp16},              // FRINTN and its like
      {"0001 1110 111. .... 0010 00.. .... .000", fp16},  // FCMP
      {"0001 1110 111. .... ...1 0000 000", fp16},        // FMOV of a number
      {"0001 1110 111. .... .... 01", fp16},              // FCCMP
      {"0001 1110 111. .... 0... 10", fp16},              // FMUL to FMINNM
      {"0001 1110 111. .... 1000 10", fp16},              // FNMUL
      {"0001 1110 111. .... .... 11", fp16},              // FCSEL
      {"0001 1111 11", fp16},                             // FMADD
  });
  return RuleIndex(kRules);
}

RuleIndex rules_of_a32() {
  using enum Extension;
  static constexpr auto kRules = std::to_array<Rule>({
      {"cccc 0111 00.1 .... 1111 .... 0001", idiv},
      {"1110 0001 00.0 .... .... 00.0 0100", crc},
      {"1110 0001 0100 .... .... 00.0 0100", crc},
      {"cccc 0001 1..0 .... 1111 1100 1001", armv8},       // STL
      {"cccc 0001 1..0 .... .... 1110 1001", armv8},       // STLEX
      {"cccc 0001 1..1 .... .... 1100 1001 1111", armv8},  // LDA
      {"cccc 0001 1..1 .... .... 1110 1001 1111", armv8},  // LDAEX
      {"1111 0101 0111 1111 1111 0000 0111 0000", sb},

      // floating point; half precision is coprocessor 9 (1001)
      {"cccc 1110 1.01 .... .... 101. ...0", vfpv4},
      {"cccc 1110 1.10 .... .... 101. ...0", vfpv4},
      {"1111 1110 0... .... .... 101. .0.0", fp_armv8},  // VSEL
      {"1111 1110 1.00 .... .... 101. ...0", fp_armv8},  // VMAXNM
      {"1111 1110 1.11 10.. .... 101. 01.0", fp_armv8},  // VRINTA
      {"1111 1110 1.11 11.. .... 101. .1.0", fp_armv8},  // VCVTA
      {"cccc 1110 1.11 0110 .... 101. .1.0", fp_armv8},  // VRINTR, VRINTZ
      {"cccc 1110 1.11 0111 .... 101. 01.0", fp_armv8},  // VRINTX
      {"cccc 1110 1.11 001. .... 1011 .1.0", fp_armv8},  // VCVTB of doubles
      {"cccc 1110 1.11 1001 .... 1011 11.0", jscvt},
      {"cccc 1110 1.11 0011 .... 1001 .1.0", bf16},       // VCVTB.BF16
      {"1111 1110 1.11 0000 .... 1010 .1.0", fp16},       // VMOVX, VINS
      {"1111 1110 0... .... .... 1001 .0.0", fp16},       // VSEL
      {"1111 1110 1.00 .... .... 1001 ...0", fp16},       // VMAXNM
      {"1111 1110 1.11 10.. .... 1001 01.0", fp16},       // VRINTA
      {"1111 1110 1.11 11.. .... 1001 .1.0", fp16},       // VCVTA
      {"cccc 1110 0... .... .... 1001 ...0", fp16},       // VMLA to VADD
      {"cccc 1110 1.00 .... .... 1001 .0.0", fp16},       // VDIV
      {"cccc 1110 1.01 .... .... 1001 ...0", fp16},       // VFNMA
      {"cccc 1110 1.10 .... .... 1001 ...0", fp16},       // VFMA
      {"cccc 1110 1.11 .... .... 1001 0000", fp16},       // VMOV of a number
      {"cccc 1110 1.11 .... .... 1001 .1.0", fp16},       // VABS, VCMP, VRINT, VCVT
      {"cccc 1110 000. .... .... 1001 .001 0000", fp16},  // VMOV to and from general registers
      {"cccc 1101 ..0. .... .... 1001", fp16},            // VLDR, VSTR

      // Advanced SIMD's extensions
      {"1111 0010 0... ...0 ...0 1100 .1.0 ...0", sha2},  // SHA1C
      {"1111 0011 0.0. ...0 ...0 1100 .1.0 ...0", sha2},  // SHA256H
      {"1111 0011 0.10 ...0 ...0 1100 .1.0 ...0", sha2},
      {"1111 0011 1.11 1001 ...0 0010 11.0 ...0", sha2},  // SHA1H
      {"1111 0011 1.11 1010 ...0 0011 1..0 ...0", sha2},  // SHA1SU1, SHA256SU0
      {"1111 0011 1.11 0000 ...0 0011 ...0 ...0", aes},
      {"1111 0010 1.10 .... ...0 1110 .0.0", aes},  // VMULL.P64
      {"1111 0011 0.01 ...q ...q 1011 .Q.1 ...q", rdma},
      {"1111 0011 0.10 ...q ...q 1011 .Q.1 ...q", rdma},
      {"1111 0011 0.01 ...q ...q 1100 .Q.1 ...q", rdma},
      {"1111 0011 0.10 ...q ...q 1100 .Q.1 ...q", rdma},
      {"1111 001Q 1.01 ...q ...q 111. .1.0", rdma},  // by element
      {"1111 001Q 1.10 ...q ...q 111. .1.0", rdma},
      {"1111 0010 0..0 ...q ...q 1100 .Q.1 ...q", vfpv4},
      {"1111 0011 0..0 ...q ...q 1111 .Q.1 ...q", fp_armv8},  // VMAXNM
      {"1111 0011 1.11 1010 ...q 010. .Q.0 ...q", fp_armv8},  // VRINTN, VRINTX, VRINTA, VRINTZ
      {"1111 0011 1.11 1010 ...q 011. 1Q.0 ...q", fp_armv8},  // VRINTM, VRINTP
      {"1111 0011 1.11 1011 ...q 00.. .Q.0 ...q", fp_armv8},  // VCVTA
      {"1111 0011 1.11 0110 .... 0110 01.0 ...0", bf16},      // VCVT.BF16
      {"1111 0010 0..1 ...q ...q 1100 .Q.1 ...q", fp16},      // VFMA
      {"1111 001. 0..1 ...q ...q 1101 .Q.. ...q", fp16},      // VADD, VMLA
      {"1111 001. 0..1 ...q ...q 1110 .Q.0 ...q", fp16},      // VCEQ
      {"1111 0011 0..1 ...q ...q 1110 .Q.1 ...q", fp16},      // VACGE
      {"1111 001. 0..1 ...q ...q 1111 .Q.. ...q", fp16},      // VMAX, VRECPS, VMAXNM
      {"1111 0011 1.11 0110 ...q 010. .Q.0 ...q", fp16},      // VRINT
      {"1111 0011 1.11 0110 ...q 011. 1Q.0 ...q", fp16},
      {"1111 0011 1.11 0101 ...q 01.. .Q.0 ...q", fp16},  // VCGT by zero, VABS, VNEG
      {"1111 0011 1.11 0111 ...q 00.. .Q.0 ...q", fp16},  // VCVTA
      {"1111 0011 1.11 0111 ...q 0101 .Q.0 ...q", fp16},  // VRECPE
      {"1111 0011 1.11 0111 ...q 011. .Q.0 ...q", fp16},  // VCVT
      {"1111 001Q 1.01 ...q ...q 0.01 .1.0", fp16},       // VMLA by element
      {"1111 001Q 1.01 ...q ...q 1001 .1.0", fp16},       // VMUL by element
      {"1111 001. 1.1. .... ...q 110. 0Q.1 ...q", fp16},  // VCVT from and to fixed point
      {"1111 1100 ..10 .... ...q 1000 .Q.1", fp16fml},    // VFMAL, VFMSL
      {"1111 1110 0.0. .... ...q 1000 .Q.1", fp16fml},    // by element
      {"1111 110. ..1. ...q ...q 1000 .Q.0 ...q", fcma},  // VCMLA
      {"1111 110. 1.0. ...q ...q 1000 .Q.0 ...q", fcma},  // VCADD
      {"1111 1110 .... ...q ...q 1000 .Q.0", fcma},       // VCMLA by element
      {"1111 1100 0.10 ...q ...q 1101 .Q.. ...q", dotprod},
      {"1111 1110 0.10 ...q ...q 1101 .Q..", dotprod},
      {"1111 1100 1.10 ...q ...q 1101 .Q.0 ...q", i8mm},  // VUSDOT
      {"1111 1110 1.00 ...q ...q 1101 .Q..", i8mm},       // VUSDOT, VSUDOT by element
      {"1111 1100 0.10 ...0 ...0 1100 .1.. ...0", i8mm},  // VSMMLA, VUMMLA
      {"1111 1100 1.10 ...0 ...0 1100 .1.0 ...0", i8mm},  // VUSMMLA
      {"1111 1100 0.00 ...q ...q 1101 .Q.0 ...q", bf16},  // VDOT
      {"1111 1110 0.00 ...q ...q 1101 .Q.0", bf16},
      {"1111 1100 0.00 ...0 ...0 1100 .1.0 ...0", bf16},  // VMMLA
      {"1111 1100 0.11 ...0 ...0 1000 ...1 ...0", bf16},  // VFMAB, VFMAT
      {"1111 1110 0.11 ...0 ...0 1000 ...1", bf16},

      // Advanced SIMD
      {"1111 001. 0... ...q ...q .... .Q.. ...q", neon},  // three registers of a size
      {"1111 001. 1.00 0... ...q .... 0Q.1", neon},       // VMOV of a number
      {"1111 001. 1... .... ...q 0... .Q.1 ...q", neon},  // shifts by a number
      {"1111 001. 1... .... .... 100. 0..1 ...0", neon},  // those that halve the size
      {"1111 001. 1... .... ...0 1010 00.1", neon},       // those that double it
      {"1111 001. 1... .... ...q 111. 0Q.1 ...q", neon},  // VCVT from and to fixed point
      {"1111 001. 1.0. .... .... .... ...0", neon},       // three registers of other sizes, by element
      {"1111 001. 1.10 .... .... .... ...0", neon},
      {"1111 0010 1.11 ...q ...q .... .Q.0 ...q", neon},  // VEXT
      {"1111 0011 1.11 ..10 .... 0010 ...0 ...0", neon},  // VMOVN
      {"1111 0011 1.11 .... ...q 0... .Q.0 ...q", neon},  // two registers
      {"1111 0011 1.11 .... .... 10.. ...0", neon},       // VTBL
      {"1111 0011 1.11 .... ...q 1100 0Q.0", neon},       // VDUP
      {"1111 0100 ...0", neon},                           // VLD1, VST1
      {"cccc 1110 1.00 .... .... 1011 .0.1 0000", neon},  // VDUP
      {"cccc 1110 1.10 ...0 .... 1011 .0.1 0000", neon},
      {"cccc 1110 01.0 .... .... 1011 ...1 0000", neon},  // VMOV.8
      {"cccc 1110 .1.1 .... .... 1011 ...1 0000", neon},
      {"cccc 1110 00.0 .... .... 1011 ..11 0000", neon},  // VMOV.16
      {"cccc 1110 .0.1 .... .... 1011 ..11 0000", neon},
  });
  return RuleIndex(kRules);
}

/// Rules for general registers; Advanced SIMD and floating point are as in A32.
RuleIndex rules_of_t32() {
  using enum Extension;
  static constexpr auto kRules = std::to_array<Rule>({
      {"1111 1011 10.1 .... 1111 .... 1111", idiv},
      {"1111 1010 110. .... 1111 .... 100.", crc},
      {"1111 1010 110. .... 1111 .... 1010", crc},
      {"1110 1000 110. .... .... 1111 100. 1111", armv8},  // LDAB, LDAH, STLB, STLH
      {"1110 1000 110. .... .... 1111 1010 1111", armv8},  // LDA, STL
      {"1110 1000 1100 .... .... 1111 110.", armv8},       // STLEXB, STLEXH
      {"1110 1000 1100 .... .... 1111 1110", armv8},
      {"1110 1000 1100 .... .... .... 1111", armv8},  // STLEXD
      {"1110 1000 1101 .... .... 1111 110. 1111", armv8},
      {"1110 1000 1101 .... .... 1111 1110 1111", armv8},
      {"1110 1000 1101 .... .... .... 1111 1111", armv8},
      {"1111 0011 1011 1111 1000 1111 0111 0000", sb},
  });
  return RuleIndex(kRules);
}

/// The meaning of a name in flags, in the syntax of flags.
struct Definition {
  std::string_view name, parts;
};

constexpr auto kDefinitions = std::to_array<Definition>({
    // architectures; for 64 bits, the mandatory extensions
    {"armv7-a", ""},
    {"armv7ve", "armv7-a+idiv"},
    {"armv8-a", ""},
    {"armv8.1-a", "armv8-a+crc+lse+lor+rdma"},
    {"armv8.2-a", "armv8.1-a"},
    {"armv8.3-a", "armv8.2-a+rcpc+fcma+jscvt+pauth"},
    {"armv8.4-a", "armv8.3-a+dotprod+flagm+rcpc2"},
    {"armv8.5-a", "armv8.4-a+flagm2+frintts+sb"},
    {"armv8.6-a", "armv8.5-a+bf16+i8mm"},
    {"armv8.7-a", "armv8.6-a+ls64+wfxt+xs"},
    {"armv8.8-a", "armv8.7-a+mops+hbc"},
    {"armv8.9-a", "armv8.8-a+cssc"},
    {"armv9-a", "armv8.5-a+sve2"},
    {"armv9.1-a", "armv9-a+armv8.6-a"},
    {"armv9.2-a", "armv9.1-a+armv8.7-a"},
    {"armv9.3-a", "armv9.2-a+armv8.8-a"},
    {"armv9.4-a", "armv9.3-a+armv8.9-a"},

    // cores
    {"cortex-a7", "armv7ve+neon-vfpv4"},
    {"cortex-a9", "armv7-a+neon"},
    {"cortex-a15", "armv7ve+neon-vfpv4"},
    {"cortex-a53", "armv8-a+crc"},
    {"cortex-a57", "armv8-a+crc"},
    {"cortex-a72", "armv8-a+crc"},
    {"thunderx2t99", "armv8.1-a+crypto"},
    {"cortex-a76", "armv8.2-a+fp16+rcpc+dotprod"},
    {"cortex-a78", "armv8.2-a+fp16+rcpc+dotprod"},
    {"neoverse-n1", "armv8.2-a+fp16+rcpc+dotprod"},
    {"neoverse-v1", "armv8.4-a+sve+bf16+i8mm"},
    {"neoverse-n2", "armv8.5-a+sve2+bf16+i8mm+memtag"},
    {"neoverse-v2", "armv9-a+bf16+i8mm+memtag"},

    // FPUs of 32 bits
    {"vfpv3", ""},
    {"vfpv3-d16", ""},
    {"vfpv3-fp16", ""},
    {"vfpv3-d16-fp16", ""},
    {"vfpv4-d16", "vfpv4"},
    {"neon-vfpv3", "neon"},
    {"neon-fp16", "neon"},
    {"neon-vfpv4", "neon+vfpv4"},
    {"fp-armv8", "vfpv4"},
    {"neon-fp-armv8", "neon+fp-armv8"},
    {"crypto-neon-fp-armv8", "neon-fp-armv8+crypto"},

    // extensions that imply others
    {"crypto", "aes+sha2"},
    {"sha3", "sha2"},
    {"fp16fml", "fp16"},
    {"sve", "fp16"},
    {"f32mm", "sve"},
    {"f64mm", "sve"},
    {"sve2", "sve"},
    {"sve2-aes", "sve2+aes"},
    {"sve2-bitperm", "sve2"},
    {"sve2-sha3", "sve2+sha3"},
    {"sve2-sm4", "sve2+sm4"},
    {"sme", "bf16+fp16"},

    // extensions whose instructions are not recognised here
    {"fp", ""},
    {"simd", ""},
    {"predres", ""},
    {"profile", ""},
    {"rng", ""},
    {"ssbs", ""},
});

using FlagNames = std::set<std::string, std::less<>>;

/// Adds a name and everything it implies. Returns whether it is known.
bool add_flag_name(FlagNames& names, std::string_view name) {
  const auto definition = std::find_if(kDefinitions.begin(), kDefinitions.end(),
                                       [name](const Definition& each) { return each.name == name; });
  if (definition == kDefinitions.end() && !parse_name<Extension>(name)) return false;
  names.emplace(name);
  if (definition == kDefinitions.end() || definition->parts.empty()) return true;
  const std::vector<std::string> parts = split(definition->parts, '+');
  return std::all_of(parts.begin(), parts.end(), [&names](const auto& part) { return add_flag_name(names, part); });
}

/// Removes a name and everything that implies it.
void remove_flag_name(FlagNames& names, std::string_view name) {
  std::erase_if(names, [name](const std::string& each) {
    FlagNames brought;
    add_flag_name(brought, each);
    return brought.contains(name);
  });
}

/// Adds the meaning of "armv8.2-a+dotprod+nocrc". Returns whether all of it is known.
bool add_target(FlagNames& names, std::string_view target) {
  for (const std::string& part : split(target, '+')) {
    if (!part.starts_with("no")) {
      if (!add_flag_name(names, part)) return false;
      if (names.contains("armv8.4-a") && names.contains("fp16")) names.insert("fp16fml");
      continue;
    }
    const std::string removed = part.substr(2);
    if (!parse_name<Extension>(removed) && removed != "crypto") return false;
    for (const auto& name : removed == "crypto" ? std::vector<std::string>{"aes", "sha2"} : std::vector{removed})
      remove_flag_name(names, name);
  }
  return names.contains("armv7-a") || names.contains("armv8-a");
}

/// Returns whether AArch32 code, or AArch64 code, can use it.
bool is_of_state(Extension extension, bool is_aarch32) {
  using enum Extension;
  constexpr auto kOfAArch32 = std::to_array({idiv, neon, vfpv4, fp_armv8, armv8});
  constexpr auto kOfBoth = std::to_array({crc, aes, sha2, rdma, fp16, fp16fml, dotprod, fcma, jscvt, bf16, i8mm, sb});
  if (std::find(kOfBoth.begin(), kOfBoth.end(), extension) != kOfBoth.end()) return true;
  return (std::find(kOfAArch32.begin(), kOfAArch32.end(), extension) != kOfAArch32.end()) == is_aarch32;
}

}  // namespace

std::optional<Extension> extension_of_a64(std::uint32_t word) {
  static const RuleIndex kIndex = rules_of_a64();
  return kIndex.find(word);
}

std::optional<Extension> extension_of_a32(std::uint32_t word) {
  static const RuleIndex kIndex = rules_of_a32();
  return kIndex.find(word);
}

std::optional<Extension> extension_of_t32(std::uint16_t first, std::uint16_t second) {
  const std::uint32_t word = std::uint32_t{first} << 16 | second;
  const std::uint32_t low = word & 0x00FFFFFF;
  if ((word & 0xEF000000) == 0xEF000000) return extension_of_a32(0xF2000000 | (word >> 28 & 1) << 24 | low);
  if ((word & 0xFF100000) == 0xF9000000) return extension_of_a32(0xF4000000 | low);
  if ((word & 0xEC000000) == 0xEC000000) return extension_of_a32(word);
  static const RuleIndex kIndex = rules_of_t32();
  return kIndex.find(word);
}

std::optional<std::set<Extension>> extensions_of_flags(std::string_view flags) {
  std::string architecture, core, fpu;
  bool is_aarch32 = false;
  for (const std::string& flag : split(flags, ' ')) {
    const std::string value = flag.substr(flag.find('=') + 1);
    if (flag.starts_with("-march=")) architecture = value;
    if (flag.starts_with("-mcpu=")) core = value;
    if (flag.starts_with("-mfpu=")) fpu = value;
    is_aarch32 |=
        flag.starts_with("-mfpu=") || flag.starts_with("-mfloat-abi=") || flag == "-marm" || flag == "-mthumb";
  }
  FlagNames names;
  if (!add_target(names, architecture.empty() ? core : architecture)) return std::nullopt;
  const bool is_armv8 = names.contains("armv8-a");
  if (!is_armv8 && names.contains("simd")) return std::nullopt;  // its meaning depends on the architecture
  const bool has_fpu = !fpu.empty() && fpu != "auto";
  if (!is_armv8 && has_fpu)
    for (const char* name : {"neon", "vfpv4"}) names.erase(name);
  if (has_fpu && !add_flag_name(names, fpu)) return std::nullopt;
  if (is_armv8)
    for (const char* name : {"idiv", "neon-fp-armv8"}) add_flag_name(names, name);
  is_aarch32 |= !is_armv8;
  std::set<Extension> extensions;
  for (const auto& [extension, name] : kNamesOf<Extension>)
    if (names.contains(name) && is_of_state(extension, is_aarch32)) extensions.insert(extension);
  return extensions;
}

}  // namespace torchpatch::elf
