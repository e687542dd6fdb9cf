// SPDX-License-Identifier: BSD-3-Clause
/// Where the functions of an ELF file begin and end: by its symbols, and of a stripped one by what exceptions are
/// unwound with. And the names by which files are linked at run time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elf/elf_file.h"

namespace torchpatch::elf {

struct Function {
  std::uint64_t begin = 0, end = 0;  ///< addresses
  std::string name{};                ///< a symbol, or empty
  bool is_exported = false;          ///< other files can call it
  bool is_thumb = false;             ///< of 32-bit ARM: a symbol says that it is T32
};

/// Returns the functions in order of their addresses, each address once; where one lies in another it is cut off there.
std::vector<Function> find_functions(const ElfFile& file);

/// Returns the addresses of functions that run when the file is loaded (DT_INIT_ARRAY); none of a file of 32 bits.
std::vector<std::uint64_t> find_constructors(const ElfFile& file);

/// Names that a library takes from others (but for weak ones), and names that others can take from it.
struct SymbolNames {
  std::vector<std::string> imports, exports;
};
SymbolNames find_symbol_names(const ElfFile& file);

}  // namespace torchpatch::elf
