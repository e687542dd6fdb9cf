// SPDX-License-Identifier: BSD-3-Clause
#include "model/licence_texts.h"

#include "support/text.h"

namespace torchpatch {
namespace {

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

}  // namespace torchpatch
