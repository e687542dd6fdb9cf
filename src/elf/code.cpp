// SPDX-License-Identifier: BSD-3-Clause
#include "elf/elf_file.h"

#include <gelf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <optional>

#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// Parts of the names of functions that exist once for each kind of core, all of which such a name has: gcc's outline
/// atomics (libgcc), XNNPACK's kernels, SLEEF's functions for SVE, ATen's CPU_CAPABILITY name spaces of 2.5 and later,
/// kernels of KleidiAI and of OpenBLAS by core.
struct Family {
  std::string_view part, other;
};
constexpr Family kChosenFamilies[] = {
    {"__aarch64_", "_"}, {"xnn_", "ukernel"}, {"Sleef_", "sve"}, {"N2at6native", "6SVE256"}, {"N2at6native", "6SVE128"},
    {"kai_", "_neon"},   {"kai_", "_sme"},    {"", "_NEOVERSE"}, {"", "_ARMV8SVE"},          {"", "_A64FX"}};
/// Longest text that is taken for names of functions.
constexpr std::size_t kLongestNames = 64 << 10;

/// Which names are of such a family. Names may share their ends, as many as a text has bytes: so each text is gone
/// through once, not once for each name.
class ChosenNames {
 public:
  explicit ChosenNames(const ElfFile& file) : file_(file) {
    std::set<std::uint32_t> tables;
    for (const ElfFile::Section& section : file.sections())
      if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM) tables.insert(section.link);
    for (const std::uint32_t table : tables)
      if (table > 0 && table <= file.sections().size()) add(file.sections()[table - 1].bytes);
    std::ranges::sort(ranges_, {}, &Range::begin);
  }

  bool has(std::string_view name) const {
    if (name.empty()) return false;
    const std::size_t place = place_of(name);
    const auto after = std::ranges::upper_bound(ranges_, place, {}, &Range::begin);
    return after != ranges_.begin() && place <= (after - 1)->last;
  }

 private:
  /// Names that begin here have both parts of a family's.
  struct Range {
    std::size_t begin = 0, last = 0;
  };

  std::size_t place_of(std::string_view text) const {
    return static_cast<std::size_t>(text.data() - file_.bytes().data());
  }

  void add(std::string_view table) {
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

  const ElfFile& file_;
  std::vector<Range> ranges_;
};

/// Asks how long SVE's vectors are, as gcc's unwinder does of any frame: CNTB to CNTD, RDVL. What uses SVE does more.
bool asks_for_length(std::uint32_t word) {
  return (word & 0xFF30FC00) == 0x0420E000 || (word & 0xFFFFF800) == 0x04BF5000;
}

/// A helper of a few instructions that tests a flag itself: an outline atomic has 9 to 12.
constexpr std::uint64_t kHelperBytes = 80;

/// "0x1f40".
std::string hex_text(std::uint64_t number) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr);
}

struct Code {
  std::uint64_t address = 0;
  std::string_view bytes;
  std::vector<bool> constants{};  ///< of 32-bit code: which words are none
};

/// Returns the code: what lies in executable segments, but for the sections of it that are data, by their flags and by
/// no function in them, if others are code. What no section has is code as well, and each section with code is for
/// itself. Parts that lie over one another, so that the file would be read again and again, are damage.
std::vector<Code> code_of(const ElfFile& file, const std::vector<Function>& functions) {
  std::vector<const ElfFile::Section*> sections;
  for (const ElfFile::Section& section : file.sections())
    if (section.flags & SHF_ALLOC && !section.bytes.empty()) sections.push_back(&section);
  std::ranges::stable_sort(sections, {}, &ElfFile::Section::address);
  const bool knows_code = std::ranges::any_of(
      sections, [](const ElfFile::Section* section) { return (section->flags & SHF_EXECINSTR) != 0; });
  const auto is_data = [&](const ElfFile::Section& section) {
    const auto function = std::ranges::lower_bound(functions, section.address, {}, &Function::begin);
    const bool has_function = function != functions.end() && function->begin - section.address < section.bytes.size();
    return !(section.flags & SHF_EXECINSTR) && !has_function && knows_code;
  };
  std::vector<Code> found;
  std::size_t size = 0;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    found.push_back({begin, file.loaded(begin, end - begin)});
    size += found.back().bytes.size();
    if (size > file.bytes().size()) file.fail("its code ranges overlap");
  };
  auto next = sections.begin();
  for (const ElfFile::Segment& segment : file.segments()) {
    if (!segment.is_code) continue;
    const std::uint64_t end = segment.address + segment.size;
    std::uint64_t place = segment.address;  // up to which all is looked at
    if (segment.offset < file.headers_end()) place = std::min(end, place + file.headers_end() - segment.offset);
    for (; next != sections.end() && (*next)->address < end; ++next) {
      const std::uint64_t begin = std::max(segment.address, (*next)->address);
      const std::uint64_t behind = std::min(end, (*next)->address + (*next)->bytes.size());
      add((place + 3) & ~3ull, begin);
      if (!is_data(**next)) add(begin, behind);
      place = std::max(place, behind);
    }
    add((place + 3) & ~3ull, end);
  }
  return found;
}

/// Whether an instruction is of the group whose bits in `mask` are `bits`.
constexpr bool is_of(std::uint32_t word, std::uint32_t mask, std::uint32_t bits) { return (word & mask) == bits; }

/// Follows in which registers of A64 code a flag lies that was loaded from a global variable, and notices when one
/// decides a branch. Only what compilers write is followed: ADRP, ADD, LDR of a pointer (from the GOT), LDR of the
/// flag, a test.
class FlagTracker {
 public:
  void reset() {
    holds_.fill(Held::nothing);
    is_compared_ = false;
  }

  /// Returns whether the instruction branches by a flag.
  bool next(std::uint32_t word) {
    const unsigned to = word & 31, from = word >> 5 & 31;
    const Held source = held(from);
    const bool is_address = source == Held::page || source == Held::pointer;
    const bool is_adrp = is_of(word, 0x9F000000, 0x90000000);
    const bool is_add = is_of(word, 0xFF800000, 0x91000000);
    const bool is_long_load = is_of(word, 0xFFC00000, 0xF9400000);  // LDR Xt
    const bool is_load = is_of(word, 0xFFC00000, 0x39400000) || is_of(word, 0xFFC00000, 0x79400000) ||
                         is_of(word, 0xFFC00000, 0xB9400000);                // LDRB, LDRH, LDR Wt
    const bool is_compare_and_branch = is_of(word, 0x7E000000, 0x34000000);  // CBZ, CBNZ
    const bool is_test_and_branch = is_of(word, 0x7E000000, 0x36000000);     // TBZ, TBNZ
    const bool is_conditional_branch = is_of(word, 0xFF000010, 0x54000000);  // B.cond
    const bool is_compare = is_of(word, 0x7F80001F, 0x7100001F) || is_of(word, 0x7F80001F, 0x7200001F);  // CMP, TST
    const bool is_logical = is_of(word, 0x1F800000, 0x12000000);
    const bool is_bitfield = is_of(word, 0x1F800000, 0x13000000);

    if (is_compare_and_branch || is_test_and_branch) return held(to) == Held::flag;
    if (is_conditional_branch) return is_compared_;
    if (is_compare) is_compared_ = source == Held::flag;
    Held result = Held::nothing;
    if (is_adrp || (is_add && source == Held::page))
      result = Held::page;
    else if (is_long_load && source == Held::page)
      result = Held::pointer;
    else if ((is_load && is_address) || ((is_logical || is_bitfield) && source == Held::flag))
      result = Held::flag;
    if (to != kZero) holds_[to] = result;
    return false;
  }

 private:
  enum class Held : unsigned char { nothing, page, pointer, flag };
  static constexpr unsigned kZero = 31;

  Held held(unsigned number) const { return number == kZero ? Held::nothing : holds_[number]; }

  std::array<Held, 31> holds_{};
  bool is_compared_ = false;
};

/// The uses of one file, and how each function with one is reached. What is kept of a function is a few bytes: a file
/// of nothing but functions with instructions of extensions needs no more memory than some times its size.
class CodeReader {
 public:
  CodeReader(const ElfFile& file, const std::set<Extension>& present)
      : file_(file),
        present_(present),
        functions_(find_functions(file)),
        is_a64_(file.facts().machine == "aarch64"),
        tests_flag_(functions_.size()),
        used_(functions_.size() + 1) {
    const auto thumb = std::ranges::count(functions_, true, &Function::is_thumb);
    mostly_thumb_ = 2 * static_cast<std::size_t>(thumb) > functions_.size();
  }

  std::vector<ExtensionUse> run() {
    code_ = code_of(file_, functions_);
    for (Code& code : code_)
      if (!is_a64_) code.constants = find_constants(code);
    visit_uses([&](std::size_t function, Extension extension, std::uint64_t) { used(function) |= bit_of(extension); });
    if (std::ranges::all_of(used_, [](std::uint64_t bits) { return bits == 0; })) return {};
    chosen_names_.emplace(file_);
    callers_.assign(functions_.size(), kNone);
    for (const Code& code : code_) is_a64_ ? find_calls_a64(code) : find_calls_a32(code);
    constructors_.resize(functions_.size());
    for (const std::uint64_t address : find_constructors(file_))
      if (const std::size_t index = index_at(address); index != kNone) constructors_[index] = true;
    return judged();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  static constexpr std::uint64_t bit_of(Extension extension) {
    static_assert(kNamesOf<Extension>.size() <= 64);
    return std::uint64_t{1} << static_cast<unsigned>(extension);
  }
  /// The extensions of a function; of code that none is known for, behind all.
  std::uint64_t& used(std::size_t function) { return used_[std::min(function, functions_.size())]; }
  bool has_uses(std::size_t function) const { return used_[std::min(function, functions_.size())] != 0; }

  /// Returns the function that an address lies in.
  std::size_t index_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
    if (after == functions_.begin()) return kNone;
    const auto function = after - 1;
    return address < function->end ? static_cast<std::size_t>(function - functions_.begin()) : kNone;
  }

  /// Goes through the functions as addresses grow.
  class Cursor {
   public:
    explicit Cursor(const CodeReader& reader, std::uint64_t address) : reader_(reader) { seek(address); }
    /// Returns whether another function, or none, begins here.
    bool move(std::uint64_t address) {
      if (address < until_) return false;
      const std::size_t before = index;
      seek(address);
      return index != before;
    }
    std::size_t index = kNone;

   private:
    void seek(std::uint64_t address) {
      index = reader_.index_at(address);
      const auto& all = reader_.functions_;
      if (index != kNone) {
        until_ = all[index].end;
        return;
      }
      const auto next = std::ranges::upper_bound(all, address, {}, &Function::begin);
      until_ = next == all.end() ? ~0ull : next->begin;
    }
    const CodeReader& reader_;
    std::uint64_t until_ = 0;
  };

  static std::uint32_t word_at(std::string_view bytes, std::size_t place) {
    std::uint32_t word = 0;
    for (std::size_t i = 4; i > 0; --i) word = word << 8 | static_cast<unsigned char>(bytes[place + i - 1]);
    return word;
  }
  static std::uint16_t half_at(std::string_view bytes, std::size_t place) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[place]) |
                                      static_cast<unsigned char>(bytes[place + 1]) << 8);
  }

  /// Calls `visit(function, extension, address)` for each instruction of an extension that the core lacks.
  template <typename Visit>
  void visit_uses(const Visit& visit) {
    const auto note = [&](std::optional<Extension> extension, std::size_t function, std::uint64_t address) {
      if (extension && !present_.contains(*extension)) visit(function, *extension, address);
    };
    for (const Code& code : code_) {
      if (is_a64_) {
        read_a64(code, note);
        continue;
      }
      // Of 32-bit code, constants lie between functions and are loaded relative to the program counter: they are no
      // code.
      walk_a32(code, [&](std::size_t function, std::uint64_t address, bool is_t32, std::uint32_t word) {
        note(is_t32 ? extension_of_t32(static_cast<std::uint16_t>(word >> 16), static_cast<std::uint16_t>(word))
                    : extension_of_a32(word),
             function, address);
      });
    }
  }

  template <typename Note>
  void read_a64(const Code& code, const Note& note) {
    Cursor cursor(*this, code.address);
    FlagTracker flags;
    ByteSteps steps;
    for (std::size_t place = 0; place + 4 <= code.bytes.size(); place += 4) {
      steps.at(place);
      const std::uint64_t address = code.address + place;
      if (cursor.move(address)) flags.reset();
      const std::uint32_t word = word_at(code.bytes, place);
      if (flags.next(word) && cursor.index != kNone) tests_flag_[cursor.index] = true;
      if (!asks_for_length(word)) note(extension_of_a64(word), cursor.index, address);
    }
  }

  void find_calls_a64(const Code& code) {
    Cursor cursor(*this, code.address);
    ByteSteps steps;
    for (std::size_t place = 0; place + 4 <= code.bytes.size(); place += 4) {
      steps.at(place);
      const std::uint32_t word = word_at(code.bytes, place);
      if ((word & 0x7C000000) != 0x14000000) continue;  // B, BL
      const std::uint64_t address = code.address + place;
      cursor.move(address);
      const std::int64_t offset = static_cast<std::int32_t>(word << 6) >> 4;
      note_call(cursor.index, address + static_cast<std::uint64_t>(offset));
    }
  }

  void note_call(std::size_t caller, std::uint64_t target) {
    const std::size_t callee = index_at(target);
    if (callee == kNone || callee == caller || functions_[callee].begin != target || !has_uses(callee)) return;
    if (caller == kNone || has_uses(caller) || tests_flag_[caller] || chosen_names_->has(functions_[caller].name))
      return;
    if (callers_[callee] == kNone) callers_[callee] = caller;
  }

  bool is_thumb(std::size_t function) const {
    if (function != kNone && !functions_[function].name.empty()) return functions_[function].is_thumb;
    return mostly_thumb_;
  }

  void find_calls_a32(const Code& code) {
    walk_a32(code, [&](std::size_t function, std::uint64_t address, bool is_t32, std::uint32_t word) {
      if (const std::optional<std::uint64_t> target = is_t32 ? t32_target(address, word) : a32_target(address, word))
        note_call(function, *target);
    });
  }

  /// Calls `visit(function, address, is_t32, word)` for each instruction of 32 bits; of T32 the first half stands
  /// above.
  template <typename Visit>
  void walk_a32(const Code& code, const Visit& visit) const {
    Cursor cursor(*this, code.address);
    ByteSteps steps;
    const auto is_constant = [&](std::uint64_t address) {
      return code.constants[static_cast<std::size_t>(address / 4 - code.address / 4)];
    };
    std::uint32_t compared = 0;  // with which number T32 code compared last: the size of a table of branches
    for (std::size_t place = 0; place + 2 <= code.bytes.size();) {
      steps.at(place);
      const std::uint64_t address = code.address + place;
      cursor.move(address);
      if (!is_thumb(cursor.index)) {
        if (place + 4 > code.bytes.size()) return;
        if (!is_constant(address)) visit(cursor.index, address, false, word_at(code.bytes, place));
        place += 4;
        continue;
      }
      const std::uint16_t first = half_at(code.bytes, place);
      if ((first & 0xF800) == 0x2800) compared = first & 0xFF;  // CMP Rn, #imm8
      const bool is_long = begins_wide_t32(first);
      if (place + (is_long ? 4 : 2) > code.bytes.size()) return;
      if (!is_long || is_constant(address)) {
        place += 2;
        continue;
      }
      const std::uint16_t second = half_at(code.bytes, place + 2);
      visit(cursor.index, address, true, static_cast<std::uint32_t>(first) << 16 | second);
      place += 4;
      if (first == 0xE8DF && (second & 0xFFE0) == 0xF000)  // TBB, TBH: the table stands behind it
        place += ((compared + 1) * (second & 0x10 ? 2 : 1) + 1) & ~1u;
    }
  }

  std::vector<bool> find_constants(const Code& code) const {
    const std::uint64_t base = code.address / 4;
    std::vector<bool> found(code.bytes.size() / 4 + 2);
    const auto add = [&](std::uint64_t place, bool is_up, std::uint64_t offset, std::uint64_t words) {
      const std::uint64_t address = is_up ? place + offset : place - offset;
      for (std::uint64_t word = address / 4; word < address / 4 + words; ++word)
        if (address % 4 == 0 && word >= base && word - base < found.size()) found[word - base] = true;
    };
    ByteSteps steps;
    Cursor cursor(*this, code.address);
    for (std::size_t place = 0; place + 2 <= code.bytes.size();) {
      steps.at(place);
      const std::uint64_t address = code.address + place;
      cursor.move(address);
      if (!is_thumb(cursor.index)) {
        if (place + 4 > code.bytes.size()) break;
        const std::uint32_t word = word_at(code.bytes, place);
        if ((word & 0x0F7F0000) == 0x051F0000) add(address + 8, word & 1u << 23, word & 0xFFF, 1);       // LDR
        if ((word & 0x0F3F0E00) == 0x0D1F0A00) add(address + 8, word & 1u << 23, (word & 0xFF) * 4, 2);  // VLDR
        place += 4;
        continue;
      }
      const std::uint16_t first = half_at(code.bytes, place);
      const std::uint64_t here = (address + 4) & ~3ull;
      if ((first & 0xF800) == 0x4800) add(here, true, (first & 0xFFu) * 4, 1);  // LDR
      if (!begins_wide_t32(first) || place + 4 > code.bytes.size()) {
        place += 2;
        continue;
      }
      const std::uint16_t second = half_at(code.bytes, place + 2);
      if ((first & 0xFF7F) == 0xF85F) add(here, first & 0x80, second & 0xFFFu, 1);  // LDR.W
      if ((first & 0xFF3F) == 0xED1F && (second & 0x0E00) == 0x0A00)
        add(here, first & 0x80, (second & 0xFFu) * 4, 2);  // VLDR
      place += 4;
    }
    return found;
  }

  /// B, BL and BLX of a function.
  static std::optional<std::uint64_t> a32_target(std::uint64_t address, std::uint32_t word) {
    if ((word & 0x0E000000) != 0x0A000000) return std::nullopt;
    const std::int64_t offset = static_cast<std::int32_t>(word << 8) >> 6;
    return (address + 8 + static_cast<std::uint64_t>(offset)) & 0xFFFFFFFF;
  }
  static std::optional<std::uint64_t> t32_target(std::uint64_t address, std::uint32_t word) {
    if ((word & 0xF8008000) != 0xF0008000 || (word & 0x5000) == 0) return std::nullopt;  // B.W, BL, BLX
    const std::uint32_t sign = word >> 26 & 1, i1 = ~(word >> 13 ^ sign) & 1, i2 = ~(word >> 11 ^ sign) & 1;
    const std::uint32_t bits = sign << 24 | i1 << 23 | i2 << 22 | (word >> 16 & 0x3FF) << 12 | (word & 0x7FF) << 1;
    const std::int64_t offset = static_cast<std::int32_t>(bits << 7) >> 7;
    return ((address + 4 + static_cast<std::uint64_t>(offset)) & ~((word & 0x1000) ? 1ull : 3ull)) & 0xFFFFFFFF;
  }

  /// How a function is reached, and why that is so; `caller` is who calls it, where that is why.
  struct Reached {
    Reach reach = Reach::chosen;
    std::string_view why;
    std::size_t caller = kNone;
  };

  Reached reach_of(std::size_t index) const {
    if (index == kNone) {
      if (functions_.empty()) return {Reach::open, "it has no symbols to find functions by"};
      return {Reach::chosen, "no function is known at this address"};
    }
    const Function& function = functions_[index];
    if (chosen_names_->has(function.name)) return {Reach::chosen, "one of a family of kernels that are chosen"};
    const bool is_helper = function.end - function.begin <= kHelperBytes;
    if (tests_flag_[index] && (is_helper || !function.is_exported)) return {Reach::chosen, "it tests a flag first"};
    if (constructors_[index]) return {Reach::open, "it runs when the file is loaded"};
    if (function.is_exported) return {Reach::open, "anyone may call it by its name"};
    if (callers_[index] != kNone) return {Reach::open, "called by ", callers_[index]};
    return {Reach::chosen, "only reached through its address, or from code that needs it, too"};
  }

  std::string name_of_function(std::size_t index) const {
    const Function& function = functions_[index];
    return function.name.empty() ? hex_text(function.begin) : std::string(function.name);
  }

  /// Counts the functions of each extension and reach, then what is in the first of each.
  std::vector<ExtensionUse> judged() {
    struct Kind {
      Reach reach = Reach::open;
      Extension extension = Extension::lse;
      auto operator<=>(const Kind&) const = default;
    };
    std::map<Kind, ExtensionUse> kinds;
    std::map<std::size_t, std::vector<ExtensionUse*>> firsts;  // by the function
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == 0) continue;
      const std::size_t function = i < functions_.size() ? i : kNone;
      const Reached reached = reach_of(function);
      for (std::uint64_t bits = used_[i]; bits != 0; bits &= bits - 1) {
        const auto extension = static_cast<Extension>(std::countr_zero(bits));
        ExtensionUse& use = kinds[{reached.reach, extension}];
        if (use.functions++ > 0) continue;
        const std::string caller = reached.caller == kNone ? "" : name_of_function(reached.caller);
        const std::string_view name = function == kNone ? "" : functions_[function].name;
        use = {extension, reached.reach, 1, std::string(name), 0, std::string(reached.why) + caller};
        firsts[function].push_back(&use);
      }
    }
    visit_uses([&](std::size_t function, Extension extension, std::uint64_t address) {
      const auto found = firsts.find(function);
      if (found == firsts.end()) return;
      for (ExtensionUse* const use : found->second) {
        if (use->extension != extension) continue;
        ++use->count;
        if (use->function.empty()) use->function = hex_text(address);
      }
    });
    std::vector<ExtensionUse> found;
    for (auto& [kind, use] : kinds) found.push_back(std::move(use));
    return found;
  }

  const ElfFile& file_;
  const std::set<Extension>& present_;
  const std::vector<Function> functions_;
  const bool is_a64_;
  bool mostly_thumb_ = false;
  std::vector<Code> code_;
  std::vector<bool> tests_flag_, constructors_;  ///< by function
  std::vector<std::uint64_t> used_;              ///< a bit for each extension
  std::vector<std::size_t> callers_;             ///< one that calls it without a test, or kNone
  std::optional<ChosenNames> chosen_names_;
};

}  // namespace

std::vector<ExtensionUse> find_extension_uses(const ElfFile& file, const std::set<Extension>& present) {
  const std::string& machine = file.facts().machine;
  if (file.facts().is_big_endian || (machine != "aarch64" && machine != "armv7l")) return {};
  return CodeReader(file, present).run();
}

}  // namespace torchpatch::elf
