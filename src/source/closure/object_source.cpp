// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/object_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>

#include "git/object_store.h"
#include "source/closure/pinned_lookup.h"
#include "source/store/archive_source.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

std::string read_blob(git::ObjectStore& store, const BlobRequest& request) {
  const std::string action = concat("reading ", request.name, ": blob ", request.id.hex());
  auto object = store.read(request.id, request.store);
  if (!object) throw Error(ErrorKind::source, action + " was not found");
  if (object->type != git::ObjectType::blob)
    throw Error(ErrorKind::source, concat(action, " is a ", git::object_type_name(object->type)));
  return std::move(object->bytes);
}

/// Deeper than any source tree; ends loops of bind mounts.
constexpr int kMaxFolderDepth = 64;
constexpr std::uint64_t kMaxAlternatesBytes = 1 << 20;

/// Returns the names of the real directories in a directory, in bytewise order. Uses the types in the directory itself,
/// since a stat for each of a work tree's tens of thousands of files would be slow. Raises environment.
std::vector<std::string> list_subdirectories(const std::string& path) {
  std::vector<std::string> names;
  for (auto& [name, type] : read_directory(UniqueFd(::open(path.c_str(), kOpenDirectory)),
                                           concat("the directory ", quote(path), " cannot be searched")))
    if ((type == 0 ? type_at(path + "/" + name) : type) == S_IFDIR) names.push_back(std::move(name));
  std::ranges::sort(names);
  return names;
}

class Finder {
 public:
  explicit Finder(Console& console) : console_(console) {}

  void search(const std::string& directory, int depth) {
    if (depth > kMaxFolderDepth)
      return console_.warning(concat("the directory ", quote(directory), " is nested too deep; not searched"));
    const bool is_repository = visit_repository(directory);
    std::vector<std::string> names;
    try {
      names = list_subdirectories(directory);
    } catch (const Error& error) {
      console_.warning(error.message());
    }
    for (const std::string& name : names) {
      // In a git directory, only its submodules' repositories are searched.
      if (!is_repository || name == "modules") search(directory + "/" + name, depth + 1);
    }
  }

  /// Returns the folders found, with a warning for objects borrowed from outside them.
  std::vector<std::string> take() {
    for (const std::string& folder : found_) check_alternates(folder);
    return std::move(found_);
  }

 private:
  /// Records `directory` if it is a git directory; returns whether it is one, complete or not.
  bool visit_repository(const std::string& directory) {
    const mode_t head = type_at(directory + "/HEAD");
    const bool has_objects = type_at(directory + "/objects") == S_IFDIR;
    if ((head != S_IFREG && head != S_IFLNK) || !has_objects) return false;
    if (type_at(directory + "/refs") != S_IFDIR) {
      console_.warning(concat("the repository ", quote(directory), " has no 'refs'; ignored"));
      return true;
    }
    const std::string folder = directory + "/objects";
    if (seen_.insert(folder).second) found_.push_back(folder);
    return true;
  }

  void check_alternates(const std::string& object_folder) {
    const std::string path = object_folder + "/info/alternates";
    if (type_at(path) != S_IFREG) return;
    std::string text;
    try {
      text = read_file(path, kMaxAlternatesBytes);
    } catch (const Error& error) {
      return console_.warning(error.message());
    }
    for (const std::string& line : split(text, '\n')) {
      if (line.empty() || line.front() == '#') continue;
      const std::string lender = real_path(line.front() == '/' ? line : object_folder + "/" + line);
      if (!lender.empty() && seen_.contains(lender)) continue;
      console_.warning(concat("the repository of ", quote(object_folder), " borrows objects from ", quote(line),
                              ", which is outside the directories to search; they are ignored"));
    }
  }

  Console& console_;
  std::vector<std::string> found_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> ObjectSource::bring(const std::vector<PinnedRepository>& wanted, Console&) {
  return std::vector<std::string>(wanted.size(), "not in any mirror");
}

void ObjectSource::note_use(int, const ObjectId&) {}

std::string ObjectSource::hint() const {
  return "pass a directory that contains them with --mirror, or fetch them into one with git";
}

const std::vector<OpenArchive>& ObjectSource::archives() const {
  static const std::vector<OpenArchive> kNone;
  return kNone;
}

std::vector<std::string> read_blobs(const std::vector<BlobRequest>& requests, ObjectSource& source, Console& console) {
  std::vector<std::string> contents(requests.size());
  std::optional<git::ObjectStore> store;  // each worker opens its own
  const auto read = [&](std::size_t item) {
    if (!store) store.emplace(source.object_folders(), git::Indexes::checked);
    std::string bytes = read_blob(*store, requests[item]);
    return LookupResult{std::move(bytes), {}, store->warnings()};
  };
  std::size_t done = 0;
  std::set<std::string> told;
  const auto take = [&](std::size_t item, LookupResult& result) {
    contents[item] = std::move(result.bytes);
    for (const std::string& line : result.damage)
      if (told.insert(line).second) console.warning(line);
    console.progress("reading what the patches touch", ++done, requests.size(), 0);
  };
  map_in_workers(
      requests.size(), 1, read, [&](std::size_t item) { return "reading " + requests[item].name; }, take);
  if (!requests.empty()) console.progress_done();
  return contents;
}

std::vector<std::string> find_object_folders(const std::vector<std::string>& directories, Console& console) {
  Finder finder(console);
  for (const std::string& directory : directories) {
    const std::string action = "looking for repositories in " + quote(directory);
    require_directory(directory, action, "pass a directory that contains clones or bare repositories, at any depth");
    const std::string root = real_path(directory);
    if (root.empty()) throw system_error(action);
    finder.search(root, 0);
  }
  return finder.take();
}

MirrorSource::MirrorSource(std::vector<std::string> directories, Console& console)
    : directories_(std::move(directories)), object_folders_(find_object_folders(directories_, console)) {
  if (object_folders_.empty()) {
    throw Error(ErrorKind::source, concat("looking for repositories: ", describe(), " has none"),
                "pass a directory that contains clones or bare repositories, at any depth");
  }
}

std::string MirrorSource::describe() const {
  std::vector<std::string> names;
  for (const std::string& directory : directories_) names.push_back(quote(directory));
  return concat(names.size() == 1 ? "the mirror " : "the mirrors ", join(names, ", "));
}

}  // namespace torchpatch::source
