// SPDX-License-Identifier: BSD-3-Clause
#include "source/store/cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "git/fetch_commits.h"
#include "git/git_program.h"
#include "git/object_store.h"
#include "git/pack.h"
#include "model/url.h"
#include "source/store/fill_repositories.h"
#include "support/error.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

// No branch references anything, so git must not collect garbage by itself.
constexpr const char* kConfig =
    "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n"
    "[uploadpack]\n\tallowAnySHA1InWant = true\n";
/// Deeper than any URL.
constexpr int kMaxUrlDepth = 64;

void find_repositories(const std::string& folder, int depth, std::vector<std::string>& found) {
  if (depth > kMaxUrlDepth) return;
  for (const std::string& name : list_directory(folder)) {
    const std::string path = concat(folder, "/", name);
    if (type_at(path) != S_IFDIR) continue;
    if (!ends_with(name, ".git")) find_repositories(path, depth + 1, found);
    if (ends_with(name, ".git")) found.push_back(path);
  }
}

/// git's temporary files begin with "tmp_", ours contain ".tmp-"; git's locks and promisor files are in use only during
/// one of its runs.
bool is_temporary(const std::string& name) {
  return starts_with(name, "tmp_") || name.find(".tmp-") != std::string::npos || starts_with(name, git::kIncoming) ||
         ends_with(name, ".promisor") || (ends_with(name, ".lock") && name != kRepositoryLock);
}

constexpr const char* kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This directory is the cache of torchpatch. It can be removed at any time.\n"
    "# About such tags, see https://bford.info/cachedir/\n";
/// The cache's layout version; increased if an older torchpatch would misread it.
constexpr int kLayout = 1;
constexpr std::string_view kLayoutText = "torchpatch cache ";
constexpr const char* kReading = "/reading.lock";

void write_if_absent(const std::string& path, std::string_view text) {
  if (!file_exists(path)) write_file_atomically(path, text);
}

/// The folder may come from someone else. What a link leads to is not part of it, but would be written to or emptied.
void refuse_links(const std::string& directory, const std::string& path) {
  for (std::string above = path; starts_with(above, directory + "/"); above = parent_path(above)) {
    if (type_at(above) != S_IFLNK) continue;
    throw Error(ErrorKind::unsafe,
                concat("writing to ", quote(directory), ": ", quote(above), " is a link that leads out of it"),
                "remove the link, or choose another directory");
  }
}

/// Checks one repository, in a worker.
class Checker {
 public:
  explicit Checker(const std::string& repository) : objects_(repository + "/objects"), repository_(repository) {}

  CheckedRepository run() {
    attempt([&] { check_packs(); });
    attempt([&] { check_loose_objects(); });
    attempt([&] { check_commits(); });
    return std::move(result_);
  }

 private:
  void add(const std::string& problem) {
    if (result_.problems.size() < kMostProblems) result_.problems.push_back(problem);
  }
  /// A step of the worker: a mirror with full history has more than a million objects.
  template <typename Action>
  void attempt(const Action& action) {
    note_step();
    try {
      action();
    } catch (const Error& error) {
      add(error.message());
    }
  }
  void check(const ObjectId& id, const git::Object& object) {
    if (git_object_id(git::object_type_name(object.type), object.bytes) != id)
      return add(concat("object ", id.hex(), " has a different id"));
    ++result_.objects;
  }

  void check_packs() {
    const std::string folder = objects_ + "/pack";
    for (const std::string& name : list_directory(folder))
      if (ends_with(name, ".idx")) attempt([&] { check_pack(concat(folder, "/", name)); });
  }

  void check_pack(const std::string& index) {
    git::Pack pack(index);
    pack.check();
    for (const ObjectId& id : pack.ids()) {
      attempt([&] { check(id, pack.read(id)); });
      if (result_.problems.size() == kMostProblems) return;
    }
  }

  void check_loose_objects() {
    for (const std::string& directory : list_directory(objects_)) {
      if (directory.size() != 2) continue;
      for (const std::string& name : list_directory(concat(objects_, "/", directory))) {
        const auto id = ObjectId::parse(directory + name);
        if (!id) continue;
        attempt([&] {
          if (const auto object = git::read_loose_object(objects_, *id)) check(*id, *object);
        });
      }
    }
  }

  void check_commits() {
    git::ObjectStore store({objects_});
    for (const ObjectId& commit : Cache::fetched_commits(repository_)) {
      const CommitObjects listed = list_commit_objects(store, commit, 0);
      if (!listed.missing.empty()) add(concat("commit ", commit.hex(), " is incomplete: ", listed.missing));
    }
  }

  std::string objects_;
  const std::string& repository_;
  CheckedRepository result_;
};

using OnChecked = std::function<void(std::size_t, CheckedRepository&)>;

/// Checks repositories in worker processes.
std::vector<CheckedRepository> run_checkers(const std::vector<std::string>& repositories, int jobs,
                                            const OnChecked& on_checked = {}) {
  return map_in_workers(
      repositories.size(), jobs, [&](std::size_t item) { return Checker(repositories[item]).run(); },
      [&](std::size_t item) { return "checking " + quote(repositories[item]); }, on_checked);
}

/// Reports a worker's death as a problem: after one, each repository is checked in its own pool.
CheckedRepository check_alone(const std::string& repository) {
  try {
    return std::move(run_checkers({repository}, 1).front());
  } catch (const Error& error) {
    return {0, {error.message()}};
  }
}

}  // namespace

std::string repositories_folder(const std::string& directory) { return directory + "/git"; }

std::string repository_path(const std::string& directory, const std::string& url) {
  return concat(repositories_folder(directory), "/", url_file_path(url), ".git");
}

UniqueFd make_bare_repository(const std::string& directory, const std::string& repository) {
  refuse_links(directory, repository);
  make_directories(repository);
  UniqueFd lock = Cache::lock(repository);
  git::refuse_traps(repository, repository);
  git::make_repository_folders(repository);
  write_file_atomically(repository + "/config", kConfig);
  write_if_absent(repository + "/HEAD", "ref: refs/heads/main\n");  // last: without it there is no repository yet
  return lock;
}

std::vector<UniqueFd> make_bare_repositories(const std::string& directory,
                                             const std::vector<std::string>& repositories) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < repositories.size(); ++i) places[repositories[i]] = i;
  std::vector<UniqueFd> locks(repositories.size());
  for (const auto& [repository, place] : places) locks[place] = make_bare_repository(directory, repository);
  return locks;
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
  for (const ObjectId& commit : commits) write_if_absent(reference_path(repository, commit), commit.hex() + "\n");
}

std::vector<ObjectId> shallow_commits(const std::string& repository) {
  std::vector<ObjectId> commits;
  const std::string path = repository + "/shallow";
  if (!file_exists(path)) return commits;
  for (const std::string& line : split(read_file(path), '\n'))
    if (const auto commit = ObjectId::parse(line)) commits.push_back(*commit);
  return commits;
}

void write_shallow_commits(const std::string& repository, const std::vector<ObjectId>& commits) {
  const std::string path = repository + "/shallow";
  if (commits.empty()) return remove_tree(path);
  std::string text;
  for (const ObjectId& commit : std::set(commits.begin(), commits.end())) text += commit.hex() + "\n";
  write_file_atomically(path, text);
}

std::vector<std::string> left_over_files(const std::string& repository) {
  std::vector<std::string> files;
  const auto look_in = [&](const std::string& folder) {
    if (type_at(folder) != S_IFDIR) return;
    for (const std::string& name : list_directory(folder))
      if (is_temporary(name)) files.push_back(concat(folder, "/", name));
  };
  for (const char* folder : {"", "/objects", "/objects/pack", "/refs/torchpatch"}) look_in(repository + folder);
  const std::string packs = repository + "/objects/pack";
  for (const std::string& name : type_at(packs) == S_IFDIR ? list_directory(packs) : std::vector<std::string>()) {
    const std::string stem = concat(packs, "/", name.substr(0, name.rfind('.')));
    if (ends_with(name, ".pack") && !file_exists(stem + ".idx")) files.push_back(stem + ".pack");
  }
  return files;
}

void Cache::check_layout() const {
  for (const std::string& folder : {repositories(), archives()}) refuse_links(directory_, folder);
  const std::string path = directory_ + "/layout";
  if (!file_exists(path)) return;  // caches without this file have the first layout
  const std::string text = read_file(path, 1024);
  const auto layout = starts_with(text, kLayoutText)
                          ? parse_decimal(trim(std::string_view(text).substr(kLayoutText.size())))
                          : std::nullopt;
  if (layout && *layout >= 1 && *layout <= kLayout) return;
  throw Error(ErrorKind::environment,
              concat("opening the cache ", quote(directory_), ": ",
                     layout ? concat("it was written by a newer torchpatch (layout ", *layout, ", this one supports ",
                                     kLayout, ")")
                            : concat(quote(path), " does not name its layout")),
              "point XDG_CACHE_HOME to another directory, use the newer torchpatch, or remove the directory");
}

UniqueFd Cache::share(const char* lock) const {
  if (!file_exists(directory_ + "/CACHEDIR.TAG")) return UniqueFd();
  try {
    return lock_file(directory_ + lock, LockKind::shared);
  } catch (const Error&) {
    return UniqueFd();
  }
}

UniqueFd Cache::enter() const { return share("/torchpatch.lock"); }

UniqueFd Cache::begin_reading() const { return share(kReading); }

bool Cache::try_while_unread(UniqueFd& reading, const std::function<void()>& action) const {
  // A shared lock cannot become exclusive atomically; the second lock keeps others out in between.
  const UniqueFd emptying = try_lock_file(directory_ + "/emptying.lock", LockKind::exclusive);
  if (!emptying) return false;
  reading.reset();
  UniqueFd alone = try_lock_file(directory_ + kReading, LockKind::exclusive);
  const bool is_alone = static_cast<bool>(alone);
  if (is_alone) action();
  alone.reset();
  reading = begin_reading();
  return is_alone;
}

UniqueFd Cache::try_enter_alone() const { return try_lock_file(directory_ + "/torchpatch.lock", LockKind::exclusive); }

void Cache::make() const {
  make_directories(directory_);
  write_if_absent(directory_ + "/CACHEDIR.TAG", kTag);
  write_if_absent(directory_ + "/layout", concat(kLayoutText, kLayout, "\n"));
}

UniqueFd Cache::make_repository(const std::string& repository) const {
  make();
  return make_bare_repository(directory_, repository);
}

std::vector<ObjectId> Cache::fetched_commits(const std::string& repository) {
  std::vector<ObjectId> commits;
  const std::string references = repository + "/" + kFetchedReferences;
  if (!is_directory(references)) return commits;
  for (const std::string& name : list_directory(references))
    if (const auto commit = ObjectId::parse(name)) commits.push_back(*commit);
  return commits;
}

void Cache::add_fetched(const std::string& repository, const ObjectId& commit) {
  std::vector<ObjectId> shallow = shallow_commits(repository);
  shallow.push_back(commit);
  write_shallow_commits(repository, shallow);
  write_references(repository, {commit});
}

void Cache::empty_repository(const std::string& repository) {
  for (const char* part : {"/refs", "/objects", "/shallow"}) remove_tree(repository + part);
  git::make_repository_folders(repository);
}

void Cache::remove_leftovers(const std::string& repository) {
  for (const std::string& file : left_over_files(repository)) remove_tree(file);
}

UniqueFd Cache::lock(const std::string& repository) {
  return lock_file(concat(repository, "/", kRepositoryLock), LockKind::exclusive);
}

std::vector<CheckedRepository> check_repositories(const std::vector<std::string>& repositories, int jobs,
                                                  Console& console) {
  std::vector<CheckedRepository> checked(repositories.size());
  std::vector<bool> is_checked(repositories.size(), false);
  std::size_t done = 0;
  try {
    run_checkers(repositories, jobs, [&](std::size_t item, CheckedRepository& result) {
      checked[item] = std::move(result);
      is_checked[item] = true;
      console.progress("checking repositories", ++done, repositories.size(), 0);
    });
  } catch (const WorkerFailure&) {
    for (std::size_t i = 0; i < repositories.size(); ++i)
      if (!is_checked[i]) checked[i] = check_alone(repositories[i]);
  }
  console.progress_done();
  return checked;
}

}  // namespace torchpatch::source
