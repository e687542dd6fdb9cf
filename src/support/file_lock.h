// SPDX-License-Identifier: BSD-3-Clause
/// Locks between processes (flock): a dead process holds none.
#pragma once

#include <string>

#include "support/file.h"

namespace torchpatch {

enum class LockKind { shared, exclusive };

/// Waits for the lock on a file, which is made where it is not there, and holds it as long as the result lives. Raises
/// environment, Interrupted.
UniqueFd lock_file(const std::string& path, LockKind kind);

/// The same without waiting: no descriptor where another process holds the lock.
UniqueFd try_lock_file(const std::string& path, LockKind kind);

}  // namespace torchpatch
