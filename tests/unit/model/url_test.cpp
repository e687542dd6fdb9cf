// SPDX-License-Identifier: BSD-3-Clause
#include "model/url.h"

#include "support/catch.h"
#include "unit/git/raises.h"

using namespace torchpatch;

TEST_CASE("url_problem: accepts the URLs that PyTorch's repositories have", "[model]") {
  for (const char* url : {"https://github.com/pytorch/pytorch.git", "https://github.com/intel/ideep",
                          "https://chromium.googlesource.com/linux-syscall-support", "http://example.org/a/b/",
                          "git://127.0.0.1:9418/a", "ssh://git@github.com:22/a/b.git", "file:///srv/git/a",
                          "https://[::1]:8080/a", "HTTPS://Example.org/a", "https://h/%7Euser/a~b"}) {
    INFO(url);
    CHECK(url_problem(url).value_or("") == "");
  }
}

TEST_CASE("url_problem: refuses everything else", "[model]") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "it is empty"},
      {"https://h/" + std::string(4096, 'a'), "it is longer than 4096 bytes"},
      {"-u./x", "it begins with '-'"},
      {"--upload-pack=touch x", "it begins with '-'"},
      {"https://h/a\nb", "it has a control byte or a space"},
      {"https://h/a\r", "it has a control byte or a space"},
      {std::string("https://h/a\0b", 13), "it has a control byte or a space"},
      {"https://h/a b", "it has a control byte or a space"},
      {"https://h\\@x/a", "it has a backslash"},
      {"ext::sh", "it is not of the form scheme://host/path"},
      {"ext::sh://x/y", "it is not of the form scheme://host/path"},
      {"fd::3", "it is not of the form scheme://host/path"},
      {"host:path", "it is not of the form scheme://host/path"},
      {"git@github.com:a/b.git", "it is not of the form scheme://host/path"},
      {"/etc", "it is not of the form scheme://host/path"},
      {"../x", "it is not of the form scheme://host/path"},
      {"://h/a", "it is not of the form scheme://host/path"},
      {"ftp://h/a", "the scheme 'ftp' is not accepted"},
      {"ext://h/a", "the scheme 'ext' is not accepted"},
      {"https://user:secret@h/a", "it has a user name or password"},
      {"https://user@h/a", "it has a user name or password"},
      {"https://@h/a", "it has a user name or password"},
      {"ssh://git:secret@h/a", "it has a user name or password"},
      {"ssh://-oProxyCommand=x@h/a", "its user name is not plain"},
      {"ssh://-oProxyCommand=touch/x", "its host is not plain"},
      {"https:///a", "it has no host"},
      {"https://:80/a", "it has no host"},
      {"https://[bad/a", "its host is not plain"},
      {"https://.h/a", "its host is not plain"},
      {"https://h%2f/a", "its host is not plain"},
      {"https://h:99999/a", "its port is out of range"},
      {"https://h:0/a", "its port is out of range"},
      {"https://h:/a", "its port is out of range"},
      {"https://h", "it has no repository path"},
      {"https://h//", "it has no repository path"},
      {"https://h/a?b", "it has a query or a fragment"},
      {"https://h/a#b", "it has a query or a fragment"},
      {"https://h/" + std::string(241, 'a'), "its path has a component longer than 240 bytes"},
      {"https://" + std::string(241, 'a') + "/a", "its host is longer than 240 bytes"},
      {"https://h/../a", "its path has a component '.' or '..'"},
      {"https://h/a/./b", "its path has a component '.' or '..'"},
      {"file://h/a", "a file URL has no host"},
      {"file:///a/../b", "its path has a component '.' or '..'"},
  };
  for (const auto& [url, problem] : table) {
    INFO(url);
    CHECK(url_problem(url).value_or("accepted") == problem);
  }
}

TEST_CASE("resolve_url: resolves as git does, against the recorded parent", "[model]") {
  const std::string parent = "https://github.com/pybind/pybind11.git";
  CHECK(resolve_url(parent, "https://h/a") == "https://h/a");
  CHECK(resolve_url(parent, "../../wjakob/clang-cindex-python3") == "https://github.com/wjakob/clang-cindex-python3");
  CHECK(resolve_url(parent, "../x.git") == "https://github.com/pybind/x.git");
  CHECK(resolve_url(parent, "./x.git") == "https://github.com/pybind/pybind11.git/x.git");
  CHECK(resolve_url(parent, ".././../a/") == "https://github.com/a");
  CHECK(resolve_url("https://github.com/a/b/", "../c") == "https://github.com/a/c");
  CHECK(resolve_url("git://127.0.0.1:9418/a", "../b") == "git://127.0.0.1:9418/b");
  CHECK(resolve_url("file:///srv/a", "../b") == "file:///srv/b");
}

TEST_CASE("resolve_url: the root of all files keeps its slashes", "[source]") {
  CHECK(resolve_url("file:///a", "../") == "file://");
}

TEST_CASE("resolve_url: refuses to climb above the host", "[source]") {
  CHECK(test::message_of(ErrorKind::unsafe, [] { resolve_url("https://h/a/b", "../../../x"); }) ==
        "resolving the URL '../../../x' against 'https://h/a/b': it goes above the host");
  CHECK(test::raised([] { resolve_url("https://h", "../x"); }).has_value());
  CHECK(test::raised([] { resolve_url("", "../x"); }).has_value());
}

TEST_CASE("redact_url: leaves secrets out and quotes the rest", "[model]") {
  CHECK(redact_url("https://user:secret@h/a") == "'https://h/a'");
  CHECK(redact_url("https://a@b@h/x") == "'https://h/x'");
  CHECK(redact_url(" htt_ps://user:secret@h/a") == "' htt_ps://h/a'");
  CHECK(redact_url("https://h/a@b") == "'https://h/a@b'");
  CHECK(redact_url("https://h/" + std::string(100'000, 'a')) ==
        concat("'https://h/", std::string(290, 'a'), "'… (100010 bytes)"));
  CHECK(redact_url(concat("https://", std::string(400, 's'), "@h/a")) == "'https://h/a'");
  CHECK(redact_url("user:secret@h:x") == "'***@h:x'");
  CHECK(redact_url("https://h/\x1b[2J").find('\x1b') == std::string::npos);
}

TEST_CASE("canonical_url: takes spellings of one repository for one", "[model]") {
  CHECK(canonical_url("https://GitHub.com/a/B.git") == "https://github.com/a/B");
  CHECK(canonical_url("https://github.com/a/B/") == "https://github.com/a/B");
  CHECK(canonical_url("HTTPS://github.com/a/B") == "https://github.com/a/B");
  CHECK(canonical_url("https://github.com/a/b") != canonical_url("https://github.com/a/B"));
}

TEST_CASE("url_file_path: names a place of its own for every repository", "[model]") {
  CHECK(url_file_path("https://github.com/pytorch/pytorch.git") == "github.com/pytorch/pytorch");
  CHECK(url_file_path("git://127.0.0.1:9418/a//b/") == "git+127.0.0.1+9418/a/b");
  CHECK(url_file_path("file:///srv/a") == "file+/srv/a");
  CHECK(url_file_path("https://h/a.git/hooks/b.git") == "h/a.git_/hooks/b");
}
