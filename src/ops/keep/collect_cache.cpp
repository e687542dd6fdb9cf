// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

#include "git/library.h"
#include "ops/keep/cache.h"
#include "ops/keep/disk_use.h"
#include "source/cache.h"
#include "source/check_repository.h"
#include "source/fill_repositories.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

constexpr std::int64_t kDay = 86'400;

class Collector {
 public:
  Collector(const std::string& directory, const CollectOptions& options, Console& console)
      : cache_(directory), options_(options), console_(console), report_{directory, options.dry_run} {}

  emit::CollectReport run(const emit::CacheReport& list);

 private:
  std::string why_goes(const emit::CachedRepository& repository, const emit::CachedCommit& commit) const;
  void collect(const emit::CachedRepository& repository);
  void collect(const emit::CachedArchive& archive);
  std::optional<std::int64_t> days_unused(std::int64_t last_use) const;
  void remove_repository(const emit::CachedRepository& repository);
  void rewrite(const emit::CachedRepository& repository, const std::vector<ObjectId>& kept);

  source::Cache cache_;
  const CollectOptions& options_;
  Console& console_;
  emit::CollectReport report_;
  std::set<std::string> damaged_;  ///< repositories
  bool knows_needs_ = true;        ///< every commit that is there could be walked from
};

std::string Collector::why_goes(const emit::CachedRepository& repository, const emit::CachedCommit& commit) const {
  if (options_.all) return "everything goes";
  if (damaged_.contains(repository.path)) return "its repository is damaged";
  if (knows_needs_ && commit.releases.empty()) return "no release needs it";
  if (const auto days = days_unused(commit.last_use)) return concat("not used for ", *days, " days");
  return "";
}

/// Returns for how many days something was not used, where that is too long.
std::optional<std::int64_t> Collector::days_unused(std::int64_t last_use) const {
  const std::int64_t time = options_.now - last_use;
  if (!options_.older_than || time <= *options_.older_than * kDay) return std::nullopt;
  return time / kDay;
}

void Collector::collect(const emit::CachedArchive& archive) {
  if (!options_.all && !damaged_.contains(archive.path) && !days_unused(archive.last_use)) return;
  report_.archives.push_back(archive.path);
  report_.freed += archive.bytes;
  if (options_.dry_run) return;
  const UniqueFd lock = source::Cache::lock(archive.path);
  remove_tree(archive.path + "/contents");  // first: from now on the archive is read again
  remove_tree(archive.path);
}

/// Removes the directory, and those above it that are then empty.
void Collector::remove_repository(const emit::CachedRepository& repository) {
  report_.repositories.push_back(repository.path);
  report_.freed += disk_use(repository.path);
  if (options_.dry_run) return;
  const UniqueFd lock = source::Cache::lock(repository.path);
  remove_tree(repository.path + "/HEAD");  // first: from now on it is no repository
  remove_tree(repository.path);
  for (std::string above = parent_path(repository.path); above.size() > cache_.repositories().size();
       above = parent_path(above)) {
    if (::rmdir(above.c_str()) != 0) break;
  }
}

/// Keeps some of its commits.
void Collector::rewrite(const emit::CachedRepository& repository, const std::vector<ObjectId>& kept) {
  if (options_.dry_run) return;
  const std::uint64_t before = disk_use(repository.path);
  source::fill_repositories({{"", kept, repository.path}},
                            {.directory = "", .object_folders = {}, .jobs = options_.jobs, .only_these = true},
                            console_);
  const std::uint64_t after = disk_use(repository.path);
  if (before > after) report_.freed += before - after;
}

void Collector::collect(const emit::CachedRepository& repository) {
  std::vector<ObjectId> kept;
  for (const emit::CachedCommit& commit : repository.commits) {
    const std::string why = why_goes(repository, commit);
    if (why.empty()) {
      kept.push_back(commit.commit);
    } else {
      report_.commits.push_back({repository.name, commit.commit, why});
    }
  }
  for (const std::string& file : repository.left_over) report_.left_over.push_back(file);
  if (kept.empty()) return remove_repository(repository);
  if (kept.size() < repository.commits.size()) return rewrite(repository, kept);  // takes what is left over as well
  if (repository.left_over.empty()) return;
  for (const std::string& file : repository.left_over) report_.freed += disk_use(file);
  if (options_.dry_run) return;
  const UniqueFd lock = source::Cache::lock(repository.path);
  for (const std::string& file : source::left_over_files(repository.path)) remove_tree(file);
}

emit::CollectReport Collector::run(const emit::CacheReport& list) {
  knows_needs_ = list.damage.empty();
  if (!knows_needs_ && !options_.all && !options_.damaged) {
    console_.warning("what is damaged hides what releases need: nothing goes for not being needed (see --damaged)");
  }
  if (options_.damaged) {
    std::vector<std::string> paths;
    for (const emit::CachedRepository& repository : list.repositories) paths.push_back(repository.path);
    for (const emit::CachedArchive& archive : list.archives) paths.push_back(archive.path);
    const auto checked = source::check_repositories(paths, options_.jobs, console_);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (!checked[i].problems.empty()) damaged_.insert(paths[i]);
    }
  }
  for (const emit::CachedRepository& repository : list.repositories) collect(repository);
  for (const emit::CachedArchive& archive : list.archives) collect(archive);
  return std::move(report_);
}

}  // namespace

emit::CollectReport collect_cache(const std::string& directory, const Catalog& catalog, const CollectOptions& options,
                                  Console& console) {
  git::initialize_library();
  const source::Cache cache(directory);
  cache.check_layout();
  if (!is_directory(directory)) return {directory, options.dry_run, {}, {}, {}, {}, 0};
  UniqueFd alone;
  if (!options.dry_run) {
    alone = cache.try_enter_alone();
    if (!alone) {
      throw Error(ErrorKind::environment,
                  concat("collecting what may go from the cache ", quote(directory), ": another run uses it"),
                  "try again when that has ended; --dry-run says what would go");
    }
  }
  return Collector(directory, options, console).run(list_repositories(directory, catalog, options.jobs, console));
}

}  // namespace torchpatch::ops
