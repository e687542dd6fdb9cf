// SPDX-License-Identifier: BSD-3-Clause
#include "git/library.h"

namespace torchpatch::git {

namespace {

/// Pack windows, small so that little of a pack of gigabytes is mapped at a time (libgit2's defaults are 1 and 8 GiB).
constexpr std::size_t kLibraryWindowBytes = 8u << 20;
constexpr std::size_t kMappedBytes = 256u << 20;

/// Empties the search paths, so that neither the system's nor the user's configuration has any effect.
void cut_off_configuration() {
  for (const git_config_level_t level :
       {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL})
    check(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, ""), "disabling libgit2's configuration files");
}

bool initialize() {
  if (git_libgit2_init() < 0) check(-1, "initialising libgit2");
  cut_off_configuration();
  check(git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, kLibraryWindowBytes), "setting libgit2's window size");
  check(git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, kMappedBytes), "setting libgit2's mapping limit");
  check(git_libgit2_opts(GIT_OPT_ENABLE_CACHING, 0), "disabling libgit2's object cache");
  return true;
}

}  // namespace

void initialize_library() { [[maybe_unused]] static const bool is_initialized = initialize(); }

}  // namespace torchpatch::git
