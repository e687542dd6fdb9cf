// SPDX-License-Identifier: BSD-3-Clause
/// NetworkSource: the cache, then the network through the git program. UrlMap: where to fetch from instead of the
/// recorded URLs (--url-map). fetch_histories(): complete histories for a mirror.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/release.h"
#include "source/closure/object_source.h"
#include "source/fetch/fetch_program.h"
#include "source/store/cache.h"
#include "source/store/fill_repositories.h"
#include "support/console.h"

namespace torchpatch::source {

class UrlMap {
 public:
  UrlMap() = default;
  /// Each rule is "OLD=NEW": a URL prefix and its replacement. Raises usage for anything else, for a NEW that
  /// url_problem always refuses, and for a duplicate OLD.
  explicit UrlMap(const std::vector<std::string>& rules);

  /// Returns `url` with its longest matching OLD replaced, as git's url.NEW.insteadOf does, or nothing if no rule
  /// matches. Raises usage if the result is refused.
  std::optional<std::string> find(std::string_view url) const;
  bool empty() const { return rules_.empty(); }

 private:
  std::map<std::string, std::string, std::less<>> rules_;
};

// The cache, then the network.

struct NetworkOptions {
  std::string cache{};                 ///< directory: "$XDG_CACHE_HOME/torchpatch"
  std::vector<std::string> mirrors{};  ///< searched before the cache
  bool offline = false;                ///< never use the network
  UrlMap url_map{};                    ///< where to fetch from instead
  FetchOptions fetch{};
};

class NetworkSource : public ObjectSource {
 public:
  /// Searches the mirrors, then the cached repositories. Raises environment if a mirror is not a directory or the cache
  /// was written by a newer torchpatch.
  NetworkSource(NetworkOptions options, Console& console);

  const std::vector<std::string>& object_folders() const override { return object_folders_; }
  /// Fetches into the cache, in rounds: each tries the next URL of what is still missing, all commits of one repository
  /// in one fetch. Raises environment if the cache cannot be written, usage if the URL map yields a refused URL.
  std::vector<std::string> bring(const std::vector<PinnedRepository>& wanted, Console& console) override;
  /// Sets the time of a commit's reference in the cache to now, for `cache gc --older-than`.
  void note_use(int folder, const ObjectId& commit) override;
  std::string describe() const override;
  std::string hint() const override;

 private:
  struct Round;
  /// Results of fetching commits into repositories: git's reason, or empty text on success.
  using Outcomes = std::map<std::pair<std::string, ObjectId>, std::string>;

  std::vector<std::string> urls_of(const PinnedRepository& wanted) const;
  Round plan_round(const std::vector<PinnedRepository>& wanted, const std::vector<std::vector<std::string>>& urls,
                   const std::vector<std::string>& reasons, std::size_t number) const;
  Outcomes run_round(std::vector<Fetch> fetches, Console& console) const;
  void make_room(std::vector<Fetch>& fetches, Console& console);

  NetworkOptions options_;
  Cache cache_;
  UniqueFd in_use_;                    ///< blocks `cache gc`
  UniqueFd reading_;                   ///< keeps other runs from emptying cached repositories
  std::unique_ptr<TempDir> aside_;     ///< for what cannot be fetched into the cache while others read there
  std::set<ObjectId> fetched_before_;  ///< commits in the cache when this run began
  std::vector<std::string> object_folders_;
};

// Adds histories to the repositories of a mirror.

/// Fetches the branches and tags of each repository in the mirror in `directory`, with the full history of these and
/// its commits, from its recorded URL as mapped by `network`, then from its URLs in `moved`. Existing objects are not
/// requested again. Raises environment without a git program, the only one that can do it; source with every repository
/// whose history is not available, after fetching all others.
void fetch_histories(const std::vector<RepositoryCommits>& repositories, const std::string& directory,
                     const NetworkOptions& network, const std::vector<MovedRepository>& moved, Console& console);

}  // namespace torchpatch::source
