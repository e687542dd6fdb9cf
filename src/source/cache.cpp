// SPDX-License-Identifier: BSD-3-Clause
#include "source/cache.h"

#include <string_view>

#include "support/error.h"
#include "support/file_lock.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr const char* kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This directory is the cache of torchpatch. It can be removed at any time.\n"
    "# About such tags, see https://bford.info/cachedir/\n";
/// How the cache is laid out; a number that goes up where an older torchpatch would go wrong.
constexpr int kLayout = 1;
constexpr std::string_view kLayoutText = "torchpatch cache ";

void write_if_absent(const std::string& path, const std::string& text) {
  if (!file_exists(path)) write_file_atomically(path, text);
}

}  // namespace

void Cache::check_layout() const {
  const std::string path = directory_ + "/layout";
  if (!file_exists(path)) return;  // before there was such a file the layout was the first one
  const std::string text = read_file(path, 1024);
  const auto layout =
      starts_with(text, kLayoutText) ? parse_decimal(trim(text).substr(kLayoutText.size())) : std::nullopt;
  if (layout && *layout >= 1 && *layout <= kLayout) return;
  throw Error(ErrorKind::environment,
              concat("opening the cache ", quote(directory_), ": ",
                     layout ? concat("it is laid out by a newer torchpatch (layout ", *layout, ", this one knows ",
                                     kLayout, ")")
                            : concat(quote(path), " does not say how it is laid out")),
              "let XDG_CACHE_HOME name another place, use the newer torchpatch, or remove the directory");
}

UniqueFd Cache::enter() const {
  if (!file_exists(directory_ + "/CACHEDIR.TAG")) return UniqueFd();
  try {
    return lock_file(directory_ + "/torchpatch.lock", LockKind::shared);
  } catch (const Error&) {
    return UniqueFd();
  }
}

UniqueFd Cache::try_enter_alone() const { return try_lock_file(directory_ + "/torchpatch.lock", LockKind::exclusive); }

void Cache::make() const {
  make_directories(directory_);
  write_if_absent(directory_ + "/CACHEDIR.TAG", kTag);
  write_if_absent(directory_ + "/layout", concat(kLayoutText, kLayout, "\n"));
}

UniqueFd Cache::make_repository(const std::string& repository) const {
  make();
  return make_bare_repository(repository);
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
  std::vector<ObjectId> shallow = shallow_commits(repository);
  shallow.push_back(commit);
  write_shallow_commits(repository, std::move(shallow));
  write_references(repository, {commit});
}

void Cache::empty_repository(const std::string& repository) {
  for (const char* part : {"/refs", "/objects", "/shallow"}) remove_tree(repository + part);
  make_repository_folders(repository);
}

void Cache::remove_leftovers(const std::string& repository) {
  for (const std::string& file : left_over_files(repository)) remove_tree(file);
}

UniqueFd Cache::lock(const std::string& repository) {
  return lock_file(concat(repository, "/", kRepositoryLock), LockKind::exclusive);
}

}  // namespace torchpatch::source
