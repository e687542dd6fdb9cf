// SPDX-License-Identifier: BSD-3-Clause
#include "tree/scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>

#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/directory_cursor.h"
#include "tree/packing.h"

namespace torchpatch::tree {

namespace {

/// A work item is a run of neighbouring files, of at most so many files and, but for a single larger file, bytes.
constexpr std::size_t kScannedPerItem = 64;
constexpr std::uint64_t kBytesPerItem = 8ull << 20;
constexpr std::size_t kReadSize = 256 << 10;

using Item = std::vector<std::size_t>;

std::vector<Item> make_items(const std::vector<ScannedEntry>& entries) {
  std::vector<Item> items;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].type != EntryType::regular || !entries[i].error.empty()) continue;
    if (items.empty() || items.back().size() == kScannedPerItem || bytes + entries[i].size > kBytesPerItem) {
      items.emplace_back();
      bytes = 0;
    }
    items.back().push_back(i);
    bytes += entries[i].size;
  }
  return items;
}

/// Hashes files of one tree; the work of one worker process.
class FileScanner {
 public:
  explicit FileScanner(const std::string& root) : directories_(root), buffer_(kReadSize, '\0') {}

  /// Appends size, both digests and the error text of one file to `message`.
  void scan(const std::string& path, std::string& message) {
    std::uint64_t size = 0;
    FileHasher::Result digests;
    std::string problem;
    try {
      RegularFile file(directories_, path);
      size = file.size();
      digests = hash(file);
    } catch (const Error& error) {
      problem = error.message();
    }
    pack_number(message, size);
    pack_digest(message, digests.blob);
    pack_digest(message, digests.sha256);
    pack_text(message, problem);
  }

 private:
  FileHasher::Result hash(RegularFile& file) {
    FileHasher hasher(file.size());
    for (std::string_view part = file.read(buffer_); !part.empty(); part = file.read(buffer_)) hasher.update(part);
    return hasher.finish();
  }

  DirectoryCursor directories_;
  std::string buffer_;
};

/// No foreign library runs here: only a device that hangs can stall a worker, and one file may be large.
WorkerLimits scan_limits() {
  WorkerLimits limits;
  limits.cpu = std::chrono::hours(1);
  limits.stall = std::chrono::minutes(10);
  return limits;
}

void unpack(Unpacker& message, ScannedEntry& entry) {
  entry.size = message.number();
  entry.blob = message.digest<ObjectId>();
  entry.sha256 = message.digest<Sha256>();
  entry.error = message.text();
}

/// Returns the length of what both begin with. Eight bytes at a time: paths of one tree share long directories, and a
/// tree's sort asks this some hundred thousand times.
std::size_t common_length(std::string_view left, std::string_view right) {
  const std::size_t size = std::min(left.size(), right.size());
  std::size_t length = 0;
  for (std::uint64_t a = 0, b = 0; length + sizeof a <= size; length += sizeof a) {
    std::memcpy(&a, left.data() + length, sizeof a);
    std::memcpy(&b, right.data() + length, sizeof b);
    if (a != b) break;
  }
  while (length < size && left[length] == right[length]) ++length;
  return length;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

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

std::vector<ScannedEntry> scan_tree(const std::string& root, int jobs, Console& console) {
  std::vector<ScannedEntry> entries = list_tree(root);
  const std::vector<Item> items = make_items(entries);
  std::uint64_t total = 0;
  for (const Item& item : items) total += item.size();
  std::uint64_t done = 0;
  std::uint64_t bytes = 0;

  WorkerJob job;
  job.items = items.size();
  job.workers = jobs;
  job.limits = scan_limits();
  job.start = [&]() -> WorkerTask {
    auto scanner = std::make_shared<FileScanner>(root);
    return [&, scanner](std::size_t item) {
      std::string message;
      for (const std::size_t index : items[item]) scanner->scan(entries[index].path, message);
      return message;
    };
  };
  job.on_result = [&](std::size_t item, std::string_view result) {
    Unpacker message(result);
    for (const std::size_t index : items[item]) {
      unpack(message, entries[index]);
      bytes += entries[index].size;
      ++done;
    }
    console.progress("hashing files", done, total, bytes);
  };
  job.describe = [&](std::size_t item) { return "hashing " + quote(entries[items[item].front()].path); };
  run_workers(job);
  console.progress_done();
  return entries;
}

bool walks_before(std::string_view left, std::string_view right) {
  const std::size_t common = common_length(left, right);
  if (common == right.size()) return false;
  if (common == left.size() || left[common] == '/') return true;
  return right[common] != '/' && static_cast<unsigned char>(left[common]) < static_cast<unsigned char>(right[common]);
}

void require_disjoint(const std::vector<std::string_view>& paths) {
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::string_view path = paths[i - 1];
    const std::string_view next = paths[i];
    if (!starts_with(next, path)) continue;
    if (next.size() == path.size()) throw Error(ErrorKind::unsafe, concat("path ", quote(path), " stands twice"));
    if (next[path.size()] == '/') {
      throw Error(ErrorKind::unsafe, concat("path ", quote(path), " is a file and, by ", quote(next), ", a directory"));
    }
  }
}

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
