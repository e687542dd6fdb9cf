// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/cache.h"

#include <sys/stat.h>

#include "git/library.h"
#include "ops/keep/disk_use.h"
#include "ops/keep/needed_commits.h"
#include "source/cache.h"
#include "source/check_repository.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::int64_t modification_time(const std::string& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
}

/// Returns "github.com/pytorch/pytorch" for ".../git/github.com/pytorch/pytorch.git".
std::string name_below(const std::string& repository, const std::string& folder) {
  return repository.substr(folder.size() + 1, repository.size() - folder.size() - 1 - std::string(".git").size());
}

emit::CachedRepository describe(const std::string& path, const std::string& folder, const NeededCommits& needed) {
  emit::CachedRepository repository{name_below(path, folder), path, disk_use(path), {}, source::left_over_files(path)};
  for (const ObjectId& commit : source::Cache::fetched_commits(path)) {
    emit::CachedCommit cached{commit, modification_time(source::reference_path(path, commit)), {}};
    if (const auto found = needed.releases.find(commit); found != needed.releases.end()) {
      for (const Version& version : found->second) cached.releases.push_back(version.text());
    }
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

}  // namespace

emit::CacheReport list_cache(const std::string& directory, const Catalog& catalog, int jobs, Console& console) {
  git::initialize_library();
  const source::Cache cache(directory);
  cache.check_layout();
  const UniqueFd in_use = cache.enter();
  return list_repositories(directory, catalog, jobs, console);
}

emit::CacheReport list_repositories(const std::string& directory, const Catalog& catalog, int jobs, Console& console) {
  const std::string folder = source::repositories_folder(directory);
  const std::vector<std::string> paths = source::find_bare_repositories(folder);
  std::vector<std::string> folders;
  for (const std::string& path : paths) folders.push_back(path + "/objects");
  const NeededCommits needed = find_needed_commits(catalog, folders, jobs, console);
  emit::CacheReport report{directory, {}, {}, needed.damage};
  for (const std::string& path : paths) report.repositories.push_back(describe(path, folder, needed));
  for (const std::string& path : archive_paths(source::Cache(directory))) {
    report.archives.push_back({path, disk_use(path), modification_time(path + "/contents")});
  }
  return report;
}

emit::CacheCheck verify_cache(const std::string& directory, int jobs, Console& console) {
  git::initialize_library();
  const source::Cache cache(directory);
  cache.check_layout();
  const UniqueFd in_use = cache.enter();
  std::vector<std::string> paths = source::find_bare_repositories(cache.repositories());
  emit::CacheCheck check{directory, paths.size()};
  for (const std::string& path : archive_paths(cache)) paths.push_back(path);
  const std::vector<source::CheckedRepository> checked = source::check_repositories(paths, jobs, console);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    check.objects += checked[i].objects;
    check.bytes += disk_use(paths[i]);
    for (const std::string& problem : checked[i].problems) check.problems.push_back({paths[i], problem});
  }
  return check;
}

}  // namespace torchpatch::ops
