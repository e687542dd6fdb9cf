// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/release_ranges.h"

#include "support/text.h"

namespace torchpatch::catalog {

bool have_common_release(const VersionRange& one, const VersionRange& other) {
  if (one.text().empty() || other.text().empty()) {
    return false;  // one of them was not a range, which is a finding of its own
  }
  if (one.text() == "*" || other.text() == "*") {
    return true;
  }
  // A range that no version can meet does not parse.
  return VersionRange::parse(concat(one.text(), ' ', other.text())).has_value();
}

}  // namespace torchpatch::catalog
