// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/network.h"

#include "support/catch.h"
#include "support/error.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using source::UrlMap;

namespace {

std::string refusal_of(const std::vector<std::string>& rules) {
  return test::message_of(ErrorKind::usage, [&] { UrlMap{rules}; });
}

}  // namespace

TEST_CASE("UrlMap: the longest beginning counts, as in git's insteadOf", "[source]") {
  const UrlMap map({"https://github.com/=git://mirror/github/", "https://github.com/pytorch/=file:///srv/pytorch/",
                    "https://=http://proxy.example.org:8080/"});
  CHECK(map.find("https://github.com/google/gemmlowp.git") == "git://mirror/github/google/gemmlowp.git");
  CHECK(map.find("https://github.com/pytorch/pytorch") == "file:///srv/pytorch/pytorch");
  CHECK(map.find("https://gitlab.com/x/y") == "http://proxy.example.org:8080/gitlab.com/x/y");
  CHECK(map.find("git://github.com/x") == std::nullopt);
  CHECK(map.find("") == std::nullopt);
  CHECK(UrlMap().find("https://h/r") == std::nullopt);
}

TEST_CASE("UrlMap: the equals sign that counts stands before a scheme", "[source]") {
  CHECK(UrlMap({"https://h/a=b=https://g/c=d"}).find("https://h/a=b/r") == "https://g/c=d/r");
}

TEST_CASE("UrlMap: refuses what is no rule, and never says a password", "[source]") {
  CHECK(refusal_of({"https://h/"}) == "'--url-map' 'https://h/': it is not OLD=NEW with two URL prefixes");
  CHECK(refusal_of({"https://h/=/srv"}) == "'--url-map' 'https://h/=/srv': it is not OLD=NEW with two URL prefixes");
  CHECK(refusal_of({"h/=https://g/"}) == "'--url-map' 'h/=https://g/': OLD does not begin like a URL");
  CHECK(refusal_of({"https://h/=ext://g/"}) ==
        "'--url-map' 'https://h/=ext://g/': NEW is refused: the scheme 'ext' is not accepted");
  CHECK(refusal_of({"https://h/=https://me:secret@g/"}) ==
        "'--url-map' 'https://***@g/': NEW is refused: it has a user name or password");
  CHECK(refusal_of({"https://h/=https://a/", "https://h/=https://b/"}) ==
        "'--url-map' 'https://h/=https://b/': OLD was given before");
}

TEST_CASE("UrlMap: refuses what a rule makes of a URL", "[source]") {
  const UrlMap port({"https://h=https://g:1"});
  CHECK(test::message_of(ErrorKind::usage, [&] { port.find("https://h99999/r"); }) ==
        "'--url-map' maps 'https://g:199999/r' of 'https://h99999/r', which is refused: its port is out of range");
}
