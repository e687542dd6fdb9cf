// SPDX-License-Identifier: BSD-3-Clause
#include "source/retries.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "model/url.h"
#include "source/cache.h"
#include "source/remote.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

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

/// Leaves out the commits that have come; of a history that is not known.
void keep_missing(Fetch& fetch) {
  if (fetch.with_history) return;
  const std::vector<ObjectId> fetched = Cache::fetched_commits(fetch.repository);
  std::erase_if(fetch.commits, [&](const ObjectId& commit) {
    return std::find(fetched.begin(), fetched.end(), commit) != fetched.end();
  });
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
    keep_missing(item.fetch);
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
