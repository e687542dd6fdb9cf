// SPDX-License-Identifier: BSD-3-Clause
/// Numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace torchpatch::emit {

/// Returns "1 file", "2 files"; `many`: where an s is not enough ("2 repositories").
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = "");

/// Returns a number of bytes: "512 B", "3.4 kB", "61.0 MB", "1.2 GB".
std::string size_text(std::uint64_t bytes);

/// Returns the day in UTC of a time in seconds since 1970: "2026-11-22".
std::string day_text(std::int64_t time);

}  // namespace torchpatch::emit
