// SPDX-License-Identifier: BSD-3-Clause
/// SHA-256 of files.
#pragma once

#include <cstdint>
#include <string>

#include "support/file.h"
#include "support/object_id.h"

namespace torchpatch {

struct FileDigest {
  Sha256 sha256;
  std::uint64_t size = 0;  ///< bytes
};

/// Reads a file from its beginning to its end, wherever its position is. Raises environment with `path` in the message.
FileDigest digest_of_file(const UniqueFd& file, const std::string& path);

}  // namespace torchpatch
