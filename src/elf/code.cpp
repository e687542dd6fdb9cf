// SPDX-License-Identifier: BSD-3-Clause
#include "elf/elf_file.h"

#include <gelf.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>

#include "elf/chosen_names.h"
#include "elf/registers.h"
#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// Functions that return the processor's capabilities.
constexpr std::string_view kCpuQuestions[] = {"getauxval", "__getauxval", "elf_aux_info"};
/// "0x1f40".
std::string hex_text(std::uint64_t number) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr);
}

struct Code {
  std::uint64_t address = 0;
  std::string_view bytes;
  std::vector<bool> constants{};  ///< 32-bit code: which words are constants
};

/// Returns the code: the contents of executable segments, except sections that are data (if others are marked as code,
/// those that are not and contain no function). Bytes outside sections are code too, and each section with code is
/// separate. Overlapping parts, which would be read repeatedly, are an error.
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
    std::uint64_t place = segment.address;  // end of what was processed
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

/// Finds the uses in one file, and how each function with one is reached: functions and direct calls form a graph,
/// which is searched from everything callable and from what runs at import. Only a few bytes are kept per function and
/// call, so that even a file made only of functions with extensions needs memory of just a few times its size.
class CodeReader {
 public:
  CodeReader(const ElfFile& file, const std::set<Extension>& present)
      : file_(file), present_(present), functions_(find_functions(file)), is_a64_(file.facts().machine == "aarch64") {
    const auto thumb = std::ranges::count(functions_, true, &Function::is_thumb);
    mostly_thumb_ = 2 * static_cast<std::size_t>(thumb) > functions_.size();
  }

  std::vector<ExtensionUse> run() {
    code_ = code_of(file_, functions_);
    for (Code& code : code_)
      if (!is_a64_) code.constants = find_constants(code);
    bool has_any = false;
    visit_uses([&](std::size_t, Extension, std::uint64_t) { has_any = true; });
    if (!has_any) return {};
    if (is_a64_) slots_ = find_slots(file_);
    if (is_a64_) add_called_functions();
    used_.resize(functions_.size() + 1);
    open_.resize(functions_.size() + 1);
    results_.resize(functions_.size());
    has_result_.resize(functions_.size());
    visit_uses([&](std::size_t function, Extension extension, std::uint64_t) { used(function) |= bit_of(extension); });
    chosen_names_.emplace(file_);
    for (const Code& code : code_) is_a64_ ? follow_a64(code) : find_calls_a32(code);
    if (!is_a64_) open_ = used_;
    walk();
    return judged();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  static constexpr std::uint64_t bit_of(Extension extension) {
    static_assert(kNamesOf<Extension>.size() <= 64);
    return std::uint64_t{1} << static_cast<unsigned>(extension);
  }
  /// The extensions of a function; the last entry is for code outside known functions.
  std::uint64_t& used(std::size_t function) { return used_[std::min(function, functions_.size())]; }

  /// Returns the index of the function that contains an address.
  std::size_t index_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
    if (after == functions_.begin()) return kNone;
    const auto function = after - 1;
    return address < function->end ? static_cast<std::size_t>(function - functions_.begin()) : kNone;
  }

  /// Steps through the functions in order of address.
  class Cursor {
   public:
    explicit Cursor(const CodeReader& reader, std::uint64_t address) : reader_(reader) { seek(address); }
    /// Returns whether the current function ends here.
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

  /// Calls `visit(function, extension, address)` for each instruction that needs an extension the core lacks.
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
      // 32-bit code has constants between functions, loaded relative to the program counter: they are not code.
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
    ByteSteps steps;
    for (std::size_t place = 0; place + 4 <= code.bytes.size(); place += 4) {
      steps.at(place);
      const std::uint64_t address = code.address + place;
      cursor.move(address);
      const std::uint32_t word = word_at(code.bytes, place);
      if (!asks_for_length(word)) note(extension_of_a64(word), cursor.index, address);
    }
  }

  static std::uint64_t branch_target(std::uint32_t word, std::uint64_t address) {  // B, BL
    return address + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word << 6) >> 4});
  }

  /// Adds functions at the targets of calls where none is known: assembler code has no unwind information, and in a
  /// stripped file no symbols.
  void add_called_functions() {
    std::vector<std::uint64_t> begins;
    for (const Code& code : code_) {
      ByteSteps steps;
      for (std::size_t place = 0; place + 4 <= code.bytes.size(); place += 4) {
        steps.at(place);
        const std::uint32_t word = word_at(code.bytes, place);
        if (!is_of(word, 0xFC000000, 0x94000000)) continue;  // BL
        const std::uint64_t target = branch_target(word, code.address + place);
        if (index_at(target) == kNone && !slot_of_stub(target) && is_code(target)) begins.push_back(target);
      }
    }
    std::ranges::sort(begins);
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    constexpr std::size_t kShortest = 16;  // bytes per function, to bound their number
    if (begins.size() <= file_.bytes().size() / kShortest) add_functions(begins, functions_);
  }

  bool is_code(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(code_, address, {}, &Code::address);
    return after != code_.begin() && address - (after - 1)->address < (after - 1)->bytes.size();
  }

  /// Returns the pointer in the file's data at an address, if the loader sets it.
  const Slot* slot_at(std::uint64_t address) const {
    const auto found = std::ranges::lower_bound(slots_, address, {}, &Slot::address);
    return found != slots_.end() && found->address == address ? &*found : nullptr;
  }

  /// Returns the pointer used by a stub of the procedure linkage table: [BTI,] ADRP, LDR.
  const Slot* slot_of_stub(std::uint64_t address) const {
    std::string_view words = file_.loaded(address, 12);
    if (words.size() < 12) return nullptr;
    if (word_at(words, 0) == 0xD503245F) {
      words.remove_prefix(4);
      address += 4;
    }
    const std::uint32_t page = word_at(words, 0);
    if (!is_of(page, 0x9F00001F, 0x90000010)) return nullptr;
    const auto slot = [](std::uint64_t place) { return Held{Held::Kind::place, place}; };
    Registers registers;
    registers.next(page, address, slot);
    registers.next(word_at(words, 4), address + 4, slot);
    return slot_at(registers.held(17).address);
  }

  Held value_of_slot(std::uint64_t address) const {
    const Slot* const slot = slot_at(address);
    return slot && slot->target ? Held{Held::Kind::place, slot->target} : Held();
  }

  /// Returns what a function that only looks something up leaves in X0.
  Held result_of(std::uint64_t target) {
    const Slot* const slot = index_at(target) == kNone ? slot_of_stub(target) : nullptr;
    if (slot && std::ranges::count(kCpuQuestions, slot->name) > 0) return {Held::Kind::flag};
    const std::size_t index = index_at(slot ? slot->target : target);
    if (index == kNone) return {};
    Held& known = results_[index];
    if (has_result_[index]) return known;
    has_result_[index] = true;
    const Function& function = functions_[index];
    const std::string_view words =
        file_.loaded(function.begin, std::min<std::uint64_t>(function.end - function.begin, 4 * kLongestAccessor));
    Registers registers;
    for (std::size_t place = 0; place + 4 <= words.size(); place += 4) {
      const std::uint32_t word = word_at(words, place);
      if (word == kReturn) return known = registers.held(0);
      if (is_of(word, 0xFC000000, 0x94000000))
        registers.call({});
      else
        registers.next(word, function.begin + place, [&](std::uint64_t at) { return value_of_slot(at); });
    }
    return known;
  }

  /// Records the calls of each function, and which of its instructions do not depend on a flag. Code that is reached
  /// only after a flag's test is not open, unless another branch or the preceding instruction leads there. A branch
  /// table may lead anywhere.
  void follow_a64(const Code& code) {
    Cursor cursor(*this, code.address);
    Registers registers;
    std::uint64_t chosen_until = 0;  // address up to which a flag has decided
    bool is_reached = true, has_table = false;
    std::uint64_t first = 0, last = 0;  // the part of the code in the function
    std::vector<bool> targets;          // per word: whether it is a branch target
    const auto begin = [&] {
      registers.reset();
      chosen_until = 0;
      is_reached = true;
      has_table = false;
      if (cursor.index == kNone) return;
      first = std::max(functions_[cursor.index].begin, code.address);
      last = std::min(functions_[cursor.index].end, code.address + code.bytes.size());
      targets.assign((last - first) / 4 + 1, false);
    };
    begin();
    ByteSteps steps;
    for (std::size_t place = 0; place + 4 <= code.bytes.size(); place += 4) {
      steps.at(place);
      const std::uint64_t address = code.address + place;
      if (cursor.move(address)) begin();
      if (cursor.index == kNone) continue;
      const std::uint32_t word = word_at(code.bytes, place);
      is_reached = is_reached || has_table || targets[(address - first) / 4];
      const bool is_open = is_reached && address >= chosen_until;
      const auto call = [&](std::uint64_t target) {
        if (is_open) note_call(cursor.index, target);
      };
      const auto branch = [&](std::uint64_t target) {
        if (target < first || target >= last) return call(target);
        if (is_reached) targets[(target - first) / 4] = true;
      };
      if (is_of(word, 0x7C000000, 0x14000000)) {  // B, BL
        const std::uint64_t target = branch_target(word, address);
        const bool is_call = word >> 31;
        is_call ? call(target) : branch(target);
        if (is_call || target < first || target >= last)
          for (unsigned number = 0; number < 8; ++number) call_callback(registers.held(number), call);
        if (is_call) registers.call(result_of(target));
        is_reached = is_reached && is_call;
      } else if (is_of(word, 0xFF9FFC1F, 0xD61F0000)) {  // BR, BLR, RET
        const Held held = registers.held(word >> 5 & 31);
        if (held.kind == Held::Kind::place) call(held.address);
        const bool is_call = word & 1u << 21, is_return = word & 1u << 22;
        if (is_call) registers.call({});
        has_table = has_table || (!is_call && !is_return && is_reached);
        is_reached = is_reached && is_call;
      } else if (const std::optional<std::uint64_t> target = conditional_target(word, address)) {
        if (registers.branches_by_flag(word))
          chosen_until = std::max(chosen_until, end_of_choice(code, last, *target));
        else
          branch(*target);
      } else {
        registers.next(word, address, [&](std::uint64_t slot) { return value_of_slot(slot); });
        if (!is_open || used_[cursor.index] == 0) continue;
        const std::optional<Extension> extension = extension_of_a64(word);
        if (extension && !present_.contains(*extension) && !asks_for_length(word))
          open_[cursor.index] |= bit_of(*extension);
      }
    }
  }

  /// Returns the target of B.cond, CBZ, CBNZ, TBZ, TBNZ.
  static std::optional<std::uint64_t> conditional_target(std::uint32_t word, std::uint64_t address) {
    const bool is_test = is_of(word, 0x7E000000, 0x36000000);
    if (!is_test && !is_of(word, 0x7E000000, 0x34000000) && !is_of(word, 0xFF000000, 0x54000000)) return std::nullopt;
    const auto offset = static_cast<std::int32_t>(is_test ? word << 13 : word << 8) >> (is_test ? 18 : 13);
    return address + static_cast<std::uint64_t>(std::int64_t{offset} * 4);
  }

  /// Returns where the code that depends on a flag ends, for a forward branch: at its target, or if the instruction
  /// before that jumps over the other part, at that jump's target.
  std::uint64_t end_of_choice(const Code& code, std::uint64_t end, std::uint64_t target) const {
    if (target <= code.address || target >= end) return 0;
    const std::uint32_t before = word_at(code.bytes, static_cast<std::size_t>(target - code.address) - 4);
    if (!is_of(before, 0xFC000000, 0x14000000)) return target;
    const std::uint64_t behind = branch_target(before, target - 4);
    return behind > target && behind <= end ? behind : target;
  }

  /// Treats passing a function's address as a call: qsort(), a thread, OpenMP. A stored address is kept for a later
  /// choice.
  template <typename Call>
  void call_callback(const Held& held, const Call& call) const {
    if (held.kind != Held::Kind::place) return;
    const std::size_t index = index_at(held.address);
    if (index != kNone && functions_[index].begin == held.address) call(held.address);
  }

  /// Records a call of another function of the file; repeated calls are recorded once.
  void note_call(std::size_t caller, std::uint64_t target) {
    if (caller == kNone) return;
    std::size_t callee = index_at(target);
    if (callee == kNone && is_a64_)
      if (const Slot* const slot = slot_of_stub(target)) callee = index_at(slot->target);
    if (callee == kNone || callee == caller) return;
    const Call call{static_cast<std::uint32_t>(caller), static_cast<std::uint32_t>(callee)};
    if (calls_.empty() || calls_.back() != call) calls_.push_back(call);
  }

  /// Follows calls from what runs at import, then from everything callable; never into a function whose name belongs to
  /// a family of selected kernels.
  void walk() {
    from_.assign(functions_.size(), kUnreached);
    std::vector<std::uint32_t> reached;  // in order of discovery
    std::size_t followed = 0;
    const auto enter = [&](std::size_t function, std::uint32_t from) {
      if (function == kNone || from_[function] != kUnreached || chosen_names_->has(functions_[function].name)) return;
      from_[function] = from;
      reached.push_back(static_cast<std::uint32_t>(function));
    };
    const auto follow = [&] {
      ByteSteps steps;
      for (; followed < reached.size(); ++followed) {
        steps.at(followed);
        auto call = std::ranges::lower_bound(calls_, reached[followed], {}, &Call::caller);
        for (; call != calls_.end() && call->caller == reached[followed]; ++call) enter(call->callee, call->caller);
      }
    };
    for (const std::uint64_t address : find_constructors(file_)) enter(index_at(address), kLoader);
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (functions_[i].is_exported && is_run_at_import(functions_[i].name)) enter(i, kLoader);
    follow();
    at_import_.resize(functions_.size());
    for (const std::uint32_t function : reached) at_import_[function] = true;
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (functions_[i].is_exported) enter(i, kEverybody);
    follow();
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

  /// Calls `visit(function, address, is_t32, word)` for each 32-bit instruction; for T32 the first halfword is the
  /// upper one.
  template <typename Visit>
  void walk_a32(const Code& code, const Visit& visit) const {
    Cursor cursor(*this, code.address);
    ByteSteps steps;
    const auto is_constant = [&](std::uint64_t address) {
      return code.constants[static_cast<std::size_t>(address / 4 - code.address / 4)];
    };
    std::uint32_t compared = 0;  // operand of the last T32 comparison: the size of a branch table
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
      if (first == 0xE8DF && (second & 0xFFE0) == 0xF000)  // TBB, TBH: the table follows
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

  /// Returns a function's address from B, BL and BLX.
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

  /// Returns how a function's use of an extension is reached.
  Reach reach_of(std::size_t function, Extension extension) const {
    if (functions_.empty()) return Reach::open;  // functions unknown
    const bool is_open = (open_[std::min(function, functions_.size())] & bit_of(extension)) != 0;
    if (function == kNone || !is_open || from_[function] == kUnreached) return Reach::chosen;
    return at_import_[function] ? Reach::at_import : Reach::open;
  }

  /// Returns the symbol from which a function is reached.
  std::string_view root_of(std::size_t function) const {
    if (function == kNone) return {};
    for (std::uint32_t from = from_[function]; from < kUnreached; from = from_[function]) function = from;
    return functions_[function].name;
  }

  /// Counts the functions of each extension and reach, then the instructions in the first of each.
  std::vector<ExtensionUse> judged() {
    struct Kind {
      Reach reach = Reach::open;
      Extension extension = Extension::lse;
      auto operator<=>(const Kind&) const = default;
    };
    std::map<Kind, ExtensionUse> kinds;
    std::map<std::size_t, std::vector<ExtensionUse*>> firsts;  // by function
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == 0) continue;
      const std::size_t function = i < functions_.size() ? i : kNone;
      for (std::uint64_t bits = used_[i]; bits != 0; bits &= bits - 1) {
        const auto extension = static_cast<Extension>(std::countr_zero(bits));
        const Reach reach = reach_of(function, extension);
        ExtensionUse& use = kinds[{reach, extension}];
        if (use.functions++ > 0) continue;
        const std::string_view name = function == kNone ? "" : functions_[function].name;
        use = {extension, reach, 1, std::string(name), 0, {}};
        if (reach != Reach::chosen) use.root = root_of(function);
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

  /// A call between two functions, by index.
  struct Call {
    std::uint32_t caller = 0, callee = 0;
    bool operator==(const Call&) const = default;
  };
  /// Special values instead of a caller.
  static constexpr std::uint32_t kEverybody = 0xFFFFFFFF, kLoader = 0xFFFFFFFE, kUnreached = 0xFFFFFFFD;

  const ElfFile& file_;
  const std::set<Extension>& present_;
  std::vector<Function> functions_;
  const bool is_a64_;
  bool mostly_thumb_ = false;
  std::vector<Code> code_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> used_,
      open_;                         ///< by function, a bit per extension: all uses; those independent of flags
  std::vector<Held> results_;        ///< by function: what it leaves in X0, once determined
  std::vector<bool> has_result_;     ///< by function: whether that was determined
  std::vector<Call> calls_;          ///< independent of flags, sorted by caller
  std::vector<std::uint32_t> from_;  ///< by function: its caller
  std::vector<bool> at_import_;      ///< by function
  std::optional<ChosenNames> chosen_names_;
};

}  // namespace

std::vector<ExtensionUse> find_extension_uses(const ElfFile& file, const std::set<Extension>& present) {
  const std::string& machine = file.facts().machine;
  if (file.facts().is_big_endian || (machine != "aarch64" && machine != "armv7l")) return {};
  return CodeReader(file, present).run();
}

}  // namespace torchpatch::elf
