// SPDX-License-Identifier: BSD-3-Clause
#include "source/network.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "model/url.h"
#include "source/mirror.h"
#include "source/retries.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// What a commit's reason says before any URL was tried.
constexpr const char* kUntried = "no URL that may be fetched from is known";

void add_commit(const ObjectId& commit, std::vector<ObjectId>& commits) {
  if (std::find(commits.begin(), commits.end(), commit) == commits.end()) commits.push_back(commit);
}

/// Adds what a fetch from `url` said to a commit's reason; nothing said means that it worked.
void add_reason(const std::string& result, const std::string& url, std::string& reason) {
  if (result.empty()) {
    reason.clear();
    return;
  }
  const std::string line = concat(redact_url(url), ": ", result);
  reason = reason == kUntried ? line : concat(reason, "; ", line);
}

}  // namespace

/// The next URL of each commit that is still missing.
struct NetworkSource::Round {
  std::vector<Fetch> fetches;                    ///< one a repository
  std::vector<std::vector<std::size_t>> wanted;  ///< for each, the wanted commits that it is for
};

NetworkSource::NetworkSource(NetworkOptions options, Console& console)
    : options_(std::move(options)), cache_(options_.cache) {
  cache_.check_layout();
  in_use_ = cache_.enter();
  std::vector<std::string> directories = options_.mirrors;
  if (is_directory(cache_.repositories())) directories.push_back(cache_.repositories());
  FoundFolders found = find_object_folders(directories);
  for (const std::string& warning : found.warnings) console.warning(warning);
  object_folders_ = std::move(found.object_folders);
  for (const std::string& folder : object_folders_) {
    for (const ObjectId& commit : Cache::fetched_commits(parent_path(folder))) fetched_before_.insert(commit);
  }
}

void NetworkSource::note_use(int folder, const ObjectId& commit) {
  const std::string repository = parent_path(object_folders_.at(static_cast<std::size_t>(folder)));
  const std::string reference = reference_path(repository, commit);
  std::error_code error;
  const std::string cache = std::filesystem::weakly_canonical(cache_.repositories(), error);
  const bool is_cached = starts_with(repository, cache_.repositories()) || starts_with(repository, cache);
  // Where there is none, or it may not be touched, nothing is lost but the time.
  if (!error && is_cached) ::utimensat(AT_FDCWD, reference.c_str(), nullptr, 0);
}

std::string NetworkSource::describe() const {
  const std::string cache = concat("the cache ", quote(options_.cache));
  return options_.offline ? cache : cache + " and the network";
}

std::string NetworkSource::hint() const {
  return options_.offline ? "leave --offline out, or name a folder that holds them with --mirror"
                          : "name a folder that holds them with --mirror, or with --url-map a server that does";
}

std::vector<std::string> NetworkSource::bring(const std::vector<WantedCommit>& asked, Console& console) {
  if (options_.offline) {
    return std::vector<std::string>(asked.size(), "not in the cache, and --offline forbids the network");
  }
  std::vector<WantedCommit> wanted;
  for (const WantedCommit& commit : asked) wanted.push_back(map_urls(commit));
  if (!in_use_) {
    cache_.make();
    in_use_ = cache_.enter();
  }
  std::vector<std::string> reasons(wanted.size(), kUntried);
  for (std::size_t number = 0;; ++number) {
    const Round round = plan_round(wanted, reasons, number);
    if (round.fetches.empty()) return reasons;
    console.status(concat("fetching ", round.fetches.size(),
                          round.fetches.size() == 1 ? " repository" : " repositories",
                          number == 0 ? "" : " from where they are also known to live"));
    const Outcomes outcomes = run_round(round.fetches, console);
    for (std::size_t i = 0; i < round.fetches.size(); ++i) {
      const Fetch& fetch = round.fetches[i];
      for (const std::size_t item : round.wanted[i]) {
        const std::string& outcome = outcomes.at({fetch.repository, wanted[item].commit});
        if (outcome.empty()) add_folder(fetch.repository);
        add_reason(outcome, fetch.url, reasons[item]);
      }
    }
  }
}

/// Puts what the user named in the place of each URL; a recorded one that is barred comes first, as it would otherwise.
WantedCommit NetworkSource::map_urls(const WantedCommit& wanted) const {
  WantedCommit mapped{wanted.repository, wanted.commit, {}};
  if (auto url = options_.url_map.find(wanted.barred_url)) mapped.urls.push_back(*url);
  for (const std::string& url : wanted.urls) {
    std::string named = options_.url_map.find(url).value_or(url);
    if (std::find(mapped.urls.begin(), mapped.urls.end(), named) == mapped.urls.end()) {
      mapped.urls.push_back(std::move(named));
    }
  }
  return mapped;
}

NetworkSource::Round NetworkSource::plan_round(const std::vector<WantedCommit>& wanted,
                                               const std::vector<std::string>& reasons, std::size_t number) const {
  std::map<std::string, std::vector<std::size_t>> by_repository;  // sorted: locks are taken in one order everywhere
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!reasons[i].empty() && number < wanted[i].urls.size()) {
      by_repository[cache_.repository_of(wanted[i].urls[number])].push_back(i);
    }
  }
  Round round;
  for (auto& [repository, items] : by_repository) {
    Fetch fetch{wanted[items.front()].urls[number], repository, {}};
    for (const std::size_t item : items) add_commit(wanted[item].commit, fetch.commits);
    round.fetches.push_back(std::move(fetch));
    round.wanted.push_back(std::move(items));
  }
  return round;
}

NetworkSource::Outcomes NetworkSource::run_round(std::vector<Fetch> fetches, Console& console) const {
  Outcomes outcomes;
  std::vector<UniqueFd> locks;
  for (Fetch& fetch : fetches) {
    locks.push_back(cache_.make_repository(fetch.repository));
    for (const ObjectId& commit : fetch.commits) outcomes[{fetch.repository, commit}];
    prepare_repository(fetch);
  }
  std::erase_if(fetches, [](const Fetch& fetch) { return fetch.commits.empty(); });

  FetchOptions options = options_.fetch;
  options.on_progress = [&](const FetchProgress& progress) {
    if (progress.total > 0) console.progress("fetching", progress.objects, progress.total, progress.bytes);
  };
  std::vector<Fetch> failed;
  const auto run = [&](const std::vector<Fetch>& batch) {
    const std::vector<FetchOutcome> results = run_fetches_patiently(batch, options, console);
    console.progress_done();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const ObjectId& commit : batch[i].commits) outcomes[{batch[i].repository, commit}] = results[i].reason;
      const bool lacks_some = !results[i].reason.empty() && !results[i].may_pass;
      if (lacks_some && batch[i].commits.size() > 1) failed.push_back(batch[i]);
    }
  };
  run(fetches);
  // One commit that the server lacks fails the whole fetch; alone, the others come.
  for (const Fetch& fetch : std::exchange(failed, {})) {
    for (const ObjectId& commit : fetch.commits) run({{fetch.url, fetch.repository, {commit}}});
  }
  return outcomes;
}

/// Leaves out the commits that another run has brought meanwhile. A commit that was there when this run began and is
/// wanted nevertheless is damaged or lacks objects; then everything in the repository is fetched anew.
void NetworkSource::prepare_repository(Fetch& fetch) const {
  const std::vector<ObjectId> fetched = Cache::fetched_commits(fetch.repository);
  const bool is_damaged = std::any_of(fetch.commits.begin(), fetch.commits.end(),
                                      [&](const ObjectId& commit) { return fetched_before_.contains(commit); });
  if (is_damaged) {
    Cache::empty_repository(fetch.repository);
    for (const ObjectId& commit : fetched) add_commit(commit, fetch.commits);
    return;
  }
  std::erase_if(fetch.commits, [&](const ObjectId& commit) {
    return std::find(fetched.begin(), fetched.end(), commit) != fetched.end();
  });
}

void NetworkSource::add_folder(const std::string& repository) {
  const std::string folder = repository + "/objects";
  if (std::find(object_folders_.begin(), object_folders_.end(), folder) == object_folders_.end()) {
    object_folders_.push_back(folder);
  }
}

}  // namespace torchpatch::source
