// SPDX-License-Identifier: BSD-3-Clause
#include "model/licence.h"

#include <algorithm>

#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;

namespace {

const std::string kMit = R"(MIT License

Copyright (c) 2019 Someone <someone@example.org>. All rights reserved.

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the “Software”), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NON-INFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
)";

/// The text of a licence without its gaps.
std::string plain(const std::vector<std::string>& lines) {
  std::vector<std::string> words = split(join(lines, " "), ' ');
  std::erase_if(words, [](const std::string& word) { return starts_with(word, "[") || starts_with(word, "{"); });
  return join(words, " ");
}

std::string without(std::string text, const std::string& part) {
  const std::size_t found = text.find(part);
  REQUIRE(found != std::string::npos);
  return text.erase(found, part.size());
}

}  // namespace

TEST_CASE("identify_licence: knows a text whatever its case, bullets and line breaks", "[model]") {
  CHECK(identify_licence(kMit) == "MIT");
  CHECK(identify_licence(read_file(test::source_directory() + "/LICENSE")) == "BSD-3-Clause");
  for (const Licence& licence : licence_data().licences)
    if (!licence.text.empty())
      CHECK(identify_licence("Copyright (c) 2020 Some One\n" + plain(licence.text)) == licence.id);
}

TEST_CASE("identify_licence: knows the long texts by their digest", "[model]") {
  const std::string directory = "/usr/share/common-licenses/";  // Debian's
  if (!is_directory(directory)) return;
  for (const auto& [file, id] : std::vector<std::pair<std::string, std::string>>{{"Apache-2.0", "Apache-2.0"},
                                                                                 {"GPL-2", "GPL-2.0"},
                                                                                 {"GPL-3", "GPL-3.0"},
                                                                                 {"LGPL-2", "LGPL-2.0"},
                                                                                 {"LGPL-2.1", "LGPL-2.1"},
                                                                                 {"LGPL-3", "LGPL-3.0"},
                                                                                 {"MPL-2.0", "MPL-2.0"}}) {
    const std::string text = read_file(directory + file);
    INFO(file);
    CHECK(identify_licence(text) == id);
    CHECK(identify_licence(without(text, " not ")).empty());
    CHECK(identify_licence("For commercial use you must pay.\n" + text).empty());
  }
}

TEST_CASE("identify_licence: a word that is missing or one that makes terms makes it unknown", "[model]") {
  CHECK(identify_licence("").empty());
  CHECK(identify_licence("See the headers of the files.").empty());
  CHECK(identify_licence(without(kMit, "without restriction, ")).empty());
  CHECK(identify_licence(kMit + "\nThe Software shall be used for Good, not Evil.\n").empty());
  CHECK(identify_licence(kMit + "\nlib/x is under the BSD license.\n").empty());
  CHECK(identify_licence(kMit + "\nThanks to everyone who helped.\n") == "MIT");
}

TEST_CASE("identify_licence: four clauses are not three, and two licences are none", "[model]") {
  const std::string three = plain(std::ranges::find(licence_data().licences, "BSD-3-Clause", &Licence::id)->text);
  REQUIRE(identify_licence(three) == "BSD-3-Clause");
  CHECK(identify_licence("All advertising materials must name us. " + three).empty());
  CHECK(identify_licence(three + "\n\n" + kMit).empty());
}

TEST_CASE("is_licence_file_name: LICENSE and COPYING in any case, with any ending", "[model]") {
  for (const char* name : {"LICENSE", "License.md", "licence.txt", "COPYING.LESSER", "UNLICENSE", "LICENSE-MIT"})
    CHECK(is_licence_file_name(name));
  for (const char* name : {"NOTICE", "README", "COPYRIGHT", "my-license"}) CHECK_FALSE(is_licence_file_name(name));
}

TEST_CASE("common_licence: what all files say, or nothing", "[model]") {
  CHECK(common_licence({}).empty());
  CHECK(common_licence({{"LICENSE", "MIT"}, {"LICENSE.md", "MIT"}}) == "MIT");
  CHECK(common_licence({{"COPYING", "GPL-2.0"}, {"LICENSE", "MIT"}}).empty());
  CHECK(common_licence({{"COPYING", ""}, {"LICENSE", "MIT"}}).empty());
}
