// SPDX-License-Identifier: BSD-3-Clause
/// ElfFile: what an ELF file requires of the system that loads it, read with elfutils' libelf through the program
/// headers, as glibc's loader does: it reads the file's tables where its segments map them, and ignores sections.
/// find_functions() and find_extension_uses(): which functions need an extension that a core lacks. Use it only in
/// worker processes (support/worker_pool.h), since it gives foreign bytes to a library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "elf/instruction_sets.h"
#include "support/fields.h"

// libelf's
struct Elf;

namespace torchpatch::elf {

/// A symbol version that a library must have: "GLIBC_2.34" of "libc.so.6".
struct VersionNeed {
  std::string library, version;
  auto operator<=>(const VersionNeed&) const = default;
};
FIELDS(VersionNeed, library, version)

/// How 32-bit ARM code passes floating-point arguments.
enum class FloatAbi { unknown, soft, hard };

struct ElfFacts {
  std::string machine;                    ///< as in `uname -m` (aarch64, armv7l, x86_64, i686), else "machine 8"
  int bits = 0;                           ///< 32 or 64
  bool is_loadable = false;               ///< a library or program, not an object file
  bool is_program = false;                ///< cannot be loaded as a library
  std::string refusal;                    ///< why glibc's loader refuses it, or empty
  bool is_misaligned = false;             ///< glibc before 2.35 refuses it
  std::uint64_t largest_page = 65536;     ///< largest page size, up to 64 KiB, with which the loader can map it
  bool has_relative_relocations = false;  ///< packed ones (DT_RELR), which glibc before 2.36 ignores
  bool is_big_endian = false;
  FloatAbi float_abi = FloatAbi::unknown;  ///< for 32-bit ARM
  std::vector<std::string> needed;         ///< DT_NEEDED and DT_FILTER, in order
  std::vector<std::string> run_path;       ///< DT_RUNPATH, or else DT_RPATH, split at ':'
  bool hands_down_run_path = false;        ///< it is DT_RPATH, which is also searched for its dependencies' libraries
  std::vector<VersionNeed> versions;       ///< in order, no duplicates
  std::vector<std::string> defined;        ///< symbol versions that it defines; none: nothing can require one
  std::uint64_t static_tls = 0;            ///< bytes of thread-local data that must be in the initial threads' block
  bool has_text_relocations = false;
  bool wants_executable_stack = false;
};
FIELDS(ElfFacts, machine, bits, is_loadable, is_program, refusal, is_misaligned, largest_page, has_relative_relocations,
       is_big_endian, float_abi, needed, run_path, hands_down_run_path, versions, defined, static_tls,
       has_text_relocations, wants_executable_stack)

/// An ELF file in memory.
class ElfFile {
 public:
  /// Returns whether the bytes have the magic of an ELF file.
  static bool is_elf(std::string_view bytes) { return bytes.starts_with("\177ELF"); }

  /// `bytes` must outlive this. `name` is for messages. Raises source if the headers are damaged.
  ElfFile(std::string_view bytes, std::string name);

  const ElfFacts& facts() const { return facts_; }
  std::string_view bytes() const { return bytes_; }
  ::Elf* handle() const { return elf_.get(); }

  /// A loaded part of the file.
  struct Segment {
    std::uint64_t address = 0, offset = 0, size = 0;
    std::uint64_t tail = 0;  ///< bytes of the file after it in its last page, which are loaded too
    bool is_code = false;
    std::uint64_t page() const;  ///< address of its first page, which is loaded completely
  };
  /// Sorted by address; no two share a page.
  const std::vector<Segment>& segments() const { return segments_; }

  /// End of the program headers, if they follow the file header, else of that.
  std::uint64_t headers_end() const { return headers_end_; }

  /// A section. The loader needs none; a file may be stripped of them.
  struct Section {
    std::string name;
    std::uint32_t type = 0;   ///< SHT_…
    std::uint64_t flags = 0;  ///< SHF_…
    std::uint64_t address = 0;
    std::uint32_t link = 0;  ///< index of its string table
    std::string_view bytes;  ///< loaded at its address; from the file if it is not loaded
  };
  const std::vector<Section>& sections() const { return sections_; }

  /// Returns up to `size` bytes of the file that are loaded at an address; none if no segment contains it.
  std::string_view loaded(std::uint64_t address, std::uint64_t size) const;

  /// Returns the value of an entry in the dynamic section; of several the last, as the loader does.
  std::optional<std::uint64_t> dynamic_value(std::uint64_t tag) const;

  /// Returns up to 8 bytes of the file as a number, in its byte order.
  std::uint64_t number_at(std::string_view bytes) const;

  /// Returns a text from the section with an index, up to 4096 bytes; none if it does not exist.
  std::string_view text_of(std::uint32_t index, std::uint64_t offset) const;

  /// Count bytes scanned, and bytes of texts kept. Raise source if they reach a multiple of the file's size: then its
  /// parts overlap, and the work would not be bounded by the size.
  void note_read(std::uint64_t bytes) const;
  void note_kept(std::uint64_t bytes) const;
  std::uint64_t bytes_read() const { return bytes_read_; }

  [[noreturn]] void fail(const std::string& reason) const;

 private:
  struct End {
    void operator()(::Elf* elf) const;
  };

  /// Records why the loader refuses the file.
  void refuse(std::string reason);
  void read_header();
  void read_segments();
  void add_segment(Segment segment, std::uint64_t memory, std::uint64_t alignment);
  void read_sections();
  void read_dynamic();
  void read_versions(std::uint64_t address);
  void read_definitions(std::uint64_t address);
  bool has_static_relocation() const;
  std::string text_at(std::uint64_t offset) const;

  std::string_view bytes_;
  std::string name_;
  std::unique_ptr<::Elf, End> elf_;
  ElfFacts facts_;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::uint64_t headers_end_ = 0, memory_end_ = 0, thread_local_ = 0;
  std::string_view dynamic_;   ///< the dynamic section, up to its end
  std::uint64_t strings_ = 0;  ///< address of its string table
  mutable std::uint64_t bytes_read_ = 0, bytes_kept_ = 0;
};

/// A function, from its symbol, or in a stripped file from unwind information.
struct Function {
  std::uint64_t begin = 0, end = 0;  ///< addresses
  std::string_view name{};           ///< its symbol, in the file's bytes, or empty
  bool is_exported = false;          ///< other files can call it
  bool is_thumb = false;             ///< 32-bit ARM: a symbol marks it as T32
};

/// Returns the functions sorted by address, without duplicates; one that contains the next is cut off there.
std::vector<Function> find_functions(const ElfFile& file);

/// Adds functions that begin at these addresses, and cuts off those that contain them.
void add_functions(const std::vector<std::uint64_t>& begins, std::vector<Function>& functions);

/// A pointer that the loader sets to a symbol's address: libraries use these to reach what they export or import.
struct Slot {
  std::uint64_t address = 0, target = 0;  ///< target: if the symbol is in the file itself, else 0
  std::string_view name{};                ///< in the file's bytes
};

/// Returns the slots of an aarch64 file, sorted by address.
std::vector<Slot> find_slots(const ElfFile& file);

/// Returns the addresses of functions that run when the file is loaded (DT_INIT_ARRAY).
std::vector<std::uint64_t> find_constructors(const ElfFile& file);

/// Names of a library's undefined symbols (except weak ones), and of those it exports; in the file's bytes.
struct SymbolNames {
  std::vector<std::string_view> imports, exports;
};
SymbolNames find_symbol_names(const ElfFile& file);

/// How functions that use an extension are reached.
///
/// A library may have such code for cores with the extension and select it at run time: gcc's outline atomics, ifuncs,
/// tables of kernels. A library compiled for a newer core differs in how its functions are reached: by direct calls
/// from exported functions, without a test. This is a heuristic: an `open` function is on a path from something that
/// anyone can call, a `chosen` one may be reached by a wrong choice.
enum class Reach {
  at_import,  ///< from a constructor, or from an entry point that Python or Node call at import
  open,       ///< from an exported function
  chosen,     ///< only through a pointer, after a test of a flag, or by a name in a family of selected kernels
};

/// Functions that use an extension and are reached alike, represented by the one at the lowest address.
struct ExtensionUse {
  Extension extension = Extension::lse;
  Reach reach = Reach::open;
  std::uint64_t functions = 0;  ///< how many
  std::string function;         ///< the first one's symbol, or "0x1f40": address of its first such instruction
  std::uint64_t count = 0;      ///< number of such instructions in it
  std::string root;             ///< symbol it is reached from, or empty
};
FIELDS(ExtensionUse, extension, reach, functions, function, count, root)

/// Returns the uses of extensions not in `present` by functions of an ARM file, open ones first. Code outside known
/// functions is `chosen`, unless no function is known.
std::vector<ExtensionUse> find_extension_uses(const ElfFile& file, const std::set<Extension>& present);

}  // namespace torchpatch::elf
