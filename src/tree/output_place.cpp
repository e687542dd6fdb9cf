// SPDX-License-Identifier: BSD-3-Clause
#include "tree/output_place.h"

#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::tree {
namespace {

Error refused(const std::string& path, const std::string& why, const std::string& hint) {
  return Error(ErrorKind::environment, concat("writing to ", quote(path), ": ", why), hint);
}

/// Returns the path without links and dots, or empty text where there is no such thing.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? resolved.get() : "";
}

bool holds_working_directory(const std::string& path) {
  const std::string here = real_path(".");
  const std::string directory = real_path(path);
  return here == directory || starts_with(here, directory + "/");
}

dev_t device_of_parent(const std::string& path) {
  struct stat status = {};
  if (::stat(parent_path(path).c_str(), &status) != 0) throw system_error("writing to " + quote(path));
  return status.st_dev;
}

bool is_regular_file(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::string output_path(const std::string& out) {
  if (out.empty()) throw refused(out, "the path is empty", "name a directory");
  std::string path = absolute_path(out);
  const std::string last = base_name(path);
  if (last == "." || last == "..") path = real_path(path);
  if (path.empty()) throw refused(out, "there is no such directory", "");
  const std::string name = base_name(path);
  if (name == "/") throw refused(out, "it is the root directory", "name a directory below it");
  const std::string parent = parent_path(path);
  if (!is_directory(parent)) {
    throw refused(out, concat("there is no directory ", quote(parent)), "create it: mkdir -p " + shell_quote(parent));
  }
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
  if (S_ISLNK(status.st_mode)) throw refused(path, "it is a symbolic link", "name the directory that it points to");
  if (!S_ISDIR(status.st_mode)) throw refused(path, "it is not a directory", "name another directory");
  if (status.st_dev != device_of_parent(path)) {
    throw refused(path, "it is a mount point, which cannot be renamed", "name a directory below it");
  }
  if (holds_working_directory(path)) {
    throw refused(path, "it holds the working directory, which a rename would pull away",
                  "change to another directory and give the path from there");
  }
  if (list_directory(path).empty()) return OutputState::empty;
  // A link in place of the record's directory would vouch for someone else's files.
  const std::string place = concat("/", record.path);
  const bool has_record = is_regular_file(path + place) && real_path(path + place) == real_path(path) + place;
  if (has_record) return OutputState::prepared;
  throw refused(path, record.refusal, "name a directory that is empty or does not exist yet");
}

}  // namespace torchpatch::tree
