// SPDX-License-Identifier: BSD-3-Clause
#include "model/licence.h"

#include <algorithm>

#include "model/licence_texts.h"
#include "model/licence_words.h"
#include "support/ascii.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch {
namespace {

/// Words that make terms. Whatever stands beside the text of a licence must not have them.
const std::vector<std::string_view> kTerms = {
    "agree",    "agreement",  "condition",   "conditions",   "exception", "grant",      "granted",   "may",
    "must",     "obligation", "only",        "patent",       "patents",   "permission", "permitted", "prohibited",
    "provided", "restricted", "restriction", "restrictions", "shall",     "terms",      "warranty"};

/// What licences are called.
const std::vector<std::string_view> kNames = {"apache", "boost", "bsd",     "creative", "gnu",  "gpl",       "isc",
                                              "lgpl",   "mit",   "mozilla", "mpl",      "ncsa", "unlicense", "zlib"};

/// Returns whether beside a licence with these `names` nothing stands that matters.
bool is_alone(LicenceWords& words, const std::vector<std::string_view>& names) {
  for (const std::string_view passage : licence_boilerplate()) words.take(passage);
  std::vector<std::string_view> others;
  std::copy_if(kNames.begin(), kNames.end(), std::back_inserter(others),
               [&names](std::string_view name) { return std::find(names.begin(), names.end(), name) == names.end(); });
  return !words.has_left(kTerms) && !words.has_left(others);
}

}  // namespace

bool is_licence_file_name(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const char* begin : {"license", "licence", "copying", "unlicense"}) {
    if (starts_with(lower, begin)) return true;
  }
  return false;
}

std::string identify_licence(std::string_view text) {
  LicenceWords words(text);
  for (const LongLicence& licence : long_licences()) {
    words.reset();
    const std::string body = words.take_between(licence.begin, licence.end);
    if (body.empty() || sha256(body).hex() != licence.sha256) continue;
    return is_alone(words, licence.names) ? licence.id : "";
  }
  for (const ShortLicence& licence : short_licences()) {
    words.reset();
    if (words.take(licence.text)) return is_alone(words, licence.names) ? licence.id : "";
  }
  return {};
}

std::string common_licence(const std::vector<LicenceFile>& files) {
  if (files.empty()) return {};
  const bool is_one = std::all_of(files.begin(), files.end(), [&](const auto& file) { return file.id == files[0].id; });
  return is_one ? files[0].id : "";
}

}  // namespace torchpatch
