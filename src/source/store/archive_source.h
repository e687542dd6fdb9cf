// SPDX-License-Identifier: BSD-3-Clause
/// Release archives as sources of files: ArchiveSource, open_archives(), and how their contents differ from the pinned
/// trees (compare_archives).
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

/// A file or link.
struct ArchiveEntry {
  std::string path;  ///< below the archive's top directory, where it has one
  FileMode mode = FileMode::regular;
  ObjectId blob;
  std::optional<ObjectId> unix_blob{};  ///< of a text with CR LF: the blob that it is with LF alone
};
template <typename Fields>
void fields(Fields& f, ArchiveEntry& entry) {
  f("path", entry.path);
  f("mode", entry.mode);
  f("blob", entry.blob);
  f("unix_blob", entry.unix_blob);
  f.require([&] { return !output_path_problem(entry.path) && entry.mode != FileMode::directory; });
}

/// What a release archive holds, as it was when it was read. For reports alone; an object is checked against its id
/// whenever it is read.
struct ArchiveContents {
  std::string format;                 ///< "tar.gz"
  std::string commit;                 ///< that it says it was made of, or empty
  std::string top;                    ///< the one directory that all members lie in, or empty
  std::vector<ArchiveEntry> entries;  ///< sorted by path

  /// Returns the entry at a path, or null.
  const ArchiveEntry* find(std::string_view path) const;
  /// True where something lies below a directory ("": anything at all).
  bool has_below(std::string_view directory) const;
};
FIELDS(ArchiveContents, format, commit, top, entries)

/// As bytes and back. Decoding raises source where the bytes are not what encoding writes.
std::string encode_archive_contents(const ArchiveContents& contents);
ArchiveContents decode_archive_contents(std::string_view bytes);

// Release archives as folders of objects: each is read once, in a worker process, into
// "<cache>/archives/<sha256 of the file>", a bare repository whose packs hold the blobs of its files.

/// An archive as the user names it: "torch:third_party/onnx=FILE".
struct NamedArchive {
  RepositoryPath repository;  ///< what lies at its top
  std::string file;

  /// Raises usage where `text` is not of that form.
  static NamedArchive parse(const std::string& text);
};

/// Returns the SHA-256 of the file. Raises environment where it is not there, no regular one or cannot be read.
Sha256 digest_of_archive(const NamedArchive& archive);

struct OpenArchive {
  NamedArchive name;
  Sha256 digest;  ///< of the file
  std::string object_folder;
  ArchiveContents contents;
};

/// Opens the archives; one that was read before is not read again. Raises environment where a file is not there, no
/// regular one or cannot be read, or the cache cannot be written, and what archive::read_archive raises;
/// source where reading one takes longer than five minutes or its worker dies.
std::vector<OpenArchive> open_archives(const std::vector<NamedArchive>& archives, const Cache& cache, int jobs,
                                       Console& console);

/// Writes into the folder of an archive the trees of its files and of `pin`'s gitlinks, and the commit constructed of
/// them, and returns the pin with their ids. Of an archive without .gitmodules that file is made of the gitlinks.
/// Raises data where the archive has files at the place of a gitlink; environment.
ContentPin write_content(const OpenArchive& archive, ContentPin pin);

/// Returns the tree of a commit that some folder has, by its object; nothing where none has. Raises as run_workers.
std::optional<ObjectId> tree_of_commit(const ObjectSource& source, const ObjectId& commit);

/// Returns what is to be said of a content pin: ContentPin::text(), or that the claimed commit has this very tree, or
/// another.
std::string describe_content(const ContentPin& content, const ObjectSource& source);

// Release archives beside another source: blobs come from them, commits and trees from the other, but for those of
// content pins.

class ArchiveSource : public ObjectSource {
 public:
  /// Opens the archives (open_archives); the cache is in use as long as this lives.
  ArchiveSource(const std::vector<NamedArchive>& archives, std::unique_ptr<ObjectSource> rest, const Cache& cache,
                int jobs, Console& console);

  const std::vector<OpenArchive>& archives() const override { return archives_; }
  /// The archives' folders, then the other source's.
  const std::vector<std::string>& object_folders() const override;
  /// Constructs the commit of a content pin whose file is there. Raises data where the file makes another.
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

/// Returns what a user should hear of: another commit, line ends, contents and files that came from elsewhere.
std::vector<std::string> archive_warnings(const ArchiveComparison& comparison);

/// Returns a line for each of the first ten files that are missing: whether an archive that should have it has not,
/// or has something else there; and one that counts the rest. Nothing where there are no archives.
std::vector<std::string> explain_missing(const RepositoryPath& repository, const std::vector<PinnedEntry>& files,
                                         const std::vector<OpenArchive>& archives);

}  // namespace torchpatch::source
