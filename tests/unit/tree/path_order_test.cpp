// SPDX-License-Identifier: BSD-3-Clause
#include "tree/scan.h"

#include <algorithm>

#include "support/catch.h"
#include "unit/git/raises.h"

namespace torchpatch::tree {

using test::message_of;

TEST_CASE("walks_before: what lies in a directory stands together") {
  std::vector<std::string_view> paths = {"a.c", "a-b/x", "a/b/c", "ab", "a/b.c", "a", "a/b"};
  std::sort(paths.begin(), paths.end(), walks_before);
  CHECK(paths == std::vector<std::string_view>{"a", "a/b", "a/b/c", "a/b.c", "a-b/x", "a.c", "ab"});
}

TEST_CASE("walks_before: is irreflexive and compares bytes as unsigned") {
  CHECK_FALSE(walks_before("a/b", "a/b"));
  CHECK(walks_before("a", "\xc3\xa4"));
  CHECK_FALSE(walks_before("\xc3\xa4", "a"));
}

TEST_CASE("require_disjoint: refuses a path that stands twice or is file and directory") {
  const std::vector<std::string_view> fine = {"a", "a.c", "ab", "b/c", "b/d"};
  CHECK_NOTHROW(require_disjoint(fine));
  CHECK(message_of(ErrorKind::unsafe, [] { require_disjoint({"a", "b/c", "b/c"}); }) == "path 'b/c' occurs twice");
  CHECK(message_of(ErrorKind::unsafe, [] {
          require_disjoint({"b", "b/c", "b.c"});
        }) == "path 'b' is a file and, by 'b/c', a directory");
}

}  // namespace torchpatch::tree
