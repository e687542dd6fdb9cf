// SPDX-License-Identifier: BSD-3-Clause
// The parts of file.h that list and remove directories.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

std::string child_path(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

/// Returns the names in an open directory in bytewise order; takes its own copy of `fd`. `path` is for messages.
std::vector<std::string> names_in(int fd, const std::string& path) {
  UniqueFd copy(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Directory directory(copy ? ::fdopendir(copy.get()) : nullptr);
  if (!directory) throw system_error("listing " + quote(path));
  copy.release();
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());
    if (entry == nullptr && errno != 0) throw system_error("listing " + quote(path));
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct stat status_at(int directory, const std::string& name, const std::string& path) {
  struct stat status = {};
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    throw system_error("reading " + quote(path));
  return status;
}

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

void list_below(int directory, const std::string& root, const std::string& prefix, std::vector<std::string>& files) {
  for (const std::string& name : names_in(directory, child_path(root, prefix))) {
    const std::string relative = child_path(prefix, name);
    const std::string path = child_path(root, relative);
    const mode_t mode = status_at(directory, name, path).st_mode;
    if (S_ISREG(mode)) files.push_back(relative);
    if (!S_ISDIR(mode)) continue;
    const UniqueFd child(::openat(directory, name.c_str(), kOpenDirectory));
    if (!child) throw system_error("opening " + quote(path));
    list_below(child.get(), root, relative, files);
  }
}

/// Opens a directory to empty it; one whose bits keep its owner out gets them back first.
UniqueFd open_to_empty(int parent, const std::string& name, const std::string& path) {
  UniqueFd fd(::openat(parent, name.c_str(), kOpenDirectory));
  if (!fd && errno == EACCES) {
    // Plain fchmodat follows links, but a link planted here since the lstat leads to a chmod of what its owner may
    // chmod anyway, and the next open refuses it.
    if (::fchmodat(parent, name.c_str(), 0700, 0) != 0) throw system_error("removing " + quote(path));
    fd = UniqueFd(::openat(parent, name.c_str(), kOpenDirectory));
  }
  if (!fd) throw system_error("removing " + quote(path));
  struct stat status = {};
  const bool is_known = ::fstat(fd.get(), &status) == 0;
  if (is_known && status.st_uid == ::geteuid() && (status.st_mode & 0700) != 0700) ::fchmod(fd.get(), 0700);
  return fd;
}

void remove_entry(int parent, const std::string& name, dev_t device, const std::string& path) {
  const struct stat status = status_at(parent, name, path);
  const bool is_directory = S_ISDIR(status.st_mode);
  if (status.st_dev != device) {
    throw Error(ErrorKind::environment, "removing " + quote(path) + ": it is on another file system",
                "unmount it first");
  }
  if (is_directory) {
    const UniqueFd directory = open_to_empty(parent, name, path);
    for (const std::string& child : names_in(directory.get(), path)) {
      remove_entry(directory.get(), child, device, child_path(path, child));
    }
  }
  const int flags = is_directory ? AT_REMOVEDIR : 0;
  if (::unlinkat(parent, name.c_str(), flags) != 0 && errno != ENOENT) throw system_error("removing " + quote(path));
}

}  // namespace

std::vector<std::string> list_directory(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) throw system_error("listing " + quote(path));
  return names_in(fd.get(), path);
}

std::vector<std::string> list_files_below(const std::string& root) {
  const UniqueFd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) throw system_error("listing " + quote(root));
  std::vector<std::string> files;
  list_below(fd.get(), root, "", files);
  std::sort(files.begin(), files.end());  // 'a.c' comes before 'a/b', which the walk meets first
  return files;
}

void remove_tree(const std::string& path) {
  const std::string name = base_name(path);
  const UniqueFd parent(::open(parent_path(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status = {};
  if (!parent || ::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return;
    throw system_error("removing " + quote(path));
  }
  remove_entry(parent.get(), name, status.st_dev, path);
}

TempDir::TempDir() {
  const char* const base = std::getenv("TMPDIR");
  const std::string directory = base != nullptr && *base != '\0' ? base : "/tmp";
  path_ = child_path(absolute_path(directory), "torchpatch-XXXXXX");
  if (::mkdtemp(path_.data()) == nullptr) throw system_error("creating a temporary directory in " + quote(directory));
}

TempDir::~TempDir() {
  try {
    remove_tree(path_);
  } catch (const std::exception&) {
    // A destructor cannot report; what is left lies in the temporary directory of the system.
  }
}

}  // namespace torchpatch
