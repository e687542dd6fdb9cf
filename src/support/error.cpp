// SPDX-License-Identifier: BSD-3-Clause
#include "support/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace torchpatch {

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : kind_(kind), message_(std::move(message)), hint_(std::move(hint)) {}

Error system_error(const std::string& action) {
  return Error(ErrorKind::environment, action + ": " + std::strerror(errno));
}

}  // namespace torchpatch
