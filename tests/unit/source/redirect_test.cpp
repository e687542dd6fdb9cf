// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

constexpr const char* kFirst = "/info/refs?service=git-upload-pack";

HttpTrace answer(const std::string& status, const std::string& location) {
  HttpTrace trace;
  trace.feed(
      concat("12:00:00.1 http.c:684  <= Recv header: HTTP/2 ", status, "\r\n12:00:00.1 http.c:684  <= Recv header: "));
  trace.feed(concat("location: ", location, "\r\n"));
  return trace;
}

Redirect redirect_to(const std::string& location) {
  return find_redirect("https://h:8443/old.git", answer("301", location));
}

}  // namespace

TEST_CASE("HttpTrace: knows a connection by what newer releases of curl say, too", "[source]") {
  for (const char* line :
       {"x == Info: ALPN: curl offers h2,http/1.1\n", "x => Send header: CONNECT h:443 HTTP/1.1\n"}) {
    HttpTrace trace;
    trace.feed("x == Info:   Trying 127.0.0.1:443...\n");
    CHECK_FALSE(trace.has_connected());
    trace.feed(line);
    CHECK(trace.has_connected());
  }
}

TEST_CASE("HttpTrace: tells of the last answer", "[source]") {
  HttpTrace trace;
  trace.feed("x == Info:   Trying 127.0.0.1:80...\n");
  CHECK_FALSE(trace.has_connected());
  trace.feed("x == Info: Connected to h (127.0.0.1) port 80 (#0)\nx <= Recv header: HTTP/1.1 302 Found\n");
  trace.feed("x <= Recv header: Location: /there\nx <= Recv header: HTTP/1.1 429 Too Many\nx <= Recv header: Retry-");
  CHECK(trace.retry_after() == 0);
  trace.feed("After: 7\n");
  CHECK(trace.has_connected());
  CHECK(trace.status() == 429);
  CHECK(trace.location().empty());
  CHECK(trace.retry_after() == 7);
}

TEST_CASE("HttpTrace: takes nonsense", "[source]") {
  HttpTrace trace;
  trace.feed("<= Recv header: HTTP/\n<= Recv header: \n<= Recv header: nothing\n");
  trace.feed(std::string(1 << 20, 'x'));
  trace.feed("\n<= Recv header: HTTP/1.1 99999999999\n<= Recv header: Retry-After: 99999999999999999999\n");
  CHECK(trace.status() == 999);
  CHECK(trace.retry_after() == 0);
}

TEST_CASE("find_redirect: another path of the same server", "[source]") {
  CHECK(redirect_to(concat("https://h:8443/new.git", kFirst)).url == "https://h:8443/new.git");
  CHECK(redirect_to(concat("HTTPS://H:8443/new.git", kFirst)).url == "HTTPS://H:8443/new.git");
  CHECK(redirect_to(concat("/new.git", kFirst)).url == "https://h:8443/new.git");
  CHECK(find_redirect("https://h/r", answer("200", concat("https://h/x", kFirst))).url.empty());
}

TEST_CASE("find_redirect: refuses everything else", "[source]") {
  const auto refusal = [](const std::string& location) {
    const Redirect redirect = redirect_to(location);
    CHECK(redirect.url.empty());
    return redirect.refusal;
  };
  CHECK(refusal(concat("http://h:8443/new.git", kFirst)) ==
        "the server redirects to 'http://h:8443/new.git', which is refused: it is another server (allow it with "
        "--url-map)");
  CHECK(refusal(concat("https://h/new.git", kFirst)).ends_with("it is another server (allow it with --url-map)"));
  CHECK(refusal(concat("//g/new.git", kFirst)).ends_with("it is not of the form scheme://host/path"));
  CHECK(refusal(concat("https://me:secret@h:8443/x", kFirst)) ==
        "the server redirects to 'https://h:8443/x', which is refused: it has a user name or password");
  CHECK(refusal(concat("https://h:8443/a/../b", kFirst)).ends_with("its path has a component '.' or '..'"));
  CHECK(refusal("https://h:8443/login").ends_with("it is not a repository URL"));
  CHECK(refusal("").ends_with("it is not a repository URL"));
}
