// SPDX-License-Identifier: BSD-3-Clause
#include "source/cache.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "model/url.h"
#include "support/error.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr const char* kLock = "torchpatch.lock";
constexpr const char* kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This directory is the cache of torchpatch. It can be removed at any time.\n"
    "# About such tags, see https://bford.info/cachedir/\n";
// Nothing is referenced by a branch, so git must not tidy up by itself.
constexpr const char* kConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n";

void write_if_absent(const std::string& path, const std::string& text) {
  if (!file_exists(path)) write_file_atomically(path, text);
}

void make_folders(const std::string& repository) {
  for (const char* part : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"}) {
    make_directories(repository + part);
  }
}

}  // namespace

std::string Cache::repository_of(const std::string& url) const {
  return repositories() + "/" + url_file_path(url) + ".git";
}

void Cache::make_repository(const std::string& repository) const {
  make_directories(directory_);
  write_if_absent(directory_ + "/CACHEDIR.TAG", kTag);
  make_folders(repository);
  write_if_absent(repository + "/config", kConfig);
  // Last: a directory without HEAD is no repository yet.
  write_if_absent(repository + "/HEAD", "ref: refs/heads/main\n");
}

std::vector<ObjectId> Cache::fetched_commits(const std::string& repository) {
  std::vector<ObjectId> commits;
  const std::string references = repository + "/" + kFetchedReferences;
  if (!is_directory(references)) return commits;
  for (const std::string& name : list_directory(references)) {
    if (const auto commit = ObjectId::parse(name)) commits.push_back(*commit);
  }
  return commits;
}

void Cache::add_fetched(const std::string& repository, const ObjectId& commit) {
  const std::string shallow = repository + "/shallow";
  std::string lines = file_exists(shallow) ? read_file(shallow) : std::string();
  if (lines.find(commit.hex()) == std::string::npos) write_file_atomically(shallow, concat(lines, commit.hex(), "\n"));
  make_directories(concat(repository, "/", kFetchedReferences));
  write_file_atomically(concat(repository, "/", kFetchedReferences, commit.hex()), commit.hex() + "\n");
}

void Cache::empty_repository(const std::string& repository) {
  for (const char* part : {"/refs", "/objects", "/shallow"}) remove_tree(repository + part);
  make_folders(repository);
}

void Cache::remove_leftovers(const std::string& repository) {
  const auto remove = [](const std::string& directory, const auto& is_leftover) {
    if (!is_directory(directory)) return;
    for (const std::string& name : list_directory(directory)) {
      if (is_leftover(name)) remove_tree(directory + "/" + name);
    }
  };
  const auto is_lock = [](const std::string& name) { return ends_with(name, ".lock") && name != kLock; };
  remove(repository, is_lock);
  remove(concat(repository, "/", kFetchedReferences), is_lock);
  remove(repository + "/objects/pack", [](const std::string& name) { return starts_with(name, "tmp_"); });
}

UniqueFd Cache::lock(const std::string& repository) {
  const std::string path = concat(repository, "/", kLock);
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) throw system_error(concat("opening ", quote(path)));
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw system_error(concat("locking ", quote(path)));
    check_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return file;
}

}  // namespace torchpatch::source
