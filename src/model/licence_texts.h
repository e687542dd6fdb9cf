// SPDX-License-Identifier: BSD-3-Clause
/// The licences that are recognised (internal). Their texts: https://spdx.org/licenses/<id>.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

/// A licence whose whole text, or the notice that names it, is a passage (LicenceWords::take).
struct ShortLicence {
  const char* id;
  std::string text;
  std::vector<std::string_view> names;  ///< what its title and the people who use it call it
};
const std::vector<ShortLicence>& short_licences();

/// A licence that is known by the SHA-256 of its words, one space between them, from `begin` to `end`.
struct LongLicence {
  const char* id;
  std::string_view begin, end;
  std::string_view sha256;
  std::vector<std::string_view> names;
};
const std::vector<LongLicence>& long_licences();

/// Passages around the text of a licence that are no terms: instructions how to apply it.
const std::vector<std::string_view>& licence_boilerplate();

}  // namespace torchpatch
