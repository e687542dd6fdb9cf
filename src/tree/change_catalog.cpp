// SPDX-License-Identifier: BSD-3-Clause
#include "tree/staging.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <list>
#include <memory>
#include <set>
#include <vector>

#include "support/text.h"

namespace torchpatch::tree {

namespace {

const std::vector<std::string> kCatalogFolders = {"approvals", "boards",   "known_issues",
                                                  "patchsets", "releases", "results"};

/// Returns when a folder is swapped: what others reference is added first and removed last. One that does both adds.
int turn_of(const std::string& folder, const FileChanges& changes) {
  const bool only_removes = std::ranges::none_of(changes, [](const auto& change) { return change.second.has_value(); });
  if (folder == "known_issues") return only_removes ? 1 : 3;
  if (folder == "patchsets") return 2;
  if (folder == "results") return 3;
  return only_removes ? 4 : 0;
}

/// Gives a new file the mode of the one it replaces, and its owner if permitted.
void take_over_mode(int fd, const std::string& old) {
  struct stat status = {};
  if (::stat(old.c_str(), &status) != 0) return;
  const bool is_owned = ::fchown(fd, status.st_uid, status.st_gid) == 0 || errno == EPERM;
  if (!is_owned || ::fchmod(fd, status.st_mode & 07777) != 0)
    throw system_error(concat("copying the mode of ", quote(old)));
}

UniqueFd open_written(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw system_error("opening " + quote(path));
  return fd;
}

void sync_written(int fd, const std::string& path) {
  if (::fsync(fd) != 0) throw system_error("syncing " + quote(path));
}

/// Rebuilds a folder.
class FolderCopy {
 public:
  FolderCopy(const std::string& from, const std::string& to, const FileChanges& changes)
      : from_(from), to_(to), changes_(changes) {}

  void build() {
    for (const auto& [path, bytes] : changes_) {
      if (!bytes) continue;
      const std::string file = concat(to_, "/", path);
      make_directories(parent_path(file));
      write_file_atomically(file, *bytes);
      take_over_mode(open_written(file).get(), concat(from_, "/", path));
      to_sync_.push_back(file);
    }
    if (is_directory(from_)) copy_rest("");
    take_over_mode(open_written(to_).get(), from_);
    for (const std::string& path : to_sync_) sync_written(open_written(path).get(), path);
  }

 private:
  /// Links the unchanged files of a directory. `below` is its path with a trailing slash, or empty.
  void copy_rest(const std::string& below) {
    for (const std::string& name : list_directory(concat(from_, "/", below))) {
      const std::string path = below + name;
      const std::string from = concat(from_, "/", path), to = concat(to_, "/", path);
      if (changes_.contains(path)) continue;
      if (type_at(from) == S_IFDIR)
        copy_directory(path, from, to);
      else
        link_or_copy(from, to);
    }
  }

  void copy_directory(const std::string& path, const std::string& from, const std::string& to) {
    make_directories(to);
    copy_rest(path + "/");
    if (::rmdir(to.c_str()) == 0) return;  // it has no files left
    take_over_mode(open_written(to).get(), from);
    to_sync_.push_back(to);
  }

  /// Copies the bytes if the file system has no links, the file has too many, or belongs to someone else.
  void link_or_copy(const std::string& from, const std::string& to) {
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0) return;
    std::error_code failed;
    std::filesystem::copy(from, to, std::filesystem::copy_options::copy_symlinks, failed);
    if (failed) throw Error(ErrorKind::environment, concat("copying ", quote(from), ": ", failed.message()));
    if (type_at(to) == S_IFREG) to_sync_.push_back(to);
  }

  const std::string& from_;
  const std::string& to_;
  const FileChanges& changes_;
  std::vector<std::string> to_sync_;
};

/// The change of a catalog's folder: built by the constructor, put in place by commit(), otherwise removed.
class FolderChange {
 public:
  FolderChange(const std::string& path, FileChanges changes, Console& console)
      : path_(path), changes_(std::move(changes)), console_(console) {
    if (changes_.size() == 1 && is_one_step())
      write_one();
    else
      build();
  }

  void commit() {
    struct stat old = {};
    const mode_t mode = ::stat(path_.c_str(), &old) == 0 ? old.st_mode & 07777 : 0755;
    if (staging_) return swap(mode);
    const std::string place = place_of_one();
    if (file_)
      file_->rename_to(place);
    else
      remove_tree(place);
    const std::string folder = parent_path(place);
    sync_written(open_written(folder).get(), folder);
  }

 private:
  std::string place_of_one() const { return concat(path_, "/", changes_.begin()->first); }

  /// Returns whether only one file changes, and no folder is added or removed with it.
  bool is_one_step() const {
    const std::string place = place_of_one(), folder = parent_path(place);
    const mode_t type = type_at(place);
    if (!is_directory(folder) || (type != S_IFREG && type != 0)) return false;
    return changes_.begin()->second || folder == path_ || list_directory(folder).size() > 1;
  }

  /// Creates the new file next to the folder: in it, a partial file would be an error for runs that load the catalog.
  void write_one() {
    const auto& bytes = changes_.begin()->second;
    if (!bytes) return;
    file_ = std::make_unique<TemporaryFile>(staging_path(path_));
    write_all(file_->fd(), *bytes, place_of_one());
    if (::fchmod(file_->fd(), 0644) != 0) throw system_error("writing " + quote(place_of_one()));
    take_over_mode(file_->fd(), place_of_one());
    sync_written(file_->fd(), place_of_one());
  }

  void build() {
    staging_ = std::make_unique<Staging>(path_, IfExists::replace, console_, OutputRecord{.path = ""});
    const std::string built = staging_->path();
    FolderCopy(path_, built, changes_).build();
  }

  void swap(mode_t mode) {
    try {
      staging_->commit(true, mode);
    } catch (const CannotSwap&) {
      console_.warning(concat(quote(path_), " is on a file system that cannot swap directories: its ", changes_.size(),
                              " files change one by one, and an interruption leaves only some of them changed"));
      change_one_by_one();
    }
  }

  /// Adds first, then removes.
  void change_one_by_one() {
    const std::string built = staging_->path();
    for (const auto& [path, bytes] : changes_) {
      if (!bytes) continue;
      const std::string place = concat(path_, "/", path);
      make_directories(parent_path(place));
      if (::rename(concat(built, "/", path).c_str(), place.c_str()) != 0)
        throw system_error("renaming to " + quote(place));
    }
    for (const auto& [path, bytes] : changes_) {
      if (bytes) continue;
      remove_tree(concat(path_, "/", path));
      for (std::string folder = parent_path(path); folder != "."; folder = parent_path(folder))
        if (::rmdir(concat(path_, "/", folder).c_str()) != 0) break;  // not empty
    }
  }

  std::string path_;
  FileChanges changes_;
  Console& console_;
  std::unique_ptr<TemporaryFile> file_;
  std::unique_ptr<Staging> staging_;
};

bool is_so_already(const std::string& path, const std::optional<std::string>& bytes) {
  if (!bytes) return type_at(path) == 0;
  return type_at(path) == S_IFREG && read_file(path) == *bytes;
}

/// Returns the actual changes, by folder of the catalog.
std::map<std::string, FileChanges> changes_by_folder(const std::string& directory, const FileChanges& changes) {
  std::map<std::string, FileChanges> folders;
  for (const auto& [path, bytes] : changes) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos)
      throw Error(ErrorKind::internal,
                  concat("changing the catalog: ", quote(path), " is not in one of its directories"));
    if (!is_so_already(concat(directory, "/", path), bytes))
      folders[path.substr(0, slash)][path.substr(slash + 1)] = bytes;
  }
  return folders;
}

/// Raises environment if a directory on a path in the catalog is a link; loading refuses it too.
void refuse_links(const std::string& directory, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string above = concat(directory, "/", path.substr(0, slash));
    if (type_at(above) == S_IFLNK) {
      throw Error(ErrorKind::environment, concat("changing the catalog: ", quote(above), " is a symbolic link"),
                  "replace it with a directory");
    }
  }
}

void remove_catalog_leftovers(const std::string& directory, Console& console) {
  for (const std::string& name : list_directory(directory)) {
    const bool is_left = std::ranges::any_of(kCatalogFolders, [&](const std::string& folder) {
      const std::string staging = base_name(staging_path(concat(directory, "/", folder)));
      return name == staging || is_temporary_of(name, staging);
    });
    if (!is_left) continue;
    remove_tree(concat(directory, "/", name));
    console.warning(concat("removed what an interrupted run left in ", quote(concat(directory, "/", name))));
  }
}

}  // namespace

void change_catalog(const std::string& directory, const FileChanges& changes, Console& console) {
  make_directories(directory);
  const std::string root = real_path(directory);
  const UniqueFd lock = lock_directory(root);
  remove_catalog_leftovers(root, console);
  const std::map<std::string, FileChanges> folders = changes_by_folder(root, changes);
  std::set<std::pair<int, std::string>> order;
  for (const auto& [folder, of_it] : folders) order.emplace(turn_of(folder, of_it), folder);
  for (const auto& [folder, of_it] : folders)
    for (const auto& [path, bytes] : of_it) refuse_links(directory, concat(folder, "/", path));
  std::list<FolderChange> built;
  for (const auto& [turn, folder] : order) built.emplace_back(concat(root, "/", folder), folders.at(folder), console);
  for (FolderChange& change : built) change.commit();
}

}  // namespace torchpatch::tree
