// SPDX-License-Identifier: BSD-3-Clause
/// The functions of an ELF file (find_functions), and which of them need an extension that a core lacks
/// (find_extension_uses).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "elf/elf_file.h"
#include "elf/instruction_sets.h"
#include "support/fields.h"

namespace torchpatch::elf {

/// A function, by its symbol, and in a stripped file by what exceptions are unwound with.
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

/// How functions with instructions of an extension are reached.
///
/// A library may have such code for cores that have the extension, and choose at run time: gcc's outline atomics,
/// ifuncs, XNNPACK, SLEEF, ATen's kernels by CPU_CAPABILITY. What distinguishes it from a library that was compiled for
/// a newer core is how its functions are reached. This is a judgement, not a proof: an `open` one runs on the way to
/// something that everybody can call, a `chosen` one may be reached by a choice that is wrong.
enum class Reach {
  open,    ///< by its name from outside, when the file is loaded, or by a call that tests nothing before
  chosen,  ///< by an address alone, behind a test of a flag, or by its name's family of kernels that are chosen
};

/// A function with instructions of an extension.
struct ExtensionUse {
  Extension extension = Extension::lse;
  std::string function;     ///< its symbol, or "0x1f40": the address of the first of the instructions
  std::uint64_t count = 0;  ///< of the instructions
  Reach reach = Reach::open;
  std::string why;  ///< how it is reached
};
FIELDS(ExtensionUse, extension, function, count, reach, why)

/// Returns the functions of a file for ARM that need what is not in `present`, the open ones first, each by address.
/// Code that no function is known for is `chosen`, unless none of the file is.
std::vector<ExtensionUse> find_extension_uses(const ElfFile& file, const std::set<Extension>& present);

}  // namespace torchpatch::elf
