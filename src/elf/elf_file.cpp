// SPDX-License-Identifier: BSD-3-Clause
#include "elf/elf_file.h"

#include <gelf.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// Most records of one kind: libtorch_cuda needs some thirty libraries, and a few versions of each.
constexpr std::size_t kMaxRecords = 1000;
/// Most directories of a run path, in each of which each library may lie.
constexpr std::size_t kMaxDirectories = 200;
/// Most sections: one for each function where -ffunction-sections came through a relocatable link.
constexpr std::size_t kMaxSections = 100'000, kMaxSectionName = 100;
constexpr std::uint64_t kVersionBytes = 16;  ///< of a version's record
/// Longest name of a library, a version or a list of directories: paths of Linux end at 4096 bytes.
constexpr std::size_t kMaxText = 16 << 10;
/// Longest name of a symbol that is kept; those of C++ templates have some kilobytes.
constexpr std::size_t kMaxName = 4096;
/// How often all of a file may be gone through, and what a small one may have besides.
constexpr std::uint64_t kMostReads = 8, kSmallReads = 1 << 20;
/// Most kinds of GPU code: CUDA has had some forty architectures.
constexpr std::size_t kMaxGpuCodes = 1000;

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

constexpr std::uint64_t kMagic = 0xBA55ED50;
constexpr std::size_t kHeaderBytes = 16, kEntryBytes = 32, kArchitecture = 28;
constexpr std::uint64_t kPtx = 1, kMachineCode = 2;

void read_entries(const ElfFile& file, std::string_view bytes, std::set<GpuCode>& found) {
  while (bytes.size() >= kEntryBytes) {
    const std::uint64_t kind = file.number_at(bytes.substr(0, 2));
    const std::uint64_t header = file.number_at(bytes.substr(4, 4)), content = file.number_at(bytes.substr(8, 8));
    if (header < kEntryBytes || header > bytes.size() || content > bytes.size() - header)
      file.fail("an entry of a fat binary reaches beyond its end");
    const auto architecture = static_cast<std::uint32_t>(file.number_at(bytes.substr(kArchitecture, 4)));
    if (kind == kPtx || kind == kMachineCode) found.insert({kind == kPtx, architecture});
    if (found.size() > kMaxGpuCodes) file.fail("it has code for too many GPUs");
    bytes.remove_prefix(header + content);
  }
}

}  // namespace

void ElfFile::End::operator()(::Elf* elf) const { elf_end(elf); }

ElfFile::ElfFile(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  elf_version(EV_CURRENT);
  // libelf only reads here; its interface takes no const.
  elf_.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) fail("it is no ELF file");
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
  if (bytes_read_ > kMostReads * bytes_.size() + kSmallReads) fail("its parts lie over one another");
}

void ElfFile::note_kept(std::uint64_t bytes) const {
  bytes_kept_ += bytes;
  if (bytes_kept_ > bytes_.size() + kSmallReads) fail("its texts lie over one another");
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

void ElfFile::read_header() {
  GElf_Ehdr header;
  if (!gelf_getehdr(elf_.get(), &header)) fail("its header is damaged");
  facts_.machine = machine_name(header);
  facts_.bits = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  facts_.is_loadable = header.e_type == ET_DYN || header.e_type == ET_EXEC;
  facts_.is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  facts_.float_abi = float_abi(header);
}

void ElfFile::read_segments() {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) fail("its program headers are damaged");
  if (count > kMaxRecords) fail("it has too many program headers");
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf_.get(), static_cast<int>(i), &segment)) fail("its program headers are damaged");
    if (segment.p_type == PT_GNU_STACK) facts_.wants_executable_stack = segment.p_flags & PF_X;
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    if (segment.p_offset > bytes_.size() || segment.p_filesz > bytes_.size() - segment.p_offset)
      fail("a segment reaches beyond its end");
    if (segment.p_type == PT_LOAD)
      segments_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz, (segment.p_flags & PF_X) != 0});
    else
      dynamic_ = bytes_.substr(segment.p_offset, segment.p_filesz);
  }
}

std::string_view ElfFile::loaded(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments_) {
    if (address < segment.address || address - segment.address >= segment.size) continue;
    const std::uint64_t skipped = address - segment.address;
    return bytes_.substr(segment.offset + skipped, std::min(size, segment.size - skipped));
  }
  return {};
}

std::uint64_t ElfFile::number_at(std::string_view bytes) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[facts_.is_big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

std::string ElfFile::text_at(std::uint64_t offset) const {
  const std::string_view rest = strings_.substr(std::min<std::uint64_t>(offset, strings_.size()), kMaxText + 1);
  const std::size_t size = rest.find('\0');
  if (size == std::string_view::npos && rest.size() > kMaxText) fail("a text of its dynamic section is too long");
  if (size == std::string_view::npos) fail("a text of its dynamic section reaches beyond its end");
  note_read(size);
  note_kept(size);
  return std::string(rest.substr(0, size));
}

void ElfFile::read_dynamic() {
  if (dynamic_.empty()) return;
  const std::size_t offset = static_cast<std::size_t>(dynamic_.data() - bytes_.data());
  Elf_Data* const data =
      elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(offset), dynamic_.size(), ELF_T_DYN);
  if (!data) fail("its dynamic section is damaged");
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> run_path, old_run_path, versions;
  std::uint64_t strings = 0, strings_size = 0, version_count = 0;
  ByteSteps steps;
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i) {
    steps.at(static_cast<std::uint64_t>(i) * sizeof(Elf64_Dyn));
    const std::uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_NEEDED:
        needed.push_back(value);
        if (needed.size() > kMaxRecords) fail("it needs too many libraries");
        break;
      case DT_RUNPATH:
        run_path = value;
        break;
      case DT_RPATH:
        old_run_path = value;
        break;
      case DT_STRTAB:
        strings = value;
        break;
      case DT_STRSZ:
        strings_size = value;
        break;
      case DT_VERNEED:
        versions = value;
        break;
      case DT_VERNEEDNUM:
        version_count = value;
        break;
      case DT_TEXTREL:
        facts_.has_text_relocations = true;
        break;
      case DT_FLAGS:
        facts_.has_text_relocations = facts_.has_text_relocations || (value & DF_TEXTREL);
        break;
      default:
        break;
    }
  }
  strings_ = loaded(strings, strings_size);
  for (const std::uint64_t place : needed) facts_.needed.push_back(text_at(place));
  if (!run_path) run_path = old_run_path;
  if (run_path) facts_.run_path = split(text_at(*run_path), ':');
  if (facts_.run_path.size() > kMaxDirectories) fail("its run path has too many directories");
  if (versions) read_versions(*versions, version_count);
}

/// System V ABI, symbol versioning: a library, and the versions of it that stand behind one another.
void ElfFile::read_versions(std::uint64_t address, std::uint64_t count) {
  const std::string_view chunk = loaded(address, bytes_.size());
  const auto number = [&](std::size_t place, std::size_t size) {
    if (place > chunk.size() || chunk.size() - place < size) fail("the versions that it needs reach beyond its end");
    return number_at(chunk.substr(place, size));
  };
  std::set<VersionNeed> seen;
  std::size_t place = 0;
  if (count > kMaxRecords) fail("it needs versions of too many libraries");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string library = text_at(number(place + 4, 4));
    std::size_t version = place + number(place + 8, 4);
    for (std::uint64_t j = number(place + 2, 2); j > 0; --j) {
      note_read(kVersionBytes);
      const VersionNeed need{library, text_at(number(version + 8, 4))};
      if (seen.insert(need).second) facts_.versions.push_back(need);
      if (facts_.versions.size() > kMaxRecords) fail("it needs too many versions");
      const std::uint64_t next = number(version + 12, 4);
      if (next == 0) break;
      version += next;
    }
    const std::uint64_t next = number(place + 12, 4);
    if (next == 0) break;
    place += next;
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
    sections_.push_back({"", header.sh_type, header.sh_flags, header.sh_addr, header.sh_link,
                         is_inside ? bytes_.substr(header.sh_offset, header.sh_size) : std::string_view()});
    name_places.push_back(header.sh_name);
  }
  for (std::size_t i = 0; i < sections_.size(); ++i)
    sections_[i].name = text_of(static_cast<std::uint32_t>(names), name_places[i]).substr(0, kMaxSectionName);
}

std::vector<GpuCode> find_gpu_code(const ElfFile& file) {
  std::set<GpuCode> found;
  for (const ElfFile::Section& section : file.sections()) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    std::string_view bytes = section.bytes;
    file.note_read(bytes.size());
    ByteSteps steps;
    while (bytes.size() >= kHeaderBytes) {
      steps.at(section.bytes.size() - bytes.size());
      if (file.number_at(bytes.substr(0, 4)) != kMagic) {  // filled up to where the next one may begin
        bytes.remove_prefix(4);
        continue;
      }
      const std::uint64_t header = file.number_at(bytes.substr(6, 2)), content = file.number_at(bytes.substr(8, 8));
      if (header < kHeaderBytes || header > bytes.size() || content > bytes.size() - header)
        file.fail("a fat binary reaches beyond its section");
      read_entries(file, bytes.substr(header, content), found);
      bytes.remove_prefix(header + content);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace torchpatch::elf
