// SPDX-License-Identifier: BSD-3-Clause
/// identify_licence: which licence a LICENSE or COPYING file states, judged by its whole text, never guessed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/digest.h"

namespace torchpatch {

/// The words of a licence file, and which of them are accounted for (internal).
class LicenceWords {
 public:
  /// Splits `text` into runs of ASCII letters and digits, in lower case; everything else separates words.
  explicit LicenceWords(std::string_view text);

  /// Finds `passage`: words separated by one space, in which "[n]" and "{n}" match up to n other words. Marks the words
  /// of the first match as accounted for, except those of "[n]". Returns whether there is one.
  bool take(std::string_view passage);
  /// The same for everything from the words `begin` to the words `end`. Returns it with one space between words, or
  /// empty text.
  std::string take_between(std::string_view begin, std::string_view end);
  /// Unmarks all words.
  void reset();
  /// Returns whether any of `words` is not accounted for.
  bool has_left(const std::vector<std::string>& words) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// Returns the first position in [from, last] of `words`.
  std::size_t find(const std::vector<std::string>& words, std::size_t from, std::size_t last) const;
  void mark(std::size_t begin, std::size_t end);

  std::vector<std::string> words_;
  std::vector<bool> is_taken_;
};

/// A licence that can be identified (internal), by its text or, if long, by its digest. Texts:
/// https://spdx.org/licenses/<id>.html
struct Licence {
  std::string id;
  std::vector<std::string> names;  ///< its title and other common names
  /// A passage, by lines (LicenceWords::take): the whole text, or the notice that names the licence.
  std::vector<std::string> text;
  std::string begin, end;  ///< the first and last words of a long text
  Sha256 sha256;           ///< of the words from `begin` to `end`, one space between them
};

struct LicenceData {
  std::vector<std::string> terms;        ///< names of licences; none but its own may remain besides its text
  std::vector<std::string> names;        ///< passages that accompany a text without being terms: how to apply it
  std::vector<std::string> boilerplate;  ///< passages around a text that are no terms: how to apply it
  std::vector<Licence> licences;
};
const LicenceData& licence_data();

/// A licence file at the root of a repository.
struct LicenceFile {
  std::string name;  ///< "LICENSE"
  /// SPDX id of its text; empty: unknown, or more than one. For the GNU family, the id without "-only" or "-or-later",
  /// which the text does not determine.
  std::string id;

  bool operator==(const LicenceFile&) const = default;
};

/// Longer files are not read; their id is empty.
inline constexpr std::size_t kMaxLicenceBytes = 256u << 10;

/// Returns whether a file name at the root of a repository is that of a licence file: LICENSE…, LICENCE…, COPYING…,
/// UNLICENSE…, ignoring case.
bool is_licence_file_name(std::string_view name);

/// Returns the SPDX id (https://spdx.org/licenses/) of the only licence whose text is in `text`, or empty text. Case,
/// whitespace, bullets and punctuation are ignored. Titles and copyright lines are allowed, but nothing else that looks
/// like terms or names another licence.
std::string identify_licence(std::string_view text);

/// Returns the id common to all `files`, or empty text if they differ, one has none or there are no files.
std::string common_licence(const std::vector<LicenceFile>& files);

}  // namespace torchpatch
