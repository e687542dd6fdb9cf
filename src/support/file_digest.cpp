// SPDX-License-Identifier: BSD-3-Clause
#include "support/file_digest.h"

#include <unistd.h>

#include <cerrno>

#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch {

FileDigest digest_of_file(const UniqueFd& file, const std::string& path) {
  Sha256Hasher hasher;
  std::string buffer(1 << 20, '\0');
  std::uint64_t size = 0;
  for (;;) {
    const ssize_t count = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("reading " + quote(path));
    if (count == 0) return {hasher.finish(), size};
    hasher.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    size += static_cast<std::uint64_t>(count);
  }
}

}  // namespace torchpatch
