// SPDX-License-Identifier: BSD-3-Clause
#include "model/url.h"

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("is_safe_link: the web, mail and the page itself", "[model]") {
  for (const char* href : {"https://h", "http://h/a?b#c", "mailto:a@b", "#cause"}) {
    INFO(href);
    CHECK(is_safe_link(href));
  }
}

TEST_CASE("is_safe_link: refuses the rest", "[model]") {
  for (const char* href : {"", "#", "https://", "https:///x", "mailto:", "javascript:x", "JavaScript:x", "data:x",
                           "//h", "/x", "x.html", "file:///x", "https://h/a b", "https://h/\x01", " https://h"}) {
    INFO(href);
    CHECK_FALSE(is_safe_link(href));
  }
}
