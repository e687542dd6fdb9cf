// SPDX-License-Identifier: BSD-3-Clause
/// Which licence a LICENSE or COPYING file states: by its whole text, never by guess (identify_licence).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/digest.h"

namespace torchpatch {

/// The words of a licence file, and what of them is accounted for (internal).
class LicenceWords {
 public:
  /// Takes runs of ASCII letters and digits, in lower case; everything else parts them.
  explicit LicenceWords(std::string_view text);

  /// Looks for `passage`: words with one space between them. "[n]" in it stands for at most n others; "{n}" as well,
  /// but these belong to the passage. Marks the first place's words as accounted for and returns whether there is one.
  bool take(std::string_view passage);
  /// The same for everything from the words `begin` to the words `end`; returns that text with one space between its
  /// words, or empty text.
  std::string take_between(std::string_view begin, std::string_view end);
  /// Nothing is accounted for any more.
  void reset();
  /// Returns whether any of `words` is left.
  bool has_left(const std::vector<std::string>& words) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// Returns the first place in [from, last] where `words` stand.
  std::size_t find(const std::vector<std::string>& words, std::size_t from, std::size_t last) const;
  void mark(std::size_t begin, std::size_t end);

  std::vector<std::string> words_;
  std::vector<bool> is_taken_;
};

/// A licence that is recognised (internal), by its text or, of a long one, by its digest.
/// Texts: https://spdx.org/licenses/<id>.html
struct Licence {
  std::string id;
  std::vector<std::string> names;  ///< what its title and the people who use it call it
  /// Lines of a passage (LicenceWords::take): the whole text, or the notice that names the licence.
  std::vector<std::string> text;
  std::string begin, end;  ///< the words that a long text begins and ends with
  Sha256 sha256;           ///< of the words from `begin` to `end`, one space between them
};

/// licences.json.
struct LicenceData {
  std::vector<std::string> terms;        ///< words that make terms; none may stand beside the text of a licence
  std::vector<std::string> names;        ///< what licences are called; none but its own may stand beside a text
  std::vector<std::string> boilerplate;  ///< passages around a text that are no terms: how to apply it
  std::vector<Licence> licences;
};
const LicenceData& licence_data();

/// A licence file at the root of a repository.
struct LicenceFile {
  std::string name;  ///< "LICENSE"
  /// SPDX id of the text in it; empty: none that is known, or more than one. Texts of the GNU family go by the id
  /// without "-only" or "-or-later": which of the two holds does not stand in the text.
  std::string id;

  bool operator==(const LicenceFile&) const = default;
};

/// Longer files are not read: their id is empty.
inline constexpr std::size_t kMaxLicenceBytes = 256u << 10;

/// Returns whether a file of this name at the root of a repository is looked at: LICENSE…, LICENCE…, COPYING…,
/// UNLICENSE…, in any case of letters.
bool is_licence_file_name(std::string_view name);

/// Returns the SPDX id (https://spdx.org/licenses/) of the one licence whose text `text` is, or empty text. Letters,
/// spaces, line breaks, bullets and punctuation do not count. Besides the licence's own words there may be titles and
/// copyright lines, but nothing that reads like terms of its own or names another licence.
std::string identify_licence(std::string_view text);

/// Returns the id that all of `files` have, or empty text where they differ, one has none or there are none.
std::string common_licence(const std::vector<LicenceFile>& files);

}  // namespace torchpatch
