// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/remote.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>
#include <utility>

#include "git/fetch_commits.h"
#include "model/url.h"
#include "source/fetch/fetch_program.h"
#include "source/store/cache.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::chrono::seconds kListing{300};  // for git to walk the trees of one commit

/// Fetches a commit in parts where it did not come in one piece: its trees first, then its files, some at a time. What
/// has come is kept, so that each attempt has less to do. Needs a server that takes filters and gives any object by its
/// id, as those with protocol 2 do; one without filters sends everything at once. git works in two repositories that
/// are thrown away, for it writes down whom it asked with a filter, and would ask him again by itself; only the objects
/// go into the cache.
class Parts {
 public:
  Parts(const Fetch& fetch, const FetchOptions& options)
      : fetch_(fetch), options_(options), objects_(fetch.repository + "/objects") {
    for (const std::string& repository : {trees_, files_}) make_bare_repository(repository);
  }

  FetchOutcome run(const ObjectId& commit) {
    if (!run_git(trees_, {"--depth=1", "--filter=blob:none"}, "", commit)) return outcome_;
    remove_promises();
    for (std::vector<ObjectId> missing = list_missing(commit); outcome_.reason.empty() && !missing.empty();) {
      const std::size_t count = std::min(missing.size(), static_cast<std::size_t>(fetch_.files_at_once));
      std::string ids;
      for (std::size_t i = 0; i < count; ++i) ids += missing[i].hex() + "\n";
      if (!run_git(files_, {"--stdin"}, ids, {})) return outcome_;
      outcome_.has_progressed = true;
      missing.erase(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(count));
      if (missing.empty()) missing = list_missing(commit);  // a long list comes in pieces
    }
    if (outcome_.reason.empty()) Cache::add_fetched(fetch_.repository, commit);
    return outcome_;
  }

 private:
  /// Runs `git fetch` in a repository, for a commit or for the ids in `input`; returns whether it worked.
  bool run_git(const std::string& repository, const std::vector<std::string>& more, const std::string& input,
               const std::optional<ObjectId>& commit) {
    FetchProgram program;
    program.url = fetch_.url;
    program.line = [&](const std::string& url) {
      std::vector<std::string> line = git_fetch_line(repository, url, more);
      if (commit) line.push_back(concat("+", commit->hex(), ":", kFetchedReferences, commit->hex()));
      return line;
    };
    program.objects = objects_;
    program.spent = fetch_.spent + outcome_.took;
    if (!input.empty()) {
      program.input = scratch_.path() + "/ids";
      write_file_atomically(program.input, input);
    }
    const FetchOutcome before = outcome_;
    outcome_ = run_fetch_programs({program}, options_).front();
    outcome_.took += before.took;
    outcome_.has_progressed = before.has_progressed;
    return outcome_.reason.empty();
  }

  /// Returns the objects of a commit that are not there, or the first of very many.
  std::vector<ObjectId> list_missing(const ObjectId& commit) {
    ProgramRun run;
    run.argv = git_line(trees_);
    run.argv.insert(run.argv.end(), {"rev-list", "--objects", "--quiet", "--missing=print", commit.hex()});
    run.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                       {"HOME", scratch_.path()},
                       {"LC_ALL", "C"},
                       {"GIT_CONFIG_NOSYSTEM", "1"},
                       {"GIT_CONFIG_GLOBAL", "/dev/null"},
                       {"GIT_ALLOW_PROTOCOL", "none"},
                       {"GIT_OBJECT_DIRECTORY", objects_}};
    run.timeout = kListing;
    run.limits.address_space = kMaxFetchMemory;
    const ProgramResult result = run_program(run);
    if (result.exit_code != 0) outcome_.reason = concat("git cannot list the objects: ", quote(errors_in(result.err)));
    std::vector<ObjectId> missing;
    for (const std::string& line : split(result.out, '\n')) {
      const auto id = starts_with(line, "?") ? ObjectId::parse(line.substr(1)) : std::nullopt;
      if (id) missing.push_back(*id);
    }
    return missing;
  }

  /// Takes back what tells git that somebody else has the rest of a pack's objects.
  void remove_promises() const {
    for (const std::string& name : list_directory(objects_ + "/pack")) {
      if (ends_with(name, ".promisor")) remove_tree(concat(objects_, "/pack/", name));
    }
  }

  const Fetch& fetch_;
  const FetchOptions& options_;
  std::string objects_;
  TempDir scratch_;
  std::string trees_ = scratch_.path() + "/trees.git";
  std::string files_ = scratch_.path() + "/files.git";
  FetchOutcome outcome_;
};

/// Brings the commits of `fetch`, `fetch.files_at_once` files at a time, with the git program; returns what came of it.
/// A commit is referenced when nothing of it is missing.
FetchOutcome fetch_in_parts(const Fetch& fetch, const FetchOptions& options) {
  Fetch rest = fetch;
  FetchOutcome whole;
  for (const ObjectId& commit : fetch.commits) {
    const FetchOutcome outcome = Parts(rest, options).run(commit);
    rest.spent += outcome.took;
    const bool has_progressed = whole.has_progressed || outcome.has_progressed;
    whole = outcome;
    whole.took = rest.spent - fetch.spent;
    whole.has_progressed = has_progressed;
    if (!outcome.reason.empty()) break;
  }
  return whole;
}

/// The program that runs, whatever it is called and wherever it lies.
std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) throw system_error("looking for the running program");
  return {path.data(), static_cast<std::size_t>(length)};
}

/// git's number for no end, which takes a repository without history for what it is, unlike --unshallow
/// (https://git-scm.com/docs/shallow).
constexpr const char* kWholeDepth = "--depth=2147483647";

std::vector<std::string> line_of(const Fetch& fetch, const std::string& url) {
  if (!has_git()) {
    std::vector<std::string> line = {own_program(), kLibraryFetchCommand, "--git-dir", fetch.repository, "--url", url};
    for (const ObjectId& commit : fetch.commits) line.insert(line.end(), {"--commit", commit.hex()});
    return line;
  }
  std::vector<std::string> line =
      git_fetch_line(fetch.repository, url, {fetch.with_history ? kWholeDepth : "--depth=1"});
  if (fetch.with_history) line.insert(line.end(), {"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"});
  for (const ObjectId& commit : fetch.commits) {
    line.push_back(concat("+", commit.hex(), ":", kFetchedReferences, commit.hex()));
  }
  return line;
}

/// Not ssh: libgit2 1.5 takes any host key.
bool is_spoken(const std::string& scheme) {
  return scheme == "https" || scheme == "http" || scheme == "git" || scheme == "file";
}

using std::chrono::milliseconds;

constexpr std::chrono::seconds kLongestWait{60};
constexpr int kFilesAtOnce = 1000;

double random_share() {
  std::random_device device;
  return std::uniform_real_distribution<double>(0, 1)(device);
}

void wait(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    check_interrupted();
    std::this_thread::sleep_for(milliseconds(50));
  }
}

/// What one fetch has come to.
struct Patience {
  Fetch fetch;
  FetchOutcome outcome{};
  int failures = 0;      ///< since there was progress
  bool may_part = true;  ///< its server gives commits in parts, as far as is known
  bool is_open = true;   ///< it is to be run
};

/// The attempts of one run.
class Attempts {
 public:
  Attempts(const std::vector<Fetch>& fetches, const FetchOptions& options) : options_(options) {
    for (const Fetch& fetch : fetches) items_.push_back({.fetch = fetch, .may_part = !fetch.with_history});
  }

  /// Runs what is left once; returns whether something is to be tried again.
  bool run() {
    std::vector<Patience*> open;
    std::vector<Fetch> batch;
    for (Patience& item : items_) {
      if (!item.is_open) continue;
      Cache::remove_leftovers(item.fetch.repository);
      open.push_back(&item);
      batch.push_back(item.fetch);
    }
    const std::vector<FetchOutcome> outcomes = run_fetches(batch, options_);
    for (std::size_t i = 0; i < open.size(); ++i) take(*open[i], outcomes[i]);
    return is_any_open();
  }

  /// Waits; what would then be too late is not tried again. Returns whether something is left.
  bool wait_for_all(Console& console) {
    milliseconds time{0};
    for (const Patience& item : items_) {
      if (!item.is_open) continue;
      time = std::max({time, back_off(item.failures, random_share()), milliseconds(item.outcome.wait)});
    }
    time = std::min<milliseconds>(time, kLongestWait);
    for (Patience& item : items_) {
      if (!item.is_open) continue;
      item.fetch.spent += time;
      item.is_open = item.fetch.spent < options_.timeouts.total;
      if (!item.is_open) continue;
      console.status(concat("fetching ", redact_url(item.fetch.url), " again in ", (time.count() + 999) / 1000, " s",
                            item.fetch.files_at_once > 0 ? " in parts" : "", ": ", item.outcome.reason));
    }
    if (!is_any_open()) return false;
    wait(time);
    return true;
  }

  std::vector<FetchOutcome> outcomes() const {
    std::vector<FetchOutcome> outcomes;
    for (const Patience& item : items_) outcomes.push_back(item.outcome);
    return outcomes;
  }

 private:
  void take(Patience& item, const FetchOutcome& outcome) {
    item.fetch.spent += outcome.took;
    item.outcome = outcome;
    item.is_open = false;
    if (outcome.reason.empty()) return;
    leave_out_fetched(item.fetch);
    if (item.fetch.commits.empty()) {
      item.outcome.reason.clear();
      return;
    }
    item.failures = outcome.has_progressed ? 1 : item.failures + 1;
    if (item.failures > options_.retries) return;
    item.is_open = choose_parts(item);
  }

  /// Chooses how the next attempt goes about it; returns whether there is to be one.
  static bool choose_parts(Patience& item) {
    int& parts = item.fetch.files_at_once;
    if (!item.outcome.may_pass) {
      // A server may refuse parts and still give the whole.
      item.may_part = false;
      return std::exchange(parts, 0) > 0;
    }
    if (parts == 0) {
      parts = item.outcome.broke_off && item.may_part ? kFilesAtOnce : 0;
    } else if (!item.outcome.has_progressed) {
      parts = std::max(1, parts / 4);
    }
    return true;
  }

  bool is_any_open() const {
    return std::any_of(items_.begin(), items_.end(), [](const Patience& item) { return item.is_open; });
  }

  const FetchOptions& options_;
  std::vector<Patience> items_;
};

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

void fetch_with_library(const Fetch& fetch, const std::function<void(const std::string& line)>& on_progress) {
  const std::string scheme = url_scheme(fetch.url);
  if (!is_spoken(scheme))
    throw Error(ErrorKind::source, concat("without the git program, nobody here speaks ", scheme));
#ifndef TORCHPATCH_SANITIZED  // sanitizers reserve terabytes of address space for their shadow
  lower_limit(RLIMIT_AS, kMaxFetchMemory, kMaxFetchMemory);
#endif
  git::fetch_commits(fetch.url, fetch.repository, fetch.commits, kFetchedReferences, on_progress);
}

void leave_out_fetched(Fetch& fetch) {
  if (fetch.with_history) return;
  const std::vector<ObjectId> fetched = Cache::fetched_commits(fetch.repository);
  std::erase_if(fetch.commits,
                [&](const ObjectId& commit) { return std::ranges::find(fetched, commit) != fetched.end(); });
}

milliseconds back_off(int failures, double random) {
  const milliseconds whole = std::chrono::seconds(1) * (1 << std::clamp(failures - 1, 0, 10));
  const milliseconds most = std::min<milliseconds>(whole, kLongestWait);
  return most - milliseconds(static_cast<milliseconds::rep>(static_cast<double>(most.count()) * random / 2));
}

std::vector<FetchOutcome> run_fetches_patiently(const std::vector<Fetch>& fetches, const FetchOptions& options,
                                                Console& console) {
  Attempts attempts(fetches, options);
  while (attempts.run() && attempts.wait_for_all(console)) continue;
  for (const Fetch& fetch : fetches) Cache::remove_leftovers(fetch.repository);
  return attempts.outcomes();
}

}  // namespace torchpatch::source
