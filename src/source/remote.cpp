// SPDX-License-Identifier: BSD-3-Clause
#include "source/remote.h"

#include "source/cache.h"
#include "source/fetch_parts.h"
#include "source/fetch_program.h"
#include "source/library_fetch.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// git's number for no end, which takes a repository without history for what it is, unlike --unshallow
/// (https://git-scm.com/docs/shallow).
constexpr const char* kWholeDepth = "--depth=2147483647";

std::vector<std::string> line_of(Fetch fetch, const std::string& url) {
  fetch.url = url;
  if (!has_git()) return library_fetch_line(fetch);
  std::vector<std::string> line =
      git_fetch_line(fetch.repository, url, {fetch.with_history ? kWholeDepth : "--depth=1"});
  if (fetch.with_history) line.insert(line.end(), {"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"});
  for (const ObjectId& commit : fetch.commits) {
    line.push_back(concat("+", commit.hex(), ":", kFetchedReferences, commit.hex()));
  }
  return line;
}

}  // namespace

std::vector<FetchOutcome> run_fetches(const std::vector<Fetch>& fetches, const FetchOptions& options) {
  std::vector<FetchOutcome> outcomes(fetches.size());
  std::vector<std::size_t> whole;
  std::vector<FetchProgram> programs;
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    if (fetches[i].files_at_once > 0 && has_git()) continue;
    whole.push_back(i);
    programs.push_back({.url = fetches[i].url,
                        .line = [fetch = fetches[i]](const std::string& url) { return line_of(fetch, url); },
                        .spent = fetches[i].spent});
  }
  const std::vector<FetchOutcome> of_whole = run_fetch_programs(std::move(programs), options);
  for (std::size_t i = 0; i < whole.size(); ++i) outcomes[whole[i]] = of_whole[i];
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    if (fetches[i].files_at_once > 0 && has_git()) outcomes[i] = fetch_in_parts(fetches[i], options);
  }
  return outcomes;
}

}  // namespace torchpatch::source
