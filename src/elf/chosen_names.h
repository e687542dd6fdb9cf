// SPDX-License-Identifier: BSD-3-Clause
/// What the names of functions tell: ChosenNames, which exist once for each kind of core; is_run_at_import().
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_file.h"

namespace torchpatch::elf {

/// Which names are of a family of functions that exist once for each kind of core, of which a program chooses one when
/// it runs. Names may share their ends, as many as a text has bytes: so each text is gone through once, not once for
/// each name.
class ChosenNames {
 public:
  explicit ChosenNames(const ElfFile& file);
  bool has(std::string_view name) const;

 private:
  /// Names that begin here have both parts of a family's.
  struct Range {
    std::size_t begin = 0, last = 0;
  };

  std::size_t place_of(std::string_view text) const;
  void add(std::string_view table);

  const ElfFile& file_;
  std::vector<Range> ranges_;
};

/// Whether an import calls an exported function of this name: Python's and Node's entry points.
bool is_run_at_import(std::string_view name);

}  // namespace torchpatch::elf
