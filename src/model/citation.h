// SPDX-License-Identifier: BSD-3-Clause
/// A place in upstream's sources that a file of the catalog names, and what must stand there, for a machine to look up.
#pragma once

#include <string>
#include <vector>

#include "support/json_fields.h"

namespace torchpatch {

struct Citation {
  std::string release;  ///< whose pinned sources
  /// "setup.py:12", "third_party/gloo/gloo/types.h:66", "vision:setup.py:97". Of an absence the file alone.
  std::string place;
  std::string words;  ///< of that line; of an absence what the file has not, or empty: there is no such file
};
FIELDS(Citation, release, place, words)

/// "citations", "absences" and "outside" of a data file.
struct Citations {
  std::vector<Citation> present, absent;
  std::vector<std::string> outside;  ///< places that the text names in files of no release: "recog.cc:2812"
};

/// In a data file: release → place → words.
struct CitationsForm {
  std::vector<Citation>& citations;
  bool are_present;  ///< not absences

  bool empty() const { return citations.empty(); }
  Json json() const;
  void read(const JsonPlace& place) const;
};

}  // namespace torchpatch
