// SPDX-License-Identifier: BSD-3-Clause
/// Objects of a pack that deltas were applied to, kept for those that follow (internal to git).
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "git/object.h"

namespace torchpatch::git {

/// The last ones that were used, up to a number of bytes.
class DeltaBases {
 public:
  using Base = std::shared_ptr<const Object>;

  /// Returns the object at this place of the pack, or null.
  Base find(std::uint64_t start);
  /// Keeps an object, if it is not large, and gives up those that have not been used for longest.
  void add(std::uint64_t start, const Base& object);

 private:
  struct Row {
    std::uint64_t start;
    Base object;
  };
  std::list<Row> rows_;  ///< least recently used first
  std::unordered_map<std::uint64_t, std::list<Row>::iterator> places_;
  std::size_t bytes_ = 0;
};

}  // namespace torchpatch::git
