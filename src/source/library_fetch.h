// SPDX-License-Identifier: BSD-3-Clause
/// Fetching with libgit2 where there is no git program: torchpatch runs itself, so that a crash or a hang of the
/// library is that of a process which is watched and ended as git is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "source/fetch.h"

namespace torchpatch::source {

/// Name of the command of ours that does it.
inline constexpr const char* kLibraryFetchCommand = "fetch-commits";

/// Returns the command line for a fetch: this program, kLibraryFetchCommand, what to fetch.
std::vector<std::string> library_fetch_line(const Fetch& fetch);

/// What that command does: brings the commits, and references them below kFetchedReferences; each step is told to
/// `on_progress`. This process has no more than kMaxFetchMemory from then on. Raises source with the library's reason,
/// or where the URL is none that is spoken without git (https, http, git, file); environment where the repository
/// cannot be written.
void fetch_with_library(const Fetch& fetch, const std::function<void(const std::string& line)>& on_progress);

}  // namespace torchpatch::source
