// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/network.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "git/git_program.h"
#include "model/url.h"
#include "source/closure/repository_tree.h"
#include "source/fetch/fetch_program.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr const char* kUrlMapHint = "for example --url-map https://github.com/=https://mirror.example.org/github/";

/// The reason of a commit before any URL was tried.
constexpr const char* kUntried = "no allowed URL is known";

/// Appends a value unless the list contains it.
template <typename Value>
void add_once(const Value& value, std::vector<Value>& list) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// Adds the result of a fetch from `url` to a commit's reason; an empty result is success.
void add_reason(const std::string& result, const std::string& url, std::string& reason) {
  if (result.empty()) {
    reason.clear();
    return;
  }
  const std::string line = concat(redact_url(url), ": ", result);
  reason = reason == kUntried ? line : concat(reason, "; ", line);
}

FetchOptions with_progress(FetchOptions options, Console& console) {
  options.on_progress = [&console](const FetchProgress& progress) {
    if (progress.total > 0) console.progress("fetching", progress.objects, progress.total, progress.bytes);
  };
  return options;
}

}  // namespace

UrlMap::UrlMap(const std::vector<std::string>& rules) {
  for (const std::string& rule : rules) {
    const auto refuse = [&](std::string_view why) {
      return Error(ErrorKind::usage, concat("'--url-map' ", quote(hide_logins(rule)), ": ", why), kUrlMapHint);
    };
    // A URL may contain "=": the separator is the one before a scheme.
    std::size_t equals = rule.find('=');
    while (equals != std::string::npos && url_scheme(rule.substr(equals + 1)).empty())
      equals = rule.find('=', equals + 1);
    if (equals == std::string::npos) throw refuse("it is not OLD=NEW with two URL prefixes");
    const std::string from = rule.substr(0, equals);
    const std::string to = rule.substr(equals + 1);
    if (url_scheme(from).empty()) throw refuse("OLD does not begin like a URL");
    // Checked with a repository appended, since "https://host/" alone is none; "https://host:1" needs a slash.
    const auto problem = url_problem(to + "x/x");
    if (problem && url_problem(to + "/x")) throw refuse("NEW is refused: " + *problem);
    if (!rules_.emplace(from, to).second) throw refuse("OLD was given before");
  }
}

std::optional<std::string> UrlMap::find(std::string_view url) const {
  const std::pair<const std::string, std::string>* longest = nullptr;
  for (const auto& rule : rules_)
    if (starts_with(url, rule.first) && (!longest || rule.first.size() > longest->first.size())) longest = &rule;
  if (!longest) return std::nullopt;
  std::string mapped = concat(longest->second, url.substr(longest->first.size()));
  if (const auto problem = url_problem(mapped)) {
    throw Error(
        ErrorKind::usage,
        concat("'--url-map' maps ", redact_url(mapped), " of ", redact_url(url), ", which is refused: ", *problem),
        kUrlMapHint);
  }
  return mapped;
}

/// The next URL of each commit still missing.
struct NetworkSource::Round {
  std::vector<Fetch> fetches;                    ///< one per repository
  std::vector<std::vector<std::size_t>> wanted;  ///< for each fetch, its wanted commits
};

NetworkSource::NetworkSource(NetworkOptions options, Console& console)
    : options_(std::move(options)), cache_(options_.cache) {
  cache_.check_layout();
  in_use_ = cache_.enter();
  reading_ = cache_.begin_reading();
  std::vector<std::string> directories = options_.mirrors;
  if (is_directory(cache_.repositories())) directories.push_back(cache_.repositories());
  object_folders_ = find_object_folders(directories, console);
  for (const std::string& folder : object_folders_)
    for (const ObjectId& commit : Cache::fetched_commits(parent_path(folder))) fetched_before_.insert(commit);
}

void NetworkSource::note_use(int folder, const ObjectId& commit) {
  const std::string repository = parent_path(object_folders_.at(static_cast<std::size_t>(folder)));
  const std::string reference = reference_path(repository, commit);
  std::error_code error;
  const std::string cache = std::filesystem::weakly_canonical(cache_.repositories(), error);
  const bool is_cached = starts_with(repository, cache_.repositories()) || starts_with(repository, cache);
  // If it does not exist or is not writable, only the time is lost.
  if (!error && is_cached && type_at(parent_path(reference)) == S_IFDIR)
    ::utimensat(AT_FDCWD, reference.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

std::string NetworkSource::describe() const {
  const std::string cache = concat("the cache ", quote(options_.cache));
  return options_.offline ? cache : cache + " and the network";
}

std::string NetworkSource::hint() const {
  return options_.offline
             ? "omit --offline, or pass a directory that contains them with --mirror"
             : "pass a directory that contains them with --mirror, or a server that has them with --url-map";
}

std::vector<std::string> NetworkSource::bring(const std::vector<PinnedRepository>& wanted, Console& console) {
  if (options_.offline)
    return std::vector<std::string>(wanted.size(), "not in the cache, and --offline forbids the network");
  std::vector<std::vector<std::string>> urls;  // of each, in order of attempts
  for (const PinnedRepository& each : wanted) {
    const bool is_needless = each.is_hint && fetched_before_.contains(each.commit);
    urls.push_back(is_needless ? std::vector<std::string>() : urls_of(each));
  }
  if (!in_use_) {
    cache_.make();
    in_use_ = cache_.enter();
    reading_ = cache_.begin_reading();
  }
  std::vector<std::string> reasons(wanted.size(), kUntried);
  for (std::size_t number = 0;; ++number) {
    Round round = plan_round(wanted, urls, reasons, number);
    if (round.fetches.empty()) return reasons;
    make_room(round.fetches, console);
    console.status(concat("fetching ", round.fetches.size(),
                          round.fetches.size() == 1 ? " repository" : " repositories",
                          number == 0 ? "" : " from their other known locations"));
    const Outcomes outcomes = run_round(round.fetches, console);
    for (std::size_t i = 0; i < round.fetches.size(); ++i) {
      const Fetch& fetch = round.fetches[i];
      for (const std::size_t item : round.wanted[i]) {
        const std::string& outcome = outcomes.at({fetch.repository, wanted[item].commit});
        if (outcome.empty()) add_once(fetch.repository + "/objects", object_folders_);
        add_reason(outcome, fetch.url, reasons[item]);
      }
    }
  }
}

/// The recorded URL, then the catalog's, each as mapped by the user.
std::vector<std::string> NetworkSource::urls_of(const PinnedRepository& wanted) const {
  std::vector<std::string> urls;
  if (wanted.content) return urls;
  const std::optional<std::string> mapped = options_.url_map.find(wanted.url);
  if (mapped || wanted.may_fetch_recorded) urls.push_back(mapped.value_or(wanted.url));
  for (const std::string& url : wanted.moved_urls) add_once(options_.url_map.find(url).value_or(url), urls);
  return urls;
}

NetworkSource::Round NetworkSource::plan_round(const std::vector<PinnedRepository>& wanted,
                                               const std::vector<std::vector<std::string>>& urls,
                                               const std::vector<std::string>& reasons, std::size_t number) const {
  std::map<std::string, std::vector<std::size_t>> by_repository;  // sorted: locks are always taken in this order
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!reasons[i].empty() && number < urls[i].size())
      by_repository[cache_.repository_of(urls[i][number])].push_back(i);
  Round round;
  for (auto& [repository, items] : by_repository) {
    Fetch fetch{urls[items.front()][number], repository, {}};
    for (const std::size_t item : items) add_once(wanted[item].commit, fetch.commits);
    fetch.is_hint = std::ranges::all_of(items, [&](std::size_t item) { return wanted[item].is_hint; });
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
    leave_out_fetched(fetch);  // another run may have fetched some in the meantime
  }
  std::erase_if(fetches, [](const Fetch& fetch) { return fetch.commits.empty(); });
  std::ranges::stable_sort(fetches, {}, &Fetch::is_hint);  // components are larger than most of their submodules

  const FetchOptions options = with_progress(options_.fetch, console);
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
  // One commit missing on the server fails the whole fetch; fetched separately, the others arrive.
  for (const Fetch& fetch : std::exchange(failed, {}))
    for (const ObjectId& commit : fetch.commits) run({{fetch.url, fetch.repository, {commit}}});
  return outcomes;
}

/// Empties damaged repositories; if another run may be reading one, fetches to a separate place instead.
void NetworkSource::make_room(std::vector<Fetch>& fetches, Console& console) {
  std::vector<Fetch*> damaged;
  for (Fetch& fetch : fetches) {
    // A commit that was present at the start but is still wanted is damaged or incomplete.
    const auto was_there = [&](const ObjectId& commit) { return fetched_before_.contains(commit); };
    if (std::ranges::any_of(fetch.commits, was_there)) damaged.push_back(&fetch);
  }
  if (damaged.empty()) return;
  const bool is_done = cache_.try_while_unread(reading_, [&] {
    for (Fetch* fetch : damaged) {
      const UniqueFd lock = cache_.make_repository(fetch->repository);
      // Everything that was in it has to be fetched again.
      for (const ObjectId& commit : Cache::fetched_commits(fetch->repository)) add_once(commit, fetch->commits);
      Cache::empty_repository(fetch->repository);
    }
  });
  if (is_done) return;
  console.status(
      "the cache is damaged but in use by another run: it is not repaired now, and this run fetches what it needs");
  if (!aside_) aside_ = std::make_unique<TempDir>();
  for (Fetch* fetch : damaged) fetch->repository = repository_path(aside_->path(), fetch->url);
}

void fetch_histories(const std::vector<RepositoryCommits>& repositories, const std::string& directory,
                     const NetworkOptions& network, const std::vector<MovedRepository>& moved, Console& console) {
  if (!git::has_git())
    throw Error(ErrorKind::environment, "fetching histories: the git program is not installed", "install git");
  struct History {
    Fetch fetch;
    std::vector<std::string> urls;  ///< in order of attempts
    std::string reason = kUntried;  ///< why it has not arrived, or empty
  };
  std::vector<History> histories;
  for (const RepositoryCommits& repository : repositories) {
    std::vector<std::string> urls = find_moved_urls(repository.url, moved);
    urls.insert(urls.begin(), repository.url);
    for (std::string& url : urls) url = network.url_map.find(url).value_or(url);
    const std::string path = repository_path(directory, repository.url);
    Fetch fetch{.url = {}, .repository = path, .commits = repository.commits, .with_history = true};
    histories.push_back({std::move(fetch), std::move(urls)});
  }
  const FetchOptions options = with_progress(network.fetch, console);
  // In rounds: the next URL of each repository that still lacks its history.
  for (std::size_t round = 0;; ++round) {
    std::vector<Fetch> fetches;
    std::vector<History*> asked;
    std::vector<std::string> paths;
    for (History& history : histories) {
      if (history.reason.empty() || round >= history.urls.size()) continue;
      history.fetch.url = history.urls[round];
      paths.push_back(history.fetch.repository);
      fetches.push_back(history.fetch);
      asked.push_back(&history);
    }
    if (asked.empty()) break;
    const std::vector<UniqueFd> locks = make_bare_repositories(directory, paths);
    console.status(
        concat("fetching the histories of ", asked.size(), asked.size() == 1 ? " repository" : " repositories"));
    const std::vector<FetchOutcome> outcomes = run_fetches_patiently(fetches, options, console);
    for (std::size_t i = 0; i < asked.size(); ++i) add_reason(outcomes[i].reason, fetches[i].url, asked[i]->reason);
    console.progress_done();
  }
  std::string failures;
  for (const History& history : histories)
    if (!history.reason.empty()) failures += concat("\n  ", history.reason);
  if (!failures.empty()) {
    throw Error(ErrorKind::source, concat("fetching the histories of the repositories in ", quote(directory), failures),
                "all pinned commits are present; run the same command to resume");
  }
}

}  // namespace torchpatch::source
