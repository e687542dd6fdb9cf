// SPDX-License-Identifier: BSD-3-Clause
/// Lists a prepared tree on disk (list_tree) and hashes its files again (hash_files) without trusting its contents:
/// directories are opened one component at a time, never through a link (DirectoryCursor). Also computes git's tree ids
/// (tree_ids).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/path_rule.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/file.h"

namespace torchpatch::tree {

/// Keeps the path to the last directory open, so that a walk opens each directory once.
class DirectoryCursor {
 public:
  /// Raises environment if `root` is not a directory that can be opened. `root` itself may be a link.
  explicit DirectoryCursor(std::string root);

  /// Returns the descriptor of `directory` (relative to the root; empty is the root), valid until the next call. Raises
  /// environment if a component is missing, not a directory, or a link.
  int enter(std::string_view directory);

  /// A path in the form that calls such as openat() accept.
  struct Place {
    int directory;
    const char* name;
  };
  /// Enters the directory that contains `path`, which must outlive the result. Raises as enter().
  Place place_of(const std::string& path);

 private:
  struct Level {
    std::string path;  ///< relative to the root
    UniqueFd fd;
  };
  int current() const { return levels_.empty() ? root_fd_.get() : levels_.back().fd.get(); }

  std::string root_;
  UniqueFd root_fd_;
  std::vector<Level> levels_;
};

// A regular file of a tree, opened without following links and without blocking.

class RegularFile {
 public:
  /// Raises environment if `path` is not a regular file or cannot be opened; the message does not include the path.
  RegularFile(DirectoryCursor& directories, const std::string& path);

  /// Returns the size in bytes at the time of opening.
  std::uint64_t size() const { return size_; }
  /// Permission bits, 07777.
  std::uint32_t mode() const { return mode_; }
  /// Reads the next part into `buffer` and returns it, empty at the end. Raises environment if the file cannot be read,
  /// or its length has changed.
  std::string_view read(std::string& buffer);

 private:
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
  std::uint32_t mode_ = 0;
  bool at_end_ = false;
};

enum class EntryType { regular, link, directory, other };

struct ScannedEntry {
  std::string path;  ///< relative to the root
  EntryType type = EntryType::other;
  std::uint32_t mode = 0;  ///< permission bits, 07777
  std::uint64_t size = 0;  ///< regular
  ObjectId blob;           ///< regular: of its content; link: of its target
  Sha256 sha256;           ///< regular
  std::string link_target;
  std::string error;      ///< why it could not be read, or empty
  bool is_wanted = true;  ///< compute its digests
};
/// What a worker determines about a regular file.
FIELDS(ScannedEntry, size, mode, blob, sha256, error)

/// Deeper directories become an entry with an error (the path rule has the same limit).
inline constexpr int kMaxDirectoryDepth = 512;

/// Returns everything below `root` (without root itself) sorted bytewise by path, with link targets but without
/// digests. Opens only directories and follows no link. A directory that cannot be read, or is on another file system,
/// is an entry with an error. Raises environment if `root` itself cannot be listed.
std::vector<ScannedEntry> list_tree(const std::string& root);

/// Completes list_tree: hashes the wanted regular files of `entries`, in parallel. Opens nothing else, and never blocks
/// on a FIFO.
void hash_files(const std::string& root, std::vector<ScannedEntry>& entries, int jobs, Console& console);

// The order in which a tree walk visits paths.

/// Compares bytewise, but with '/' before every other byte: the contents of a directory are consecutive, directly after
/// a leaf of the same name ("a", "a/b", "a.c").
bool walks_before(std::string_view left, std::string_view right);

/// Raises unsafe if one of `paths`, sorted by walks_before, is a duplicate or is both a leaf and a directory.
void require_disjoint(const std::vector<std::string_view>& paths);

// Git tree ids, computed from a list of paths without reading anything.

/// A leaf of a tree: a file, a link, or a gitlink (`id` is its commit).
struct Leaf {
  std::string_view path;
  FileMode mode = FileMode::regular;
  ObjectId id;
};

struct TreeIds {
  ObjectId tree;
  std::map<std::string, ObjectId, std::less<>> directories;  ///< top-level ones
};

/// Returns the ids of the tree with exactly these leaves (in any order; paths are unique). An empty list is git's empty
/// tree. Raises unsafe if a path is both a leaf and a directory, or a duplicate.
TreeIds tree_ids(std::vector<Leaf> leaves);
inline ObjectId tree_id(std::vector<Leaf> leaves) { return tree_ids(std::move(leaves)).tree; }

}  // namespace torchpatch::tree
