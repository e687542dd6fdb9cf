// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "git/fetch_commits.h"
#include "git/git_program.h"
#include "model/url.h"
#include "source/store/cache.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

std::string refspec_of(const ObjectId& commit) {
  return concat("+", commit.hex(), ":", kFetchedReferences, commit.hex());
}

/// Fetches in parts a commit that did not arrive in one piece: trees first, then files, some at a time. What has
/// arrived is kept, so that each attempt has less to do. Needs a server with filters that serves any object by id, as
/// with protocol 2; a server without filters sends everything at once. git works in two temporary repositories, because
/// it records the server of a filtered fetch and would contact it again by itself; only the objects go into the cache.
class Parts {
 public:
  Parts(const Fetch& fetch, const FetchOptions& options)
      : fetch_(fetch), options_(options), objects_(fetch.repository + "/objects") {}

  /// Fetches the commits, each in two new repositories, and references each when it is complete.
  FetchOutcome run() {
    for (const ObjectId& commit : fetch_.commits) {
      scratch_.emplace();
      for (const std::string& repository : {trees(), files()}) make_bare_repository(scratch_->path(), repository);
      if (!bring(commit)) break;
      Cache::add_fetched(fetch_.repository, commit);
    }
    return outcome_;
  }

 private:
  std::string trees() const { return scratch_->path() + "/trees.git"; }
  std::string files() const { return scratch_->path() + "/files.git"; }

  bool bring(const ObjectId& commit) {
    if (!run_git(git_fetch_line(trees(), {"--depth=1", "--filter=blob:none"}, {refspec_of(commit)}), "")) return false;
    remove_promises();
    for (std::vector<ObjectId> missing = list_missing(commit); outcome_.reason.empty() && !missing.empty();) {
      const std::size_t count = std::min(missing.size(), static_cast<std::size_t>(fetch_.files_at_once));
      std::string ids;
      for (std::size_t i = 0; i < count; ++i) ids += missing[i].hex() + "\n";
      if (!run_git(git_fetch_line(files(), {"--stdin"}, {}), ids)) return false;
      outcome_.has_progressed = true;
      missing.erase(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(count));
      if (missing.empty()) missing = list_missing(commit);  // a long list is returned in pieces
    }
    return outcome_.reason.empty();
  }

  /// Runs `git fetch` with the ids in `input`, if any; returns whether it succeeded.
  bool run_git(const CommandLine& line, const std::string& input) {
    FetchProgram program{.url = fetch_.url, .line = line, .objects = objects_, .spent = fetch_.spent + outcome_.took};
    if (!input.empty()) {
      program.input = scratch_->path() + "/ids";
      write_file_atomically(program.input, input);
    }
    const FetchOutcome before = outcome_;
    outcome_ = run_fetch_programs({program}, options_).front();
    outcome_.took += before.took;
    outcome_.has_progressed = before.has_progressed;
    return outcome_.reason.empty();
  }

  /// Returns the missing objects of a commit, or the first of very many.
  std::vector<ObjectId> list_missing(const ObjectId& commit) {
    ProgramRun run = git::git_run({});
    run.argv = git_line(trees(), "rev-list");
    run.argv.insert(run.argv.end(), {"--objects", "--quiet", "--missing=print", commit.hex()});
    run.environment.emplace_back("GIT_OBJECT_DIRECTORY", objects_);
    const ProgramResult result = run_program(run);
    if (result.exit_code != 0) outcome_.reason = concat("git cannot list the objects: ", quote(errors_in(result.err)));
    std::vector<ObjectId> missing;
    for (const std::string& line : split(result.out, '\n')) {
      const auto id = starts_with(line, "?") ? ObjectId::parse(line.substr(1)) : std::nullopt;
      if (id) missing.push_back(*id);
    }
    return missing;
  }

  /// Removes the files by which git assumes that a promisor remote has the other objects.
  void remove_promises() const {
    for (const std::string& name : list_directory(objects_ + "/pack"))
      if (ends_with(name, ".promisor")) remove_tree(concat(objects_, "/pack/", name));
  }

  const Fetch& fetch_;
  const FetchOptions& options_;
  std::string objects_;
  std::optional<TempDir> scratch_;
  FetchOutcome outcome_;  ///< of the last program, with the total time
};

/// git's number for infinite depth, which unlike --unshallow also works in a repository without history
/// (https://git-scm.com/docs/shallow).
constexpr const char* kWholeDepth = "--depth=2147483647";

CommandLine library_line(const Fetch& fetch) {
  return [fetch](const std::string& url) {
    std::vector<std::string> line = {own_program(), kLibraryFetchCommand, "--git-dir", fetch.repository, "--url", url};
    for (const ObjectId& commit : fetch.commits) line.insert(line.end(), {"--commit", commit.hex()});
    return line;
  };
}

CommandLine whole_line(const Fetch& fetch) {
  if (!git::has_git()) return library_line(fetch);
  std::vector<std::string> refspecs;
  if (fetch.with_history) refspecs = {"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"};
  for (const ObjectId& commit : fetch.commits) refspecs.push_back(refspec_of(commit));
  return git_fetch_line(fetch.repository, {fetch.with_history ? kWholeDepth : "--depth=1"}, refspecs);
}

using std::chrono::milliseconds;

constexpr std::chrono::seconds kLongestWait{60};
constexpr int kFilesAtOnce = 1000;

/// The state of one fetch.
struct Patience {
  Fetch fetch;
  FetchOutcome outcome{};
  int failures = 0;      ///< since the last progress
  bool may_part = true;  ///< its server supports parts, as far as known
  bool is_open = true;   ///< still to be run
};

/// The attempts of a run.
class Attempts {
 public:
  Attempts(const std::vector<Fetch>& fetches, const FetchOptions& options) : options_(options) {
    for (const Fetch& fetch : fetches) items_.push_back({.fetch = fetch, .may_part = !fetch.with_history});
  }

  /// Runs the open ones once; returns whether to retry any.
  bool run() {
    const std::vector<Patience*> open = open_items();
    std::vector<Fetch> batch;
    for (const Patience* item : open) {
      Cache::remove_leftovers(item->fetch.repository);
      batch.push_back(item->fetch);
    }
    const std::vector<FetchOutcome> outcomes = run_fetches(batch, options_);
    for (std::size_t i = 0; i < open.size(); ++i) take(*open[i], outcomes[i]);
    return !open_items().empty();
  }

  /// Waits, and drops those that would then exceed their timeout. Returns whether any are left.
  bool wait_for_all(Console& console) {
    milliseconds time{0};
    for (const Patience* item : open_items()) time = std::max(time, wait_after(item->outcome, item->failures));
    for (Patience* item : open_items()) {
      item->fetch.spent += time;
      item->is_open = item->fetch.spent < options_.timeouts.total;
    }
    for (const Patience* item : open_items()) {
      console.status(concat("fetching ", redact_url(item->fetch.url), " again in ", (time.count() + 999) / 1000, " s",
                            item->fetch.files_at_once > 0 ? " in parts" : "", ": ", item->outcome.reason));
    }
    if (open_items().empty()) return false;
    wait(time);
    return true;
  }

  std::vector<FetchOutcome> outcomes() const { return collect(items_, &Patience::outcome); }

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
    if (item.fetch.is_hint || item.failures > options_.retries) return;
    item.is_open = choose_parts(item);
  }

  /// Chooses the method of the next attempt; returns whether there is one.
  static bool choose_parts(Patience& item) {
    int& parts = item.fetch.files_at_once;
    if (!item.outcome.may_pass) {
      // A server may refuse parts but serve the whole.
      item.may_part = false;
      return std::exchange(parts, 0) > 0;
    }
    if (parts == 0)
      parts = item.outcome.broke_off && item.may_part ? kFilesAtOnce : 0;
    else if (!item.outcome.has_progressed)
      parts = std::max(1, parts / 4);
    return true;
  }

  std::vector<Patience*> open_items() {
    std::vector<Patience*> open;
    for (Patience& item : items_)
      if (item.is_open) open.push_back(&item);
    return open;
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
    if (fetches[i].files_at_once > 0 && git::has_git()) continue;
    whole.push_back(i);
    programs.push_back({.url = fetches[i].url, .line = whole_line(fetches[i]), .spent = fetches[i].spent});
  }
  const std::vector<FetchOutcome> of_whole = run_fetch_programs(std::move(programs), options);
  for (std::size_t i = 0; i < whole.size(); ++i) outcomes[whole[i]] = of_whole[i];
  for (std::size_t i = 0; i < fetches.size(); ++i)
    if (fetches[i].files_at_once > 0 && git::has_git()) outcomes[i] = Parts(fetches[i], options).run();
  return outcomes;
}

void fetch_with_library(const Fetch& fetch, const std::function<void(const std::string& line)>& on_progress) {
  const std::string scheme = url_scheme(fetch.url);
  // Not ssh: libgit2 1.5 accepts any host key.
  if (scheme != "https" && scheme != "http" && scheme != "git" && scheme != "file")
    throw Error(ErrorKind::source, concat("the git program is not installed, and libgit2 does not support ", scheme));
#ifndef TORCHPATCH_SANITIZED  // sanitizers reserve terabytes of address space for their shadow
  lower_limit(RLIMIT_AS, git::kMaxGitMemory, git::kMaxGitMemory);
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

milliseconds wait_after(const FetchOutcome& outcome, int failures) {
  std::random_device device;
  const milliseconds time = back_off(failures, std::uniform_real_distribution<double>(0, 1)(device));
  return std::min<milliseconds>(std::max<milliseconds>(time, outcome.wait), kLongestWait);
}

void wait(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    check_interrupted();
    std::this_thread::sleep_for(milliseconds(50));
  }
}

std::vector<FetchOutcome> run_fetches_patiently(const std::vector<Fetch>& fetches, const FetchOptions& options,
                                                Console& console) {
  Attempts attempts(fetches, options);
  while (attempts.run() && attempts.wait_for_all(console)) continue;
  for (const Fetch& fetch : fetches) Cache::remove_leftovers(fetch.repository);
  return attempts.outcomes();
}

}  // namespace torchpatch::source
