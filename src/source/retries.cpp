// SPDX-License-Identifier: BSD-3-Clause
#include "source/retries.h"

#include <algorithm>
#include <random>
#include <thread>

#include "model/url.h"
#include "source/cache.h"
#include "source/remote.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kLongestWait{60};

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

/// Leaves out the commits that have come.
void keep_missing(Fetch& fetch) {
  const std::vector<ObjectId> fetched = Cache::fetched_commits(fetch.repository);
  std::erase_if(fetch.commits, [&](const ObjectId& commit) {
    return std::find(fetched.begin(), fetched.end(), commit) != fetched.end();
  });
}

/// The attempts of one run.
class Attempts {
 public:
  Attempts(std::vector<Fetch> fetches, const FetchOptions& options)
      : fetches_(std::move(fetches)), options_(options), outcomes_(fetches_.size()), todo_(fetches_.size()) {
    for (std::size_t i = 0; i < todo_.size(); ++i) todo_[i] = i;
  }

  /// Runs what is left once; returns how many of it may be tried again.
  std::size_t run() {
    std::vector<Fetch> batch;
    for (const std::size_t item : todo_) {
      Cache::remove_leftovers(fetches_[item].repository);
      batch.push_back(fetches_[item]);
    }
    const std::vector<FetchOutcome> outcomes = run_fetches(batch, options_);
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      if (take(todo_[i], outcomes[i])) again.push_back(todo_[i]);
    }
    todo_ = std::move(again);
    return todo_.size();
  }

  /// Waits; what would then be too late is not tried again. Returns how much is left.
  std::size_t wait_for(milliseconds time, Console& console) {
    for (const std::size_t item : todo_) time = std::max<milliseconds>(time, outcomes_[item].wait);
    time = std::min<milliseconds>(time, kLongestWait);
    std::erase_if(todo_, [&](std::size_t item) { return fetches_[item].spent + time >= options_.timeouts.total; });
    for (const std::size_t item : todo_) {
      fetches_[item].spent += time;
      console.status(concat("fetching ", redact_url(fetches_[item].url), " again in ", (time.count() + 999) / 1000,
                            " s: ", outcomes_[item].reason));
    }
    if (!todo_.empty()) wait(time);
    return todo_.size();
  }

  std::vector<FetchOutcome> take_outcomes() { return std::move(outcomes_); }

 private:
  /// Returns whether to try again.
  bool take(std::size_t item, const FetchOutcome& outcome) {
    Fetch& fetch = fetches_[item];
    fetch.spent += outcome.took;
    outcomes_[item] = outcome;
    outcomes_[item].took = fetch.spent;
    if (outcome.reason.empty() || !outcome.may_pass) return false;
    keep_missing(fetch);
    if (fetch.commits.empty()) outcomes_[item].reason.clear();
    return !fetch.commits.empty();
  }

  std::vector<Fetch> fetches_;
  const FetchOptions& options_;
  std::vector<FetchOutcome> outcomes_;
  std::vector<std::size_t> todo_;
};

}  // namespace

milliseconds back_off(int failures, double random) {
  const milliseconds whole = std::chrono::seconds(1) * (1 << std::clamp(failures - 1, 0, 10));
  const milliseconds most = std::min<milliseconds>(whole, kLongestWait);
  return most - milliseconds(static_cast<milliseconds::rep>(static_cast<double>(most.count()) * random / 2));
}

std::vector<FetchOutcome> run_fetches_patiently(const std::vector<Fetch>& fetches, const FetchOptions& options,
                                                Console& console) {
  Attempts attempts(fetches, options);
  std::size_t left = attempts.run();
  for (int failures = 1; left > 0 && failures <= options.retries; ++failures) {
    if (attempts.wait_for(back_off(failures, random_share()), console) == 0) break;
    left = attempts.run();
  }
  for (const Fetch& fetch : fetches) Cache::remove_leftovers(fetch.repository);
  return attempts.take_outcomes();
}

}  // namespace torchpatch::source
