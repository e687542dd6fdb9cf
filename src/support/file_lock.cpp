// SPDX-License-Identifier: BSD-3-Clause
#include "support/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "support/error.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch {

namespace {

UniqueFd open_lock(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) throw system_error(concat("opening ", quote(path)));
  return file;
}

bool try_lock(const UniqueFd& file, LockKind kind, const std::string& path) {
  const int operation = kind == LockKind::shared ? LOCK_SH : LOCK_EX;
  if (flock(file.get(), operation | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK && errno != EINTR) throw system_error(concat("locking ", quote(path)));
  return false;
}

}  // namespace

UniqueFd lock_file(const std::string& path, LockKind kind) {
  UniqueFd file = open_lock(path);
  while (!try_lock(file, kind, path)) {
    check_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return file;
}

UniqueFd try_lock_file(const std::string& path, LockKind kind) {
  UniqueFd file = open_lock(path);
  if (!try_lock(file, kind, path)) file.reset();
  return file;
}

}  // namespace torchpatch
