// SPDX-License-Identifier: BSD-3-Clause
/// ChosenNames and is_run_at_import(): what the names of functions reveal about how they are called.
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_file.h"

namespace torchpatch::elf {

/// Which names belong to a family of functions that exist once per kind of core and are selected at run time. Names may
/// share their tails, as many as a text has bytes, so each text is scanned once, not once per name.
class ChosenNames {
 public:
  explicit ChosenNames(const ElfFile& file);
  bool has(std::string_view name) const;

 private:
  /// Names that begin here contain both parts of a family's.
  struct Range {
    std::size_t begin = 0, last = 0;
  };

  std::size_t place_of(std::string_view text) const;
  void add(std::string_view table);

  const ElfFile& file_;
  std::vector<Range> ranges_;
};

/// Returns whether an import calls an exported function of this name: Python's and Node's entry points.
bool is_run_at_import(std::string_view name);

}  // namespace torchpatch::elf
