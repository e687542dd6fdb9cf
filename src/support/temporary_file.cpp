// SPDX-License-Identifier: BSD-3-Clause
#include "support/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch {

TemporaryFile::TemporaryFile(const std::string& target)
    : path_(target + ".tmp-XXXXXX"), fd_(::mkostemp(path_.data(), O_CLOEXEC)) {
  if (!fd_) throw system_error("writing " + quote(target) + ": creating a temporary file beside it");
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void TemporaryFile::rename_to(const std::string& target) {
  if (::rename(path_.c_str(), target.c_str()) != 0) throw system_error("writing " + quote(target) + ": renaming it");
  path_.clear();
}

bool TemporaryFile::rename_to_new(const std::string& target) {
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
    path_.clear();
    return true;
  }
  if (errno == EEXIST) return false;
  // A file system that cannot do that: a second name, then the first one goes. Unlike a rename, a link never takes the
  // place of what is there.
  if (::link(path_.c_str(), target.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  // A file system without hard links: a file that appears in this moment is replaced.
  if (::access(target.c_str(), F_OK) == 0) return false;
  rename_to(target);
  return true;
}

}  // namespace torchpatch
