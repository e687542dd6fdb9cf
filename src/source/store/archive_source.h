// SPDX-License-Identifier: BSD-3-Clause
/// Release archives as sources of files (ArchiveSource, open_archives), and their differences from the pinned trees
/// (compare_archives).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/keep.h"
#include "model/path_rule.h"
#include "model/repository_path.h"
#include "source/closure/closure.h"
#include "source/closure/object_source.h"
#include "source/store/cache.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/fields.h"

namespace torchpatch::source {

/// A file or link of an archive.
struct ArchiveEntry {
  std::string path;  ///< relative to the archive's top directory, if any
  FileMode mode = FileMode::regular;
  ObjectId blob;
  std::optional<ObjectId> unix_blob{};  ///< for text with CR LF: its blob with LF
};
template <typename Fields>
void fields(Fields& f, ArchiveEntry& entry) {
  f("path", entry.path);
  f("mode", entry.mode);
  f("blob", entry.blob);
  f("unix_blob", entry.unix_blob);
  f.require([&] { return !output_path_problem(entry.path) && entry.mode != FileMode::directory; });
}

/// The contents of a release archive when it was read. Only for reports; objects are checked against their ids whenever
/// they are read.
struct ArchiveContents {
  std::string format;                 ///< "tar.gz"
  std::string commit;                 ///< that it claims to be made from, or empty
  std::string top;                    ///< the directory that contains all members, or empty
  std::vector<ArchiveEntry> entries;  ///< sorted by path

  /// Returns the entry at a path, or null.
  const ArchiveEntry* find(std::string_view path) const;
  /// Returns whether there is anything below a directory ("": anything at all).
  bool has_below(std::string_view directory) const;
};
FIELDS(ArchiveContents, format, commit, top, entries)

/// Serialise and parse. Decoding raises source if the bytes are not an encoding.
std::string encode_archive_contents(const ArchiveContents& contents);
ArchiveContents decode_archive_contents(std::string_view bytes);

// Release archives as object folders: each is read once, in a worker process, into "<cache>/archives/<sha256 of the
// file>", a bare repository with packs of its files' blobs.

/// An archive as given by the user: "torch:third_party/onnx=FILE".
struct NamedArchive {
  RepositoryPath repository;  ///< that the top directory belongs to
  std::string file;

  /// Raises usage if `text` is not of that form.
  static NamedArchive parse(const std::string& text);
};

/// Returns the SHA-256 of the file. Raises environment if it is missing, not a regular file or unreadable.
Sha256 digest_of_archive(const NamedArchive& archive);

struct OpenArchive {
  NamedArchive name;
  Sha256 digest;  ///< of the file
  std::string object_folder;
  ArchiveContents contents;
};

/// Opens the archives; those read before are not read again. Raises environment if a file is missing, not regular or
/// unreadable, or the cache cannot be written; as archive::read_archive; source if reading one takes longer than five
/// minutes or its worker dies.
std::vector<OpenArchive> open_archives(const std::vector<NamedArchive>& archives, const Cache& cache, int jobs,
                                       Console& console);

/// Writes the trees of an archive's files and `pin`'s gitlinks into its folder, and the commit constructed from them;
/// returns the pin with their ids. If there is no .gitmodules, it is made from the gitlinks. Raises data if the archive
/// has files at a gitlink's path; environment.
ContentPin write_content(const OpenArchive& archive, ContentPin pin);

/// Returns the tree of a commit object, or nothing if no folder has it. Raises as run_workers.
std::optional<ObjectId> tree_of_commit(const ObjectSource& source, const ObjectId& commit);

/// Describes a content pin: ContentPin::text(), or whether the claimed commit has the same tree.
std::string describe_content(const ContentPin& content, const ObjectSource& source);

// Release archives in addition to another source: blobs come from the archives, commits and trees from the other
// source, except those of content pins.

class ArchiveSource : public ObjectSource {
 public:
  /// Opens the archives (open_archives); holds the cache for its lifetime.
  ArchiveSource(const std::vector<NamedArchive>& archives, std::unique_ptr<ObjectSource> rest, const Cache& cache,
                int jobs, Console& console);

  const std::vector<OpenArchive>& archives() const override { return archives_; }
  /// The archives' folders, then the other source's.
  const std::vector<std::string>& object_folders() const override;
  /// Constructs the commit of a content pin if its file is available. Raises data if the file yields another commit.
  std::vector<std::string> bring(const std::vector<PinnedRepository>& wanted, Console& console) override;
  void note_use(int folder, const ObjectId& commit) override;
  std::string describe() const override;
  std::string hint() const override;

 private:
  UniqueFd in_use_;
  std::vector<OpenArchive> archives_;
  std::unique_ptr<ObjectSource> rest_;
  mutable std::vector<std::string> folders_;
};

/// Compares each archive with a closure.
std::vector<ArchiveComparison> compare_archives(const Closure& closure, const std::vector<OpenArchive>& archives);

/// Returns warnings: another commit, line endings, contents, and files that came from elsewhere.
std::vector<std::string> archive_warnings(const ArchiveComparison& comparison);

/// Returns a line for each of the first ten missing files (whether an archive that should have it lacks it or has
/// something else there), and one with the number of others. Empty without archives.
std::vector<std::string> explain_missing(const RepositoryPath& repository, const std::vector<PinnedEntry>& files,
                                         const std::vector<OpenArchive>& archives);

}  // namespace torchpatch::source
