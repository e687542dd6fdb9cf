// SPDX-License-Identifier: BSD-3-Clause
#include "support/ascii.h"

namespace torchpatch {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace torchpatch
