// SPDX-License-Identifier: BSD-3-Clause
#include "tree/path_order.h"

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::tree {

bool walks_before(std::string_view left, std::string_view right) {
  const auto [a, b] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (b == right.end()) return false;
  if (a == left.end() || *a == '/') return true;
  return *b != '/' && static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
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
