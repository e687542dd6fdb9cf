// SPDX-License-Identifier: BSD-3-Clause
/// The evidence behind data: the source of each figure (SourceNote), and places in upstream's sources with the text
/// that must be there (Citation), which can be checked by machine.
#pragma once

#include <string>
#include <vector>

#include "model/text_rules.h"
#include "support/json_fields.h"

namespace torchpatch {

/// An entry of "sources" in a data file: the evidence for some of its keys, and whether it was verified. Every figure
/// has one (a test checks that); `show` and the documentation mark unverified ones.
struct SourceNote {
  std::vector<std::string> keys;  ///< key paths in the file, such as "memory_mib" or "images.jetpack-3.3.glibc"
  std::string source;             ///< a link, a document or a reason; "not looked up" if nobody read it
  bool verified = false;
};
FIELDS(SourceNote, ("keys", self.keys, kLineRule, kNotEmpty, kUnique), ("source", self.source, kLineRule), verified)

struct Citation {
  std::string release;  ///< whose pinned sources
  /// "setup.py:12", "third_party/gloo/gloo/types.h:66", "vision:setup.py:97"; of an absence, the file only.
  std::string place;
  std::string words;  ///< in that line; of an absence, what the file lacks, or empty: the file does not exist
};
FIELDS(Citation, release, place, words)

/// "citations", "absences" and "outside" of a data file.
struct Citations {
  std::vector<Citation> present, absent;
  std::vector<std::string> outside;  ///< places named in the text that are in no release: "recog.cc:2812"
};

/// In a data file: release → place → words.
struct CitationsForm {
  std::vector<Citation>& citations;
  bool are_present;  ///< false: absences

  bool empty() const { return citations.empty(); }
  Json json() const;
  void read(const JsonPlace& place) const;
};

/// A citation that does not match the release's sources.
struct WrongCitation {
  std::string file{};   ///< the file of the catalog with the citation: "known_issues/cudnn-8.md"; or empty
  std::string issue{};  ///< the issue whose page has it; or empty
  std::string release{}, place{}, words{};
  std::string found{};  ///< the actual line, or why there is none; may be empty

  /// "known_issues/cudnn-8.md: 'cudnn.h' at setup.py:12 of 1.8.0: the line is …"
  std::string text() const;
};
FIELDS(WrongCitation, ("file", self.file, kOptional), ("issue", self.issue, kOptional),
       ("release", self.release, kOptional), place, words, ("found", self.found, kNullIfNothing))

}  // namespace torchpatch
