// SPDX-License-Identifier: BSD-3-Clause
#include "tree/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::tree {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

EntryType type_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryType::regular;
  if (S_ISLNK(mode)) return EntryType::link;
  return S_ISDIR(mode) ? EntryType::directory : EntryType::other;
}

/// Returns the names in `directory`, which is closed. Raises environment.
std::vector<std::string> names_in(UniqueFd directory) {
  const std::unique_ptr<DIR, CloseDirectory> stream(directory ? ::fdopendir(directory.get()) : nullptr);
  if (!stream) throw system_error("listing");
  directory.release();
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) throw system_error("listing");
    if (entry == nullptr) return names;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

UniqueFd open_again(int directory) { return UniqueFd(::openat(directory, ".", kOpenDirectory)); }

class Lister {
 public:
  explicit Lister(dev_t device) : device_(device) {}

  void list(int directory, const std::string& prefix, int depth) {
    for (const std::string& name : names_in(open_again(directory))) {
      const std::size_t index = entries_.size();
      entries_.push_back(entry_at(directory, name, prefix + name));
      const ScannedEntry& entry = entries_[index];
      if (entry.type != EntryType::directory || !entry.error.empty()) continue;
      // What happens below adds entries, so the error is noted by index.
      const std::string error = list_child(directory, name, entry.path + "/", depth + 1);
      entries_[index].error = error;
    }
  }
  std::vector<ScannedEntry> take() { return std::move(entries_); }

 private:
  ScannedEntry entry_at(int directory, const std::string& name, std::string path) const {
    ScannedEntry entry;
    entry.path = std::move(path);
    struct stat status = {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      entry.error = system_error("reading it").message();
      return entry;
    }
    entry.type = type_of(status.st_mode);
    entry.mode = status.st_mode & 07777;
    entry.size = static_cast<std::uint64_t>(status.st_size);
    if (entry.type == EntryType::link) read_link(directory, name, entry);
    if (entry.type == EntryType::directory && status.st_dev != device_) entry.error = "it is on another file system";
    return entry;
  }

  static void read_link(int directory, const std::string& name, ScannedEntry& entry) {
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    if (size < 0) {
      entry.error = system_error("reading the link").message();
      return;
    }
    target.resize(static_cast<std::size_t>(size));
    entry.blob = git_blob_id(target);
    entry.link_target = std::move(target);
  }

  /// Returns why the directory could not be listed, or empty text.
  std::string list_child(int parent, const std::string& name, const std::string& prefix, int depth) {
    if (depth > kMaxDirectoryDepth) return concat("it is nested deeper than ", kMaxDirectoryDepth, " directories");
    const UniqueFd child(::openat(parent, name.c_str(), kOpenDirectory | O_NOFOLLOW));
    if (!child) return system_error("opening it").message();
    try {
      list(child.get(), prefix, depth);
    } catch (const Error& error) {
      return error.message();
    }
    return {};
  }

  dev_t device_;
  std::vector<ScannedEntry> entries_;
};

}  // namespace

std::vector<ScannedEntry> list_tree(const std::string& root) {
  const UniqueFd directory(::open(root.c_str(), kOpenDirectory));
  struct stat status = {};
  if (!directory || ::fstat(directory.get(), &status) != 0) throw system_error("opening directory " + quote(root));
  Lister lister(status.st_dev);
  try {
    lister.list(directory.get(), "", 0);
  } catch (Error& error) {
    error.add_context("while listing " + quote(root));
    throw;
  }
  std::vector<ScannedEntry> entries = lister.take();
  std::sort(entries.begin(), entries.end(),
            [](const ScannedEntry& a, const ScannedEntry& b) { return a.path < b.path; });
  return entries;
}

}  // namespace torchpatch::tree
