// SPDX-License-Identifier: BSD-3-Clause
/// Release archives as folders of objects: each is read once, in a worker process, into
/// "<cache>/archives/<sha256 of the file>", a bare repository whose packs hold the blobs of its files.
#pragma once

#include <string>
#include <vector>

#include "model/repository_path.h"
#include "source/archive_contents.h"
#include "source/cache.h"
#include "support/console.h"

namespace torchpatch::source {

/// An archive as the user names it: "torch:third_party/onnx=FILE".
struct NamedArchive {
  RepositoryPath repository;  ///< what lies at its top
  std::string file;

  /// Raises usage where `text` is not of that form.
  static NamedArchive parse(const std::string& text);
};

struct OpenArchive {
  NamedArchive name;
  Sha256 digest;  ///< of the file
  std::string object_folder;
  ArchiveContents contents;
};

/// Opens the archives; one that was read before is not read again. Raises usage where a file is not there or no regular
/// one, environment where it cannot be read or the cache cannot be written, and what archive::read_archive raises;
/// source where reading one takes longer than five minutes or its worker dies.
std::vector<OpenArchive> open_archives(const std::vector<NamedArchive>& archives, const Cache& cache, int jobs,
                                       Console& console);

}  // namespace torchpatch::source
