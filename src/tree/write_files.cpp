// SPDX-License-Identifier: BSD-3-Clause
#include "tree/write_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "git/object_store.h"
#include "support/text.h"
#include "support/wire.h"
#include "tree/scan.h"

namespace torchpatch::tree {

namespace {

/// Pieces per work item, and limit of copies per piece. Adjacent ones share a directory, and a message per file would
/// cost more than the file.
constexpr std::size_t kWrittenPerItem = 32;

/// How many bytes of a link's target an error shows: it may be a whole blob.
constexpr std::size_t kShownBytes = 200;

/// Limit of file bytes that a worker keeps for their copies.
constexpr std::size_t kMostKept = 1u << 20;

/// Bytes computed by a patch or fix are checked against their id like any object.
void check_content(const FileToWrite& file) {
  if (git_blob_id(*file.bytes) == file.blob) return;
  throw Error(ErrorKind::internal,
              concat("writing ", quote(file.path), ": its contents do not match blob ", file.blob.hex()));
}

/// Returns access and modification time for futimens() and utimensat(): both `mtime`.
std::array<timespec, 2> both_times(std::int64_t mtime) {
  timespec time = {};
  time.tv_sec = mtime;
  return {time, time};
}

/// Indices of files.
using Order = std::vector<std::size_t>;

/// Writes single files and links, in a worker process.
class FileWriter {
 public:
  FileWriter(const std::string& root, const std::vector<FileToWrite>& files, const WriteOptions& options)
      : files_(files),
        options_(options),
        times_(both_times(options.mtime)),
        directories_(root),
        store_(options.object_folders, git::Indexes::checked) {}  // when the files were listed

  /// Writes one file or link whose directory exists; its copies no later than finish_copies(). Raises unsafe (link
  /// target), source (object missing or damaged), environment (disk full, …).
  WrittenFile write(const FileToWrite& file, const Order& copies) {
    if (file.bytes) check_content(file);
    std::string blob = file.bytes ? std::string() : read_blob(file);
    const std::string_view content = file.bytes ? *file.bytes : blob;
    if (file.mode == FileMode::link) return write_link(file, content);
    write_regular(file, content);
    const WrittenFile written = {sha256(content), content.size(), {}};
    if (!copies.empty()) keep(std::move(blob), copies);
    return written;
  }

  /// Writes the first copy of each file that has any, then the second ones, …: copies of adjacent files are adjacent.
  void finish_copies() {
    for (std::size_t i = 0, done = 0; done < kept_.size(); ++i) {
      done = 0;
      for (const auto& [content, copies] : kept_) {
        if (i < copies->size())
          write_regular(files_[(*copies)[i]], content);
        else
          ++done;
        note_step();
      }
    }
    kept_.clear();
    kept_bytes_ = 0;
  }

  /// Returns, since the last call, what was damaged in one folder and intact in another.
  std::vector<std::string> new_warnings() {
    const std::vector<std::string>& all = store_.warnings();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(std::exchange(told_, all.size()));
    return {first, all.end()};
  }

 private:
  std::string read_blob(const FileToWrite& file) {
    std::optional<git::Object> object;
    try {
      object = store_.read(file.blob, file.store);
    } catch (Error& error) {
      error.add_context("while writing " + quote(file.path));
      throw;
    }
    if (!object) {
      throw Error(ErrorKind::source, concat("writing ", quote(file.path), ": no source has blob ", file.blob.hex()),
                  "complete the mirror, or choose another one with --mirror");
    }
    if (object->type != git::ObjectType::blob) {
      throw Error(ErrorKind::source, concat("writing ", quote(file.path), ": object ", file.blob.hex(), " is a ",
                                            git::object_type_name(object->type), ", not a blob"));
    }
    return std::move(object->bytes);
  }

  void keep(std::string content, const Order& copies) {
    kept_bytes_ += content.size();
    kept_.push_back({std::move(content), &copies});
    if (kept_bytes_ > kMostKept) finish_copies();
  }

  void write_regular(const FileToWrite& file, std::string_view content) {
    const mode_t mode = file.mode == FileMode::executable ? 0755 : 0644;
    const auto [directory, name] = directories_.place_of(file.path);
    const UniqueFd fd(::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd) throw system_error("creating " + quote(file.path));
    write_all(fd.get(), content, file.path);
    // fchmod, not only the mode above: umask and default ACLs would change it.
    if (::fchmod(fd.get(), mode) != 0 || ::futimens(fd.get(), times_.data()) != 0)
      throw system_error("setting mode and time of " + quote(file.path));
    if (options_.sync && ::fsync(fd.get()) != 0) throw system_error("syncing " + quote(file.path));
  }

  WrittenFile write_link(const FileToWrite& file, std::string_view target) {
    if (const auto problem = link_problem(file.path, target)) {
      const std::string shown = quote(target.substr(0, kShownBytes));
      throw Error(ErrorKind::unsafe, concat("link ", quote(file.path), " to ", shown, ": ", *problem));
    }
    const std::string text(target);
    const auto [directory, name] = directories_.place_of(file.path);
    if (::symlinkat(text.c_str(), directory, name) != 0) throw system_error("creating link " + quote(file.path));
    if (::utimensat(directory, name, times_.data(), AT_SYMLINK_NOFOLLOW) != 0)
      throw system_error("setting the time of link " + quote(file.path));
    return {{}, 0, text};
  }

  struct Kept {
    std::string content;
    const Order* copies;
  };

  const std::vector<FileToWrite>& files_;
  const WriteOptions& options_;
  std::array<timespec, 2> times_;
  DirectoryCursor directories_;
  git::ObjectStore store_;
  std::size_t told_ = 0;
  std::vector<Kept> kept_;
  std::size_t kept_bytes_ = 0;
};

Order walk_order(const std::vector<FileToWrite>& files) {
  Order order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return walks_before(files[a].path, files[b].path); });
  return order;
}

void check_file(const FileToWrite& file) {
  if (const auto problem = output_path_problem(file.path))
    throw Error(ErrorKind::unsafe, concat("path ", quote(file.path), ": ", *problem));
  const bool is_writable =
      file.mode == FileMode::regular || file.mode == FileMode::executable || file.mode == FileMode::link;
  if (!is_writable) {
    throw Error(ErrorKind::unsafe,
                concat("path ", quote(file.path), ": mode ", name_of(file.mode), " is not the mode of a file or link"));
  }
}

void check_files(const std::vector<FileToWrite>& files, const Order& order) {
  std::vector<std::string_view> paths;
  for (const std::size_t index : order) {
    check_file(files[index]);
    paths.push_back(files[index].path);
  }
  require_disjoint(paths);
}

/// Returns every directory on the path to a file, each after its parent.
std::vector<std::string> directories_of(const std::vector<FileToWrite>& files, const Order& order) {
  std::vector<std::string> directories;
  std::string_view previous;
  for (const std::size_t index : order) {
    const std::string_view path = files[index].path;
    const auto differs = static_cast<std::size_t>(
        std::mismatch(path.begin(), path.end(), previous.begin(), previous.end()).first - path.begin());
    for (std::size_t slash = path.find('/', differs); slash != std::string_view::npos;
         slash = path.find('/', slash + 1))
      directories.emplace_back(path.substr(0, slash));
    previous = path;
  }
  return directories;
}

void create_directories(DirectoryCursor& cursor, const std::vector<std::string>& directories) {
  for (const std::string& path : directories) {
    const auto [parent, name] = cursor.place_of(path);
    if (::mkdirat(parent, name, 0755) == 0) {
      // The directory is new and ours, so fchmodat follows no link here; it overrides the umask.
      if (::fchmodat(parent, name, 0755, 0) != 0) throw system_error("setting the mode of " + quote(path));
    } else if (errno != EEXIST) {
      throw system_error("creating directory " + quote(path));
    }
  }
}

/// After everything else: every new entry changes the time of its directory.
void finish_directories(DirectoryCursor& cursor, std::vector<std::string> directories, const WriteOptions& options) {
  directories.insert(directories.begin(), "");
  const auto times = both_times(options.mtime);
  for (auto path = directories.rbegin(); path != directories.rend(); ++path) {
    const int fd = cursor.enter(*path);
    if (::futimens(fd, times.data()) != 0) throw system_error("setting the time of directory " + quote(*path));
    if (options.sync && ::fsync(fd) != 0) throw system_error("syncing directory " + quote(*path));
  }
}

/// A file or link, and its copies: other files with the same blob, which is read and hashed only once. A submodule that
/// occurs in several places has many.
struct Piece {
  std::size_t file = 0;
  Order copies;
};

std::vector<Piece> pieces_of(const std::vector<FileToWrite>& files, const Order& order) {
  std::vector<Piece> pieces;
  std::unordered_map<ObjectId, std::size_t, DigestHash> places;
  for (const std::size_t index : order) {
    const FileToWrite& file = files[index];
    if (!file.bytes && file.mode != FileMode::link) {
      const auto [place, is_new] = places.try_emplace(file.blob, pieces.size());
      Order* const copies = is_new ? nullptr : &pieces[place->second].copies;
      if (copies && copies->size() < kWrittenPerItem) {
        copies->push_back(index);
        continue;
      }
      place->second = pieces.size();
    }
    pieces.push_back({index, {}});
  }
  return pieces;
}

std::string write_item(FileWriter& writer, const std::vector<FileToWrite>& files, std::span<const Piece> pieces) {
  WireWriter message;
  for (const Piece& piece : pieces) message.put(writer.write(files[piece.file], piece.copies));
  writer.finish_copies();
  message.put(writer.new_warnings());
  return message.take();
}

std::string describe_item(const std::vector<FileToWrite>& files, std::span<const Piece> pieces) {
  const std::string first = quote(files[pieces.front().file].path);
  return pieces.size() == 1 ? "writing " + first
                            : concat("writing ", first, " to ", quote(files[pieces.back().file].path));
}

std::vector<WrittenFile> run_writers(const std::string& root, const std::vector<FileToWrite>& files, const Order& order,
                                     const WriteOptions& options, Console& console) {
  const std::vector<Piece> pieces = pieces_of(files, order);
  const auto pieces_at = [&](std::size_t item) {
    const std::size_t begin = item * kWrittenPerItem;
    return std::span(pieces).subspan(begin, std::min(kWrittenPerItem, pieces.size() - begin));
  };
  std::vector<WrittenFile> written(files.size());
  std::uint64_t done = 0;
  std::uint64_t bytes = 0;
  std::set<std::string> told;  // each worker finds the same damage
  WorkerJob job;
  job.items = (pieces.size() + kWrittenPerItem - 1) / kWrittenPerItem;
  job.workers = options.jobs;
  job.limits = options.limits;
  job.start = [&]() -> WorkerTask {
    auto writer = std::make_shared<FileWriter>(root, files, options);
    return [&, writer](std::size_t item) { return write_item(*writer, files, pieces_at(item)); };
  };
  job.on_result = [&](std::size_t item, std::string_view result) {
    WireReader message(result);
    for (const Piece& piece : pieces_at(item)) {
      message.get(written[piece.file]);
      for (const std::size_t copy : piece.copies) written[copy] = written[piece.file];
      bytes += written[piece.file].size * (1 + piece.copies.size());
      done += 1 + piece.copies.size();
    }
    for (const std::string& line : message.get<std::vector<std::string>>()) {
      if (told.insert(line).second) console.warning(line);
    }
    if (bytes > options.max_bytes) throw tree_too_large("the tree", bytes, options.max_bytes);  // a folder lied
    console.progress("writing files", done, files.size(), bytes);
  };
  job.describe = [&](std::size_t item) { return describe_item(files, pieces_at(item)); };
  run_workers(job);
  console.progress_done();
  return written;
}

}  // namespace

Error tree_too_large(const std::string& what, std::uint64_t bytes, std::uint64_t max_bytes) {
  return Error(
      ErrorKind::unsafe,
      concat("writing ", what, ": its files have ", bytes, " bytes, more than the ", max_bytes, " allowed by default"),
      "if this is expected, raise the limit with --max-size");
}

std::vector<WrittenFile> write_files(const std::string& root, const std::vector<FileToWrite>& files,
                                     const WriteOptions& options, Console& console) {
  const Order order = walk_order(files);
  check_files(files, order);
  const std::vector<std::string> directories = directories_of(files, order);
  DirectoryCursor cursor(root);
  create_directories(cursor, directories);
  std::vector<WrittenFile> written = run_writers(root, files, order, options, console);
  finish_directories(cursor, directories, options);
  return written;
}

}  // namespace torchpatch::tree
