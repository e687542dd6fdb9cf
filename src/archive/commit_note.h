// SPDX-License-Identifier: BSD-3-Clause
/// The commit that `git archive` writes into its archives (https://git-scm.com/docs/git-get-tar-commit-id).
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::archive {

/// Bytes of a tar that the note lies in: a header block and the first of its records.
inline constexpr std::size_t kTarNoteBytes = 1024;
/// Bytes at the end of a zip that the note lies in: the end of the central directory, with a comment of 40 bytes.
inline constexpr std::size_t kZipNoteBytes = 22 + 40;

/// Returns the 40 hex digits at the start of a tar (a pax global header with a comment alone), or empty text.
std::string commit_of_tar(std::string_view start);
/// Returns the 40 hex digits that are the comment of a zip, from its last bytes, or empty text.
std::string commit_of_zip(std::string_view end);

}  // namespace torchpatch::archive
