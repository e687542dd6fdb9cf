// SPDX-License-Identifier: BSD-3-Clause
/// Registers: tracks known values of A64 registers, as far as compilers use them to reach global variables and
/// functions (Arm Architecture Reference Manual, DDI 0487, chapter C4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace torchpatch::elf {

/// Returns whether an instruction's bits in `mask` equal `bits`.
constexpr bool is_of(std::uint32_t word, std::uint32_t mask, std::uint32_t bits) { return (word & mask) == bits; }

/// Returns whether an instruction reads SVE's vector length (CNTB to CNTD, RDVL), as gcc's unwinder does in any frame.
constexpr bool asks_for_length(std::uint32_t word) {
  return (word & 0xFF30FC00) == 0x0420E000 || (word & 0xFFFFF800) == 0x04BF5000;
}

/// Longest function that counts as returning a flag, in instructions: npy_cpu_have(), a singleton's accessor.
inline constexpr std::size_t kLongestAccessor = 40;
inline constexpr std::uint32_t kReturn = 0xD65F03C0;  ///< RET

/// The known value of a register.
struct Held {
  enum class Kind : unsigned char {
    nothing,
    place,  ///< an address in the file
    value,  ///< 64 bits of a global variable: a pointer, or flags
    flag,   ///< part of one, or information on the processor from it or the system
  };
  Kind kind = Kind::nothing;
  std::uint64_t address = 0;  ///< of a place
};

/// Tracks registers through A64 code, one instruction at a time; only the patterns by which compilers reach global
/// variables and functions.
class Registers {
 public:
  void reset() { *this = Registers(); }

  Held held(unsigned number) const { return number == kZero ? Held() : held_[number]; }
  Held::Kind kind(unsigned number) const { return held(number).kind; }

  /// Updates for a call: its result, and what the callee preserves (AAPCS64: X19 to X30).
  void call(Held result) {
    std::fill_n(held_.begin(), 19, Held());
    held_[0] = result;
  }

  /// Returns whether the instruction branches on a flag.
  bool branches_by_flag(std::uint32_t word) const {
    const Held::Kind tested = kind(word & 31);
    if (is_of(word, 0x7E000000, 0x34000000)) return tested == Held::Kind::flag;   // CBZ, CBNZ
    if (is_of(word, 0x7E000000, 0x36000000)) return tested >= Held::Kind::value;  // TBZ, TBNZ
    return is_of(word, 0xFF000010, 0x54000000) && is_compared_;                   // B.cond
  }

  /// Updates for an instruction other than a branch. `slot` returns what a pointer in the file's data is set to when it
  /// is loaded.
  template <typename Slot>
  void next(std::uint32_t word, std::uint64_t address, const Slot& slot) {
    using enum Held::Kind;
    const unsigned to = word & 31, from = word >> 5 & 31, other = word >> 16 & 31;
    if (is_of(word, 0x0A000000, 0x08000000)) return load_or_store(word, slot);
    const bool is_flag = kind(from) >= value || (is_of(word, 0x1F000000, 0x0A000000) && kind(other) >= value);
    const bool sets_conditions = is_of(word, 0x1F000000, 0x11000000) || is_of(word, 0x1F000000, 0x0B000000);
    if (is_of(word, 0x7F80001F, 0x7100001F))  // CMP with a number
      is_compared_ = kind(from) == flag;
    else if (is_of(word, 0x7F80001F, 0x7200001F) || is_of(word, 0x7F00001F, 0x6A00001F))  // TST
      is_compared_ = is_flag;
    else if (sets_conditions && word >> 29 & 1)
      is_compared_ = false;
    Held result;
    if (is_of(word, 0x1F000000, 0x10000000)) {  // ADR, ADRP
      const std::uint64_t bits = (word >> 3 & 0x1FFFFC) | (word >> 29 & 3);
      const std::uint64_t offset = (bits ^ 0x100000) - 0x100000;
      result = {place, word >> 31 ? (address & ~0xFFFull) + (offset << 12) : address + offset};
    } else if (is_of(word, 0xFF800000, 0x91000000) && kind(from) == place) {  // ADD of a number
      result = {place, held(from).address + ((word >> 10 & 0xFFF) << (word & 1u << 22 ? 12 : 0))};
    } else if (is_of(word, 0x7FE0FFE0, 0x2A0003E0)) {  // MOV
      result = held(other);
    } else if (is_of(word, 0x1F800000, 0x12000000) || is_of(word, 0x1F800000, 0x13000000) ||
               is_of(word, 0x1F000000, 0x0A000000)) {  // AND and its like, bit fields
      if (is_flag) result.kind = flag;
    } else if (is_of(word, 0xFFFFF800, 0xD5380000)) {  // MRS of ID_AA64ISAR0_EL1 and its like
      result.kind = flag;
    }
    if (to != kZero) held_[to] = result;
  }

 private:
  static constexpr unsigned kZero = 31;

  template <typename Slot>
  void load_or_store(std::uint32_t word, const Slot& slot) {
    using enum Held::Kind;
    const bool is_vector = word & 1u << 26, is_pair = is_of(word, 0x3A000000, 0x28000000);
    const bool is_store = is_pair ? !(word & 1u << 22) : is_of(word, 0x3B000000, 0x39000000) && !(word & 3u << 22);
    if (is_vector) return;
    const unsigned to = word & 31, second = word >> 10 & 31;
    if (is_store) {  // a stored address is not an argument of the next call
      if (to != kZero) held_[to] = {};
      if (is_pair && second != kZero) held_[second] = {};
      return;
    }
    const Held from = held(word >> 5 & 31);
    const bool is_known = from.kind == place || from.kind == value;
    const bool by_register = is_of(word, 0x3FE00C00, 0x38600800);
    Held result;
    if (is_known && is_of(word, 0xFFC00000, 0xF9400000)) {  // LDR Xt
      const Held loaded = from.kind == place ? slot(from.address + (word >> 7 & 0x7FF8)) : Held();
      result = loaded.kind == nothing ? Held{value} : loaded;
    } else if (is_known && (is_of(word, 0x3FC00000, 0x39400000) || by_register)) {  // LDRB, LDRH, LDR Wt
      result.kind = by_register && word >> 30 == 3 ? nothing : flag;
    }
    if (to != kZero) held_[to] = result;
    if (is_pair && second != kZero) held_[second] = {};
  }

  std::array<Held, 31> held_{};
  bool is_compared_ = false;
};

}  // namespace torchpatch::elf
