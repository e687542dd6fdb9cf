// SPDX-License-Identifier: BSD-3-Clause
/// git_run(): runs the git program; only what is made here starts it. docs/guarantees.md lists each command, and whose
/// configuration it reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/program.h"

namespace torchpatch::git {

/// Memory of a git that reads what strangers wrote: bytes of address space. A server's answer without end, or an object
/// that unpacks to more than there is, must not take all memory.
inline constexpr std::uint64_t kMaxGitMemory = 4ull << 30;

/// Whether there is a git program.
bool has_git();

/// Returns an environment in which git reads no configuration but a repository's: not the user's, not the machine's and
/// not that of our own environment. It replaces no objects, asks nobody, and speaks no protocol.
std::map<std::string, std::string> git_environment();

/// Returns a run of git with these arguments in that environment, bounded in memory and to ten minutes.
ProgramRun git_run(const std::vector<std::string>& arguments);

/// Checks the directory that git is to work in, and its repository: ".git" below it, or the directory itself where that
/// is bare. Raises unsafe where git would follow what lies there to files elsewhere, or wait forever: links in the
/// repository, FIFOs, alternates, a "commondir", another repository in the work tree.
void refuse_traps(const std::string& directory, const std::string& repository);

}  // namespace torchpatch::git
