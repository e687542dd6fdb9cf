// SPDX-License-Identifier: BSD-3-Clause
#include "tree/path_order.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::tree {

namespace {

/// Returns the length of what both begin with. Eight bytes at a time: paths of one tree share long directories, and a
/// tree's sort asks this some hundred thousand times.
std::size_t common_length(std::string_view left, std::string_view right) {
  const std::size_t size = std::min(left.size(), right.size());
  std::size_t length = 0;
  for (std::uint64_t a = 0, b = 0; length + sizeof a <= size; length += sizeof a) {
    std::memcpy(&a, left.data() + length, sizeof a);
    std::memcpy(&b, right.data() + length, sizeof b);
    if (a != b) break;
  }
  while (length < size && left[length] == right[length]) ++length;
  return length;
}

}  // namespace

bool walks_before(std::string_view left, std::string_view right) {
  const std::size_t common = common_length(left, right);
  if (common == right.size()) return false;
  if (common == left.size() || left[common] == '/') return true;
  return right[common] != '/' && static_cast<unsigned char>(left[common]) < static_cast<unsigned char>(right[common]);
}

void require_disjoint(const std::vector<std::string_view>& paths) {
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::string_view path = paths[i - 1];
    const std::string_view next = paths[i];
    if (!starts_with(next, path)) continue;
    if (next.size() == path.size()) throw Error(ErrorKind::unsafe, concat("path ", quote(path), " stands twice"));
    if (next[path.size()] == '/') {
      throw Error(ErrorKind::unsafe, concat("path ", quote(path), " is a file and, by ", quote(next), ", a directory"));
    }
  }
}

}  // namespace torchpatch::tree
