// SPDX-License-Identifier: BSD-3-Clause
#include "tree/scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::tree {

namespace {

/// Returns whether `directory` is `ancestor` or below it.
bool is_within(std::string_view directory, std::string_view ancestor) {
  return starts_with(directory, ancestor) && (directory.size() == ancestor.size() || directory[ancestor.size()] == '/');
}

/// Largest number of adjacent files per work item.
constexpr std::size_t kScannedPerItem = 32;
constexpr std::size_t kReadSize = 256 << 10;

using Item = std::vector<std::size_t>;

std::vector<Item> make_items(const std::vector<ScannedEntry>& entries) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].type != EntryType::regular || !entries[i].error.empty() || !entries[i].is_wanted) continue;
    if (items.empty() || items.back().size() == kScannedPerItem) items.emplace_back();
    items.back().push_back(i);
  }
  return items;
}

/// Hashes files of one tree, in a worker process.
class FileScanner {
 public:
  explicit FileScanner(const std::string& root) : directories_(root), buffer_(kReadSize, '\0') {}

  /// Returns a file's size, mode and digests, or why it cannot be read.
  ScannedEntry scan(const std::string& path) {
    ScannedEntry found;
    try {
      RegularFile file(directories_, path);
      found.size = file.size();
      found.mode = file.mode();
      const FileHasher::Result digests = hash(file);
      found.blob = digests.blob;
      found.sha256 = digests.sha256;
    } catch (const Error& error) {
      found.error = error.message();
    }
    return found;
  }

 private:
  FileHasher::Result hash(RegularFile& file) {
    hasher_.begin(file.size());
    for (std::string_view part = file.read(buffer_); !part.empty(); part = file.read(buffer_)) {
      hasher_.update(part);
      note_step();
    }
    return hasher_.finish();
  }

  DirectoryCursor directories_;
  FileHasher hasher_;
  std::string buffer_;
};

/// No foreign library runs here: only a hung device can stall a worker.
WorkerLimits scan_limits() {
  WorkerLimits limits;
  limits.cpu = std::chrono::hours(1);
  limits.stall = std::chrono::minutes(10);
  return limits;
}

/// Returns the length of the common prefix. Compares eight bytes at a time: paths of a tree share long directories, and
/// sorting one calls this some hundred thousand times.
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

EntryType type_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryType::regular;
  if (S_ISLNK(mode)) return EntryType::link;
  return S_ISDIR(mode) ? EntryType::directory : EntryType::other;
}

class Lister {
 public:
  explicit Lister(dev_t device) : device_(device) {}

  /// Adds the contents of `directory` bytewise by path: of "a", "a.c" and "a/b" the last comes after "a.c", so the
  /// contents of a directory have their own position, that of its name with a slash.
  void list(const UniqueFd& directory, const std::string& prefix, int depth) {
    struct Place {
      std::string name;
      std::size_t entry;  ///< in `found`
    };
    std::vector<ScannedEntry> found;
    std::vector<Place> places;
    const std::vector<DirectoryItem> items = read_directory(directory, "listing");
    found.reserve(items.size());
    places.reserve(items.size());
    for (const DirectoryItem& item : items) {
      places.push_back({item.name, found.size()});
      found.push_back(entry_at(directory.get(), item, prefix + item.name));
      const bool goes_on = found.back().type == EntryType::directory && found.back().error.empty();
      if (goes_on) places.push_back({item.name + "/", found.size() - 1});
    }
    std::ranges::sort(places, {}, &Place::name);
    std::vector<std::size_t> listed(found.size());  // index of each in entries_
    for (const auto& [name, i] : places) {
      if (name.ends_with('/')) {
        const std::string error = list_child(directory.get(), name, prefix + name, depth + 1);
        entries_[listed[i]].error = error;
      } else {
        listed[i] = entries_.size();
        entries_.push_back(std::move(found[i]));
      }
    }
  }
  std::vector<ScannedEntry> take() { return std::move(entries_); }

 private:
  ScannedEntry entry_at(int directory, const DirectoryItem& item, std::string path) const {
    ScannedEntry entry;
    entry.path = std::move(path);
    struct stat status = {};
    if (::fstatat(directory, item.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      entry.type = EntryType::other;
      entry.error = system_error("reading it").message();
      return entry;
    }
    entry.type = type_of(status.st_mode);
    entry.mode = status.st_mode & 07777;
    if (entry.type == EntryType::regular) entry.size = static_cast<std::uint64_t>(status.st_size);
    if (entry.type == EntryType::link) read_link(directory, item.name, entry);
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
      list(child, prefix, depth);
    } catch (const Error& error) {
      return error.message();
    }
    return {};
  }

  dev_t device_;
  std::vector<ScannedEntry> entries_;
};

/// Builds a tree object from entries in git's order.
class TreeBytes {
 public:
  void add(FileMode mode, std::string_view name, const ObjectId& id) {
    bytes_.append(name_of(mode)).append(1, ' ').append(name).append(1, '\0').append(id.view());
  }
  ObjectId id() const { return git_object_id("tree", bytes_); }

 private:
  std::string bytes_;
};

/// Raises unsafe if an earlier leaf in the same directory has the name of the directory that contains `below`.
void require_no_leaf(std::span<const Leaf> before, const Leaf& below, std::string_view directory) {
  for (auto leaf = before.rbegin(); leaf != before.rend() && leaf->path.starts_with(directory); ++leaf) {
    if (leaf->path.size() != directory.size()) continue;  // such as "a-b", which sorts between "a" and "a/c"
    throw Error(ErrorKind::unsafe,
                concat("path ", quote(directory), " is a file and, by ", quote(below.path), ", a directory"));
  }
}

/// Walks leaves in bytewise order of their paths: the contents of a directory are consecutive, and the entries of each
/// tree come in git's order, which compares a directory's name with its slash.
class Walk {
 public:
  explicit Walk(std::span<const Leaf> leaves) : leaves_(leaves) {}

  /// Advances past everything below `directory` (with its slash; empty: the top) and returns its tree id. Calls `tell`
  /// with each direct subdirectory and its id.
  ObjectId pass(std::string_view directory, const std::function<void(std::string_view, const ObjectId&)>& tell = {}) {
    TreeBytes tree;
    while (next_ < leaves_.size() && leaves_[next_].path.starts_with(directory)) {
      const Leaf& leaf = leaves_[next_];
      const std::size_t slash = leaf.path.find('/', directory.size());
      const std::string_view name = leaf.path.substr(directory.size(), slash - directory.size());
      if (slash == std::string_view::npos) {
        tree.add(leaf.mode, name, leaf.id);
        ++next_;
        continue;
      }
      require_no_leaf(leaves_.first(next_), leaf, leaf.path.substr(0, slash));
      const ObjectId id = pass(leaf.path.substr(0, slash + 1));
      tree.add(FileMode::directory, name, id);
      if (tell) tell(name, id);
    }
    return tree.id();
  }

 private:
  std::span<const Leaf> leaves_;
  std::size_t next_ = 0;
};

}  // namespace

DirectoryCursor::DirectoryCursor(std::string root)
    : root_(std::move(root)), root_fd_(::open(root_.c_str(), kOpenDirectory)) {
  if (!root_fd_) throw system_error("opening directory " + quote(root_));
}

int DirectoryCursor::enter(std::string_view directory) {
  while (!levels_.empty() && !is_within(directory, levels_.back().path)) levels_.pop_back();
  std::size_t begin = levels_.empty() ? 0 : levels_.back().path.size() + 1;
  while (begin < directory.size()) {
    const std::size_t end = std::min(directory.find('/', begin), directory.size());
    const std::string name(directory.substr(begin, end - begin));
    UniqueFd fd(::openat(current(), name.c_str(), kOpenDirectory | O_NOFOLLOW));
    if (!fd) throw system_error("opening directory " + quote(concat(root_, "/", directory.substr(0, end))));
    levels_.push_back({std::string(directory.substr(0, end)), std::move(fd)});
    begin = end + 1;
  }
  return current();
}

DirectoryCursor::Place DirectoryCursor::place_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {enter(""), path.c_str()};
  return {enter(std::string_view(path).substr(0, slash)), path.c_str() + slash + 1};
}

RegularFile::RegularFile(DirectoryCursor& directories, const std::string& path) {
  const auto [directory, name] = directories.place_of(path);
  // O_NONBLOCK: a file in the listing may be a FIFO by now.
  fd_ = UniqueFd(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd_) throw system_error("opening it");
  struct stat status = {};
  if (::fstat(fd_.get(), &status) != 0) throw system_error("reading it");
  if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::environment, "it is no longer a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  mode_ = status.st_mode & 07777;
}

std::string_view RegularFile::read(std::string& buffer) {
  ssize_t count = 0;
  while (!at_end_ && (count = ::read(fd_.get(), buffer.data(), buffer.size())) < 0)
    if (errno != EINTR) throw system_error("reading it");
  done_ += static_cast<std::uint64_t>(count);
  at_end_ = count == 0 || (static_cast<std::size_t>(count) < buffer.size() && done_ >= size_);
  if (done_ > size_ || (at_end_ && done_ != size_)) throw Error(ErrorKind::environment, "it changed while it was read");
  return std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
}

void hash_files(const std::string& root, std::vector<ScannedEntry>& entries, int jobs, Console& console) {
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
      WireWriter message;
      for (const std::size_t index : items[item]) message.put(scanner->scan(entries[index].path));
      return message.take();
    };
  };
  job.on_result = [&](std::size_t item, std::string_view result) {
    WireReader message(result);
    for (const std::size_t index : items[item]) {
      message.get(entries[index]);
      bytes += entries[index].size;
      ++done;
    }
    console.progress("hashing files", done, total, bytes);
  };
  job.describe = [&](std::size_t item) { return "hashing " + quote(entries[items[item].front()].path); };
  run_workers(job);
  console.progress_done();
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
    if (next.size() == path.size()) throw Error(ErrorKind::unsafe, concat("path ", quote(path), " occurs twice"));
    if (next[path.size()] == '/')
      throw Error(ErrorKind::unsafe, concat("path ", quote(path), " is a file and, by ", quote(next), ", a directory"));
  }
}

std::vector<ScannedEntry> list_tree(const std::string& root) {
  const UniqueFd directory(::open(root.c_str(), kOpenDirectory));
  struct stat status = {};
  if (!directory || ::fstat(directory.get(), &status) != 0) throw system_error("opening directory " + quote(root));
  Lister lister(status.st_dev);
  try {
    lister.list(directory, "", 0);
  } catch (Error& error) {
    error.add_context("while listing " + quote(root));
    throw;
  }
  return lister.take();
}

TreeIds tree_ids(std::vector<Leaf> leaves) {
  if (!std::ranges::is_sorted(leaves, {}, &Leaf::path)) std::ranges::sort(leaves, {}, &Leaf::path);
  const auto twice = std::ranges::adjacent_find(leaves, {}, &Leaf::path);
  if (twice != leaves.end()) throw Error(ErrorKind::unsafe, concat("path ", quote(twice->path), " occurs twice"));
  TreeIds ids;
  ids.tree =
      Walk(leaves).pass("", [&](std::string_view name, const ObjectId& id) { ids.directories.emplace(name, id); });
  return ids;
}

}  // namespace torchpatch::tree
