// SPDX-License-Identifier: BSD-3-Clause
#include "elf/elf_file.h"

#include <gelf.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// Limit of records of one kind: libtorch_cuda needs about thirty libraries, and a few versions of each.
constexpr std::size_t kMaxRecords = 1000;
/// Limit of directories in a run path; each may have to be searched for each library.
constexpr std::size_t kMaxDirectories = 200;
/// Limit of sections: one per function if -ffunction-sections passed through a relocatable link.
constexpr std::size_t kMaxSections = 100'000, kMaxSectionName = 100;
constexpr std::uint64_t kVersionBytes = 16;  ///< of a version's record
constexpr std::uint64_t kPage = 4096;        ///< Linux's smallest on ARM
/// Address space of a process, with 64 and 32 bits.
constexpr std::uint64_t kAddresses64 = 1ull << 47, kAddresses32 = 1ull << 32;
/// Longest name of a library, a version or a list of directories: Linux paths have at most 4096 bytes.
constexpr std::size_t kMaxText = 16 << 10;
/// Longest symbol that is kept; those of C++ templates have some kilobytes.
constexpr std::size_t kMaxName = 4096;
/// How often the whole file may be scanned, and an allowance for small files.
constexpr std::uint64_t kMostReads = 8, kSmallReads = 1 << 20;

std::string machine_name(const GElf_Ehdr& header) {
  switch (header.e_machine) {
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "armv7l";
    case EM_X86_64:
      return "x86_64";
    case EM_386:
      return "i686";
    default:
      return concat("machine ", header.e_machine);
  }
}

/// ELF for the Arm Architecture (IHI 0044), 5.2: flags of version 5.
FloatAbi float_abi(const GElf_Ehdr& header) {
  if (header.e_machine != EM_ARM || EF_ARM_EABI_VERSION(header.e_flags) != EF_ARM_EABI_VER5) return FloatAbi::unknown;
  if (header.e_flags & EF_ARM_ABI_FLOAT_HARD) return FloatAbi::hard;
  return header.e_flags & EF_ARM_ABI_FLOAT_SOFT ? FloatAbi::soft : FloatAbi::unknown;
}

}  // namespace

void ElfFile::End::operator()(::Elf* elf) const { elf_end(elf); }

ElfFile::ElfFile(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  elf_version(EV_CURRENT);
  // libelf only reads it, but its interface is not const.
  elf_.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) fail("it is not an ELF file");
  read_header();
  read_segments();
  read_sections();
  read_dynamic();
}

void ElfFile::fail(const std::string& reason) const {
  throw Error(ErrorKind::source, concat("reading the ELF file ", quote(name_), ": ", reason));
}

void ElfFile::note_read(std::uint64_t bytes) const {
  bytes_read_ += bytes;
  if (bytes_read_ > kMostReads * bytes_.size() + kSmallReads) fail("its parts overlap");
}

void ElfFile::note_kept(std::uint64_t bytes) const {
  bytes_kept_ += bytes;
  if (bytes_kept_ > bytes_.size() + kSmallReads) fail("its strings overlap");
}

std::string_view ElfFile::text_of(std::uint32_t index, std::uint64_t offset) const {
  if (index == 0 || index > sections_.size() || sections_[index - 1].type != SHT_STRTAB) return {};
  const std::string_view all = sections_[index - 1].bytes;
  if (offset >= all.size()) return {};
  const std::string_view text = all.substr(offset, kMaxName);
  const std::size_t end = text.find('\0');
  if (end != std::string_view::npos) return text.substr(0, end);
  return all.size() - offset > kMaxName ? text : std::string_view();
}

void ElfFile::refuse(std::string reason) {
  if (facts_.refusal.empty()) facts_.refusal = std::move(reason);
}

/// Refuses, here and below, what glibc's elf/dl-load.c refuses (open_verify, _dl_map_object_from_fd).
void ElfFile::read_header() {
  GElf_Ehdr header;
  if (!gelf_getehdr(elf_.get(), &header)) fail("its header is damaged");
  const auto& identity = header.e_ident;
  facts_.machine = machine_name(header);
  facts_.bits = identity[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  facts_.is_program = header.e_type == ET_EXEC;
  facts_.is_loadable = header.e_type == ET_DYN || facts_.is_program;
  facts_.is_big_endian = identity[EI_DATA] == ELFDATA2MSB;
  facts_.float_abi = float_abi(header);
  const bool is_current = identity[EI_VERSION] == EV_CURRENT && header.e_version == EV_CURRENT;
  const bool is_filled = std::any_of(identity + EI_PAD, identity + EI_NIDENT, [](unsigned char c) { return c != 0; });
  if (!is_current || is_filled) refuse("its header has an unknown ELF version");
  if (identity[EI_OSABI] != ELFOSABI_SYSV && identity[EI_OSABI] != ELFOSABI_GNU)
    refuse(concat("its OS ABI is ", int{identity[EI_OSABI]}, ", not Linux"));
  if (identity[EI_ABIVERSION] != 0) refuse(concat("the version of its OS ABI is ", int{identity[EI_ABIVERSION]}));
}

void ElfFile::read_segments() {
  GElf_Ehdr header;
  if (!facts_.is_loadable || !gelf_getehdr(elf_.get(), &header)) return;
  const bool is_wide = facts_.bits == 64;
  const std::size_t entry = is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), word = is_wide ? 8 : 4;
  const std::uint64_t all = entry * header.e_phnum;
  if (header.e_phentsize != entry)
    return refuse(concat("its program headers have ", header.e_phentsize, " bytes each"));
  if (header.e_phoff > bytes_.size() || all > bytes_.size() - header.e_phoff)
    return refuse("its program headers reach beyond its end");
  if (header.e_phnum > kMaxRecords) fail("it has too many program headers");
  headers_end_ = (is_wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
  if (header.e_phoff == headers_end_) headers_end_ += all;
  std::optional<std::uint64_t> dynamic;
  for (std::size_t place = header.e_phoff; place < header.e_phoff + all; place += entry) {
    const auto number = [&](std::size_t at, std::size_t size) { return number_at(bytes_.substr(place + at, size)); };
    const std::uint64_t type = number(0, 4), flags = number(is_wide ? 4 : 24, 4);
    const Segment segment{.address = number(is_wide ? 16 : 8, word),
                          .offset = number(is_wide ? 8 : 4, word),
                          .size = number(is_wide ? 32 : 16, word),
                          .is_code = (flags & PF_X) != 0};
    if (type == PT_GNU_STACK) facts_.wants_executable_stack = segment.is_code;
    if (type == PT_TLS) thread_local_ = number(is_wide ? 40 : 20, word);
    if (type == PT_LOAD) add_segment(segment, number(is_wide ? 40 : 20, word), number(is_wide ? 48 : 28, word));
    if (type != PT_DYNAMIC) continue;
    dynamic = segment.address;
    if (segment.size == 0) refuse("its dynamic section has no bytes");
  }
  if (segments_.empty()) refuse("it has no loadable segment");
  if (!dynamic && header.e_type == ET_DYN) refuse("it has no dynamic section");
  if (dynamic) dynamic_ = loaded(*dynamic, bytes_.size());
  if (dynamic && dynamic_.empty()) refuse("its dynamic section is not in a segment");
}

void ElfFile::add_segment(Segment segment, std::uint64_t memory, std::uint64_t alignment) {
  const std::uint64_t apart = segment.address - segment.offset, last = std::max(memory, segment.size);
  const std::uint64_t addresses = facts_.bits == 64 ? kAddresses64 : kAddresses32;
  if (segment.offset > bytes_.size() || segment.size > bytes_.size() - segment.offset)
    fail("a segment reaches beyond its end");
  if (apart % kPage != 0) return refuse("a segment's file offset and address differ modulo the page size");
  if (apart != 0) facts_.largest_page = std::min(facts_.largest_page, apart & -apart);
  if (alignment % kPage != 0 || (apart & (alignment - 1)) != 0) facts_.is_misaligned = true;
  if (segment.address > addresses || last > addresses - segment.address)
    return refuse("a segment reaches beyond the last address");
  if (segment.page() < memory_end_) return refuse("its segments overlap or are not sorted");
  memory_end_ = (segment.address + last + kPage - 1) / kPage * kPage;
  // If no zero-filled memory follows, the rest of its last page is the file's.
  const std::uint64_t end = segment.offset + segment.size;
  if (memory <= segment.size) segment.tail = std::min<std::uint64_t>(-end % kPage, bytes_.size() - end);
  segments_.push_back(segment);
}

std::uint64_t ElfFile::Segment::page() const { return address - offset % kPage; }

std::string_view ElfFile::loaded(std::uint64_t address, std::uint64_t size) const {
  const auto after = std::ranges::upper_bound(segments_, address, {}, &Segment::page);
  if (after == segments_.begin()) return {};
  const Segment& segment = *(after - 1);
  const std::uint64_t skipped = address - segment.page(), before = segment.address - segment.page();
  const std::uint64_t all = before + segment.size + segment.tail;
  if (skipped >= all) return {};
  return bytes_.substr(segment.offset - before + skipped, std::min(size, all - skipped));
}

std::uint64_t ElfFile::number_at(std::string_view bytes) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[facts_.is_big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

std::string ElfFile::text_at(std::uint64_t offset) const {
  const std::string_view rest = loaded(strings_ + offset, kMaxText + 1);
  const std::size_t size = rest.find('\0');
  if (size == std::string_view::npos && rest.size() > kMaxText) fail("a string of its dynamic section is too long");
  if (size == std::string_view::npos) fail("a string of its dynamic section reaches beyond its end");
  note_read(size);
  note_kept(size);
  return std::string(rest.substr(0, size));
}

std::optional<std::uint64_t> ElfFile::dynamic_value(std::uint64_t tag) const {
  const std::size_t word = facts_.bits == 64 ? 8 : 4;
  std::optional<std::uint64_t> value;
  ByteSteps steps;
  for (std::size_t place = 0; place < dynamic_.size(); place += 2 * word) {
    steps.at(place);
    if (number_at(dynamic_.substr(place, word)) == tag) value = number_at(dynamic_.substr(place + word, word));
  }
  return value;
}

void ElfFile::read_dynamic() {
  if (dynamic_.empty()) return;
  const std::size_t word = facts_.bits == 64 ? 8 : 4;
  std::vector<std::uint64_t> needed;
  std::size_t place = 0;
  ByteSteps steps;
  for (;; place += 2 * word) {
    if (place + 2 * word > dynamic_.size()) fail("its dynamic section reaches beyond its end");
    steps.at(place);
    const std::uint64_t tag = number_at(dynamic_.substr(place, word));
    if (tag == DT_NULL) break;
    if (tag == DT_NEEDED || tag == DT_FILTER) needed.push_back(number_at(dynamic_.substr(place + word, word)));
    if (needed.size() > kMaxRecords) fail("it needs too many libraries");
  }
  dynamic_ = dynamic_.substr(0, place);
  note_read(dynamic_.size());
  const std::uint64_t flags = dynamic_value(DT_FLAGS).value_or(0), more = dynamic_value(DT_FLAGS_1).value_or(0);
  facts_.has_text_relocations = dynamic_value(DT_TEXTREL) || (flags & DF_TEXTREL);
  facts_.is_program = facts_.is_program || (more & DF_1_PIE);
  facts_.has_relative_relocations = dynamic_value(DT_RELR).has_value();
  if (thread_local_ > 0 && ((flags & DF_STATIC_TLS) || has_static_relocation())) facts_.static_tls = thread_local_;
  if (more & DF_1_NOOPEN) refuse("it is marked DF_1_NOOPEN: dlopen refuses it");
  const std::optional<std::uint64_t> strings = dynamic_value(DT_STRTAB), symbols = dynamic_value(DT_SYMTAB);
  if (!strings || !symbols) refuse("its dynamic section has no symbols");
  bool has_symbols = !strings || !symbols;
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNSYM) continue;
    if (section.address != symbols) fail("its sections and its dynamic section name different symbols");
    has_symbols = true;
  }
  if (!has_symbols) {  // without section headers: linkers write the string table after the symbols
    const std::uint64_t size = *strings > *symbols ? *strings - *symbols : bytes_.size();
    const std::string_view texts = loaded(*strings, dynamic_value(DT_STRSZ).value_or(0));
    sections_.push_back({".dynstr", SHT_STRTAB, 0, *strings, 0, texts});
    const auto link = static_cast<std::uint32_t>(sections_.size());
    sections_.push_back({".dynsym", SHT_DYNSYM, 0, *symbols, link, loaded(*symbols, size)});
  }
  if (!strings) return;
  strings_ = *strings;
  for (const std::uint64_t offset : needed) facts_.needed.push_back(text_at(offset));
  std::optional<std::uint64_t> run_path = dynamic_value(DT_RUNPATH);
  facts_.hands_down_run_path = !run_path;
  if (!run_path) run_path = dynamic_value(DT_RPATH);
  if (run_path) facts_.run_path = split(text_at(*run_path), ':');
  if (facts_.run_path.size() > kMaxDirectories) fail("its run path has too many directories");
  if (const std::optional<std::uint64_t> versions = dynamic_value(DT_VERNEED)) read_versions(*versions);
  if (const std::optional<std::uint64_t> versions = dynamic_value(DT_VERDEF)) read_definitions(*versions);
}

/// Linkers for ARM do not mark a library that relies on static thread-local storage (DF_STATIC_TLS), but it has a
/// relocation with the offset from the thread pointer.
bool ElfFile::has_static_relocation() const {
  const bool is_wide = facts_.bits == 64;
  const std::size_t entry = is_wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel), info = is_wide ? 8 : 4;
  const std::optional<std::uint64_t> table = dynamic_value(is_wide ? DT_RELA : DT_REL);
  if (!table || facts_.is_big_endian) return false;
  const std::string_view relocations = loaded(*table, dynamic_value(is_wide ? DT_RELASZ : DT_RELSZ).value_or(0));
  note_read(relocations.size());
  const std::uint64_t wanted = is_wide ? std::uint64_t{R_AARCH64_TLS_TPREL} : std::uint64_t{R_ARM_TLS_TPOFF32};
  ByteSteps steps;
  for (std::size_t place = 0; place + entry <= relocations.size(); place += entry) {
    steps.at(place);
    if (number_at(relocations.substr(place + info, is_wide ? 4 : 1)) == wanted) return true;
  }
  return false;
}

/// System V ABI, symbol versioning: each definition begins with its own name; that of the file itself (VER_FLG_BASE) is
/// skipped.
void ElfFile::read_definitions(std::uint64_t address) {
  const std::string_view chunk = loaded(address, bytes_.size());
  const auto number = [&](std::size_t place, std::size_t size) {
    if (place > chunk.size() || chunk.size() - place < size)
      fail("its symbol version definitions reach beyond its end");
    return number_at(chunk.substr(place, size));
  };
  std::uint64_t next = 1;
  for (std::size_t place = 0; next != 0; place += next) {
    note_read(kVersionBytes);
    const bool is_base = (number(place + 2, 2) & VER_FLG_BASE) != 0;
    if (!is_base) facts_.defined.push_back(text_at(number(place + number(place + 12, 4), 4)));
    if (facts_.defined.size() > kMaxRecords) fail("it defines too many symbol versions");
    next = number(place + 16, 4);
  }
}

/// System V ABI, symbol versioning: a library, followed by its versions. As in glibc (elf/dl-version.c), the links are
/// followed, and the counts are ignored.
void ElfFile::read_versions(std::uint64_t address) {
  const std::string_view chunk = loaded(address, bytes_.size());
  const auto number = [&](std::size_t place, std::size_t size) {
    if (place > chunk.size() || chunk.size() - place < size) fail("its required symbol versions reach beyond its end");
    return number_at(chunk.substr(place, size));
  };
  std::set<VersionNeed> seen;
  std::uint64_t next_library = 1, libraries = 0;
  for (std::size_t place = 0; next_library != 0; place += next_library) {
    if (++libraries > kMaxRecords) fail("it requires symbol versions from too many libraries");
    if (number(place, 2) != VER_NEED_CURRENT) refuse("its required symbol versions have an unknown format");
    const std::string library = text_at(number(place + 4, 4));
    std::uint64_t next_version = 1;
    for (std::size_t version = place + number(place + 8, 4); next_version != 0; version += next_version) {
      note_read(kVersionBytes);
      const VersionNeed need{library, text_at(number(version + 8, 4))};
      if (elf_hash(need.version.c_str()) != number(version, 4))
        refuse("the hash of a required symbol version is wrong");
      if (seen.insert(need).second) facts_.versions.push_back(need);
      if (facts_.versions.size() > kMaxRecords) fail("it requires too many symbol versions");
      next_version = number(version + 12, 4);
    }
    next_library = number(place + 12, 4);
  }
}

void ElfFile::read_sections() {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return;
  std::vector<std::uint32_t> name_places;
  for (Elf_Scn* handle = elf_nextscn(elf_.get(), nullptr); handle; handle = elf_nextscn(elf_.get(), handle)) {
    if (sections_.size() == kMaxSections) fail("it has too many sections");
    GElf_Shdr header{};
    const bool is_readable = gelf_getshdr(handle, &header) != nullptr;
    const bool is_inside = is_readable && header.sh_type != SHT_NOBITS && header.sh_offset <= bytes_.size() &&
                           header.sh_size <= bytes_.size() - header.sh_offset;
    std::string_view bytes = is_inside ? bytes_.substr(header.sh_offset, header.sh_size) : std::string_view();
    if (is_inside && facts_.is_loadable && header.sh_flags & SHF_ALLOC) bytes = loaded(header.sh_addr, header.sh_size);
    sections_.push_back({"", header.sh_type, header.sh_flags, header.sh_addr, header.sh_link, bytes});
    name_places.push_back(header.sh_name);
  }
  for (std::size_t i = 0; i < sections_.size(); ++i)
    sections_[i].name = text_of(static_cast<std::uint32_t>(names), name_places[i]).substr(0, kMaxSectionName);
}

}  // namespace torchpatch::elf
