// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include "support/catch.h"

using namespace torchpatch::source;

TEST_CASE("errors_in: finds git's errors among progress and the server's words", "[source]") {
  CHECK(errors_in("remote: Counting objects:  33% (1/3)\rremote: Counting objects: 100% (3/3)\n"
                  "error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF\n"
                  "fatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n") ==
        "RPC failed; curl 56 Recv failure: Connection reset by peer; early EOF; fetch-pack: invalid index-pack output");
  CHECK(errors_in("Looking up h ... done.\nConnecting to h (port 9) ... fatal: unable to connect to h:\n"
                  "h[0: 127.0.0.1]: errno=Connection refused\n\n") ==
        "unable to connect to h: h[0: 127.0.0.1]: errno=Connection refused");
  CHECK(errors_in("remote: fine\n").empty());
  CHECK(errors_in("").empty());
}

TEST_CASE("errors_in: where git only says that ssh failed, ssh says why", "[source]") {
  CHECK(errors_in(
            "Host key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure\n") ==
        "Host key verification failed.");
}

TEST_CASE("errors_in: leaves out URLs that stand before it anyway, and logins", "[source]") {
  CHECK(errors_in("fatal: unable to access 'https://h/r/': The requested URL returned error: 403\n") ==
        "The requested URL returned error: 403");
  CHECK(errors_in("fatal: Invalid proxy URL 'http://bob:secret@h:1'\n") == "Invalid proxy URL 'http://***@h:1'");
}

TEST_CASE("hide_logins: whatever stands between the slashes and the last at sign", "[source]") {
  CHECK(hide_logins("https://h/r") == "https://h/r");
  CHECK(hide_logins("http://a:b@h and 'ssh://c@g/x@y'") == "http://***@h and 'ssh://***@y'");
  CHECK(hide_logins("x://p/w:with/slash@h") == "x://***@h");
  CHECK(hide_logins("//") == "//");
  CHECK(hide_logins("https://h/r?token=s and x://a:b@c/d#e") == "https://h/r?*** and x://***@c/d#***");
  CHECK(hide_logins("mail me@h") == "mail me@h");
}

TEST_CASE("tells_of_connection: what may pass, and what does not", "[source]") {
  for (const char* words : {"Failed to connect to h port 1 after 0 ms", "early EOF",
                            "the remote end hung up unexpectedly", "unable to connect to h: errno=Connection refused"})
    CHECK(tells_of_connection(words));
  for (const char* words :
       {"repository 'x' not found", "remote error: upload-pack: not our ref aa", "Could not resolve host: h",
        "remote error: Connection reset", "server certificate verification failed", ""})
    CHECK_FALSE(tells_of_connection(words));
}
