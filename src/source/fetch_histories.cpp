// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch_histories.h"

#include "model/url.h"
#include "source/bare_repository.h"
#include "source/fetch_program.h"
#include "source/retries.h"
#include "source/submodules.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

struct History {
  Fetch fetch;
  std::vector<std::string> urls;  ///< in the order to try
  std::string reason;             ///< why it has not come
};

std::vector<History> histories_of(const std::vector<RepositoryCommits>& repositories, const std::string& directory,
                                  const UrlMap& map, const std::vector<MovedRepository>& moved) {
  std::vector<History> histories;
  for (const RepositoryCommits& repository : repositories) {
    std::vector<std::string> urls = find_moved_urls(repository.url, moved);
    urls.insert(urls.begin(), repository.url);
    for (std::string& url : urls) url = map.find(url).value_or(url);
    const std::string path = repository_path(directory, repository.url);
    histories.push_back(
        {{.url = {}, .repository = path, .commits = repository.commits, .with_history = true}, urls, {}});
  }
  return histories;
}

/// Asks each repository that still lacks its history at its URL of this round; returns whether there was any.
bool run_round(std::vector<History>& histories, std::size_t round, const FetchOptions& options, Console& console) {
  std::vector<Fetch> fetches;
  std::vector<History*> asked;
  std::vector<UniqueFd> locks;
  for (History& history : histories) {
    if ((round > 0 && history.reason.empty()) || round >= history.urls.size()) continue;
    history.fetch.url = history.urls[round];
    locks.push_back(make_bare_repository(history.fetch.repository));
    fetches.push_back(history.fetch);
    asked.push_back(&history);
  }
  if (asked.empty()) return false;
  console.status(
      concat("fetching the histories of ", asked.size(), asked.size() == 1 ? " repository" : " repositories"));
  const std::vector<FetchOutcome> outcomes = run_fetches_patiently(fetches, options, console);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::string& reason = asked[i]->reason;
    const std::string& outcome = outcomes[i].reason;
    if (outcome.empty()) {
      reason.clear();
    } else {
      reason += concat(reason.empty() ? "" : "; ", redact_url(fetches[i].url), ": ", outcome);
    }
  }
  return true;
}

}  // namespace

void fetch_histories(const std::vector<RepositoryCommits>& repositories, const std::string& directory,
                     const NetworkOptions& network, const std::vector<MovedRepository>& moved, Console& console) {
  if (!has_git()) {
    throw Error(ErrorKind::environment, "fetching histories: the git program is not installed", "install git");
  }
  std::vector<History> histories = histories_of(repositories, directory, network.url_map, moved);
  FetchOptions options = network.fetch;
  options.on_progress = [&](const FetchProgress& progress) {
    if (progress.total > 0) console.progress("fetching", progress.objects, progress.total, progress.bytes);
  };
  for (std::size_t round = 0; run_round(histories, round, options, console); ++round) console.progress_done();
  std::string failures;
  for (const History& history : histories) {
    if (!history.reason.empty()) failures += concat("\n  ", history.reason);
  }
  if (!failures.empty()) {
    throw Error(ErrorKind::source, concat("fetching the histories of the repositories in ", quote(directory), failures),
                "the commits themselves are all there; the same command goes on where it was");
  }
}

}  // namespace torchpatch::source
