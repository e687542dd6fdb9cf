// SPDX-License-Identifier: BSD-3-Clause
#include "elf/elf_file.h"

#include <gelf.h>

#include <algorithm>
#include <optional>

#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// An entry of a symbol table.
struct Symbol {
  std::uint64_t name = 0, value = 0, size = 0, section = 0;
  unsigned char type = 0, binding = 0, visibility = 0;
};

/// Calls `visit` for each symbol of a section. Layout with 64 bits: name, info, other, section, value, size; with 32
/// bits: name, value, size, info, other, section (System V ABI, Symbol Table).
template <typename Visit>
void visit_symbols(const ElfFile& file, const ElfFile::Section& section, const Visit& visit) {
  const bool is_wide = file.facts().bits == 64;
  const std::size_t entry = is_wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), word = is_wide ? 8 : 4;
  file.note_read(section.bytes.size());
  ByteSteps steps;
  for (std::size_t place = 0; section.bytes.size() - place >= entry; place += entry) {
    steps.at(place);
    const std::string_view bytes = section.bytes.substr(place, entry);
    const auto number = [&](std::size_t at, std::size_t size) { return file.number_at(bytes.substr(at, size)); };
    const auto info = static_cast<unsigned char>(number(is_wide ? 4 : 12, 1));
    const auto other = static_cast<unsigned char>(number(is_wide ? 5 : 13, 1));
    visit(Symbol{.name = number(0, 4),
                 .value = number(is_wide ? 8 : 4, word),
                 .size = number(is_wide ? 16 : 8, word),
                 .section = number(is_wide ? 6 : 14, 2),
                 .type = static_cast<unsigned char>(ELF64_ST_TYPE(info)),
                 .binding = static_cast<unsigned char>(ELF64_ST_BIND(info)),
                 .visibility = static_cast<unsigned char>(ELF64_ST_VISIBILITY(other))});
  }
}

void add_symbols(const ElfFile& file, const ElfFile::Section& section, std::vector<Function>& functions) {
  visit_symbols(file, section, [&](const Symbol& symbol) {
    if ((symbol.type != STT_FUNC && symbol.type != STT_GNU_IFUNC) || symbol.section == SHN_UNDEF) return;
    const bool is_thumb = file.facts().machine == "armv7l" && (symbol.value & 1);
    const std::uint64_t begin = symbol.value - is_thumb;
    const bool is_exported = section.type == SHT_DYNSYM && symbol.binding != STB_LOCAL &&
                             (symbol.visibility == STV_DEFAULT || symbol.visibility == STV_PROTECTED);
    functions.push_back({begin, begin + symbol.size, file.text_of(section.link, symbol.name), is_exported, is_thumb});
  });
}

/// Reads numbers from .eh_frame in sequence; beyond its end they are 0 and `is_damaged` is set.
class FrameReader {
 public:
  FrameReader(const ElfFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  std::uint64_t number(std::size_t size) {
    if (bytes_.size() - place < size || place > bytes_.size()) {
      is_damaged = true;
      return 0;
    }
    place += size;
    return file_.number_at(bytes_.substr(place - size, size));
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7F) << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  /// Returns a text of at most `longest` bytes, or nothing if it is longer.
  std::string text(std::size_t longest) {
    std::string found;
    while (const char c = static_cast<char>(number(1))) {
      found += c;
      if (found.size() > longest) return {};
    }
    return found;
  }

  std::size_t place = 0;
  bool is_damaged = false;

 private:
  const ElfFile& file_;
  std::string_view bytes_;
};

/// DWARF's pointer encodings, from the Linux Standard Base (LSB Core 5.0, 10.5).
constexpr std::uint64_t kSigned4RelativeToHere = 0x1B;
constexpr std::uint64_t kUnsigned4RelativeToHere = 0x13;
constexpr std::uint64_t kSigned8RelativeToHere = 0x1C;
constexpr std::uint64_t kUnsigned8RelativeToHere = 0x14;

constexpr std::size_t kLongestAugmentation = 16;  ///< gcc's has up to six letters: "zPLRSB"

/// Returns the encoding of function addresses in a CIE, or nothing if it is of a kind that gcc, clang and ld do not
/// write.
std::optional<std::uint64_t> pointer_encoding(FrameReader reader) {
  if (reader.number(1) > 4) return std::nullopt;
  const std::string augmentation = reader.text(kLongestAugmentation);
  if (!augmentation.starts_with("z")) return std::nullopt;
  reader.leb();  // code alignment
  reader.leb();  // data alignment
  reader.leb();  // return address register
  reader.leb();  // length of the rest
  for (const char c : augmentation.substr(1)) {
    if (c == 'R') return reader.number(1);
    if (c == 'L') reader.number(1);
    if (c == 'P') {
      const std::uint64_t encoding = reader.number(1) & 0x0F;
      reader.number(encoding == 0 || encoding == 0x0C || encoding == 0x04 ? 8 : 4);
    }
  }
  return std::nullopt;
}

/// Adds a function for each frame description (LSB Core 5.0, 10.6).
void add_frames(const ElfFile& file, std::uint64_t address, std::string_view bytes, std::vector<Function>& functions) {
  FrameReader reader(file, bytes);
  file.note_read(bytes.size());
  ByteSteps steps;
  while (reader.place + 8 < bytes.size() && !reader.is_damaged) {
    steps.at(reader.place);
    const std::uint64_t length = reader.number(4);
    if (length == 0 || length == 0xFFFFFFFF || length > bytes.size() - reader.place) return;
    const std::size_t next = reader.place + length;
    const std::size_t back = reader.place;
    const std::uint64_t to_cie = reader.number(4);
    if (to_cie != 0 && to_cie <= back) {
      FrameReader cie(file, bytes);
      cie.place = back - to_cie + 8;  // after its length and id
      const std::optional<std::uint64_t> encoding = pointer_encoding(cie);
      const bool is_four = encoding == kSigned4RelativeToHere || encoding == kUnsigned4RelativeToHere;
      const bool is_eight = encoding == kSigned8RelativeToHere || encoding == kUnsigned8RelativeToHere;
      if ((is_four || is_eight) && length >= (is_four ? 12 : 20)) {
        const std::uint64_t here = address + reader.place;
        const std::uint64_t offset = reader.number(is_four ? 4 : 8);
        const std::uint64_t begin =
            here + (encoding == kSigned4RelativeToHere
                        ? static_cast<std::uint64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(offset)))
                        : offset);
        functions.push_back({begin, begin + reader.number(is_four ? 4 : 8)});
      }
    }
    reader.place = next;
  }
}

constexpr std::uint64_t kComparisonsOfAStep = 1 << 20;

/// Merges functions with the same address, with all that is known about them, and cuts off overlaps.
void merge(std::vector<Function>& functions) {
  std::uint64_t compared = 0;  // sorting millions of them takes seconds
  std::ranges::stable_sort(functions, [&](const Function& a, const Function& b) {
    if (++compared % kComparisonsOfAStep == 0) note_step();
    return a.begin < b.begin;
  });
  std::size_t kept = 0;
  for (const Function& function : functions) {
    if (kept == 0 || functions[kept - 1].begin != function.begin) {
      functions[kept++] = function;
      continue;
    }
    Function& same = functions[kept - 1];
    same.end = std::max(same.end, function.end);
    same.is_thumb = same.is_thumb || function.is_thumb;
    if (same.name.empty() || (function.is_exported && !same.is_exported)) same.name = function.name;
    same.is_exported = same.is_exported || function.is_exported;
  }
  functions.resize(kept);
  for (std::size_t i = 0; i + 1 < kept; ++i) {
    Function& function = functions[i];
    const bool has_no_size = function.end <= function.begin;
    if (has_no_size || function.end > functions[i + 1].begin) function.end = functions[i + 1].begin;
  }
}

}  // namespace

std::vector<Function> find_functions(const ElfFile& file) {
  std::vector<Function> functions;
  for (const ElfFile::Section& section : file.sections()) {
    if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM) add_symbols(file, section, functions);
    if (section.name == ".eh_frame") add_frames(file, section.address, section.bytes, functions);
  }
  merge(functions);
  return functions;
}

void add_functions(const std::vector<std::uint64_t>& begins, std::vector<Function>& functions) {
  for (const std::uint64_t begin : begins) functions.push_back({begin, begin});
  merge(functions);
}

namespace {

std::string_view dynamic_table(const ElfFile& file, std::uint64_t address, std::uint64_t size) {
  const std::string_view bytes =
      file.loaded(file.dynamic_value(address).value_or(0), file.dynamic_value(size).value_or(0));
  file.note_read(bytes.size());
  return bytes;
}

/// Calls `visit(offset, info, addend)` for each relocation of a table.
template <typename Visit>
void visit_relocations(const ElfFile& file, std::string_view table, const Visit& visit) {
  ByteSteps steps;
  for (std::size_t place = 0; table.size() - place >= sizeof(Elf64_Rela); place += sizeof(Elf64_Rela)) {
    steps.at(place);
    const auto number = [&](std::size_t at) { return file.number_at(table.substr(place + at, 8)); };
    visit(number(0), number(8), number(16));
  }
}

}  // namespace

std::vector<Slot> find_slots(const ElfFile& file) {
  std::vector<Slot> slots;
  const ElfFile::Section* symbols = nullptr;
  for (const ElfFile::Section& section : file.sections())
    if (section.type == SHT_DYNSYM) symbols = &section;
  if (!symbols) return slots;
  const auto add = [&](std::uint64_t offset, std::uint64_t info, std::uint64_t) {
    const std::uint64_t type = ELF64_R_TYPE(info), place = ELF64_R_SYM(info) * sizeof(Elf64_Sym);
    if (type != R_AARCH64_GLOB_DAT && type != R_AARCH64_JUMP_SLOT) return;
    if (place >= symbols->bytes.size()) return;
    const std::string_view symbol = symbols->bytes.substr(place, sizeof(Elf64_Sym));
    if (symbol.size() < sizeof(Elf64_Sym)) return;
    const std::uint64_t name = file.number_at(symbol.substr(0, 4)), value = file.number_at(symbol.substr(8, 8));
    slots.push_back({offset, value, value ? std::string_view() : file.text_of(symbols->link, name)});
  };
  visit_relocations(file, dynamic_table(file, DT_RELA, DT_RELASZ), add);
  visit_relocations(file, dynamic_table(file, DT_JMPREL, DT_PLTRELSZ), add);
  std::ranges::sort(slots, {}, &Slot::address);
  return slots;
}

std::vector<std::uint64_t> find_constructors(const ElfFile& file) {
  std::vector<std::uint64_t> found;
  const std::uint64_t begin = file.dynamic_value(DT_INIT_ARRAY).value_or(0);
  const std::string_view array = dynamic_table(file, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
  const std::size_t word = file.facts().bits == 64 ? 8 : 4;
  for (std::size_t place = 0; place + word <= array.size(); place += word)
    if (const std::uint64_t address = file.number_at(array.substr(place, word))) found.push_back(address);
  if (array.empty() || word == 4) return found;
  // A 64-bit library has the addresses in its relocations.
  visit_relocations(file, dynamic_table(file, DT_RELA, DT_RELASZ),
                    [&](std::uint64_t offset, std::uint64_t, std::uint64_t addend) {
                      if (offset - begin < array.size()) found.push_back(addend);
                    });
  return found;
}

SymbolNames find_symbol_names(const ElfFile& file) {
  SymbolNames names;
  for (const ElfFile::Section& section : file.sections()) {
    if (section.type != SHT_DYNSYM) continue;
    visit_symbols(file, section, [&](const Symbol& symbol) {
      const std::string_view name = file.text_of(section.link, symbol.name);
      const bool is_here = symbol.section != SHN_UNDEF;
      if (name.empty() || symbol.binding == STB_LOCAL || (!is_here && symbol.binding == STB_WEAK)) return;
      (is_here ? names.exports : names.imports).push_back(name);
    });
  }
  return names;
}

}  // namespace torchpatch::elf
