// SPDX-License-Identifier: BSD-3-Clause
/// The cache, and behind it the network by way of the git program.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "source/cache.h"
#include "source/fetch.h"
#include "source/object_source.h"
#include "source/url_map.h"
#include "support/console.h"

namespace torchpatch::source {

struct NetworkOptions {
  std::string cache{};                 ///< directory of the cache: "$XDG_CACHE_HOME/torchpatch"
  std::vector<std::string> mirrors{};  ///< folders to search before the cache
  bool offline = false;                ///< never use the network
  UrlMap url_map{};                    ///< where to fetch from instead
  FetchOptions fetch{};
};

class NetworkSource : public ObjectSource {
 public:
  /// Searches the mirrors, then the repositories that are in the cache. Raises usage where a mirror is not a directory,
  /// environment where the cache is one of a newer torchpatch.
  NetworkSource(NetworkOptions options, Console& console);

  const std::vector<std::string>& object_folders() const override { return object_folders_; }
  /// Fetches into the cache: round by round the next URL of what is still missing, all commits of one repository in one
  /// fetch. Raises environment where the cache cannot be written, usage where the URL map makes a URL that is refused.
  std::vector<std::string> bring(const std::vector<WantedCommit>& wanted, Console& console) override;
  /// Lets the reference of a commit in the cache have the time of now: `cache gc --older-than` goes by it.
  void note_use(int folder, const ObjectId& commit) override;
  std::string describe() const override;
  std::string hint() const override;

 private:
  struct Round;
  /// What came of the fetches of commits into repositories: git's reason, or empty text where it worked.
  using Outcomes = std::map<std::pair<std::string, ObjectId>, std::string>;

  WantedCommit map_urls(const WantedCommit& wanted) const;
  Round plan_round(const std::vector<WantedCommit>& wanted, const std::vector<std::string>& reasons,
                   std::size_t number) const;
  Outcomes run_round(std::vector<Fetch> fetches, Console& console) const;
  void prepare_repository(Fetch& fetch) const;
  void add_folder(const std::string& repository);

  NetworkOptions options_;
  Cache cache_;
  UniqueFd in_use_;                    ///< keeps `cache gc` away from the cache
  std::set<ObjectId> fetched_before_;  ///< commits that the cache held when this run began
  std::vector<std::string> object_folders_;
};

}  // namespace torchpatch::source
