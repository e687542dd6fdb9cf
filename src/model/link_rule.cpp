// SPDX-License-Identifier: BSD-3-Clause
#include "model/link_rule.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {

bool is_safe_link(std::string_view href) {
  if (!std::all_of(href.begin(), href.end(), [](char c) { return static_cast<unsigned char>(c) > 0x20; })) return false;
  for (const std::string_view start : {"https://", "http://", "mailto:", "#"}) {
    if (starts_with(href, start)) return href.size() > start.size() && href[start.size()] != '/';
  }
  return false;
}

}  // namespace torchpatch
