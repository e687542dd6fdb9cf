// SPDX-License-Identifier: BSD-3-Clause
/// git_run(): runs the git program. Nothing else starts it. docs/guarantees.md lists each command, and whose
/// configuration it reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/program.h"

namespace torchpatch::git {

/// Memory limit of a git that reads foreign data, in bytes of address space: an endless response, or an object that
/// unpacks to more than the memory, must not exhaust it.
inline constexpr std::uint64_t kMaxGitMemory = 4ull << 30;

/// Returns whether there is a git program.
bool has_git();

/// Returns an environment in which git reads only a repository's configuration, not the user's, the machine's or that
/// in our environment. It replaces no objects, never prompts, and allows no protocol.
std::map<std::string, std::string> git_environment();

/// Returns a run of git with these arguments in that environment, limited in memory and to ten minutes.
ProgramRun git_run(const std::vector<std::string>& arguments);

/// Checks the directory that git will work in, and its repository: ".git" in it, or the directory itself if bare.
/// Raises unsafe if something there would lead git to files elsewhere or make it hang: links in the repository, FIFOs,
/// alternates, a "commondir", another repository in the work tree.
void refuse_traps(const std::string& directory, const std::string& repository);

}  // namespace torchpatch::git
