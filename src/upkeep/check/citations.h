// SPDX-License-Identifier: BSD-3-Clause
/// Whether what the catalog cites of upstream's sources stands there.
#pragma once

#include <string>
#include <string_view>

#include "model/catalog.h"
#include "model/check.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::upkeep {

/// "vision:setup.py" in parts.
struct CitedFile {
  RepositoryPath repository;  ///< of a component
  std::string path;           ///< from there, perhaps through submodules
  auto operator<=>(const CitedFile&) const = default;
};
CitedFile parse_cited_file(const std::string& text);
std::string cited_file_text(const CitedFile& file);

/// "vision:setup.py:97" in parts.
struct CitedPlace {
  CitedFile file;
  std::size_t line = 0;
};
CitedPlace parse_cited_place(const std::string& text);

/// Returns the content of a file of the release, null where there is none. Raises as PinnedLookup.
const std::string* find_cited_file(const Release& release, const CitedFile& file, source::PinnedLookup& lookup);

/// Returns where a file (null: there is none) has what an absence says that it has not, or empty text.
std::string absence_problem(const std::string* text, const std::string& words);

/// Looks at every place of `release` that a release, page or board cites. Raises as PinnedLookup, but for objects that
/// are nowhere.
CitationCheck check_citations(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup);

/// Adds up two.
void add(CitationCheck& sum, CitationCheck part);

/// Returns whether `word` stands in the line, and no other letter, digit or '_' touches it.
bool has_word(std::string_view line, std::string_view word);

/// Returns whether a line reads a variable: by its name, by its rest in quotes behind a NO_, USE_ or WITH_ that a
/// program puts before it, by its beginning in quotes ('CMAKE_'), or by what `table` says that implies it.
bool line_reads(std::string_view line, const std::string& variable, const VariableTable& table);

}  // namespace torchpatch::upkeep
