// SPDX-License-Identifier: BSD-3-Clause
#include "elf/gpu_code.h"

#include <gelf.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "support/program.h"
#include "support/worker_pool.h"

namespace torchpatch::elf {

namespace {

/// Limit of kinds of GPU code: CUDA has had about forty architectures.
constexpr std::size_t kMaxGpuCodes = 1000;
/// Most bytes of a cubin, and how often all of them may have the size of the file: cubins shrink to a third to a tenth.
constexpr std::size_t kHead = 1024;  ///< of PTX: comments, then version and target
constexpr std::uint64_t kMaxCubin = 512 << 20, kMostTimes = 32, kSmallFile = 1 << 20;
/// Longest name of a kernel: those of Thrust and CUTLASS have some kilobytes.
constexpr std::size_t kMaxKernelName = 16 << 10;

/// Per block, on every GPU (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::uint32_t kMostThreads = 1024;

constexpr std::uint64_t kMagic = 0xBA55ED50;
constexpr std::size_t kHeaderBytes = 16, kEntryBytes = 32, kLongEntryBytes = 64;
constexpr std::size_t kCompressed = 16, kArchitecture = 28, kFlags = 40, kUnpacked = 56;
constexpr std::uint64_t kPtx = 1, kMachineCode = 2;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;

/// Part of a fat binary.
struct Entry {
  std::uint64_t kind = 0;
  std::uint32_t architecture = 0;
  std::uint64_t flags = 0, compressed = 0, unpacked = 0;  ///< 0 if not in its header
  std::string_view content;

  std::string_view packed() const { return compressed == 0 ? content : content.substr(0, compressed); }
};

using UseEntry = std::function<void(const Entry&)>;

void read_entries(const ElfFile& file, std::string_view bytes, const UseEntry& use) {
  while (bytes.size() >= kEntryBytes) {
    const auto number = [&](std::size_t place, std::size_t size) { return file.number_at(bytes.substr(place, size)); };
    const std::uint64_t header = number(4, 4), content = number(8, 8);
    if (header < kEntryBytes || header > bytes.size() || content > bytes.size() - header)
      file.fail("an entry of a fat binary reaches beyond its end");
    Entry entry;
    entry.kind = number(0, 2);
    entry.architecture = static_cast<std::uint32_t>(number(kArchitecture, 4));
    if (header >= kLongEntryBytes) {
      entry.flags = number(kFlags, 8);
      entry.compressed = number(kCompressed, 4);
      entry.unpacked = number(kUnpacked, 8);
    }
    entry.content = bytes.substr(header, content);
    use(entry);
    bytes.remove_prefix(header + content);
  }
}

void read_fat_binaries(const ElfFile& file, const UseEntry& use) {
  for (const ElfFile::Section& section : file.sections()) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    std::string_view bytes = section.bytes;
    file.note_read(bytes.size());
    ByteSteps steps;
    while (bytes.size() >= kHeaderBytes) {
      steps.at(section.bytes.size() - bytes.size());
      if (file.number_at(bytes.substr(0, 4)) != kMagic) {  // padding before the next one
        bytes.remove_prefix(4);
        continue;
      }
      const std::uint64_t header = file.number_at(bytes.substr(6, 2)), content = file.number_at(bytes.substr(8, 8));
      if (header < kHeaderBytes || header > bytes.size() || content > bytes.size() - header)
        file.fail("a fat binary reaches beyond its section");
      read_entries(file, bytes.substr(header, content), use);
      bytes.remove_prefix(header + content);
    }
  }
}

/// Reads the kernels of a cubin.
class Cubin {
 public:
  Cubin(const ElfFile& file, std::string_view bytes) : file_(file) {
    // libelf only reads it, but its interface is not const.
    elf_.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || elf_getshdrstrndx(elf_.get(), &names_) != 0) damaged();
    GElf_Ehdr header{};
    const bool is_whole = gelf_getehdr(elf_.get(), &header) != nullptr && header.e_shoff <= bytes.size() &&
                          std::uint64_t{header.e_shnum} * header.e_shentsize <= bytes.size() - header.e_shoff;
    if (!is_whole) damaged();  // libelf would treat such a file as one without sections
    is_linked_ = header.e_type != ET_REL;
  }

  /// Returns no kernels of an unlinked cubin: their registers do not include those of functions they call yet.
  std::vector<GpuKernel> kernels() {
    if (!is_linked_) return {};
    for_each_section([&](Elf_Scn* section, const GElf_Shdr& header) {
      if (header.sh_type == SHT_SYMTAB) read_symbols(section, header);
    });
    for_each_section([&](Elf_Scn* section, const GElf_Shdr& header) { read_section(section, header); });
    std::vector<GpuKernel> found;
    for (auto& [name, kernel] : kernels_) {
      if (const auto said = registers_.find(name); said != registers_.end()) kernel.registers = said->second;
      found.push_back(std::move(kernel));
    }
    return found;
  }

 private:
  // Attributes of .nv.info: a byte for the form, one for the kind, two for a value or the length of the rest.
  static constexpr unsigned kFollows = 4, kRegisters = 0x2f, kMaxThreads = 0x05, kRequiredThreads = 0x10;
  static constexpr unsigned kEntryPoint = 0x10;  ///< st_other: launched, not called

  [[noreturn]] void damaged() const { file_.fail("a cubin in it is damaged"); }

  template <typename Use>
  void for_each_section(Use use) {
    for (Elf_Scn* section = elf_nextscn(elf_.get(), nullptr); section; section = elf_nextscn(elf_.get(), section)) {
      GElf_Shdr header{};
      if (gelf_getshdr(section, &header) == nullptr) damaged();
      use(section, header);
    }
  }

  std::string_view text_at(std::size_t section, std::size_t place) const {
    const char* const text = elf_strptr(elf_.get(), section, place);
    return text == nullptr ? std::string_view() : std::string_view(text).substr(0, kMaxKernelName);
  }

  std::uint32_t number(std::string_view bytes, std::size_t place) const {
    if (bytes.size() < place + 4) damaged();
    return static_cast<std::uint32_t>(file_.number_at(bytes.substr(place, 4)));
  }

  void read_symbols(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) damaged();
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol{};
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) damaged();
      const std::string_view name = text_at(header.sh_link, symbol.st_name);
      file_.note_kept(name.size());
      symbols_.push_back(name);
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntryPoint) != 0)
        kernels_[name].name = std::string(name);
    }
  }

  void read_section(Elf_Scn* section, const GElf_Shdr& header) {
    const std::string_view name = text_at(names_, header.sh_name);
    const auto kernel_of = [&](std::string_view begin) {
      const auto found = name.starts_with(begin) ? kernels_.find(name.substr(begin.size())) : kernels_.end();
      return found == kernels_.end() ? nullptr : &found->second;
    };
    // Before about CUDA 11, .nv.info has no registers.
    if (GpuKernel* const kernel = kernel_of(".text.")) kernel->registers = header.sh_info >> 24;
    GpuKernel* const kernel = kernel_of(".nv.info.");
    if (name != ".nv.info" && kernel == nullptr) return;
    const Elf_Data* const data = elf_rawdata(section, nullptr);
    if (data == nullptr) damaged();
    if (data->d_buf != nullptr) read_attributes({static_cast<const char*>(data->d_buf), data->d_size}, kernel);
  }

  void read_attributes(std::string_view bytes, GpuKernel* kernel) {
    while (bytes.size() >= 4) {
      const unsigned form = static_cast<unsigned char>(bytes[0]), kind = static_cast<unsigned char>(bytes[1]);
      const std::uint64_t length = form == kFollows ? file_.number_at(bytes.substr(2, 2)) : 0;
      if (length > bytes.size() - 4) damaged();
      const std::string_view value = bytes.substr(4, length);
      if (form == kFollows && kind == kRegisters && kernel == nullptr) {
        if (const std::uint32_t symbol = number(value, 0); symbol < symbols_.size())
          registers_[symbols_[symbol]] = number(value, 4);
      }
      if (form == kFollows && kernel != nullptr && (kind == kMaxThreads || kind == kRequiredThreads)) {
        const std::uint64_t plane = std::uint64_t{number(value, 0)} * number(value, 4);
        kernel->bound = static_cast<std::uint32_t>(std::min<std::uint64_t>(plane, kMostThreads) * number(value, 8));
        kernel->bound = std::min(kernel->bound, kMostThreads);
      }
      bytes.remove_prefix(4 + length);
    }
  }

  struct End {
    void operator()(::Elf* elf) const { elf_end(elf); }
  };

  const ElfFile& file_;
  std::unique_ptr<::Elf, End> elf_;
  bool is_linked_ = false;
  std::size_t names_ = 0;                                  ///< the section with section names
  std::vector<std::string_view> symbols_;                  ///< names, by index
  std::map<std::string_view, GpuKernel> kernels_;          ///< by name
  std::map<std::string_view, std::uint32_t> registers_{};  ///< by symbol
};

/// Returns the cubin of an entry, uncompressed; `unpacked` stores it if needed.
std::string_view cubin_of(const ElfFile& file, const Entry& entry, std::string& unpacked) {
  if ((entry.flags & (kLz4 | kZstd)) == 0) return entry.content;
  if (entry.unpacked > kMaxCubin) file.fail("a cubin in it is too large");
  const std::string_view packed = entry.packed();
  unpacked.resize(entry.unpacked);
  const bool is_whole =
      (entry.flags & kZstd) != 0
          ? ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size()) == unpacked.size()
          : LZ4_decompress_safe(packed.data(), unpacked.data(), static_cast<int>(packed.size()),
                                static_cast<int>(unpacked.size())) == static_cast<int>(unpacked.size());
  if (!is_whole) file.fail("a cubin in it cannot be decompressed");
  return unpacked;
}

/// Returns the start of PTX, as far as it can be unpacked.
std::string head_of(const Entry& entry) {
  if ((entry.flags & (kLz4 | kZstd)) == 0) return std::string(entry.content.substr(0, kHead));
  const std::string_view packed = entry.packed();
  std::string head(kHead, '\0');
  if ((entry.flags & kZstd) != 0) {
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{head.data(), head.size(), 0};
    ZSTD_decompressStream(context.get(), &out, &in);
    head.resize(out.pos);
  } else {
    const int size =
        LZ4_decompress_safe_partial(packed.data(), head.data(), static_cast<int>(packed.size()), kHead, kHead);
    head.resize(static_cast<std::size_t>(std::max(size, 0)));
  }
  return head;
}

/// Returns the suffix of the number in PTX's ".target sm_90a" (PTX ISA, "PTX Module Directives: .target").
std::string target_of(const Entry& entry) {
  if (entry.kind != kPtx) return "";
  const std::string head = head_of(entry);
  const std::size_t at = head.find(".target sm_");
  const std::size_t end = at == head.npos ? at : head.find_first_not_of("0123456789", at + 11);
  return end != head.npos && (head[end] == 'a' || head[end] == 'f') ? head.substr(end, 1) : "";
}

}  // namespace

std::vector<GpuCode> find_gpu_code(const ElfFile& file) {
  std::set<GpuCode> found;
  read_fat_binaries(file, [&](const Entry& entry) {
    if (entry.kind == kPtx || entry.kind == kMachineCode)
      found.insert({entry.kind == kPtx, entry.architecture, target_of(entry)});
    if (found.size() > kMaxGpuCodes) file.fail("it contains code for too many GPUs");
  });
  return {found.begin(), found.end()};
}

std::vector<GpuKernel> find_gpu_kernels(const ElfFile& file, std::uint32_t architecture) {
  std::set<GpuKernel> found;
  std::uint64_t bytes = 0;
  std::string unpacked;
  read_fat_binaries(file, [&](const Entry& entry) {
    if (entry.kind != kMachineCode || entry.architecture != architecture) return;
    check_interrupted();
    const std::string_view cubin = cubin_of(file, entry, unpacked);
    if (!ElfFile::is_elf(cubin)) return;  // code that is linked at run time
    bytes += cubin.size();
    if (bytes > kMostTimes * file.bytes().size() + kSmallFile) file.fail("its cubins are too large when decompressed");
    for (GpuKernel& kernel : Cubin(file, cubin).kernels()) found.insert(std::move(kernel));
  });
  return {found.begin(), found.end()};
}

std::uint32_t most_threads(const GpuKernel& kernel, std::int64_t registers_per_block) {
  constexpr std::int64_t kWarp = 32, kRegisterStep = 256, kWarpStep = 4;
  const std::int64_t wanted = std::max<std::int64_t>(kernel.registers, 1) * kWarp;
  const std::int64_t per_warp = (wanted + kRegisterStep - 1) / kRegisterStep * kRegisterStep;
  const std::int64_t threads = registers_per_block / per_warp / kWarpStep * kWarpStep * kWarp;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(threads, kMostThreads));
}

}  // namespace torchpatch::elf
