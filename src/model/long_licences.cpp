// SPDX-License-Identifier: BSD-3-Clause
#include "model/licence_texts.h"

namespace torchpatch {

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
