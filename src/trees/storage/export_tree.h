// SPDX-License-Identifier: BSD-3-Clause
/// export: a prepared tree as one canonical archive. Equal trees give equal tars, wherever and whenever they are made.
#pragma once

#include <string>

#include "archive/write_archive.h"
#include "model/keep.h"
#include "support/console.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// What an archive's name says.
struct ArchiveName {
  archive::Compression compression = archive::Compression::none;
  std::string format;  ///< "tar", "tar.gz" or "tar.zst"
  std::string stem;    ///< the name without directory and ending
};
/// Raises usage for a name that ends in none of .tar, .tar.gz and .tar.zst.
ArchiveName parse_archive_name(const std::string& path);

struct ExportOptions {
  std::string output;
  std::string prefix{};  ///< the top directory; empty = the stem of the output
  bool replace = false;  ///< an output that is there already
  int jobs = 1;
};

/// Checks what can be checked before the tree is read. Raises usage: name, prefix, or an output that would lie in the
/// tree; environment: the output is there and is not to be replaced, or has no directory.
void check_export(const std::string& root, const ExportOptions& options);

/// Writes the tree, as it was scanned, to options.output: everything in it by path bytewise, owner 0, modes 0644 and
/// 0755, every time the manifest's. The archive is written beside the output and renamed. Raises environment where a
/// file is no longer what was scanned, or the archive cannot be written; unsafe for what no archive of a tree holds
/// (pipes, devices, names that the path rule refuses). Nothing is left then.
ExportReport export_tree(const ScannedTree& tree, const ExportOptions& options, Console& console);

}  // namespace torchpatch::trees
