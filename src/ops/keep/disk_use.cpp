// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/disk_use.h"

#include <filesystem>
#include <system_error>

namespace torchpatch::ops {

namespace fs = std::filesystem;

std::uint64_t disk_use(const std::string& path) {
  std::uint64_t bytes = 0;
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(path, error))) return fs::file_size(path, error);
  fs::recursive_directory_iterator each(path, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && each != end; each.increment(error)) {
    std::error_code gone;
    if (!fs::is_regular_file(each->symlink_status(gone))) continue;
    const std::uint64_t size = each->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace torchpatch::ops
