// SPDX-License-Identifier: BSD-3-Clause
/// Catches what a call raises.
#pragma once

#include <optional>
#include <string>

#include "support/error.h"

namespace torchpatch::test {

/// Returns the Error that `call` raises, or nothing.
template <typename Call>
std::optional<Error> raised(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Returns the message of the Error of this kind that `call` raises; "nothing" or the other kind's message otherwise.
template <typename Call>
std::string message_of(ErrorKind kind, const Call& call) {
  const auto error = raised(call);
  if (!error) return "nothing was raised";
  return error->kind() == kind ? error->message() : "another kind: " + error->message();
}

}  // namespace torchpatch::test
