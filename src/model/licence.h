// SPDX-License-Identifier: BSD-3-Clause
/// Which licence a LICENSE or COPYING file states: by its whole text, never by guess.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

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
