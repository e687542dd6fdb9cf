// SPDX-License-Identifier: BSD-3-Clause
/// What a file of the catalog is based on: the source of each figure (SourceNote), and places in upstream's sources
/// with what must stand there (Citation), which a machine can look up.
#pragma once

#include <string>
#include <vector>

#include "model/text_rules.h"
#include "support/json_fields.h"

namespace torchpatch {

/// The "sources" of a data file: for some of its keys, the evidence and whether anyone has verified it.
/// Every figure has one (a test says so); what is unverified is shown as such by `show` and the documentation.
struct SourceNote {
  std::vector<std::string> keys;  ///< key paths in the file, such as "memory_mib" or "images.jetpack-3.3.glibc"
  std::string source;             ///< a link, a document, or what it rests on; "not looked up" where nobody read it
  bool verified = false;
};
FIELDS(SourceNote, ("keys", self.keys, kLineRule, kNotEmpty, kUnique), ("source", self.source, kLineRule), verified)

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

/// What is cited of a release and does not stand there.
struct WrongCitation {
  std::string file{};   ///< of the catalog, that cites it: "known_issues/cudnn-8.md"; or empty
  std::string issue{};  ///< whose page cites it; or empty
  std::string release{}, place{}, words{};
  std::string found{};  ///< the line that is there, or why there is none; may be empty

  /// "known_issues/cudnn-8.md: 'cudnn.h' at setup.py:12 of 1.8.0: the line is …"
  std::string text() const;
};
FIELDS(WrongCitation, ("file", self.file, kOptional), ("issue", self.issue, kOptional),
       ("release", self.release, kOptional), place, words, ("found", self.found, kNullIfNothing))

}  // namespace torchpatch
