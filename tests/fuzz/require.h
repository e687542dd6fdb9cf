// SPDX-License-Identifier: BSD-3-Clause
/// How properties are stated.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "support/error.h"

namespace torchpatch::fuzz {

/// Raises std::logic_error, which libFuzzer takes for a crash, where `holds` is false.
inline void require(bool holds, const std::string& property) {
  if (!holds) throw std::logic_error("property does not hold: " + property);
}

/// Returns what `action` returns, or nothing where it raises an Error; any other exception is a bug.
template <typename Action>
auto attempt(Action action) -> std::optional<decltype(action())> {
  try {
    return action();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace torchpatch::fuzz
