// SPDX-License-Identifier: BSD-3-Clause
/// How much a directory holds.
#pragma once

#include <cstdint>
#include <string>

namespace torchpatch::ops {

/// Returns the sizes of all regular files in and below a directory, in bytes; links are not followed. What cannot be
/// read, or goes while it is looked at, counts nothing.
std::uint64_t disk_use(const std::string& path);

}  // namespace torchpatch::ops
