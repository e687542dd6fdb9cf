// SPDX-License-Identifier: BSD-3-Clause
#include "source/library_fetch.h"

#include <unistd.h>

#include <array>

#include "git/fetch_commits.h"
#include "model/url.h"
#include "source/cache.h"
#include "support/error.h"
#include "support/file.h"
#include "support/resource_limit.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// Not ssh: libgit2 1.5 takes any host key.
bool is_spoken(const std::string& scheme) {
  return scheme == "https" || scheme == "http" || scheme == "git" || scheme == "file";
}

/// The program that runs, whatever it is called and wherever it lies.
std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) throw system_error("looking for the running program");
  return {path.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::vector<std::string> library_fetch_line(const Fetch& fetch) {
  std::vector<std::string> line = {own_program(), kLibraryFetchCommand, "--git-dir", fetch.repository, "--url",
                                   fetch.url};
  for (const ObjectId& commit : fetch.commits) line.insert(line.end(), {"--commit", commit.hex()});
  return line;
}

void fetch_with_library(const Fetch& fetch, const std::function<void(const std::string& line)>& on_progress) {
  const std::string scheme = url_scheme(fetch.url);
  if (!is_spoken(scheme))
    throw Error(ErrorKind::source, concat("without the git program, nobody here speaks ", scheme));
#ifndef TORCHPATCH_SANITIZED  // sanitizers reserve terabytes of address space for their shadow
  lower_limit(RLIMIT_AS, kMaxFetchMemory, kMaxFetchMemory);
#endif
  git::fetch_commits(fetch.url, fetch.repository, fetch.commits, kFetchedReferences, on_progress);
}

}  // namespace torchpatch::source
