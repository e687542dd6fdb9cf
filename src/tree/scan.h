// SPDX-License-Identifier: BSD-3-Clause
/// Lists a prepared tree on disk (list_tree) and hashes its files again (hash_files), trusting nothing that lies in it:
/// directories are opened one component at a time, never through a link (DirectoryCursor). And computes git's ids of
/// trees (tree_ids).
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

/// Keeps the way to the directory it was last asked for open, so that a walk opens each directory once.
class DirectoryCursor {
 public:
  /// Raises environment where `root` is not a directory that can be opened. `root` itself may be a link.
  explicit DirectoryCursor(std::string root);

  /// Returns the descriptor of `directory` (relative to the root; empty is the root), good until the next call.
  /// Raises environment where a component is missing, not a directory, or a link.
  int enter(std::string_view directory);

  /// What calls such as openat() take for a path.
  struct Place {
    int directory;
    const char* name;
  };
  /// Enters the directory that holds `path`, which has to outlive the result. Raises as enter().
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

// A regular file of a tree, opened through no link and without ever blocking.

class RegularFile {
 public:
  /// Raises environment where `path` is not a regular file or cannot be opened; the message does not name it.
  RegularFile(DirectoryCursor& directories, const std::string& path);

  /// Bytes, as it was when it was opened.
  std::uint64_t size() const { return size_; }
  /// Permission bits, 07777.
  std::uint32_t mode() const { return mode_; }
  /// Reads all of it, a part at a time: returns the part that now stands in `buffer`, empty at the end. Raises
  /// environment where it cannot be read, or is not as long as it was.
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
  bool is_wanted = true;  ///< its digests are
};
/// What a worker finds out of a regular file.
FIELDS(ScannedEntry, size, mode, blob, sha256, error)

/// Directories nested deeper than this are an error entry (the path rule's own bound is the same).
inline constexpr int kMaxDirectoryDepth = 512;

/// Returns everything below `root` (not root itself) sorted bytewise by path, links with their targets; digests of
/// files are not filled in. Opens directories alone and follows no link. A directory that cannot be read, or
/// lies on another file system, is an entry with an error. Raises environment where `root` itself cannot be listed.
std::vector<ScannedEntry> list_tree(const std::string& root);

/// Fills in what list_tree leaves open: hashes the regular files among `entries` that are wanted, in parallel. Opens
/// nothing else, and never blocks on a FIFO.
void hash_files(const std::string& root, std::vector<ScannedEntry>& entries, int jobs, Console& console);

// The order in which a walk of a tree meets its paths.

/// Compares bytewise, but '/' before every other byte: what lies in a directory stands together, right behind a leaf
/// of the same name ("a", "a/b", "a.c").
bool walks_before(std::string_view left, std::string_view right);

/// Raises unsafe where one of `paths`, sorted by walks_before, stands twice or is both a leaf and a directory.
void require_disjoint(const std::vector<std::string_view>& paths);

// Git tree ids, computed from a listing of paths; nothing is read.

/// A leaf of a tree: a file, a link, or a gitlink (`id` is then its commit).
struct Leaf {
  std::string_view path;
  FileMode mode = FileMode::regular;
  ObjectId id;
};

struct TreeIds {
  ObjectId tree;
  std::map<std::string, ObjectId, std::less<>> directories;  ///< those at its top
};

/// Returns the ids of the tree that holds exactly these leaves (any order; paths are unique). The empty list is git's
/// empty tree. Raises unsafe where a path is both a leaf and a directory, or stands twice.
TreeIds tree_ids(std::vector<Leaf> leaves);
inline ObjectId tree_id(std::vector<Leaf> leaves) { return tree_ids(std::move(leaves)).tree; }

}  // namespace torchpatch::tree
