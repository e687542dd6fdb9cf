// SPDX-License-Identifier: BSD-3-Clause
/// Lists a prepared tree on disk (list_tree) and hashes its files again (hash_files), trusting nothing that lies in it;
/// and computes git's ids of trees (tree_ids).
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

namespace torchpatch::tree {

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
