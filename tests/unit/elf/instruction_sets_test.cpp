// SPDX-License-Identifier: BSD-3-Clause
// The words are what GNU as 2.40 makes of the text beside them, or llvm-mc 19 where that does not know it. There is at
// least one for each rule.
#include "elf/instruction_sets.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;
using namespace torchpatch::elf;

namespace {

struct Encoding {
  std::uint32_t word;
  const char* assembly;
};

using Decode = std::optional<Extension> (*)(std::uint32_t);

constexpr Decode kA64 = extension_of_a64;
constexpr Decode kA32 = extension_of_a32;
/// The first halfword is the upper one.
constexpr Decode kT32 = [](std::uint32_t word) {
  return extension_of_t32(static_cast<std::uint16_t>(word >> 16), static_cast<std::uint16_t>(word));
};

std::string extension_text(std::optional<Extension> extension) { return extension ? name_of(*extension) : "baseline"; }

void check_words(Decode decode, std::optional<Extension> expected, std::initializer_list<Encoding> encodings) {
  for (const auto& [word, assembly] : encodings) {
    INFO(assembly);
    CHECK(extension_text(decode(word)) == extension_text(expected));
  }
}

/// Returns "crc lse", in the order of the enumeration.
std::string flags_text(std::string_view flags) {
  const std::optional<std::set<Extension>> found = extensions_of_flags(flags);
  if (!found) return "unknown";
  std::vector<std::string> names;
  for (const Extension extension : *found) names.emplace_back(name_of(extension));
  return join(names, " ");
}

}  // namespace

TEST_CASE("Extension: each has a name, most of them gcc's") {
  CHECK(kNamesOf<Extension>.size() == static_cast<std::size_t>(Extension::armv8) + 1);
  const std::vector<std::string> names = names_of<Extension>();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  CHECK(parse_name<Extension>("fp-armv8") == Extension::fp_armv8);
  CHECK(parse_name<Extension>("memtag") == Extension::memtag);
}

TEST_CASE("extension_of_a64: knows LSE atomics") {
  check_words(kA64, Extension::lse,
              {{0x382103FE, "ldaddb w1, w30, [sp]"},
               {0x38218062, "swpb w1, w2, [x3]"},
               {0x08A77FE8, "casb w7, w8, [sp]"},
               {0x48227CC4, "casp x2, x3, x4, x5, [x6]"},
               {0xF8FD0062, "ldaddal x29, x2, [x3]"},
               {0x782143FE, "ldsmaxh w1, w30, [sp]"},
               {0xB83D7062, "ldumin w29, w2, [x3]"},
               {0xF8E18062, "swpal x1, x2, [x3]"},
               {0xC8E7FFE8, "casal x7, x8, [sp]"},
               {0xB82530DF, "stset w5, [x6]"}});
  check_words(
      kA64, Extension::lse128,
      {{0x192213E1, "ldclrp x1, x2, [sp]"}, {0x192233E1, "ldsetp x1, x2, [sp]"}, {0x192283E1, "swpp x1, x2, [sp]"}});
}

TEST_CASE("extension_of_a64: knows ordered loads and stores") {
  check_words(kA64, Extension::lor,
              {{0x88DF7C20, "ldlar w0, [x1]"}, {0x089F7C20, "stllrb w0, [x1]"}, {0xC8DF7FE0, "ldlar x0, [sp]"}});
  check_words(kA64, Extension::rcpc,
              {{0xB8BFC020, "ldapr w0, [x1]"}, {0x38BFC020, "ldaprb w0, [x1]"}, {0xF8BFC3E0, "ldapr x0, [sp]"}});
  check_words(kA64, Extension::rcpc2,
              {{0x19500041, "ldapurb w1, [x2, #-256]"},
               {0x99405041, "ldapur w1, [x2, #5]"},
               {0x99807041, "ldapursw x1, [x2, #7]"},
               {0xD91FF041, "stlur x1, [x2, #-1]"}});
  check_words(kA64, Extension::rcpc3,
              {{0x99000A18, "stilp w24, w0, [x16, #-8]!"},
               {0x998009E3, "stlr w3, [x15, #-4]!"},
               {0x1D1FF9E3, "stlur b3, [x15, #-1]"},
               {0x5D0029E3, "stlur h3, [x15, #2]"},
               {0x0D0185E3, "stl1 {v3.d}[0], [x15]"},
               {0x1D9FF9E3, "stlur q3, [x15, #-1]"}});
}

TEST_CASE("extension_of_a64: knows checksums and cryptography") {
  check_words(kA64, Extension::crc,
              {{0x1AC24020, "crc32b w0, w1, w2"},
               {0x1AC24420, "crc32h w0, w1, w2"},
               {0x1AC24820, "crc32w w0, w1, w2"},
               {0x9AC24C20, "crc32x w0, w1, x2"},
               {0x9AC25C20, "crc32cx w0, w1, x2"}});
  check_words(kA64, Extension::aes,
              {{0x4E284820, "aese v0.16b, v1.16b"},
               {0x0EE2E020, "pmull v0.1q, v1.1d, v2.1d"},
               {0x4E2878A4, "aesimc v4.16b, v5.16b"},
               {0x4EFDE3DF, "pmull2 v31.1q, v30.2d, v29.2d"}});
  check_words(kA64, Extension::sha2,
              {{0x5E020020, "sha1c q0, s1, v2.4s"},
               {0x5E280BE0, "sha1h s0, s31"},
               {0x5E024020, "sha256h q0, q1, v2.4s"},
               {0x5E282820, "sha256su0 v0.4s, v1.4s"},
               {0x5E026020, "sha256su1 v0.4s, v1.4s, v2.4s"},
               {0x5E1D53DF, "sha256h2 q31, q30, v29.4s"},
               {0x5E281820, "sha1su1 v0.4s, v1.4s"}});
  check_words(kA64, Extension::sha3,
              {{0xCE628020, "sha512h q0, q1, v2.2d"},
               {0xCEC08020, "sha512su0 v0.2d, v1.2d"},
               {0xCE027C20, "eor3 v0.16b, v1.16b, v2.16b, v31.16b"},
               {0xCE82FC20, "xar v0.2d, v1.2d, v2.2d, #63"},
               {0xCE628C20, "rax1 v0.2d, v1.2d, v2.2d"},
               {0xCE220FE0, "bcax v0.16b, v31.16b, v2.16b, v3.16b"}});
  check_words(kA64, Extension::sm4,
              {{0xCE420C20, "sm3ss1 v0.4s, v1.4s, v2.4s, v3.4s"},
               {0xCE42B020, "sm3tt1a v0.4s, v1.4s, v2.s[3]"},
               {0xCE62C020, "sm3partw1 v0.4s, v1.4s, v2.4s"},
               {0xCEC08420, "sm4e v0.4s, v1.4s"},
               {0xCE62C820, "sm4ekey v0.4s, v1.4s, v2.4s"}});
}

TEST_CASE("extension_of_a64: knows half precision") {
  check_words(kA64, Extension::fp16,
              {{0x1EFF2841, "fadd h1, h2, h31"},
               {0x1EFF8841, "fnmul h1, h2, h31"},
               {0x5E5F1C41, "fmulx h1, h2, h31"},
               {0x1EE0C041, "fabs h1, h2"},
               {0x1EE44041, "frintn h1, h2"},
               {0x5EF9D841, "frecpe h1, h2"},
               {0x1FC31041, "fmadd h1, h2, h3, h4"},
               {0x0E5F1441, "fadd v1.4h, v2.4h, v31.4h"},
               {0x0EF8FBC1, "fabs v1.4h, v30.4h"},
               {0x4F19E441, "scvtf v1.8h, v2.8h, #7"},
               {0x5F11E441, "scvtf h1, h2, #15"},
               {0x4F19FC41, "fcvtzs v1.8h, v2.8h, #7"},
               {0x5F11FC41, "fcvtzs h1, h2, #15"},
               {0x1EE20041, "scvtf h1, w2"},
               {0x1EC2EC41, "scvtf h1, w2, #5"},
               {0x1ED8EC22, "fcvtzs w2, h1, #5"},
               {0x1EE80041, "fcvtps w1, h2"},
               {0x0F3F1841, "fmla v1.4h, v2.4h, v15.h[7]"},
               {0x5F131841, "fmla h1, h2, v3.h[5]"},
               {0x0F3F9841, "fmul v1.4h, v2.4h, v15.h[7]"},
               {0x5F139841, "fmul h1, h2, v3.h[5]"},
               {0x0E30F841, "fmaxv h1, v2.4h"},
               {0x0E30C841, "fmaxnmv h1, v2.4h"},
               {0x5E30F841, "fmaxp h1, v2.2h"},
               {0x5E30C841, "fmaxnmp h1, v2.2h"},
               {0x5E30D841, "faddp h1, v2.2h"},
               {0x1EEE1001, "fmov h1, #1.0"},
               {0x0F00FC01, "fmov v1.4h, #2.0"},
               {0x1EE22020, "fcmp h1, h2"},
               {0x1EE21423, "fccmp h1, h2, #3, ne"},
               {0x1EE3BC41, "fcsel h1, h2, h3, lt"},
               {0x9EE60041, "fmov x1, h2"},
               {0x1EE74041, "frintx h1, h2"},
               {0x0EF9BBC1, "fcvtzs v1.4h, v30.4h"},
               {0x6E5F3C41, "fdiv v1.8h, v2.8h, v31.8h"},
               {0x5EF8C841, "fcmgt h1, h2, #0.0"},
               {0x1EE02038, "fcmpe h1, #0.0"}});
  check_words(kA64, Extension::fp16fml,
              {{0x0E3FEC41, "fmlal v1.2s, v2.2h, v31.2h"},
               {0x0FBF0841, "fmlal v1.2s, v2.2h, v15.h[7]"},
               {0x2E3FCC41, "fmlal2 v1.2s, v2.2h, v31.2h"},
               {0x2FBF8841, "fmlal2 v1.2s, v2.2h, v15.h[7]"}});
}

TEST_CASE("extension_of_a64: knows products of Advanced SIMD") {
  check_words(kA64, Extension::rdma,
              {{0x2E5F8441, "sqrdmlah v1.4h, v2.4h, v31.4h"},
               {0x2F7FD01F, "sqrdmlah v31.4h, v0.4h, v15.h[3]"},
               {0x2E9F8441, "sqrdmlah v1.2s, v2.2s, v31.2s"},
               {0x2FAFD81F, "sqrdmlah v31.2s, v0.2s, v15.s[3]"},
               {0x7E438441, "sqrdmlah h1, h2, h3"},
               {0x7E8087FE, "sqrdmlah s30, s31, s0"},
               {0x7F73D841, "sqrdmlah h1, h2, v3.h[7]"},
               {0x7FBED841, "sqrdmlah s1, s2, v30.s[3]"}});
  check_words(kA64, Extension::dotprod,
              {{0x0E9F9441, "sdot v1.2s, v2.8b, v31.8b"},
               {0x0FBFE841, "sdot v1.2s, v2.8b, v31.4b[3]"},
               {0x6F9FE041, "udot v1.4s, v2.16b, v31.4b[0]"}});
  check_words(kA64, Extension::i8mm,
              {{0x4E83A441, "smmla v1.4s, v2.16b, v3.16b"},
               {0x4E83AC41, "usmmla v1.4s, v2.16b, v3.16b"},
               {0x0E839C41, "usdot v1.2s, v2.8b, v3.8b"},
               {0x0FBFF841, "usdot v1.2s, v2.8b, v31.4b[3]"},
               {0x6E83A441, "ummla v1.4s, v2.16b, v3.16b"}});
  check_words(kA64, Extension::bf16,
              {{0x2E43FC41, "bfdot v1.2s, v2.4h, v3.4h"},
               {0x0F63F841, "bfdot v1.2s, v2.4h, v3.2h[3]"},
               {0x6E43EC41, "bfmmla v1.4s, v2.8h, v3.8h"},
               {0x1E634041, "bfcvt h1, s2"},
               {0x0EA16841, "bfcvtn v1.4h, v2.4s"},
               {0x6EC3FC41, "bfmlalt v1.4s, v2.8h, v3.8h"},
               {0x4EA16841, "bfcvtn2 v1.8h, v2.4s"}});
  check_words(kA64, Extension::fcma,
              {{0x2E43C441, "fcmla v1.4h, v2.4h, v3.4h, #0"},
               {0x2E5FE441, "fcadd v1.4h, v2.4h, v31.4h, #90"},
               {0x2E83C441, "fcmla v1.2s, v2.2s, v3.2s, #0"},
               {0x2E9FE441, "fcadd v1.2s, v2.2s, v31.2s, #90"},
               {0x6EC3C441, "fcmla v1.2d, v2.2d, v3.2d, #0"},
               {0x6EDFE441, "fcadd v1.2d, v2.2d, v31.2d, #90"},
               {0x2F633041, "fcmla v1.4h, v2.4h, v3.h[1], #90"},
               {0x6F9F7841, "fcmla v1.4s, v2.4s, v31.s[1], #270"}});
}

TEST_CASE("extension_of_a64: knows conversions and flags") {
  check_words(kA64, Extension::jscvt, {{0x1E7E0020, "fjcvtzs w0, d1"}});
  check_words(
      kA64, Extension::frintts,
      {{0x1E284041, "frint32z s1, s2"}, {0x0E21E841, "frint32z v1.2s, v2.2s"}, {0x4E61E841, "frint32z v1.2d, v2.2d"}});
  check_words(kA64, Extension::flagm,
              {{0xD500401F, "cfinv"}, {0xBA1F842F, "rmif x1, #63, #15"}, {0x3A00082D, "setf8 w1"}});
  check_words(kA64, Extension::flagm2, {{0xD500405F, "axflag"}, {0xD500403F, "xaflag"}});
}

TEST_CASE("extension_of_a64: knows pointer authentication that is no hint") {
  check_words(kA64, Extension::pauth,
              {{0xD65F0BFF, "retaa"},
               {0xD69F0BFF, "eretaa"},
               {0xD71F0801, "braa x0, x1"},
               {0xD61F083F, "braaz x1"},
               {0x9AC23020, "pacga x0, x1, x2"},
               {0xDAC143E1, "xpaci x1"},
               {0xDAC10041, "pacia x1, x2"},
               {0xDAC123E1, "paciza x1"},
               {0xF8200441, "ldraa x1, [x2]"},
               {0xD65F0FFF, "retab"},
               {0xD73F0C64, "blrab x3, x4"},
               {0xDAC147FE, "xpacd x30"},
               {0xF8FFFC41, "ldrab x1, [x2, #-8]!"},
               {0xDAC11FFE, "autdb x30, sp"}});
}

TEST_CASE("extension_of_a64: knows memory tagging") {
  check_words(kA64, Extension::memtag,
              {{0x9ADF1020, "irg x0, x1"},
               {0x91BF3C20, "addg x0, x1, #1008, #15"},
               {0x9AC20020, "subp x0, x1, x2"},
               {0xD9200820, "stg x0, [x1]"},
               {0xD9300C20, "stg x0, [x1, #-4096]!"},
               {0xD9601020, "ldg x0, [x1, #16]"},
               {0xD9E00020, "ldgm x0, [x1]"},
               {0xD9200020, "stzgm x0, [x1]"},
               {0x69000440, "stgp x0, x1, [x2]"},
               {0x68808440, "stgp x0, x1, [x2], #16"},
               {0xBAC2003F, "subps xzr, x1, x2"},
               {0xD9E01C20, "stz2g x0, [x1, #16]!"}});
}

TEST_CASE("extension_of_a64: knows barriers, waits, and what Armv8.7-A and later bring") {
  check_words(kA64, Extension::sb, {{0xD50330FF, "sb"}});
  check_words(kA64, Extension::wfxt, {{0xD5031000, "wfet x0"}, {0xD5031021, "wfit x1"}});
  check_words(kA64, Extension::xs, {{0xD503323F, "dsb oshnxs"}, {0xD5033E3F, "dsb synxs"}});
  check_words(
      kA64, Extension::ls64,
      {{0xF83FD020, "ld64b x0, [x1]"}, {0xF821B062, "st64bv x1, x2, [x3]"}, {0xF821A062, "st64bv0 x1, x2, [x3]"}});
  check_words(kA64, Extension::mops,
              {{0x19010440, "cpyfp [x0]!, [x1]!, x2!"},
               {0x19C20420, "setp [x0]!, x1!, x2"},
               {0x19810440, "cpyfe [x0]!, [x1]!, x2!"},
               {0x19C28420, "sete [x0]!, x1!, x2"},
               {0x1941E440, "cpyfmrtn [x0]!, [x1]!, x2!"},
               {0x1DDFB420, "setgetn [x0]!, x1!, xzr"}});
  check_words(kA64, Extension::hbc, {{0x54000050, "bc.eq .+8"}, {0x54FFFFF1, "bc.ne .-4"}});
  check_words(kA64, Extension::cssc,
              {{0x5AC02041, "abs w1, w2"},
               {0x5AC01C41, "cnt w1, w2"},
               {0x11C20020, "smax w0, w1, #-128"},
               {0x9AC26020, "smax x0, x1, x2"},
               {0xDAC02041, "abs x1, x2"},
               {0x5AC01841, "ctz w1, w2"},
               {0x91CC0020, "umin x0, x1, #0"}});
}

TEST_CASE("extension_of_a64: tells SVE2 from SVE") {
  check_words(kA64, Extension::sve,
              {{0x04220020, "add z0.b, z1.b, z2.b"},
               {0x44820020, "sdot z0.s, z1.b, z2.b"},
               {0x45029820, "smmla z0.s, z1.b, z2.b"},
               {0x44827820, "usdot z0.s, z1.b, z2.b"},
               {0x44AA1820, "usdot z0.s, z1.b, z2.b[1]"},
               {0x648AA020, "bfcvtnt z0.h, p0/m, z1.s"},
               {0x2518E3E0, "ptrue p0.b"},
               {0x25211C00, "whilelo p0.b, x0, x1"},
               {0xA5414000, "ld1w {z0.s}, p0/z, [x0, x1, lsl #2]"},
               {0xE5A043FF, "str z31, [sp, #-256, mul vl]"},
               {0x0420E3E0, "cntb x0"},
               {0x65A20020, "fmla z0.s, p0/m, z1.s, z2.s"},
               {0xE5618000, "st1w {z0.s}, p0, [x0, z1.s, uxtw #2]"},
               {0x64822020, "fcmla z0.s, p0/m, z1.s, z2.s, #90"}});
  check_words(kA64, Extension::sve2,
              {{0x040681E0, "sqshl z0.b, p0/m, z0.b, #7"},   {0x044C83E0, "srshr z0.s, p0/m, z0.s, #1"},
               {0x048D8000, "urshr z0.d, p0/m, z0.d, #64"},  {0x04213840, "eor3 z0.d, z0.d, z1.d, z2.d"},
               {0x04603420, "xar z0.s, z0.s, z1.s, #32"},    {0x04226020, "mul z0.b, z1.b, z2.b"},
               {0x04A27020, "sqdmulh z0.s, z1.s, z2.s"},     {0x05601420, "ext z0.b, {z1.b, z2.b}, #5"},
               {0x05232820, "tbl z0.b, {z1.b, z2.b}, z3.b"}, {0x052D8020, "splice z0.b, p0, {z1.b, z2.b}"},
               {0x25211000, "whilege p0.b, x0, x1"},         {0x25213000, "whilewr p0.b, x0, x1"},
               {0x44824020, "smlalb z0.s, z1.h, z2.h"},      {0x6488A020, "fcvtnt z0.h, p0/m, z1.s"},
               {0x650AA020, "fcvtx z0.s, p0/m, z1.d"},       {0x651CA020, "flogb z0.s, p0/m, z1.s"},
               {0x64908020, "faddp z0.s, p0/m, z0.s, z1.s"}, {0x64A28020, "fmlalb z0.s, z1.h, z2.h"},
               {0x64BA6C20, "fmlslt z0.s, z1.h, z2.h[7]"},   {0x8400A020, "ldnt1b {z0.s}, p0/z, [z1.s, x0]"},
               {0xC59FC020, "ldnt1d {z0.d}, p0/z, [z1.d]"},  {0xE5402020, "stnt1w {z0.s}, p0, [z1.s, x0]"},
               {0xE59F2020, "stnt1d {z0.d}, p0, [z1.d]"},    {0x44827020, "sqrdmlah z0.s, z1.s, z2.s"},
               {0x45420020, "saddlb z0.h, z1.b, z2.b"},      {0x45A2C020, "histcnt z0.s, p0/z, z1.s, z2.s"}});
}

TEST_CASE("extension_of_a64: knows SME") {
  check_words(kA64, Extension::sme,
              {{0xD503477F, "smstart"},
               {0xD503437F, "smstart sm"},
               {0xD503457F, "smstart za"},
               {0x80822020, "fmopa za0.s, p0/m, p1/m, z1.s, z2.s"},
               {0xA0822020, "smopa za0.s, p0/m, p1/m, z1.b, z2.b"},
               {0xC0902020, "addha za0.s, p0/m, p1/m, z1.s"},
               {0xC00800FF, "zero {za}"},
               {0xE1000000, "ldr za[w12, #0], [x0]"},
               {0xE0010000, "ld1b {za0h.b[w12, #0]}, p0/z, [x0, x1]"},
               {0xE1DF800F, "ld1q {za15v.q[w12, #0]}, p0/z, [x0]"},
               {0x80C00024, "fmopa za4.d, p0/m, p0/m, z1.d, z0.d"},
               {0xA040010D, "ldnt1b { z12.b, z13.b }, pn8/z, [x8]"},
               {0xA0C015D5, "smops za5.d, p5/m, p0/m, z14.h, z0.h"},
               {0xC09BC212, "luti4 { z18.b, z26.b }, zt0, z16[3]"},
               {0xC1001D9B, "umlsll za.s[w8, 12:15], z12.b, z0.b[7]"},
               {0xE11F8220, "ldr zt0, [x17]"},
               {0xD503447F, "smstop za"},
               {0xA0100000, "ld1b {z0.b, z1.b}, pn8/z, [x0, x16]"},
               {0xA0D00010, "smops za0.d, p0/m, p0/m, z0.h, z16.h"}});
}

TEST_CASE("extension_of_a64: takes no baseline instruction for an extension") {
  check_words(kA64, std::nullopt,
              {{0xC85F7C20, "ldxr x0, [x1]"},
               {0xC8007C41, "stxr w0, x1, [x2]"},
               {0x885FFC20, "ldaxr w0, [x1]"},
               {0x0800FC41, "stlxrb w0, w1, [x2]"},
               {0xC87F0440, "ldxp x0, x1, [x2]"},
               {0x88208861, "stlxp w0, w1, w2, [x3]"},
               {0xC8DFFC20, "ldar x0, [x1]"},
               {0x889FFC20, "stlr w0, [x1]"},
               {0x08DFFC20, "ldarb w0, [x1]"},
               {0x489FFC20, "stlrh w0, [x1]"},
               {0xF8408420, "ldr x0, [x1], #8"},
               {0xF85F8C20, "ldr x0, [x1, #-8]!"},
               {0xF85F8020, "ldur x0, [x1, #-8]"},
               {0xF8408820, "ldtr x0, [x1, #8]"},
               {0xF8227820, "str x0, [x1, x2, lsl #3]"},
               {0xB8A2C820, "ldrsw x0, [x1, w2, sxtw]"},
               {0x58000080, "ldr x0, .+16"},
               {0x98000080, "ldrsw x0, .+16"},
               {0xD8000080, "prfm pldl1keep, .+16"},
               {0xF8A16813, "prfm pstl2strm, [x0, x1]"},
               {0xF89FF000, "prfum pldl1keep, [x0, #-1]"},
               {0x69400440, "ldpsw x0, x1, [x2]"},
               {0x68C10440, "ldpsw x0, x1, [x2], #8"},
               {0x69C10440, "ldpsw x0, x1, [x2, #8]!"},
               {0x29400440, "ldp w0, w1, [x2]"},
               {0xA8000440, "stnp x0, x1, [x2]"},
               {0xACC10440, "ldp q0, q1, [x2], #32"},
               {0x9C000080, "ldr q0, .+16"},
               {0x3D800420, "str q0, [x1, #16]"},
               {0x7C401020, "ldur h0, [x1, #1]"},
               {0x0D408420, "ld1 {v0.d}[0], [x1]"},
               {0x4D828420, "st1 {v0.d}[1], [x1], x2"},
               {0x4D40C820, "ld1r {v0.4s}, [x1]"},
               {0x4CDF0020, "ld4 {v0.16b, v1.16b, v2.16b, v3.16b}, [x1], #64"},
               {0x10000080, "adr x0, .+16"},
               {0x91004020, "add x0, x1, #16"},
               {0xD14043E0, "sub x0, sp, #16, lsl #12"},
               {0x92401C20, "and x0, x1, #0xff"},
               {0xF2E00020, "movk x0, #1, lsl #48"},
               {0xB37D0C20, "bfi x0, x1, #3, #4"},
               {0x93C21420, "extr x0, x1, x2, #5"},
               {0x9AC20C20, "sdiv x0, x1, x2"},
               {0x1AC22020, "lslv w0, w1, w2"},
               {0x9A020020, "adc x0, x1, x2"},
               {0x7A020020, "sbcs w0, w1, w2"},
               {0xBA411802, "ccmn x0, #1, #2, ne"},
               {0x9A82B020, "csel x0, x1, x2, lt"},
               {0xDAC00000, "rbit x0, x0"},
               {0xDAC00C20, "rev x0, x1"},
               {0x5AC01020, "clz w0, w1"},
               {0xDAC01420, "cls x0, x1"},
               {0x9B020C20, "madd x0, x1, x2, x3"},
               {0x9BA20C20, "umaddl x0, w1, w2, x3"},
               {0x9B427C20, "smulh x0, x1, x2"},
               {0x8B224820, "add x0, x1, w2, uxtw #2"},
               {0x54000080, "b.eq .+16"},
               {0x5400008E, "b.al .+16"},
               {0xB4000080, "cbz x0, .+16"},
               {0xB7080080, "tbnz x0, #33, .+16"},
               {0xD61F0200, "br x16"},
               {0xD63F0020, "blr x1"},
               {0xD65F03C0, "ret"},
               {0xD65F0020, "ret x1"},
               {0xD69F03E0, "eret"},
               {0xD4000001, "svc #0"},
               {0xD4200020, "brk #1"},
               {0x00000000, "udf #0"},
               {0x1E222820, "fadd s0, s1, s2"},
               {0x1E620820, "fmul d0, d1, d2"},
               {0x1F420C20, "fmadd d0, d1, d2, d3"},
               {0x1E23C020, "fcvt h0, s1"},
               {0x1E63C020, "fcvt h0, d1"},
               {0x1EE24020, "fcvt s0, h1"},
               {0x1EE2C020, "fcvt d0, h1"},
               {0x1E602008, "fcmp d0, #0.0"},
               {0x1E211402, "fccmp s0, s1, #2, ne"},
               {0x1E621C20, "fcsel d0, d1, d2, ne"},
               {0x1E6E1000, "fmov d0, #1.0"},
               {0x9E660020, "fmov x0, d1"},
               {0x9EAF0020, "fmov v0.d[1], x1"},
               {0x9EAE0020, "fmov x0, v1.d[1]"},
               {0x1E780020, "fcvtzs w0, d1"},
               {0x9E240020, "fcvtas x0, s1"},
               {0x9E42EC20, "scvtf d0, x1, #5"},
               {0x1E25C020, "frintz s0, s1"},
               {0x1E67C020, "frinti d0, d1"},
               {0x1E60C020, "fabs d0, d1"},
               {0x4E22CC20, "fmla v0.4s, v1.4s, v2.4s"},
               {0x4EE2CC20, "fmls v0.2d, v1.2d, v2.2d"},
               {0x4FA21020, "fmla v0.4s, v1.4s, v2.s[1]"},
               {0x5FC29820, "fmul d0, d1, v2.d[1]"},
               {0x2FA29820, "fmulx v0.2s, v1.2s, v2.s[3]"},
               {0x6E22EC20, "facge v0.4s, v1.4s, v2.4s"},
               {0x7EA2D420, "fabd s0, s1, s2"},
               {0x4E62FC20, "frecps v0.2d, v1.2d, v2.2d"},
               {0x6E30C820, "fmaxnmv s0, v1.4s"},
               {0x7E70D820, "faddp d0, v1.2d"},
               {0x6E22F420, "fmaxp v0.4s, v1.4s, v2.4s"},
               {0x0E217820, "fcvtl v0.4s, v1.4h"},
               {0x4E216820, "fcvtn2 v0.8h, v1.4s"},
               {0x2E616820, "fcvtxn v0.2s, v1.2d"},
               {0x4E218820, "frintn v0.4s, v1.4s"},
               {0x5EA1D820, "frecpe s0, s1"},
               {0x4E61D820, "scvtf v0.2d, v1.2d"},
               {0x6F3BFC20, "fcvtzu v0.4s, v1.4s, #5"},
               {0x7F7BE420, "ucvtf d0, d1, #5"},
               {0x6E62B420, "sqrdmulh v0.8h, v1.8h, v2.8h"},
               {0x5FA2D820, "sqrdmulh s0, s1, v2.s[3]"},
               {0x4FA2C020, "sqdmulh v0.4s, v1.4s, v2.s[1]"},
               {0x5F723820, "sqdmlal s0, h1, v2.h[7]"},
               {0x6F520020, "mla v0.8h, v1.8h, v2.h[1]"},
               {0x4FA28020, "mul v0.4s, v1.4s, v2.s[1]"},
               {0x0F522020, "smlal v0.4s, v1.4h, v2.h[1]"},
               {0x6FA2A020, "umull2 v0.2d, v1.4s, v2.s[1]"},
               {0x0E22E020, "pmull v0.8h, v1.8b, v2.8b"},
               {0x6E229C20, "pmul v0.16b, v1.16b, v2.16b"},
               {0x0E224020, "addhn v0.8b, v1.8h, v2.8h"},
               {0x2EA28020, "umlal v0.2d, v1.2s, v2.2s"},
               {0x0E225020, "sabal v0.8h, v1.8b, v2.8b"},
               {0x4E040C20, "dup v0.4s, w1"},
               {0x4E0E0420, "dup v0.8h, v1.h[3]"},
               {0x5E0C0420, "mov s0, v1.s[1]"},
               {0x6E0C0420, "ins v0.s[1], v1.s[0]"},
               {0x4E062C20, "smov x0, v1.h[1]"},
               {0x0E1F3C20, "umov w0, v1.b[15]"},
               {0x6E022820, "ext v0.16b, v1.16b, v2.16b, #5"},
               {0x4E032020, "tbl v0.16b, {v1.16b, v2.16b}, v3.16b"},
               {0x0E021020, "tbx v0.8b, {v1.16b}, v2.8b"},
               {0x4E823820, "zip1 v0.4s, v1.4s, v2.4s"},
               {0x4E425820, "uzp2 v0.8h, v1.8h, v2.8h"},
               {0x4E205820, "cnt v0.16b, v1.16b"},
               {0x0E200820, "rev64 v0.8b, v1.8b"},
               {0x6E205820, "not v0.16b, v1.16b"},
               {0x4E71B820, "addv h0, v1.8h"},
               {0x4E703820, "saddlv s0, v1.8h"},
               {0x6E31A820, "uminv b0, v1.16b"},
               {0x4E620420, "shadd v0.8h, v1.8h, v2.8h"},
               {0x6E621C20, "bsl v0.16b, v1.16b, v2.16b"},
               {0x4F000420, "movi v0.4s, #1"},
               {0x4F03F600, "fmov v0.4s, #1.0"},
               {0x6F03F600, "fmov v0.2d, #1.0"},
               {0x6F009420, "bic v0.8h, #1"},
               {0x0F0BA420, "sshll v0.8h, v1.8b, #3"},
               {0x2F0D8420, "sqshrun v0.8b, v1.8h, #3"},
               {0x6F7D4420, "sri v0.2d, v1.2d, #3"},
               {0x5F435420, "shl d0, d1, #3"},
               {0x5EE08820, "cmgt d0, d1, #0"},
               {0x5EA03820, "suqadd s0, s1"},
               {0x5EF1B820, "addp d0, v1.2d"}});
}

TEST_CASE("extension_of_a64: has hints, barriers and system registers in the baseline") {
  check_words(kA64, std::nullopt,
              {{0xD503201F, "nop"},
               {0xD503203F, "yield"},
               {0xD50320BF, "sevl"},
               {0xD503221F, "esb"},
               {0xD503223F, "psb csync"},
               {0xD503229F, "csdb"},
               {0xD50320DF, "hint #6"},
               {0xD503245F, "bti c"},
               {0xD503233F, "paciasp"},
               {0xD50323BF, "autiasp"},
               {0xD503211F, "pacia1716"},
               {0xD50320FF, "xpaclri"},
               {0xD5032FFF, "hint #127"},
               {0xD5033F9F, "dsb sy"},
               {0xD503309F, "dsb #0"},
               {0xD503349F, "dsb #4"},
               {0xD5033BBF, "dmb ish"},
               {0xD5033FDF, "isb"},
               {0xD5033F5F, "clrex"},
               {0xD53BD040, "mrs x0, tpidr_el0"},
               {0xD51B4400, "msr fpcr, x0"},
               {0xD51B4200, "msr nzcv, x0"},
               {0xD53B2400, "mrs x0, s3_3_c2_c4_0"},
               {0xD50342DF, "msr daifset, #2"},
               {0xD50B7420, "dc zva, x0"},
               {0xD50B7E20, "dc civac, x0"},
               {0xD50B7520, "ic ivau, x0"},
               {0xD50B7C20, "sys #3, c7, c12, #1, x0"},
               {0xD508831F, "tlbi vmalle1is"},
               {0xD4400020, "hlt #1"},
               {0xD4000002, "hvc #0"}});
}

TEST_CASE("extension_of_a32: knows division, checksums, and Armv8-A's loads and stores") {
  check_words(kA32, Extension::idiv, {{0xE710F211, "sdiv r0, r1, r2"}, {0xE733F514, "udiv r3, r4, r5"}});
  check_words(
      kA32, Extension::crc,
      {{0xE1010042, "crc32b r0, r1, r2"}, {0xE1410042, "crc32w r0, r1, r2"}, {0xE1410242, "crc32cw r0, r1, r2"}});
  check_words(kA32, Extension::armv8,
              {{0xE1910C9F, "lda r0, [r1]"},
               {0xE1910E9F, "ldaex r0, [r1]"},
               {0xE181FC90, "stl r0, [r1]"},
               {0xE1820E91, "stlex r0, r1, [r2]"}});
  check_words(kA32, Extension::sb, {{0xF57FF070, "sb"}});
}

TEST_CASE("extension_of_a32: knows floating point") {
  check_words(kA32, Extension::vfpv4,
              {{0xEEE10A2F, "vfma.f32 s1, s2, s31"},
               {0xEED10A6F, "vfnma.f32 s1, s2, s31"},
               {0xF2021C3F, "vfma.f32 d1, d2, d31"},
               {0xEEA21B6F, "vfms.f64 d1, d2, d31"},
               {0xF2042C7E, "vfma.f32 q1, q2, q15"}});
  check_words(kA32, Extension::fp_armv8,
              {{0xFE000AAF, "vseleq.f32 s0, s1, s31"},
               {0xFE800A81, "vmaxnm.f32 s0, s1, s2"},
               {0xF3010F3F, "vmaxnm.f32 d0, d1, d31"},
               {0xFEB80A6F, "vrinta.f32 s0, s31"},
               {0xF3BA0501, "vrinta.f32 d0, d1"},
               {0xFEBC0AE0, "vcvta.s32.f32 s0, s1"},
               {0xF3BB0001, "vcvta.s32.f32 d0, d1"},
               {0xF3BA0781, "vrintp.f32 d0, d1"},
               {0xEEB60AEF, "vrintz.f32 s0, s31"},
               {0xEEB70A6F, "vrintx.f32 s0, s31"},
               {0xEEB20B60, "vcvtb.f64.f16 d0, s1"},
               {0xFE2F0B82, "vselge.f64 d0, d31, d2"},
               {0xFEBF0B6F, "vcvtm.u32.f64 s0, d31"},
               {0xF3BA05EE, "vrintz.f32 q0, q15"}});
  check_words(kA32, Extension::jscvt, {{0xEEB90BC1, "vjcvt.s32.f64 s0, d1"}});
  check_words(kA32, Extension::fp16, {{0xEE71092F, "vadd.f16 s1, s2, s31"},   {0xEEC1092F, "vdiv.f16 s1, s2, s31"},
                                      {0xEEE1092F, "vfma.f16 s1, s2, s31"},   {0xEED1096F, "vfnma.f16 s1, s2, s31"},
                                      {0xFEC1092F, "vmaxnm.f16 s1, s2, s31"}, {0xEEF009CF, "vabs.f16 s1, s30"},
                                      {0xFEF8094F, "vrinta.f16 s1, s30"},     {0xFE000981, "vseleq.f16 s0, s1, s2"},
                                      {0xEEB70900, "vmov.f16 s0, #1.0"},      {0xEE001910, "vmov.f16 s0, r1"},
                                      {0xEDD00902, "vldr.16 s1, [r0, #4]"},   {0xFEB00A60, "vmovx.f16 s0, s1"},
                                      {0xFEBC09E0, "vcvta.s32.f16 s0, s1"},   {0xF2121D2F, "vadd.f16 d1, d2, d31"},
                                      {0xF2121C3F, "vfma.f16 d1, d2, d31"},   {0xF2121F2F, "vmax.f16 d1, d2, d31"},
                                      {0xF2121E2F, "vceq.f16 d1, d2, d31"},   {0xF3121E3F, "vacge.f16 d1, d2, d31"},
                                      {0xF3B5172F, "vabs.f16 d1, d31"},       {0xF3B7152F, "vrecpe.f16 d1, d31"},
                                      {0xF3B6152F, "vrinta.f16 d1, d31"},     {0xF3B617AF, "vrintp.f16 d1, d31"},
                                      {0xF292196F, "vmul.f16 d1, d2, d7[3]"}, {0xF292116F, "vmla.f16 d1, d2, d7[3]"},
                                      {0xF3B70601, "vcvt.f16.s16 d0, d1"},    {0xF2BB0C11, "vcvt.f16.s16 d0, d1, #5"},
                                      {0xF3B70001, "vcvta.s16.f16 d0, d1"}});
}

TEST_CASE("extension_of_a32: knows Advanced SIMD") {
  check_words(kA32, Extension::neon, {{0xF201082F, "vadd.i8 d0, d1, d31"},     {0xF3A20962, "vmul.f32 q0, q1, d2[1]"},
                                      {0xF392004A, "vmla.i16 q0, q1, d2[1]"},  {0xF420070F, "vld1.8 {d0}, [r0]"},
                                      {0xEEE01B10, "vdup.8 q0, r1"},           {0xEE801B10, "vdup.32 d0, r1"},
                                      {0xF3BE0C01, "vdup.16 d0, d1[3]"},       {0xEE601B70, "vmov.8 d0[7], r1"},
                                      {0xEE201B70, "vmov.16 d0[3], r1"},       {0xEEF01B70, "vmov.u8 r1, d0[7]"},
                                      {0xEE301B70, "vmov.s16 r1, d0[3]"},      {0xF387005F, "vmov.i32 q0, #0xff"},
                                      {0xF2A50552, "vshl.i32 q0, q1, #5"},     {0xF28B0812, "vshrn.i16 d0, q1, #5"},
                                      {0xF3BB0642, "vcvt.f32.s32 q0, q1"},     {0xF2BB0F52, "vcvt.s32.f32 q0, q1, #5"},
                                      {0xF3B10903, "vtbl.8 d0, {d1, d2}, d3"}, {0xF2B20544, "vext.8 q0, q1, q2, #5"},
                                      {0xF2A98A1F, "vshll.s32 q4, d15, #9"},   {0xF3BA32E8, "vqmovn.u64 d3, q12"}});
  check_words(kA32, Extension::rdma,
              {{0xF3110B3F, "vqrdmlah.s16 d0, d1, d31"},
               {0xF2910E4F, "vqrdmlah.s16 d0, d1, d7[1]"},
               {0xF3210B3F, "vqrdmlah.s32 d0, d1, d31"},
               {0xF2A10E67, "vqrdmlah.s32 d0, d1, d7[1]"},
               {0xF3110C3F, "vqrdmlsh.s16 d0, d1, d31"},
               {0xF3210C3F, "vqrdmlsh.s32 d0, d1, d31"}});
  check_words(kA32, Extension::dotprod,
              {{0xFC210D02, "vsdot.s8 d0, d1, d2"},
               {0xFE210D2F, "vsdot.s8 d0, d1, d15[1]"},
               {0xFC220D7E, "vudot.u8 q0, q1, q15"}});
  check_words(kA32, Extension::i8mm,
              {{0xFC220C6E, "vsmmla.s8 q0, q1, q15"},
               {0xFCA20C44, "vusmmla.s8 q0, q1, q2"},
               {0xFCA10D02, "vusdot.s8 d0, d1, d2"},
               {0xFE810D22, "vusdot.s8 d0, d1, d2[1]"}});
  check_words(kA32, Extension::bf16,
              {{0xFC010D02, "vdot.bf16 d0, d1, d2"},
               {0xFE010D2F, "vdot.bf16 d0, d1, d15[1]"},
               {0xFC020C6E, "vmmla.bf16 q0, q1, q15"},
               {0xFC320814, "vfmab.bf16 q0, q1, q2"},
               {0xFE32083F, "vfmab.bf16 q0, q1, d7[3]"},
               {0xF3B60642, "vcvt.bf16.f32 d0, q1"},
               {0xEEB30960, "vcvtb.bf16.f32 s0, s1"}});
  check_words(kA32, Extension::fcma,
              {{0xFC210802, "vcmla.f16 d0, d1, d2, #0"},
               {0xFC81082F, "vcadd.f16 d0, d1, d31, #90"},
               {0xFE110802, "vcmla.f16 d0, d1, d2[0], #90"}});
  check_words(kA32, Extension::fp16fml,
              {{0xFC2008BF, "vfmal.f16 d0, s1, s31"}, {0xFE000899, "vfmal.f16 d0, s1, s2[1]"}});
}

TEST_CASE("extension_of_a32: knows cryptography") {
  check_words(kA32, Extension::aes, {{0xF3B00302, "aese.8 q0, q1"}, {0xF2A10E2F, "vmull.p64 q0, d1, d31"}});
  check_words(kA32, Extension::sha2,
              {{0xF2020C44, "sha1c.32 q0, q1, q2"},
               {0xF3B902C2, "sha1h.32 q0, q1"},
               {0xF3BA0382, "sha1su1.32 q0, q1"},
               {0xF3020C44, "sha256h.32 q0, q1, q2"},
               {0xF3220C6E, "sha256su1.32 q0, q1, q15"}});
}

TEST_CASE("extension_of_a32: takes no baseline instruction for an extension") {
  check_words(kA32, std::nullopt,
              {{0xE1910F9F, "ldrex r0, [r1]"},
               {0xE1820F91, "strex r0, r1, [r2]"},
               {0xE1B20F9F, "ldrexd r0, r1, [r2]"},
               {0xE1C20F91, "strexb r0, r1, [r2]"},
               {0xE1020091, "swp r0, r1, [r2]"},
               {0xE0000291, "mul r0, r1, r2"},
               {0xE0203291, "mla r0, r1, r2, r3"},
               {0xE0A10392, "umlal r0, r1, r2, r3"},
               {0xE7003211, "smlad r0, r1, r2, r3"},
               {0xE700F211, "smuad r0, r1, r2"},
               {0xE750F211, "smmul r0, r1, r2"},
               {0xE780F211, "usad8 r0, r1, r2"},
               {0xE1410382, "smlalbb r0, r1, r2, r3"},
               {0xE1020051, "qadd r0, r1, r2"},
               {0xE1200070, "bkpt #0"},
               {0xE16F0F11, "clz r0, r1"},
               {0xE12FFF1E, "bx lr"},
               {0xE12FFF20, "bxj r0"},
               {0xE6BF0F31, "rev r0, r1"},
               {0xE7A301D1, "sbfx r0, r1, #3, #4"},
               {0xE7C60191, "bfi r0, r1, #3, #4"},
               {0xE3000001, "movw r0, #1"},
               {0xE1C200D0, "ldrd r0, r1, [r2]"},
               {0xE1D100D0, "ldrsb r0, [r1]"},
               {0xE7910102, "ldr r0, [r1, r2, lsl #2]"},
               {0xE8B00006, "ldm r0!, {r1, r2}"},
               {0xF5D0F004, "pld [r0, #4]"},
               {0xF590F000, "pldw [r0]"},
               {0xF6D0F001, "pli [r0, r1]"},
               {0xE320F000, "nop"},
               {0xF57FF05B, "dmb ish"},
               {0xF57FF04F, "dsb sy"},
               {0xF57FF06F, "isb"},
               {0xF57FF01F, "clrex"},
               {0xEF000000, "svc #0"},
               {0xFA000002, "blx .+16"},
               {0xEE070FBA, "mcr p15, 0, r0, c7, c10, 5"},
               {0xEC510F0E, "mrrc p15, 0, r0, r1, c14"},
               {0xED910500, "ldc p5, c0, [r1]"},
               {0xEE110562, "cdp p5, 1, c0, c1, c2, 3"},
               {0xE10F0000, "mrs r0, cpsr"},
               {0xE1600070, "smc #0"},
               {0xF1010200, "setend be"},
               {0xEE300A81, "vadd.f32 s0, s1, s2"},
               {0xEE010B02, "vmla.f64 d0, d1, d2"},
               {0xEE100AC1, "vnmla.f32 s0, s1, s2"},
               {0xEE210B42, "vnmul.f64 d0, d1, d2"},
               {0xEE800A81, "vdiv.f32 s0, s1, s2"},
               {0xEEB70A00, "vmov.f32 s0, #1.0"},
               {0xEEB00B41, "vmov.f64 d0, d1"},
               {0xEEB00AE0, "vabs.f32 s0, s1"},
               {0xEEB10BC1, "vsqrt.f64 d0, d1"},
               {0xEEB50AC0, "vcmpe.f32 s0, #0.0"},
               {0xEEBD0AE0, "vcvt.s32.f32 s0, s1"},
               {0xEEBC0B41, "vcvtr.u32.f64 s0, d1"},
               {0xEEB70AE0, "vcvt.f64.f32 d0, s1"},
               {0xEEB20A60, "vcvtb.f32.f16 s0, s1"},
               {0xEEB30AE0, "vcvtt.f16.f32 s0, s1"},
               {0xEEBA0AED, "vcvt.f32.s32 s0, s0, #5"},
               {0xED910B01, "vldr d0, [r1, #4]"},
               {0xED810A00, "vstr s0, [r1]"},
               {0xECB00B10, "vldmia r0!, {d0-d7}"},
               {0xED2D8B02, "vpush {d8}"},
               {0xEE001A10, "vmov s0, r1"},
               {0xEC510B12, "vmov r0, r1, d2"},
               {0xEE201B10, "vmov.32 d0[1], r1"},
               {0xEE110B10, "vmov.32 r0, d1[0]"},
               {0xEEF1FA10, "vmrs APSR_nzcv, fpscr"},
               {0xEEF70A10, "vmrs r0, mvfr0"},
               {0xE320F005, "sevl"}});
}

TEST_CASE("extension_of_a32: with 1111 for a condition it is another instruction") {
  check_words(kA32, Extension::idiv, {{0x0711F211, "sdiveq r1, r1, r2"}, {0xD711F211, "sdivle r1, r1, r2"}});
  check_words(kA32, std::nullopt, {{0xF711F211, "no sdiv"}, {0xFEA00A01, "no vfma.f32"}, {0xF1910C9F, "no lda"}});
}

TEST_CASE("extension_of_a32: registers of 128 bits are even") {
  check_words(kA32, Extension::fp_armv8,
              {{0xF3022F54, "vmaxnm.f32 q1, q1, q2"}, {0xF3012F13, "vmaxnm.f32 d2, d1, d3"}});
  check_words(kA32, std::nullopt, {{0xF3023F54, "odd d"}, {0xF3032F54, "odd n"}, {0xF3022F55, "odd m"}});
}

TEST_CASE("extension_of_t32: knows division, checksums, and Armv8-A's loads and stores") {
  check_words(kT32, Extension::idiv, {{0xFB91F0F2, "sdiv r0, r1, r2"}, {0xFBB9F8FE, "udiv r8, r9, lr"}});
  check_words(
      kT32, Extension::crc,
      {{0xFAC1F082, "crc32b r0, r1, r2"}, {0xFAC1F0A2, "crc32w r0, r1, r2"}, {0xFAD1F082, "crc32cb r0, r1, r2"}});
  check_words(kT32, Extension::armv8,
              {{0xE8D10FAF, "lda r0, [r1]"},
               {0xE8D10F8F, "ldab r0, [r1]"},
               {0xE8D10FEF, "ldaex r0, [r1]"},
               {0xE8D10FCF, "ldaexb r0, [r1]"},
               {0xE8D201FF, "ldaexd r0, r1, [r2]"},
               {0xE8C21FE0, "stlex r0, r1, [r2]"},
               {0xE8C21FC0, "stlexb r0, r1, [r2]"},
               {0xE8C245F0, "stlexd r0, r4, r5, [r2]"},
               {0xE8C10FAF, "stl r0, [r1]"},
               {0xE8C10F8F, "stlb r0, [r1]"}});
  check_words(kT32, Extension::sb, {{0xF3BF8F70, "sb"}});
}

TEST_CASE("extension_of_t32: has floating point and Advanced SIMD as A32 has them") {
  check_words(kT32, Extension::neon,
              {{0xEF020D44, "vadd.f32 q0, q1, q2"},
               {0xF920070F, "vld1.8 {d0}, [r0]"},
               {0xEEE01B10, "vdup.8 q0, r1"},
               {0xEEF01B70, "vmov.u8 r1, d0[7]"},
               {0xEF910C02, "vmull.s16 q0, d1, d2"}});
  check_words(kT32, Extension::vfpv4, {{0xEEE10A2F, "vfma.f32 s1, s2, s31"}, {0xEF221C3F, "vfms.f32 d1, d2, d31"}});
  check_words(kT32, Extension::fp_armv8,
              {{0xFE000AAF, "vseleq.f32 s0, s1, s31"},
               {0xFFBA056E, "vrinta.f32 q0, q15"},
               {0xFF020F7E, "vmaxnm.f32 q0, q1, q15"}});
  check_words(kT32, Extension::jscvt, {{0xEEB90BC1, "vjcvt.s32.f64 s0, d1"}});
  check_words(kT32, Extension::fp16, {{0xEE71092F, "vadd.f16 s1, s2, s31"}, {0xEF121D2F, "vadd.f16 d1, d2, d31"}});
  check_words(kT32, Extension::fp16fml, {{0xFC21087F, "vfmal.f16 q0, d1, d31"}});
  check_words(kT32, Extension::rdma, {{0xFF920E47, "vqrdmlah.s16 q0, q1, d7[0]"}});
  check_words(kT32, Extension::dotprod, {{0xFC210D02, "vsdot.s8 d0, d1, d2"}});
  check_words(kT32, Extension::i8mm, {{0xFC220C6E, "vsmmla.s8 q0, q1, q15"}});
  check_words(kT32, Extension::bf16, {{0xFC020C6E, "vmmla.bf16 q0, q1, q15"}});
  check_words(kT32, Extension::fcma, {{0xFCB10802, "vcmla.f32 d0, d1, d2, #90"}});
  check_words(kT32, Extension::aes, {{0xFFB00302, "aese.8 q0, q1"}});
  check_words(kT32, Extension::sha2, {{0xFF020C44, "sha256h.32 q0, q1, q2"}});
}

TEST_CASE("extension_of_t32: takes no baseline instruction for an extension") {
  check_words(kT32, std::nullopt,
              {{0xE8510F00, "ldrex r0, [r1]"},
               {0xE8C21F40, "strexb r0, r1, [r2]"},
               {0xE8D2017F, "ldrexd r0, r1, [r2]"},
               {0xE8C31270, "strexd r0, r1, r2, [r3]"},
               {0xE8DFF000, "tbb [pc, r0]"},
               {0xE8DFF010, "tbh [pc, r0, lsl #1]"},
               {0xE9D20100, "ldrd r0, r1, [r2]"},
               {0xE92D0110, "push.w {r4, r8}"},
               {0xEA010002, "and.w r0, r1, r2"},
               {0xFB01F002, "mul r0, r1, r2"},
               {0xFB820103, "smull r0, r1, r2, r3"},
               {0xFBE20163, "umaal r0, r1, r2, r3"},
               {0xFB213002, "smlad r0, r1, r2, r3"},
               {0xFAB1F081, "clz r0, r1"},
               {0xFA91F0A1, "rbit r0, r1"},
               {0xFAA1F082, "sel r0, r1, r2"},
               {0xFA82F081, "qadd r0, r1, r2"},
               {0xFA81F042, "uadd8 r0, r1, r2"},
               {0xFA41F082, "sxtab r0, r1, r2"},
               {0xFA5FF081, "uxtb.w r0, r1"},
               {0xFA01F002, "lsl.w r0, r1, r2"},
               {0xF000F806, "bl .+16"},
               {0xF000E806, "blx .+16"},
               {0xF000B806, "b.w .+16"},
               {0xF0008006, "beq.w .+16"},
               {0xF2400001, "movw r0, #1"},
               {0xF04F0001, "mov.w r0, #1"},
               {0xF2010005, "addw r0, r1, #5"},
               {0xF3010004, "ssat r0, #5, r1"},
               {0xF3C100C3, "ubfx r0, r1, #3, #4"},
               {0xF9910005, "ldrsb.w r0, [r1, #5]"},
               {0x5E880000, "ldrsh r0, [r1, r2]"},
               {0xF8510B04, "ldr.w r0, [r1], #4"},
               {0xF8810005, "strb.w r0, [r1, #5]"},
               {0xF890F000, "pld [r0]"},
               {0xF8B0F000, "pldw [r0]"},
               {0xF3AF8000, "nop.w"},
               {0xF3BF8F5B, "dmb ish"},
               {0xF3BF8F6F, "isb"},
               {0xF3BF8F2F, "clrex"},
               {0xF3EF8000, "mrs r0, cpsr"},
               {0xEE1D0F70, "mrc p15, 0, r0, c13, c0, 3"},
               {0xED910500, "ldc p5, c0, [r1]"},
               {0xEE300A81, "vadd.f32 s0, s1, s2"},
               {0xEE010B02, "vmla.f64 d0, d1, d2"},
               {0xEE810B02, "vdiv.f64 d0, d1, d2"},
               {0xEEB20A60, "vcvtb.f32.f16 s0, s1"},
               {0xED910B00, "vldr d0, [r1]"},
               {0xED2D8B02, "vpush {d8}"},
               {0xEE001A10, "vmov s0, r1"},
               {0xEE201B10, "vmov.32 d0[1], r1"},
               {0xEEF1FA10, "vmrs APSR_nzcv, fpscr"},
               {0xF3AF8005, "sevl.w"}});
}

TEST_CASE("extension_of_t32: looks at a second halfword only of wide instructions") {
  check_words(kT32, std::nullopt, {{0xBF00F0F0, "nop"}, {0xE7FEF0F0, "b ."}, {0x4770F0F0, "bx lr"}});
}

TEST_CASE("extension_of_t32: small negative numbers are no instructions") {
  check_words(kT32, std::nullopt,
              {{0xFFFFFFFF, "-1"}, {0xFF8BFFFF, "-117"}, {0xFF11FFFF, "-239"}, {0xFF29FFFF, "-215"}});
}

TEST_CASE("begins_wide_t32: from 11101 on") {
  CHECK_FALSE(begins_wide_t32(0x0000));
  CHECK_FALSE(begins_wide_t32(0xDFFF));
  CHECK_FALSE(begins_wide_t32(0xE7FF));
  CHECK(begins_wide_t32(0xE800));
  CHECK(begins_wide_t32(0xF000));
  CHECK(begins_wide_t32(0xFFFF));
}

TEST_CASE("extension_of_a64: what is no instruction belongs to none") {
  check_words(kA64, std::nullopt,
              {{0x00000000, "udf #0"}, {0xFFFFFFFF, "-1"}, {0x80000000, "-0.0"}, {0x3F800000, "1.0"}});
}

TEST_CASE("extensions_of_flags: knows the flags of the boards") {
  CHECK(flags_text("-march=armv8.2-a") == "crc lse lor rdma");
  CHECK(flags_text("-mcpu=cortex-a53") == "crc");
  CHECK(flags_text("-mcpu=cortex-a57") == "crc");
  CHECK(flags_text("-mcpu=cortex-a72") == "crc");
  CHECK(flags_text("-mcpu=cortex-a76") == "crc lse lor rdma fp16 dotprod rcpc");
  CHECK(flags_text("-mcpu=cortex-a78") == "crc lse lor rdma fp16 dotprod rcpc");
  CHECK(flags_text("-mcpu=neoverse-n1") == "crc lse lor rdma fp16 dotprod rcpc");
  CHECK(flags_text("-mcpu=neoverse-v1") ==
        "crc lse lor rdma fp16 fp16fml dotprod rcpc rcpc2 fcma jscvt pauth flagm bf16 i8mm sve");
  const std::string neoverse2 =
      "crc lse lor rdma fp16 fp16fml dotprod rcpc rcpc2 fcma jscvt pauth flagm flagm2 frintts sb bf16 i8mm memtag sve "
      "sve2";
  CHECK(flags_text("-mcpu=neoverse-n2") == neoverse2);
  CHECK(flags_text("-mcpu=neoverse-v2") == neoverse2);
  CHECK(flags_text("-mcpu=thunderx2t99") == "crc lse lor rdma aes sha2");
  CHECK(flags_text("-mcpu=cortex-a9 -mfpu=neon -mfloat-abi=hard") == "neon");
  CHECK(flags_text("-mcpu=cortex-a53 -mfpu=neon-fp-armv8 -mfloat-abi=hard") == "crc idiv neon vfpv4 fp-armv8 armv8-a");
  CHECK(flags_text("-mcpu=cortex-a76 -mfpu=neon-fp-armv8 -mfloat-abi=hard") ==
        "crc rdma fp16 dotprod idiv neon vfpv4 fp-armv8 armv8-a");
}

TEST_CASE("extensions_of_flags: an architecture has what those before it have") {
  CHECK(flags_text("-march=armv8-a").empty());
  CHECK(flags_text("-march=armv8.1-a") == "crc lse lor rdma");
  CHECK(flags_text("-march=armv8.3-a") == "crc lse lor rdma rcpc fcma jscvt pauth");
  const std::string v84 = "crc lse lor rdma dotprod rcpc rcpc2 fcma jscvt pauth flagm";
  CHECK(flags_text("-march=armv8.4-a") == v84);
  CHECK(flags_text("-march=armv8.5-a") == v84 + " flagm2 frintts sb");
  CHECK(flags_text("-march=armv8.6-a") == v84 + " flagm2 frintts sb bf16 i8mm");
  CHECK(flags_text("-march=armv8.8-a") == v84 + " flagm2 frintts sb bf16 i8mm ls64 wfxt xs mops hbc");
  CHECK(flags_text("-march=armv9-a") ==
        "crc lse lor rdma fp16 fp16fml dotprod rcpc rcpc2 fcma jscvt pauth flagm flagm2 frintts sb sve sve2");
  CHECK(flags_text("-march=armv9.4-a") ==
        "crc lse lor rdma fp16 fp16fml dotprod rcpc rcpc2 fcma jscvt pauth flagm flagm2 frintts sb bf16 i8mm ls64 wfxt "
        "xs mops hbc cssc sve sve2");
}

TEST_CASE("extensions_of_flags: adds and takes away extensions, with what they bring") {
  CHECK(flags_text("-march=armv8-a+crc+lse") == "crc lse");
  CHECK(flags_text("-march=armv8-a+crypto") == "aes sha2");
  CHECK(flags_text("-mcpu=cortex-a72+crypto") == "crc aes sha2");
  CHECK(flags_text("-march=armv8.2-a+dotprod+nocrc") == "lse lor rdma dotprod");
  CHECK(flags_text("-mcpu=thunderx2t99+nocrypto") == "crc lse lor rdma");
  CHECK(flags_text("-march=armv8-a+sve2-aes") == "aes fp16 sve sve2");
  CHECK(flags_text("-march=armv8-a+sve2+nosve") == "fp16");
  CHECK(flags_text("-march=armv8-a+fp16") == "fp16");
  CHECK(flags_text("-march=armv8.4-a+fp16") ==
        "crc lse lor rdma fp16 fp16fml dotprod rcpc rcpc2 fcma jscvt pauth flagm");
  CHECK(flags_text("-march=armv8-a+simd+ssbs").empty());
}

TEST_CASE("extensions_of_flags: -march goes before -mcpu, the last before others, and no other flag matters") {
  CHECK(flags_text("-mcpu=cortex-a76 -march=armv8-a").empty());
  CHECK(flags_text("-march=armv8-a -mcpu=cortex-a76").empty());
  CHECK(flags_text("-mcpu=cortex-a76 -mcpu=cortex-a53") == "crc");
  CHECK(flags_text("-O2  -march=armv8.1-a -mtune=cortex-a76") == "crc lse lor rdma");
}

TEST_CASE("extensions_of_flags: an FPU decides for Armv7-A, and takes nothing from Armv8-A") {
  CHECK(flags_text("-mcpu=cortex-a9") == "neon");
  CHECK(flags_text("-mcpu=cortex-a9 -mfpu=auto") == "neon");
  CHECK(flags_text("-mcpu=cortex-a9 -mfpu=vfpv3-d16").empty());
  CHECK(flags_text("-mcpu=cortex-a7") == "idiv neon vfpv4");
  CHECK(flags_text("-mcpu=cortex-a15 -mfpu=neon") == "idiv neon");
  CHECK(flags_text("-march=armv7-a -mfpu=neon-vfpv4") == "neon vfpv4");
  CHECK(flags_text("-march=armv7ve -mfpu=vfpv4-d16") == "idiv vfpv4");
  CHECK(flags_text("-mcpu=cortex-a72 -mfpu=neon-vfpv4") == "crc idiv neon vfpv4 fp-armv8 armv8-a");
  CHECK(flags_text("-march=armv8-a -mfpu=crypto-neon-fp-armv8") == "aes sha2 idiv neon vfpv4 fp-armv8 armv8-a");
}

TEST_CASE("extensions_of_flags: several flags say that code is of 32 bits") {
  for (const char* flag : {"-mfpu=auto", "-mfloat-abi=hard", "-marm", "-mthumb"}) {
    INFO(flag);
    CHECK(flags_text(concat("-march=armv8.1-a ", flag)) == "crc rdma idiv neon vfpv4 fp-armv8 armv8-a");
  }
}

TEST_CASE("extensions_of_flags: says nothing of what it does not know") {
  for (const char* flags :
       {"", "-O2", "-mfpu=neon", "-mcpu=native", "-mcpu=cortex-x9", "-march=armv10-a", "-march=", "-march=lse",
        "-march=armv8-a+new", "-march=armv8-a+", "-march=armv8-a+nonew", "-march=armv8-a+nofp", "-march=armv7-a+simd",
        "-mcpu=cortex-a9 -mfpu=fpa", "-mcpu=cortex-a53 -mfpu=fpa", "-march=armv8-a+LSE"}) {
    INFO(flags);
    CHECK(flags_text(flags) == "unknown");
  }
}
