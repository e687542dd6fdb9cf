// SPDX-License-Identifier: BSD-3-Clause
/// An entry of a layer, as its file says it.
#pragma once

#include <optional>

#include "support/object_id.h"

namespace torchpatch::catalog {

/// A value and the digest of the file in a lower layer that it replaces, where it says so.
template <typename T>
struct Entry {
  T value;
  std::optional<Sha256> replaces;
};

}  // namespace torchpatch::catalog
