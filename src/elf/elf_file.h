// SPDX-License-Identifier: BSD-3-Clause
/// ElfFile: what an ELF file requires of the system that loads it, read with elfutils' libelf, by the program headers
/// as the loader goes by them: glibc's reads the file's tables where its segments put them in memory, and looks at no
/// section; find_functions() and find_extension_uses(): which of its functions need an extension that a core lacks.
/// Only ever used inside a worker process (support/worker_pool.h), for it trusts a library with foreign bytes.
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

/// A version of symbols that a library must have: "GLIBC_2.34" of "libc.so.6".
struct VersionNeed {
  std::string library, version;
  auto operator<=>(const VersionNeed&) const = default;
};
FIELDS(VersionNeed, library, version)

/// How 32-bit ARM code hands over floating-point numbers.
enum class FloatAbi { unknown, soft, hard };

struct ElfFacts {
  std::string machine;                    ///< as `uname -m` has it (aarch64, armv7l, x86_64, i686), else "machine 8"
  int bits = 0;                           ///< 32 or 64
  bool is_loadable = false;               ///< a library or program, not an object file
  bool is_program = false;                ///< that nothing can load as a library
  std::string refusal;                    ///< why glibc's loader refuses it, or empty
  bool is_misaligned = false;             ///< so that glibc before 2.35 refuses it
  std::uint64_t largest_page = 65536;     ///< bytes of the largest pages, up to 64 KiB, at which the loader can map it
  bool has_relative_relocations = false;  ///< packed ones (DT_RELR), which glibc before 2.36 passes over
  bool is_big_endian = false;
  FloatAbi float_abi = FloatAbi::unknown;  ///< of 32-bit ARM
  std::vector<std::string> needed;         ///< DT_NEEDED and DT_FILTER, in order
  std::vector<std::string> run_path;       ///< DT_RUNPATH, or else DT_RPATH, split at ':'
  bool hands_down_run_path = false;        ///< it is DT_RPATH: what the library loads looks there as well
  std::vector<VersionNeed> versions;       ///< in order, each once
  std::vector<std::string> defined;        ///< versions of symbols that it has, or none: nobody asks for one
  std::uint64_t static_tls = 0;            ///< bytes of thread-local data that have to lie where the first threads' do
  bool has_text_relocations = false;
  bool wants_executable_stack = false;
};
FIELDS(ElfFacts, machine, bits, is_loadable, is_program, refusal, is_misaligned, largest_page, has_relative_relocations,
       is_big_endian, float_abi, needed, run_path, hands_down_run_path, versions, defined, static_tls,
       has_text_relocations, wants_executable_stack)

/// An ELF file in memory.
class ElfFile {
 public:
  /// Whether the bytes begin as an ELF file does.
  static bool is_elf(std::string_view bytes) { return bytes.starts_with("\177ELF"); }

  /// Keeps a view of `bytes`. `name` is for messages. Raises source where the headers are damaged.
  ElfFile(std::string_view bytes, std::string name);

  const ElfFacts& facts() const { return facts_; }
  std::string_view bytes() const { return bytes_; }
  ::Elf* handle() const { return elf_.get(); }

  /// A part of the file that is loaded.
  struct Segment {
    std::uint64_t address = 0, offset = 0, size = 0;
    std::uint64_t tail = 0;  ///< bytes of the file that follow it in its last page, and are loaded with it
    bool is_code = false;
    std::uint64_t page() const;  ///< the address of its first page, which is loaded with it
  };
  /// In order of their addresses; no two have a page in common.
  const std::vector<Segment>& segments() const { return segments_; }

  /// Where the program headers end, if they follow the file's header, else that.
  std::uint64_t headers_end() const { return headers_end_; }

  /// A section, which the loader needs none of; a file may have lost them.
  struct Section {
    std::string name;
    std::uint32_t type = 0;   ///< SHT_…
    std::uint64_t flags = 0;  ///< SHF_…
    std::uint64_t address = 0;
    std::uint32_t link = 0;  ///< index of the one with its texts
    std::string_view bytes;  ///< that are loaded at its address, or that the file has for one that is not loaded
  };
  const std::vector<Section>& sections() const { return sections_; }

  /// Returns up to `size` bytes of the file that are loaded at an address; none where no segment has it.
  std::string_view loaded(std::uint64_t address, std::uint64_t size) const;

  /// Returns the value of an entry of the dynamic section: of several the last, as the loader takes them.
  std::optional<std::uint64_t> dynamic_value(std::uint64_t tag) const;

  /// Returns the number that up to 8 bytes of the file are, in its byte order.
  std::uint64_t number_at(std::string_view bytes) const;

  /// Returns a text of the section with an index, of a longer one the first 4096 bytes; none where there is none.
  std::string_view text_of(std::uint32_t index, std::uint64_t offset) const;

  /// Counts bytes that are gone through, and those of texts that are kept. Raises source where they come to several
  /// times what the file has: its parts lie over one another, and the work would not be bounded by its size.
  void note_read(std::uint64_t bytes) const;
  void note_kept(std::uint64_t bytes) const;
  std::uint64_t bytes_read() const { return bytes_read_; }

  [[noreturn]] void fail(const std::string& reason) const;

 private:
  struct End {
    void operator()(::Elf* elf) const;
  };

  /// Notes why the loader refuses the file.
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
  std::uint64_t strings_ = 0;  ///< the address of its texts
  mutable std::uint64_t bytes_read_ = 0, bytes_kept_ = 0;
};

/// A function, by its symbol, and in a stripped file by what exceptions are unwound with.
struct Function {
  std::uint64_t begin = 0, end = 0;  ///< addresses
  std::string_view name{};           ///< a symbol, in the file's bytes, or empty
  bool is_exported = false;          ///< other files can call it
  bool is_thumb = false;             ///< of 32-bit ARM: a symbol says that it is T32
};

/// Returns the functions in order of their addresses, each address once; where one lies in another it is cut off there.
std::vector<Function> find_functions(const ElfFile& file);

/// Adds functions that begin at addresses, and cuts off what they lie in.
void add_functions(const std::vector<std::uint64_t>& begins, std::vector<Function>& functions);

/// A pointer that the loader sets to the address of a symbol: through these, libraries reach what they export or
/// import.
struct Slot {
  std::uint64_t address = 0, target = 0;  ///< target: of a symbol of the file itself, else 0
  std::string_view name{};                ///< in the file's bytes
};

/// Returns the slots of a file for aarch64, in order of their addresses.
std::vector<Slot> find_slots(const ElfFile& file);

/// Returns the addresses of functions that run when the file is loaded (DT_INIT_ARRAY).
std::vector<std::uint64_t> find_constructors(const ElfFile& file);

/// Names that a library takes from others (but for weak ones), and names that others can take from it; in the file's
/// bytes.
struct SymbolNames {
  std::vector<std::string_view> imports, exports;
};
SymbolNames find_symbol_names(const ElfFile& file);

/// How functions with instructions of an extension are reached.
///
/// A library may have such code for cores that have the extension, and choose at run time: gcc's outline atomics,
/// ifuncs, tables of kernels. What distinguishes it from a library that was compiled for a newer core is how its
/// functions are reached: by direct calls from what everybody can call, with nothing tested before. This is a
/// judgement, not a proof: an `open` one runs on the way to something that everybody can call, a `chosen` one may be
/// reached by a choice that is wrong.
enum class Reach {
  at_import,  ///< from a constructor, or from what Python or Node calls to import it
  open,       ///< from a function that the file exports
  chosen,     ///< by an address alone, behind a test of a flag, or by its name's family of kernels that are chosen
};

/// Functions with instructions of an extension that are reached alike; the first by its address stands for them.
struct ExtensionUse {
  Extension extension = Extension::lse;
  Reach reach = Reach::open;
  std::uint64_t functions = 0;  ///< how many
  std::string function;         ///< the first: its symbol, or "0x1f40": the address of the first of the instructions
  std::uint64_t count = 0;      ///< of the instructions in it
  std::string root;             ///< the symbol from which it is reached, or empty
};
FIELDS(ExtensionUse, extension, reach, functions, function, count, root)

/// Returns what functions of a file for ARM need that is not in `present`, what is open first. Code that no function is
/// known for is `chosen`, unless none of the file is.
std::vector<ExtensionUse> find_extension_uses(const ElfFile& file, const std::set<Extension>& present);

}  // namespace torchpatch::elf
