// SPDX-License-Identifier: BSD-3-Clause
#include "support/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace torchpatch {

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : kind_(kind), message_(std::move(message)), hint_(std::move(hint)) {}

Error system_error(const std::string& action) {
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  return Error(ErrorKind::environment, action + ": " + std::strerror(errno),
               is_full ? "make room on that file system, then run it again; what was there is as it was" : "");
}

}  // namespace torchpatch
