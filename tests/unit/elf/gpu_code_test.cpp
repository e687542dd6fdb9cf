// SPDX-License-Identifier: BSD-3-Clause
// Fat binaries and cubins made here, in the form that nvcc writes; docs/kernels.md compares real ones with cuobjdump.
#include "elf/gpu_code.h"

#include <elf.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/error.h"

using namespace torchpatch;
using namespace torchpatch::elf;

namespace {

template <typename Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string words(const std::vector<std::uint32_t>& values) {
  std::string bytes;
  for (const std::uint32_t value : values) bytes += bytes_of(value);
  return bytes;
}

struct Section {
  std::string name;
  std::uint32_t type = SHT_PROGBITS, link = 0, info = 0;
  std::uint64_t entry = 0;
  std::string bytes;
};

constexpr std::uint16_t kCuda = 190;

/// An ELF file of 64 bits with these sections, numbered from 1, and their names behind them.
std::string elf_of(std::uint16_t machine, std::vector<Section> sections, bool is_object = false) {
  std::string names(1, '\0'), body;
  sections.push_back({".shstrtab", SHT_STRTAB, 0, 0, 0, ""});
  std::vector<Elf64_Shdr> headers(1);
  for (Section& section : sections) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    names += section.name + '\0';
    if (section.name == ".shstrtab") section.bytes = names;
    header.sh_type = section.type;
    header.sh_link = section.link;
    header.sh_info = section.info;
    header.sh_entsize = section.entry;
    header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    header.sh_size = section.bytes.size();
    header.sh_addralign = 1;
    headers.push_back(header);
    body += section.bytes;
    body.resize((body.size() + 7) / 8 * 8);
  }
  Elf64_Ehdr start{};
  std::memcpy(start.e_ident, ELFMAG, SELFMAG);
  start.e_ident[EI_CLASS] = ELFCLASS64;
  start.e_ident[EI_DATA] = ELFDATA2LSB;
  start.e_ident[EI_VERSION] = EV_CURRENT;
  start.e_version = EV_CURRENT;
  start.e_type = machine == kCuda && !is_object ? ET_EXEC : ET_REL;
  start.e_machine = machine;
  start.e_ehsize = sizeof start;
  start.e_shentsize = sizeof(Elf64_Shdr);
  start.e_shoff = sizeof start + body.size();
  start.e_shnum = static_cast<Elf64_Half>(headers.size());
  start.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string file = bytes_of(start) + body;
  for (const Elf64_Shdr& header : headers) file += bytes_of(header);
  return file;
}

/// A cubin with the kernels k (57 registers, no bound) and bounded (72 registers, 512 threads), and a function that is
/// called, not launched. Old compilers say the registers in the section of the code alone.
std::string cubin(bool is_old = false, bool is_object = false) {
  const std::string names = std::string("\0k\0bounded\0called\0", 18);
  const auto symbol = [](std::uint32_t name, unsigned char other) {
    Elf64_Sym made{};
    made.st_name = name;
    made.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    made.st_other = other;
    return bytes_of(made);
  };
  const auto registers = [](std::uint32_t number, std::uint32_t count) { return words({0x0008'2f04, number, count}); };
  const std::string symbols = bytes_of(Elf64_Sym{}) + symbol(1, 0x10) + symbol(3, 0x10) + symbol(11, 0);
  return elf_of(
      kCuda,
      {{".strtab", SHT_STRTAB, 0, 0, 0, names},
       {".symtab", SHT_SYMTAB, 1, 1, sizeof(Elf64_Sym), symbols},
       {".text.k", SHT_PROGBITS, 0, 57u << 24, 0, "code"},
       {".text.bounded", SHT_PROGBITS, 0, 72u << 24, 0, "code"},
       {".text.called", SHT_PROGBITS, 0, 200u << 24, 0, "code"},
       {".nv.info", 0x70000000, 2, 0, 0, is_old ? "" : registers(1, 57) + registers(2, 72) + registers(3, 200)},
       {".nv.info.bounded", 0x70000000, 2, 4, 0, words({0x000c'0504, 64, 8, 1})}},
      is_object);
}

struct Entry {
  std::uint16_t kind = 2;
  std::uint32_t architecture = 62;
  std::uint64_t flags = 0;
  std::string content;
  std::uint64_t unpacked = 0;
  std::uint32_t compressed = 0;
};

std::string with_fat_binary(const std::vector<Entry>& entries) {
  std::string inside;
  for (const Entry& entry : entries) {
    std::string header(64, '\0');
    const auto put = [&](std::size_t place, const std::string& bytes) { header.replace(place, bytes.size(), bytes); };
    put(0, bytes_of(entry.kind));
    put(4, bytes_of(std::uint32_t{64}));
    put(8, bytes_of(std::uint64_t{entry.content.size()}));
    put(16, bytes_of(entry.compressed));
    put(28, bytes_of(entry.architecture));
    put(40, bytes_of(entry.flags));
    put(56, bytes_of(entry.unpacked));
    inside += header + entry.content;
  }
  const std::string start = words({0xBA55ED50, 0x0010'0001}) + bytes_of(std::uint64_t{inside.size()});
  return elf_of(EM_AARCH64, {{".nv_fatbin", SHT_PROGBITS, 0, 0, 0, start + inside}});
}

/// Packed, and filled up as nvcc fills it.
Entry packed(std::uint64_t flag, const std::string& content) {
  std::string bytes(ZSTD_compressBound(content.size()) + 64, '\0');
  const std::size_t size =
      flag == 0x8000
          ? ZSTD_compress(bytes.data(), bytes.size(), content.data(), content.size(), 3)
          : static_cast<std::size_t>(LZ4_compress_default(
                content.data(), bytes.data(), static_cast<int>(content.size()), static_cast<int>(bytes.size())));
  Entry entry;
  entry.flags = flag;
  entry.compressed = static_cast<std::uint32_t>(size);
  entry.unpacked = content.size();
  entry.content = bytes.substr(0, (size + 7) / 8 * 8);
  return entry;
}

std::vector<GpuKernel> kernels_in(const std::vector<Entry>& entries, std::uint32_t architecture = 62) {
  const std::string bytes = with_fat_binary(entries);
  return find_gpu_kernels(ElfFile(bytes, "x.so"), architecture);
}

const std::vector<GpuKernel> kBoth = {{"bounded", 72, 512}, {"k", 57, 0}};

}  // namespace

TEST_CASE(
    "find_gpu_kernels: registers and launch bounds of what is launched, packed or not, by old and new compilers") {
  CHECK(kernels_in({{.content = cubin()}}) == kBoth);
  CHECK(kernels_in({{.content = cubin(true)}}) == kBoth);
  CHECK(kernels_in({packed(0x2000, cubin())}) == kBoth);
  CHECK(kernels_in({packed(0x8000, cubin())}) == kBoth);
}

TEST_CASE("find_gpu_kernels: of one architecture, each once, and no PTX") {
  CHECK(kernels_in({{.architecture = 53, .content = cubin()}}).empty());
  CHECK(kernels_in({{.kind = 1, .content = cubin()}}).empty());
  CHECK(kernels_in({{.content = cubin(false, true)}}).empty());  // still to be linked
  CHECK(kernels_in({{.content = cubin()}, packed(0x8000, cubin()), {.architecture = 53, .content = cubin()}}) == kBoth);
  const std::string bytes = with_fat_binary({{.content = cubin()}, {.kind = 1, .architecture = 70, .content = "ptx"}});
  CHECK(find_gpu_code(ElfFile(bytes, "x.so")) == std::vector<GpuCode>{{false, 62}, {true, 70}});
}

TEST_CASE("find_gpu_kernels: refuses what is damaged or unpacks to too much") {
  const auto refuses = [](const std::vector<Entry>& entries) {
    try {
      kernels_in(entries);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::source;
    }
    return false;
  };
  CHECK(refuses({{.content = cubin().substr(0, 100)}}));
  std::string wrong = cubin();
  wrong.replace(wrong.find(words({0x000c'0504})), 4, words({0x7fff'0504}));
  CHECK(refuses({{.content = wrong}}));
  for (const std::uint64_t flag : {0x2000u, 0x8000u}) {
    INFO(flag);
    Entry entry = packed(flag, cubin());
    entry.unpacked += 1;
    CHECK(refuses({entry}));
    entry.unpacked = 1ull << 40;
    CHECK(refuses({entry}));
    const std::string large = cubin() + std::string(100 << 20, '\0');
    CHECK(refuses({packed(flag, large)}));
  }
}

TEST_CASE("most_threads: warps take registers by 256 and come by four") {
  const auto most = [](std::uint32_t registers, std::int64_t per_block) {
    return most_threads({"k", registers, 0}, per_block);
  };
  CHECK(most(32, 32768) == 1024);
  CHECK(most(33, 32768) == 768);
  CHECK(most(64, 32768) == 512);
  CHECK(most(72, 32768) == 384);
  CHECK(most(68, 65536) == 896);  // as the driver says of CTC loss in double on a card with 65,536
  CHECK(most(0, 65536) == 1024);
}
