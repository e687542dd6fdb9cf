// SPDX-License-Identifier: BSD-3-Clause
#include "source/bare_repository.h"

#include <sys/stat.h>

#include <algorithm>

#include "git/fetch_commits.h"
#include "model/url.h"
#include "support/file.h"
#include "support/file_lock.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

// Nothing is referenced by a branch, so git must not tidy up by itself.
constexpr const char* kConfig =
    "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n"
    "[uploadpack]\n\tallowAnySHA1InWant = true\n";
/// Deeper than any URL.
constexpr int kMaxDepth = 64;

bool is_real_directory(const std::string& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void find_repositories(const std::string& folder, int depth, std::vector<std::string>& found) {
  if (depth > kMaxDepth) return;
  for (const std::string& name : list_directory(folder)) {
    const std::string path = concat(folder, "/", name);
    if (!is_real_directory(path)) continue;
    if (ends_with(name, ".git")) {
      found.push_back(path);
    } else {
      find_repositories(path, depth + 1, found);
    }
  }
}

/// git's own begin with "tmp_", ours have ".tmp-" in them; git's locks, and its word that somebody else has the rest of
/// a pack's objects, live only as long as a run of it.
bool is_temporary(const std::string& name) {
  return starts_with(name, "tmp_") || name.find(".tmp-") != std::string::npos || starts_with(name, git::kIncoming) ||
         ends_with(name, ".promisor") || (ends_with(name, ".lock") && name != kRepositoryLock);
}

}  // namespace

std::string repositories_folder(const std::string& directory) { return directory + "/git"; }

std::string repository_path(const std::string& directory, const std::string& url) {
  return concat(repositories_folder(directory), "/", url_file_path(url), ".git");
}

void make_repository_folders(const std::string& repository) {
  for (const char* part : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"}) {
    make_directories(repository + part);
  }
}

UniqueFd make_bare_repository(const std::string& repository) {
  make_directories(repository);
  UniqueFd lock = lock_file(concat(repository, "/", kRepositoryLock), LockKind::exclusive);
  make_repository_folders(repository);
  const std::string config = repository + "/config", head = repository + "/HEAD";
  if (!file_exists(config)) write_file_atomically(config, kConfig);
  // Last: a directory without HEAD is no repository yet.
  if (!file_exists(head)) write_file_atomically(head, "ref: refs/heads/main\n");
  return lock;
}

std::vector<std::string> find_bare_repositories(const std::string& folder) {
  std::vector<std::string> found;
  if (is_directory(folder)) find_repositories(folder, 0, found);
  std::sort(found.begin(), found.end());
  return found;
}

std::string reference_path(const std::string& repository, const ObjectId& commit) {
  return concat(repository, "/", kFetchedReferences, commit.hex());
}

void write_references(const std::string& repository, const std::vector<ObjectId>& commits) {
  make_directories(concat(repository, "/", kFetchedReferences));
  for (const ObjectId& commit : commits) {
    const std::string path = reference_path(repository, commit);
    if (!file_exists(path)) write_file_atomically(path, commit.hex() + "\n");
  }
}

std::vector<ObjectId> shallow_commits(const std::string& repository) {
  std::vector<ObjectId> commits;
  const std::string path = repository + "/shallow";
  if (!file_exists(path)) return commits;
  for (const std::string& line : split(read_file(path), '\n')) {
    if (const auto commit = ObjectId::parse(line)) commits.push_back(*commit);
  }
  return commits;
}

void write_shallow_commits(const std::string& repository, std::vector<ObjectId> commits) {
  const std::string path = repository + "/shallow";
  if (commits.empty()) return remove_tree(path);
  std::sort(commits.begin(), commits.end());
  commits.erase(std::unique(commits.begin(), commits.end()), commits.end());
  std::string text;
  for (const ObjectId& commit : commits) text += commit.hex() + "\n";
  write_file_atomically(path, text);
}

std::vector<std::string> left_over_files(const std::string& repository) {
  std::vector<std::string> files;
  const auto look_in = [&](const std::string& folder) {
    if (!is_real_directory(folder)) return;
    for (const std::string& name : list_directory(folder)) {
      if (is_temporary(name)) files.push_back(concat(folder, "/", name));
    }
  };
  for (const char* folder : {"", "/objects", "/objects/pack", "/refs/torchpatch"}) look_in(repository + folder);
  const std::string packs = repository + "/objects/pack";
  if (is_real_directory(packs)) {
    for (const std::string& name : list_directory(packs)) {
      const std::string stem = concat(packs, "/", name.substr(0, name.rfind('.')));
      if (ends_with(name, ".pack") && !file_exists(stem + ".idx")) files.push_back(stem + ".pack");
    }
  }
  return files;
}

}  // namespace torchpatch::source
