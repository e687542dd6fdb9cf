// SPDX-License-Identifier: BSD-3-Clause
#include "elf/elf_file.h"

#include <gelf.h>

#include <algorithm>

namespace torchpatch::elf {

namespace {

/// Longest name of a symbol that is kept; those of C++ templates have some kilobytes.
constexpr std::size_t kMaxName = 4096;

std::string kept_name(const char* name) { return name ? std::string(name, strnlen(name, kMaxName)) : ""; }

void add_symbols(const ElfFile& file, const ElfFile::Section& section, std::vector<Function>& functions) {
  Elf_Data* const data = elf_getdata(section.handle, nullptr);
  if (!data) return;
  GElf_Sym symbol;
  for (int i = 0; gelf_getsym(data, i, &symbol); ++i) {
    const int type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    const char* const name = elf_strptr(file.handle(), section.link, symbol.st_name);
    const bool is_thumb = file.facts().machine == "armv7l" && (symbol.st_value & 1);
    const std::uint64_t begin = symbol.st_value - is_thumb;
    const int visibility = GELF_ST_VISIBILITY(symbol.st_other);
    const bool is_exported = section.type == SHT_DYNSYM && binding != STB_LOCAL &&
                             (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
    functions.push_back({begin, begin + symbol.st_size, kept_name(name), is_exported, is_thumb});
  }
}

/// Reads numbers of .eh_frame one after the other; what lies beyond its end is 0 and `is_damaged`.
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
  std::string text() {
    std::string found;
    while (const char c = static_cast<char>(number(1))) found += c;
    return found;
  }

  std::size_t place = 0;
  bool is_damaged = false;

 private:
  const ElfFile& file_;
  std::string_view bytes_;
};

/// DWARF's encodings of pointers, as the Linux Standard Base has them (LSB Core 5.0, 10.5).
constexpr std::uint64_t kSigned4RelativeToHere = 0x1B;
constexpr std::uint64_t kUnsigned4RelativeToHere = 0x13;
constexpr std::uint64_t kSigned8RelativeToHere = 0x1C;
constexpr std::uint64_t kUnsigned8RelativeToHere = 0x14;

/// Returns the encoding of the addresses of functions that a CIE names, or nothing where it is of a kind that gcc,
/// clang and ld do not write.
std::optional<std::uint64_t> pointer_encoding(FrameReader reader) {
  if (reader.number(1) > 4) return std::nullopt;
  const std::string augmentation = reader.text();
  if (!augmentation.starts_with("z")) return std::nullopt;
  reader.leb();  // alignment of code
  reader.leb();  // of data
  reader.leb();  // register of the return address
  reader.leb();  // length of what follows
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
  while (reader.place + 8 < bytes.size() && !reader.is_damaged) {
    const std::uint64_t length = reader.number(4);
    if (length == 0 || length == 0xFFFFFFFF || length > bytes.size() - reader.place) return;
    const std::size_t next = reader.place + length;
    const std::size_t back = reader.place;
    const std::uint64_t to_cie = reader.number(4);
    if (to_cie != 0 && to_cie <= back) {
      FrameReader cie(file, bytes);
      cie.place = back - to_cie + 8;  // behind its length and id
      const std::optional<std::uint64_t> encoding = pointer_encoding(cie);
      const bool is_four = encoding == kSigned4RelativeToHere || encoding == kUnsigned4RelativeToHere;
      if (is_four || encoding == kSigned8RelativeToHere || encoding == kUnsigned8RelativeToHere) {
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

/// Keeps one of those that begin at the same address, with all that is known of it, and cuts off what overlaps.
std::vector<Function> merged(std::vector<Function> functions) {
  std::ranges::stable_sort(functions, {}, &Function::begin);
  std::vector<Function> kept;
  for (Function& function : functions) {
    if (kept.empty() || kept.back().begin != function.begin) {
      kept.push_back(std::move(function));
      continue;
    }
    Function& same = kept.back();
    same.end = std::max(same.end, function.end);
    same.is_thumb = same.is_thumb || function.is_thumb;
    if (same.name.empty() || (function.is_exported && !same.is_exported)) same.name = std::move(function.name);
    same.is_exported = same.is_exported || function.is_exported;
  }
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    const bool has_no_size = kept[i].end <= kept[i].begin;
    if (has_no_size || kept[i].end > kept[i + 1].begin) kept[i].end = kept[i + 1].begin;
  }
  return kept;
}

}  // namespace

std::vector<Function> find_functions(const ElfFile& file) {
  std::vector<Function> functions;
  for (const ElfFile::Section& section : file.sections()) {
    if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM) add_symbols(file, section, functions);
    if (section.name == ".eh_frame") add_frames(file, section.address, section.bytes, functions);
  }
  return merged(std::move(functions));
}

std::vector<std::uint64_t> find_constructors(const ElfFile& file) {
  std::vector<std::uint64_t> found;
  if (file.facts().bits != 64) return found;
  const auto is_array = [](const ElfFile::Section& section) { return section.type == SHT_INIT_ARRAY; };
  const auto array = std::ranges::find_if(file.sections(), is_array);
  if (array == file.sections().end()) return found;
  for (std::size_t place = 0; place + 8 <= array->bytes.size(); place += 8)
    if (const std::uint64_t address = file.number_at(array->bytes.substr(place, 8))) found.push_back(address);
  // Of a library the addresses stand in the relocations.
  for (const ElfFile::Section& section : file.sections()) {
    Elf_Data* const data = section.type == SHT_RELA ? elf_getdata(section.handle, nullptr) : nullptr;
    GElf_Rela relocation;
    for (int i = 0; data && gelf_getrela(data, i, &relocation); ++i)
      if (relocation.r_offset >= array->address && relocation.r_offset < array->address + array->bytes.size())
        found.push_back(static_cast<std::uint64_t>(relocation.r_addend));
  }
  return found;
}

SymbolNames find_symbol_names(const ElfFile& file) {
  SymbolNames names;
  for (const ElfFile::Section& section : file.sections()) {
    Elf_Data* const data = section.type == SHT_DYNSYM ? elf_getdata(section.handle, nullptr) : nullptr;
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
      const char* const name = elf_strptr(file.handle(), section.link, symbol.st_name);
      const bool is_here = symbol.st_shndx != SHN_UNDEF;
      const int binding = GELF_ST_BIND(symbol.st_info);
      if (!name || !*name || binding == STB_LOCAL || (!is_here && binding == STB_WEAK)) continue;
      (is_here ? names.exports : names.imports).push_back(kept_name(name));
    }
  }
  return names;
}

}  // namespace torchpatch::elf
