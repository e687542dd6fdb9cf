// SPDX-License-Identifier: BSD-3-Clause
#include "tree/staging.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::tree {

namespace {

Error refused(const std::string& path, const std::string& why, const std::string& hint) {
  return Error(ErrorKind::environment, concat("writing to ", quote(path), ": ", why), hint);
}

constexpr int kOpenOwnDirectory = kOpenDirectory | O_NOFOLLOW;

/// How often a directory may vanish between creation and locking, as other runs end, before we give up.
constexpr int kLockAttempts = 100;

/// Returns whether `path` still refers to `fd`.
bool stands_at(int fd, const std::string& path) {
  struct stat opened = {};
  struct stat named = {};
  if (::fstat(fd, &opened) != 0) throw system_error("examining " + quote(path));
  if (::lstat(path.c_str(), &named) != 0) {
    if (errno == ENOENT) return false;
    throw system_error("examining " + quote(path));
  }
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void sync_directory(const UniqueFd& fd, const std::string& path) {
  if (::fsync(fd.get()) != 0) throw system_error("syncing directory " + quote(path));
}

/// Returns the path of an open directory through its descriptor; without /proc its name, if that still refers to it.
std::string path_of_directory(int fd, const std::string& name) {
  const std::string by_descriptor = concat("/proc/self/fd/", fd);
  if (stands_at(fd, by_descriptor + "/.")) return by_descriptor;
  if (stands_at(fd, name) && changeable_by_others(parent_path(name)).empty()) return name;
  throw Error(ErrorKind::environment,
              concat("writing to ", quote(name), ": other users may move it, and /proc/self/fd does not work here"),
              "mount /proc (mount -t proc proc /proc), or write to a directory that only you can change");
}

/// empty_directory() for a directory that may have been read before.
bool empty_again(const UniqueFd& fd, const std::string& path) {
  const UniqueFd directory(::openat(fd.get(), ".", kOpenDirectory));
  if (!directory) throw system_error("opening " + quote(path));
  return empty_directory(directory, path);
}

/// Locks an open directory; returns false if another run has the lock.
bool is_locked_now(int fd, const std::string& out) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) throw system_error("locking " + quote(out));
  return false;
}

Error locked_by_another(const std::string& out) {
  return Error(ErrorKind::environment, concat("writing to ", quote(out), ": it is locked by another run of torchpatch"),
               "wait until it has ended");
}

/// Creates the staging directory; returns whether it did not exist before.
bool make_staging(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) throw system_error("creating directory " + quote(path));
  return false;
}

/// Opens the staging directory; returns nothing if it vanished after its creation.
UniqueFd open_staging(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), kOpenOwnDirectory));
  if (!fd && errno == ENOENT) return fd;
  struct stat status = {};
  if (!fd || ::fstat(fd.get(), &status) != 0) throw system_error("opening " + quote(path));
  // In a directory like /tmp someone else could have created it, and would then own what we build.
  if (status.st_uid != ::geteuid()) {
    throw Error(ErrorKind::environment, concat("writing to ", quote(path), ": it belongs to another user"),
                "ask for its removal, or write to another directory");
  }
  return fd;
}

}  // namespace

std::string output_path(const std::string& out) {
  if (out.empty()) throw refused(out, "the path is empty", "pass a directory");
  std::string path = absolute_path(out);
  const std::string last = base_name(path);
  if (last == "." || last == "..") path = real_path(path);
  if (path.empty()) throw refused(out, "no such directory", "");
  if (path.size() >= PATH_MAX)
    throw refused(out, concat("its path has ", path.size(), " bytes; the system accepts ", PATH_MAX - 1),
                  "choose a directory with a shorter path");
  const std::string name = base_name(path);
  if (name == "/") throw refused(out, "it is the root directory", "choose a directory under it");
  const std::string parent = parent_path(path);
  if (!is_directory(parent))
    throw refused(out, concat("no directory ", quote(parent)),
                  type_at(parent) == 0 ? "create it: mkdir -p " + shell_quote(parent) : "choose another one");
  return parent == "/" ? "/" + name : concat(parent, "/", name);
}

std::string staging_path(const std::string& path) {
  static constexpr std::string_view kSuffix = ".torchpatch-staging";
  const std::string name = base_name(path);
  const bool fits = 1 + name.size() + kSuffix.size() <= NAME_MAX;
  return concat(path.substr(0, path.size() - name.size()), ".", fits ? name : sha256(name).hex(), kSuffix);
}

OutputState output_state(const std::string& path, const OutputRecord& record) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return OutputState::absent;
    throw system_error("writing to " + quote(path));
  }
  if (S_ISLNK(status.st_mode)) throw refused(path, "it is a symbolic link", "pass the directory that it points to");
  if (!S_ISDIR(status.st_mode)) throw refused(path, "it is not a directory", "choose another directory");
  struct stat parent = {};
  if (::stat(parent_path(path).c_str(), &parent) != 0) throw system_error("writing to " + quote(path));
  if (status.st_dev != parent.st_dev)
    throw refused(path, "it is a mount point, which cannot be renamed", "choose a directory under it");
  if (starts_with(real_path(".") + "/", real_path(path) + "/")) {
    throw refused(path, "it contains the working directory, which would be moved away",
                  "change to another directory and pass the path from there");
  }
  if (list_directory(path).empty()) return OutputState::empty;
  // A link instead of the record's directory would vouch for someone else's files.
  const std::string place = concat("/", record.path);
  const bool has_record =
      record.path.empty() || (type_at(path + place) == S_IFREG && real_path(path + place) == real_path(path) + place);
  if (has_record) {
    for (const std::string& name : list_directory(path)) {
      if (record.names.empty() || std::ranges::count(record.names, name) > 0) continue;
      throw refused(path, concat("it contains ", quote(name), ", which torchpatch did not write"),
                    "move that away, or choose another directory");
    }
    return OutputState::prepared;
  }
  throw refused(path, record.refusal, "choose a directory that is empty or does not exist yet");
}

UniqueFd lock_directory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), kOpenOwnDirectory));
  if (!fd) throw system_error("opening " + quote(path));
  if (!is_locked_now(fd.get(), path)) throw locked_by_another(path);
  return fd;
}

Staging::Staging(const std::string& out, IfExists if_exists, Console& console, OutputRecord record)
    : out_(output_path(out)),
      path_(staging_path(out_)),
      if_exists_(if_exists),
      record_(std::move(record)),
      console_(console),
      parent_(::open(parent_path(out_).c_str(), kOpenDirectory)) {
  if (!parent_) throw system_error("opening " + quote(parent_path(out_)));
  check_out();
  lock();
  try {
    remove_leftovers();
    check_out();  // the run that held the lock before may have written it
  } catch (...) {
    ::rmdir(path_.c_str());
    throw;
  }
}

Staging::~Staging() {
  if (is_committed_) return;
  try {
    empty_again(lock_, path_);
    const bool is_there = stands_at(lock_.get(), path_);
    if (is_there && ::rmdir(path_.c_str()) != 0) throw system_error("removing " + quote(path_));
  } catch (const Error& error) {
    console_.warning(concat("unfinished work is left in ", quote(path_), ", which the next run on ", quote(out_),
                            " removes: ", error.message()));
  }
}

void Staging::lock() {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    const bool is_ours = make_staging(path_);
    bool is_locked = false;
    try {
      UniqueFd fd = open_staging(path_);
      if (!fd) continue;
      is_locked = is_locked_now(fd.get(), out_);
      // The run that held the lock may have renamed or removed what we opened, which is then not the staging directory.
      if (is_locked && !stands_at(fd.get(), path_)) continue;
      lock_ = std::move(fd);
    } catch (const Error&) {
      if (is_ours) ::rmdir(path_.c_str());
      throw;
    }
    if (is_locked) return;
    throw locked_by_another(out_);
  }
  throw Error(ErrorKind::environment,
              concat("writing to ", quote(out_), ": its staging directory disappears repeatedly"));
}

void Staging::remove_leftovers() {
  if (::fchmod(lock_.get(), 0700) != 0) throw system_error("setting the mode of " + quote(path_));
  if (empty_again(lock_, path_)) console_.warning(concat("removed what an interrupted run left in ", quote(path_)));
}

bool Staging::check_out() const {
  if (output_state(out_, record_) != OutputState::prepared) return false;
  if (if_exists_ == IfExists::replace) return true;
  throw Error(ErrorKind::environment, concat("writing to ", quote(out_), ": it already contains ", record_.what),
              "replace it with --replace, or choose another directory");
}

std::string Staging::path() const { return path_of_directory(lock_.get(), path_); }

void Staging::rename_into_place(unsigned flags) {
  const std::string from = base_name(path_);
  const std::string to = base_name(out_);
  const auto move = [&](const std::string& a, const std::string& b) {
    return ::renameat2(parent_.get(), a.c_str(), parent_.get(), b.c_str(), flags) == 0;
  };
  const bool stood_there = stands_at(lock_.get(), path_);
  if (stood_there && !move(from, to)) {
    const bool is_in_lower_layer = errno == EXDEV;
    const bool cannot_swap = errno == EINVAL || errno == ENOSYS || is_in_lower_layer;
    const Error error = system_error(concat("renaming ", quote(path_), " to ", quote(out_)));
    if (flags == 0 || !cannot_swap) throw error;
    throw CannotSwap(ErrorKind::environment, error.message(),
                     concat(is_in_lower_layer ? "the old tree is in a lower layer of an overlay file system, which"
                                              : "this file system",
                            " cannot swap directories: ", record_.without_swap));
  }
  try {
    if (stood_there && stands_at(lock_.get(), out_)) return;
  } catch (const Error&) {  // unknown state: restore
    move(to, from);
    throw;
  }
  if (stood_there) move(to, from);
  throw Error(
      ErrorKind::environment,
      concat("writing to ", quote(out_), ": the directory at ", quote(path_), " is not the one that was written"),
      "it was replaced in the meantime: write to a directory that only you can change");
}

void Staging::commit(bool sync, mode_t mode) {
  const bool swaps = check_out();
  if (::fchmod(lock_.get(), mode) != 0) throw system_error("setting the mode of " + quote(path_));
  if (sync) sync_directory(lock_, path_);
  if (swaps)
    swap_with_old_tree();
  else
    rename_into_place(0);
  is_committed_ = true;
  if (sync) sync_directory(parent_, parent_path(out_));
}

void Staging::swap_with_old_tree() {
  // The old tree gets the staging directory's name. Lock it too, or another run would take it for remains and build in
  // it while we remove it.
  const UniqueFd old = lock_directory(out_);
  rename_into_place(RENAME_EXCHANGE);
  is_committed_ = true;
  try {
    if (!stands_at(old.get(), path_)) return;
    empty_again(old, path_);
    if (::rmdir(path_.c_str()) != 0) throw system_error("removing " + quote(path_));
  } catch (const Error& error) {
    console_.warning(concat("the old tree was not removed: ", error.message()));
  }
}

}  // namespace torchpatch::tree
