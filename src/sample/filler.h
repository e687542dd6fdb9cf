// SPDX-License-Identifier: BSD-3-Clause
/// Lines that fill a file between those that somebody expects.
#pragma once

#include <cstdint>
#include <string>

namespace torchpatch::sample {

/// Returns `text` as one line of comment in the language of the file at `path`, with its newline.
std::string comment_line(const std::string& path, const std::string& text);

/// Returns what stands in line `number` (1-based) of the file at `path` where nobody expects anything: a comment that
/// says whose text it is. No two lines of a file are equal, so that a hunk finds one place only.
std::string filler_line(const std::string& path, std::uint32_t number);

}  // namespace torchpatch::sample
