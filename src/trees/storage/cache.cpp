// SPDX-License-Identifier: BSD-3-Clause
#include "trees/storage/storage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "git/object_store.h"
#include "source/store/cache.h"
#include "source/store/fill_repositories.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/find.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::trees {

namespace {

namespace fs = std::filesystem;

/// Returns the total size of the regular files below a directory, in bytes; links are not followed. Unreadable or
/// vanishing files do not count.
std::uint64_t disk_use(const std::string& path) {
  std::uint64_t bytes = 0;
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(path, error))) return fs::file_size(path, error);
  fs::recursive_directory_iterator each(path, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && each != end; each.increment(error)) {
    std::error_code gone;
    if (!fs::is_regular_file(each->symlink_status(gone))) continue;
    const std::uint64_t size = each->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

/// The contents of a commit.
struct Walked {
  std::string damage;  ///< why `submodules` is incomplete, or empty
  std::vector<ObjectId> submodules;
};
FIELDS(Walked, damage, submodules)

/// Walks the commits that the folders have; nothing is known of others.
std::vector<Walked> walk_all(const std::vector<ObjectId>& commits, const std::vector<std::string>& folders, int jobs) {
  git::ObjectStore store(folders);  // opens nothing in this process
  const auto walk = [&](std::size_t item) {
    const int folder = store.find(commits[item]);
    source::CommitObjects listed;
    if (folder >= 0) listed = source::list_commit_objects(store, commits[item], folder);
    if (!listed.missing.empty()) listed.missing = concat("commit ", commits[item].hex(), ": ", listed.missing);
    return Walked{listed.missing, listed.gitlinks};
  };
  return map_in_workers(commits.size(), jobs, walk,
                        [&](std::size_t item) { return "reading commit " + commits[item].hex(); });
}

/// The commits that a catalog's releases need, as far as known from object folders.
struct NeededCommits {
  std::map<ObjectId, std::set<Version>> releases;  ///< commit → releases that need it
  std::vector<std::string> damage;                 ///< commits that exist but cannot be walked, and why
};

/// Walks from the pins of every release, and from the commits of its overrides, through submodules.
NeededCommits find_needed_commits(const Catalog& catalog, const std::vector<std::string>& object_folders, int jobs,
                                  Console& console) {
  NeededCommits needed;
  std::map<ObjectId, Walked> known;
  std::map<ObjectId, std::set<Version>> next;  // commits, with the releases newly found to need them
  for (const auto& [version, release] : catalog.releases) {
    for (const auto& [component, pin] : release.components) next[pin.commit].insert(version);
    for (const auto& [id, patchset] : catalog.patchsets)
      for (const Variant& variant : patchset.variants)
        for (const SubmoduleOverride& override : variant.overrides)
          if (variant.releases.contains(version)) next[override.commit].insert(version);
  }
  while (!next.empty()) {
    std::vector<ObjectId> unknown;
    for (const auto& [commit, versions] : next)
      if (!known.contains(commit)) unknown.push_back(commit);
    const std::vector<Walked> walked = walk_all(unknown, object_folders, jobs);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if (!walked[i].damage.empty()) needed.damage.push_back(walked[i].damage);
      known[unknown[i]] = walked[i];
    }
    console.progress("checking what releases need", known.size(), 0, 0);
    std::map<ObjectId, std::set<Version>> further;
    for (const auto& [commit, versions] : next) {
      for (const Version& version : versions) {
        if (!needed.releases[commit].insert(version).second) continue;
        for (const ObjectId& submodule : known[commit].submodules)
          if (!needed.releases[submodule].contains(version)) further[submodule].insert(version);
      }
    }
    next = std::move(further);
  }
  console.progress_done();
  return needed;
}

std::int64_t modification_time(const std::string& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
}

CachedRepository describe(const std::string& path, const std::string& folder, const NeededCommits& needed) {
  // "github.com/pytorch/pytorch" from ".../git/github.com/pytorch/pytorch.git"
  const std::string name =
      path.substr(folder.size() + 1, path.size() - folder.size() - 1 - std::string_view(".git").size());
  CachedRepository repository{name, path, disk_use(path), {}, source::left_over_files(path)};
  for (const ObjectId& commit : source::Cache::fetched_commits(path)) {
    CachedCommit cached{commit, modification_time(source::reference_path(path, commit)), {}};
    if (const auto found = needed.releases.find(commit); found != needed.releases.end())
      for (const Version& version : found->second) cached.releases.push_back(version.text());
    repository.commits.push_back(std::move(cached));
  }
  return repository;
}

std::vector<std::string> archive_paths(const source::Cache& cache) {
  std::vector<std::string> paths;
  if (!is_directory(cache.archives())) return paths;
  for (const std::string& name : list_directory(cache.archives())) paths.push_back(concat(cache.archives(), "/", name));
  return paths;
}

/// The caller has locked the cache.
CacheReport list_repositories(const std::string& directory, const Catalog& catalog, int jobs, Console& console) {
  const std::string folder = source::repositories_folder(directory);
  const std::vector<std::string> paths = source::find_bare_repositories(folder);
  std::vector<std::string> folders;
  for (const std::string& path : paths) folders.push_back(path + "/objects");
  const NeededCommits needed = find_needed_commits(catalog, folders, jobs, console);
  CacheReport report{directory, {}, {}, needed.damage};
  for (const std::string& path : paths) report.repositories.push_back(describe(path, folder, needed));
  for (const std::string& path : archive_paths(source::Cache(directory)))
    report.archives.push_back({path, disk_use(path), modification_time(path + "/contents")});
  return report;
}

constexpr std::int64_t kDay = 86'400;

class Collector {
 public:
  Collector(const std::string& directory, const CollectOptions& options, Console& console)
      : cache_(directory), options_(options), console_(console), report_{directory, options.dry_run} {}

  CollectReport run(const CacheReport& list) {
    knows_needs_ = list.damage.empty();
    if (!knows_needs_ && !options_.all && !options_.damaged)
      console_.warning("damage hides what releases need, so unneeded data is kept (see --damaged)");
    if (options_.damaged) {
      std::vector<std::string> paths = torchpatch::collect(list.repositories, &CachedRepository::path);
      for (const CachedArchive& archive : list.archives) paths.push_back(archive.path);
      const auto checked = source::check_repositories(paths, options_.jobs, console_);
      for (std::size_t i = 0; i < paths.size(); ++i)
        if (!checked[i].problems.empty()) damaged_.insert(paths[i]);
    }
    for (const CachedRepository& repository : list.repositories) collect(repository);
    for (const CachedArchive& archive : list.archives) collect(archive);
    return std::move(report_);
  }

 private:
  std::string why_goes(const CachedRepository& repository, const CachedCommit& commit) const {
    if (options_.all) return "everything is removed";
    if (damaged_.contains(repository.path)) return "its repository is damaged";
    if (knows_needs_ && commit.releases.empty()) return "no release needs it";
    if (const auto days = days_unused(commit.last_use)) return concat("not used for ", *days, " days");
    return "";
  }

  /// Returns for how many days something was unused, if that is too long.
  std::optional<std::int64_t> days_unused(std::int64_t last_use) const {
    const std::int64_t time = options_.now - last_use;
    if (!options_.older_than || time <= *options_.older_than * kDay) return std::nullopt;
    return time / kDay;
  }

  void collect(const CachedArchive& archive) {
    if (!options_.all && !damaged_.contains(archive.path) && !days_unused(archive.last_use)) return;
    report_.archives.push_back(archive.path);
    report_.freed += archive.bytes;
    if (options_.dry_run) return;
    if (type_at(archive.path) != S_IFDIR) return remove_tree(archive.path);  // no archive: a link, whatever it leads to
    const UniqueFd lock = source::Cache::lock(archive.path);
    remove_tree(archive.path + "/contents");  // first: then the archive counts as unread
    remove_tree(archive.path);
  }

  /// Removes the directory, and those above it that are empty afterwards.
  void remove_repository(const CachedRepository& repository) {
    report_.repositories.push_back(repository.path);
    report_.freed += disk_use(repository.path);
    if (options_.dry_run) return;
    const UniqueFd lock = source::Cache::lock(repository.path);
    remove_tree(repository.path + "/HEAD");  // first: then it is not a repository
    remove_tree(repository.path);
    for (std::string above = parent_path(repository.path); above.size() > cache_.repositories().size();
         above = parent_path(above))
      if (::rmdir(above.c_str()) != 0) break;
  }

  /// Keeps only some of its commits.
  void rewrite(const CachedRepository& repository, const std::vector<ObjectId>& kept) {
    if (options_.dry_run) return;
    const std::uint64_t before = disk_use(repository.path);
    source::fill_repositories(
        {{"", kept, repository.path}},
        {.directory = report_.directory, .object_folders = {}, .jobs = options_.jobs, .only_these = true}, console_);
    const std::uint64_t after = disk_use(repository.path);
    if (before > after) report_.freed += before - after;
  }

  void collect(const CachedRepository& repository) {
    std::vector<ObjectId> kept;
    for (const CachedCommit& commit : repository.commits) {
      const std::string why = why_goes(repository, commit);
      if (why.empty())
        kept.push_back(commit.commit);
      else
        report_.commits.push_back({repository.name, commit.commit, why});
    }
    for (const std::string& file : repository.left_over) report_.left_over.push_back(file);
    if (kept.empty()) return remove_repository(repository);
    if (kept.size() < repository.commits.size()) return rewrite(repository, kept);  // also removes left-over files
    if (repository.left_over.empty()) return;
    for (const std::string& file : repository.left_over) report_.freed += disk_use(file);
    if (options_.dry_run) return;
    const UniqueFd lock = source::make_bare_repository(report_.directory, repository.path);
    source::Cache::remove_leftovers(repository.path);
  }

  source::Cache cache_;
  const CollectOptions& options_;
  Console& console_;
  CollectReport report_;
  std::set<std::string> damaged_;  ///< repositories
  bool knows_needs_ = true;        ///< every existing commit could be walked
};

}  // namespace

CacheReport list_cache(const std::string& directory, const Catalog& catalog, int jobs, Console& console) {
  const source::Cache cache(directory);
  cache.check_layout();
  const UniqueFd in_use = cache.enter(), reading = cache.begin_reading();
  return list_repositories(directory, catalog, jobs, console);
}

CacheCheck verify_cache(const std::string& directory, int jobs, Console& console) {
  const source::Cache cache(directory);
  cache.check_layout();
  const UniqueFd in_use = cache.enter(), reading = cache.begin_reading();
  std::vector<std::string> paths = source::find_bare_repositories(cache.repositories());
  CacheCheck check{directory, paths.size()};
  for (const std::string& path : archive_paths(cache)) paths.push_back(path);
  const std::vector<source::CheckedRepository> checked = source::check_repositories(paths, jobs, console);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    check.objects += checked[i].objects;
    check.bytes += disk_use(paths[i]);
    for (const std::string& problem : checked[i].problems) check.problems.push_back({paths[i], problem});
  }
  return check;
}

CollectReport collect_cache(const std::string& directory, const Catalog& catalog, const CollectOptions& options,
                            Console& console) {
  const source::Cache cache(directory);
  cache.check_layout();
  if (!is_directory(directory)) return {directory, options.dry_run, {}, {}, {}, {}, 0};
  UniqueFd alone;
  if (!options.dry_run) {
    alone = cache.try_enter_alone();
    if (!alone) {
      throw Error(ErrorKind::environment, concat("cleaning up the cache ", quote(directory), ": another run uses it"),
                  "try again when it has ended; --dry-run shows what would be removed");
    }
  }
  return Collector(directory, options, console).run(list_repositories(directory, catalog, options.jobs, console));
}

}  // namespace torchpatch::trees
