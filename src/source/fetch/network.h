// SPDX-License-Identifier: BSD-3-Clause
/// NetworkSource: the cache, and behind it the network by way of the git program. UrlMap: where to fetch from instead
/// of the recorded URLs (--url-map). fetch_histories(): whole histories for a mirror.
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
  /// Each rule is "OLD=NEW": the beginning of a URL, and what takes its place. Raises usage for anything else, for a
  /// NEW that url_problem refuses whatever follows it, and where an OLD is given twice.
  explicit UrlMap(const std::vector<std::string>& rules);

  /// Returns `url` with the longest OLD that it begins with replaced, as git's url.NEW.insteadOf does, or nothing where
  /// no rule is for it. Raises usage where the result is refused.
  std::optional<std::string> find(std::string_view url) const;
  bool empty() const { return rules_.empty(); }

 private:
  std::map<std::string, std::string, std::less<>> rules_;
};

// The cache, and behind it the network by way of the git program.

struct NetworkOptions {
  std::string cache{};                 ///< directory of the cache: "$XDG_CACHE_HOME/torchpatch"
  std::vector<std::string> mirrors{};  ///< folders to search before the cache
  bool offline = false;                ///< never use the network
  UrlMap url_map{};                    ///< where to fetch from instead
  FetchOptions fetch{};
};

class NetworkSource : public ObjectSource {
 public:
  /// Searches the mirrors, then the repositories that are in the cache. Raises environment where a mirror is not a
  /// directory or the cache is one of a newer torchpatch.
  NetworkSource(NetworkOptions options, Console& console);

  const std::vector<std::string>& object_folders() const override { return object_folders_; }
  /// Fetches into the cache: round by round the next URL of what is still missing, all commits of one repository in one
  /// fetch. Raises environment where the cache cannot be written, usage where the URL map makes a URL that is refused.
  std::vector<std::string> bring(const std::vector<PinnedRepository>& wanted, Console& console) override;
  /// Lets the reference of a commit in the cache have the time of now: `cache gc --older-than` goes by it.
  void note_use(int folder, const ObjectId& commit) override;
  std::string describe() const override;
  std::string hint() const override;

 private:
  struct Round;
  /// What came of the fetches of commits into repositories: git's reason, or empty text where it worked.
  using Outcomes = std::map<std::pair<std::string, ObjectId>, std::string>;

  std::vector<std::string> urls_of(const PinnedRepository& wanted) const;
  Round plan_round(const std::vector<PinnedRepository>& wanted, const std::vector<std::vector<std::string>>& urls,
                   const std::vector<std::string>& reasons, std::size_t number) const;
  Outcomes run_round(std::vector<Fetch> fetches, Console& console) const;
  void make_room(std::vector<Fetch>& fetches, Console& console);

  NetworkOptions options_;
  Cache cache_;
  UniqueFd in_use_;                    ///< keeps `cache gc` away from the cache
  UniqueFd reading_;                   ///< keeps others from emptying repositories of the cache
  std::unique_ptr<TempDir> aside_;     ///< for what cannot be fetched into the cache, as others read there
  std::set<ObjectId> fetched_before_;  ///< commits that the cache held when this run began
  std::vector<std::string> object_folders_;
};

// Adds histories to the repositories of a mirror that has their commits.

/// Fetches the branches and tags of each repository of the mirror in `directory`, and all that they and its commits
/// come from, from its recorded URL as `network` maps it, then from where `moved` says that it is known to live. What
/// is there already is not asked for again. Raises environment where there is no git program, which alone can do it;
/// source with every repository whose history could not be had, after all the others came.
void fetch_histories(const std::vector<RepositoryCommits>& repositories, const std::string& directory,
                     const NetworkOptions& network, const std::vector<MovedRepository>& moved, Console& console);

}  // namespace torchpatch::source
