// SPDX-License-Identifier: BSD-3-Clause
#include "model/licence.h"

#include <algorithm>

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// A stretch of a passage: words that stand one after the other, behind at most `gap` others.
struct Stretch {
  std::size_t gap = 0;
  bool owns_gap = false;
  std::vector<std::string_view> words;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return words;
}

std::vector<Stretch> stretches_of(std::string_view passage) {
  std::vector<Stretch> stretches(1);
  for (const std::string_view word : words_of(passage)) {
    if (word.front() == '[' || word.front() == '{') {
      const auto gap = parse_decimal(word.substr(1, word.size() - 2));
      stretches.push_back({static_cast<std::size_t>(gap.value()), word.front() == '{', {}});
    } else {
      stretches.back().words.push_back(word);
    }
  }
  return stretches;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

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

constexpr std::string_view kBsdBegin =
    "redistribution and use in source and binary forms with or without modification are permitted provided "
    "that the following conditions are met [2] redistributions of source code must retain the above copyright "
    "notice this list of conditions and the following disclaimer [2] redistributions in binary form must "
    "reproduce the above copyright notice this list of conditions and the following disclaimer in the "
    "documentation and or other materials provided with the distribution ";

constexpr std::string_view kBsdEnd =
    "[2] this software is provided by [20] as is and any express or implied warranties including but not "
    "limited to the implied warranties of merchantability and fitness for a particular purpose are disclaimed "
    "in no event shall [20] be liable for any direct indirect incidental special exemplary or consequential "
    "damages including but not limited to procurement of substitute goods or services loss of use data or "
    "profits or business interruption however caused and on any theory of liability whether in contract "
    "strict liability or tort including negligence or otherwise arising in any way out of the use of this "
    "software even if advised of the possibility of such damage";

constexpr std::string_view kDerived =
    "[30] may be used to endorse or promote products derived from this software without specific prior "
    "written permission ";

constexpr std::string_view kMitEnd =
    "the software is provided as is without warranty of any kind express or implied including but not limited "
    "to the warranties of merchantability fitness for a particular purpose and [2] in no event shall the [8] "
    "be liable for any claim damages or other liability whether in an action of contract tort or otherwise "
    "arising from out of or in connection with the software or the use or other dealings [1] the software";

}  // namespace

LicenceWords::LicenceWords(std::string_view text) {
  std::string word;
  for (const char c : lower_case(text)) {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words_.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words_.push_back(std::move(word));
  is_taken_.resize(words_.size());
}

std::size_t LicenceWords::find(const std::vector<std::string_view>& words, std::size_t from, std::size_t last) const {
  if (words.size() > words_.size()) return kNone;
  last = std::min(last, words_.size() - words.size());
  for (std::size_t i = from; i <= last; ++i)
    if (std::equal(words.begin(), words.end(), words_.begin() + static_cast<std::ptrdiff_t>(i))) return i;
  return kNone;
}

void LicenceWords::mark(std::size_t begin, std::size_t end) {
  std::fill(is_taken_.begin() + static_cast<std::ptrdiff_t>(begin),
            is_taken_.begin() + static_cast<std::ptrdiff_t>(end), true);
}

bool LicenceWords::take(std::string_view passage) {
  const std::vector<Stretch> stretches = stretches_of(passage);
  // The first stretch may stand in several places ("redistribution and use …"): try each.
  for (std::size_t start = find(stretches.front().words, 0, words_.size()); start != kNone;
       start = find(stretches.front().words, start + 1, words_.size())) {
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    std::size_t end = start;
    for (const Stretch& stretch : stretches) {
      const std::size_t found = find(stretch.words, end, end + stretch.gap);
      if (found == kNone) break;
      taken.emplace_back(stretch.owns_gap ? end : found, found + stretch.words.size());
      end = taken.back().second;
    }
    if (taken.size() != stretches.size()) continue;
    for (const auto& [first, last] : taken) mark(first, last);
    return true;
  }
  return false;
}

std::string LicenceWords::take_between(std::string_view begin, std::string_view end) {
  const std::vector<std::string_view> last_words = words_of(end);
  const std::size_t first = find(words_of(begin), 0, words_.size());
  if (first == kNone) return {};
  std::size_t last = find(last_words, first, words_.size());
  if (last == kNone) return {};
  last += last_words.size();
  mark(first, last);
  return join({words_.begin() + static_cast<std::ptrdiff_t>(first), words_.begin() + static_cast<std::ptrdiff_t>(last)},
              " ");
}

void LicenceWords::reset() { is_taken_.assign(words_.size(), false); }

bool LicenceWords::has_left(const std::vector<std::string_view>& words) const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (!is_taken_[i] && std::find(words.begin(), words.end(), words_[i]) != words.end()) return true;
  return false;
}

bool is_licence_file_name(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const char* begin : {"license", "licence", "copying", "unlicense"})
    if (starts_with(lower, begin)) return true;
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

const std::vector<ShortLicence>& short_licences() {
  static const std::vector<ShortLicence> kAll = {
      {"BSD-2-Clause", concat(kBsdBegin, kBsdEnd), {"bsd"}},
      {"BSD-3-Clause", concat(kBsdBegin, "[2] neither the ", kDerived, kBsdEnd), {"bsd"}},
      {"BSD-4-Clause",
       concat(kBsdBegin,
              "[2] all advertising materials mentioning features or use of this software must display the following "
              "acknowledgement this product includes software developed by [30] "
              "[2] neither the ",
              kDerived, kBsdEnd),
       {"bsd"}},
      {"Apache-2.0",  // the notice that its appendix gives
       "licensed under the apache license version 2 0 the license you may not use this file except in compliance with "
       "the license you may obtain a copy of the license at {10} unless required by applicable law or agreed to in "
       "writing software distributed under the license is distributed on an as is basis without warranties or "
       "conditions of any kind either express or implied see the license for the specific language governing "
       "permissions and limitations under the license",
       {"apache"}},
      {"MIT",
       concat("permission is hereby granted free of charge to any person obtaining a copy of this software and "
              "associated documentation files the software to deal in the software without restriction including "
              "without limitation the rights to use copy modify merge publish distribute sublicense and or sell copies "
              "of the software and to permit persons to whom the software is furnished to do so subject to the "
              "following conditions the above copyright notice and this permission notice [4] shall be included in all "
              "copies or substantial portions of the software ",
              kMitEnd),
       {"mit"}},
      {"NCSA",
       concat(
           "permission is hereby granted free of charge to any person obtaining a copy of this software and "
           "associated documentation files the software to deal with the software without restriction including "
           "without limitation the rights to use copy modify merge publish distribute sublicense and or sell copies "
           "of the software and to permit persons to whom the software is furnished to do so subject to the "
           "following conditions [2] redistributions of source code must retain the above copyright notice this list "
           "of conditions and the following disclaimers [2] redistributions in binary form must reproduce the above "
           "copyright notice this list of conditions and the following disclaimers in the documentation and or other "
           "materials provided with the distribution [2] neither the [30] may be used to endorse or promote products "
           "derived from this software without specific prior written permission ",
           kMitEnd),
       {"ncsa"}},
      {"ISC",
       "permission to use copy modify and [2] distribute this software for any purpose with or without fee is "
       "hereby granted provided that the above copyright notice and this permission notice appear in all copies "
       "the software is provided as is and [10] with regard to this software including all implied warranties of "
       "merchantability and fitness in no event shall [10] be liable for any special direct indirect or "
       "consequential damages or any damages whatsoever resulting from loss of use data or profits whether in an "
       "action of contract negligence or other tortious action arising out of or in connection with the use or "
       "performance of this software",
       {"isc"}},
      {"Zlib",
       "this software is provided as is without any express or implied warranty in no event will the [3] be held "
       "liable for any damages arising from the use of this software permission is granted to anyone to use this "
       "software for any purpose including commercial applications and to alter it and redistribute it freely "
       "subject to the following restrictions [1] the origin of this software must not be misrepresented you "
       "must not claim that you wrote the original software if you use this software in a product an "
       "acknowledgment in the product documentation would be appreciated but is not required [1] altered source "
       "versions must be plainly marked as such and must not be misrepresented as being the original software "
       "[1] this notice may not be removed or altered from any source distribution",
       {"zlib"}},
      {"BSL-1.0",
       "permission is hereby granted free of charge to any person or organization obtaining a copy of the "
       "software and accompanying documentation covered by this license the software to use reproduce display "
       "distribute execute and transmit the software and to prepare derivative works of the software and to "
       "permit third parties to whom the software is furnished to do so all subject to the following the "
       "copyright notices in the software and this entire statement including the above license grant this "
       "restriction and the following disclaimer must be included in all copies of the software in whole or in "
       "part and all derivative works of the software unless such copies or derivative works are solely in the "
       "form of machine executable object code generated by a source language processor the software is provided "
       "as is without warranty of any kind express or implied including but not limited to the warranties of "
       "merchantability fitness for a particular purpose title and [2] in no event shall the copyright holders "
       "or anyone distributing the software be liable for any damages or other liability whether in contract "
       "tort or otherwise arising from out of or in connection with the software or the use or other dealings in "
       "the software",
       {"boost"}},
      {"Unlicense",
       "this is free and unencumbered software released into the public domain anyone is free to copy modify "
       "publish use compile sell or distribute this software either in source code form or as a compiled binary "
       "for any purpose commercial or non commercial and by any means in jurisdictions that recognize copyright "
       "laws the author or authors of this software dedicate any and all copyright interest in the software to "
       "the public domain we make this dedication for the benefit of the public at large and to the detriment of "
       "our heirs and successors we intend this dedication to be an overt act of relinquishment in perpetuity of "
       "all present and future rights to this software under copyright law the software is provided as is "
       "without warranty of any kind express or implied including but not limited to the warranties of "
       "merchantability fitness for a particular purpose and [2] in no event shall the authors be liable for any "
       "claim damages or other liability whether in an action of contract tort or otherwise arising from out of "
       "or in connection with the software or the use or other dealings in the software",
       {"unlicense"}},
  };
  return kAll;
}

const std::vector<LongLicence>& long_licences() {
  constexpr std::string_view kTermsEnd = "end of terms and conditions";
  constexpr std::string_view kGnuPreamble = "preamble the licenses for most software are designed";
  static const std::vector<LongLicence> kAll = {
      {"Apache-2.0",
       "terms and conditions for use reproduction and distribution 1 definitions",
       kTermsEnd,
       "d8221a4f10c01c6fa5390685929a5ce31d7264a024162fd3dd4d805c57ce0f43",
       {"apache"}},
      {"GPL-2.0",
       kGnuPreamble,
       kTermsEnd,
       "98e760555ff723908d803b23140ebd264fee15e7615bf9486faa0f8f6596c34f",
       {"gnu", "gpl"}},
      {"GPL-3.0",
       "preamble the gnu general public license is a free copyleft license",
       kTermsEnd,
       "fad6d14122ae5943ea05f9e4d48194524a0b701f034fd22c7dded3e6c296c742",
       {"gnu", "gpl"}},
      {"LGPL-2.0",
       kGnuPreamble,
       kTermsEnd,
       "d4689245f0c71022ce729821274153c787fdebe2e92f0de1f6d3c23326a5f619",
       {"gnu", "gpl", "lgpl"}},
      {"LGPL-2.1",
       kGnuPreamble,
       kTermsEnd,
       "73ac55304afe4c219acdd0cb7683daf4fe3772c9b493da4a095d93a7789311d5",
       {"gnu", "gpl", "lgpl"}},
      {"LGPL-3.0",
       "this version of the gnu lesser general public license incorporates",
       "authorization for you to choose that version for the library",
       "3c109b32fc12cedb18f514c338498353cbbafbc7ad3aa3aed8c864396943f25a",
       {"gnu", "gpl", "lgpl"}},
      {"MPL-2.0",
       "1 definitions 1 1 contributor means each",
       "exhibit a source code form license notice",
       "94675fdcc6bd871279e0b986b52be55d78e435e0a96c73c17b9c7e04b77be318",
       {"mozilla", "mpl"}},
  };
  return kAll;
}

const std::vector<std::string_view>& licence_boilerplate() {
  static const std::vector<std::string_view> kAll = {
      "everyone is permitted to copy and distribute verbatim copies of this license document but changing it is not "
      "allowed",
      "appendix how to apply the apache license to your work {60} copyright {10} licensed under the apache license "
      "version 2 0",
      "the license you may not use this file except in compliance with the license you may obtain a copy of the "
      "license at {10} unless required by applicable law or agreed to in writing software distributed under the "
      "license is distributed on an as is basis without warranties or conditions of any kind either express or implied "
      "see the license for the specific language governing permissions and limitations under the license",
      "how to apply these terms to your new programs {470} the gnu lesser general public license instead of this "
      "license {20} why not lgpl html",
      "how to apply these terms to your new programs {470} public license instead of this license",
      "how to apply these terms to your new libraries {340} that s all there is to it",
      "this source code form is subject to the terms of the mozilla public license v 2 0 {100} incompatible with "
      "secondary licenses as defined by the mozilla public license v 2 0",
  };
  return kAll;
}

}  // namespace torchpatch
