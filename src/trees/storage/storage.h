// SPDX-License-Identifier: BSD-3-Clause
/// mirror() and its closures (mirror.cpp), bundles (create_bundle, bundle.cpp), the cache (list_cache, cache.cpp), and
/// exported archives (export_tree.cpp): what is kept outside of trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/write_archive.h"
#include "model/catalog.h"
#include "model/keep.h"
#include "source/closure/closure.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/file.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// A file that gets its name only when it is whole: written beside it, hashed, and renamed.
class OutputFile {
 public:
  /// Removes what killed runs left of it. Raises environment if it cannot be created.
  explicit OutputFile(const std::string& path);

  void write(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  /// Gives the file its name and returns the digest of its bytes. Raises environment if it cannot be written, or is
  /// there and is not to be replaced.
  Sha256 commit(bool replace);

 private:
  std::string path_;
  TemporaryFile file_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
};

/// Which releases, and for whom.
struct ReleaseChoice {
  std::vector<std::string> versions;  ///< at least one
  std::vector<Component> components;  ///< empty: all of the release
  std::string board;                  ///< empty: any board
  std::string image;                  ///< of the board; empty: its default
};

/// Pins, and the submodules that are taken at other commits.
struct PinnedSet {
  const Release* release = nullptr;
  std::vector<Component> components;
  std::vector<SubmoduleOverride> overrides;
};

/// Returns the sets that the choice needs: with a board, what its plan takes; without one, the pins as they are and
/// every set of overrides that some board, image and flag reach. Raises usage: unknown version, board, image, or a
/// component that the release does not have.
std::vector<PinnedSet> pinned_sets(const Catalog& catalog, const ReleaseChoice& choice);

/// Reads the closure of each set. Raises as source::read_closure does.
std::vector<source::Closure> read_closures(const std::vector<PinnedSet>& sets, const Catalog& catalog,
                                           source::ObjectSource& source, int jobs, Console& console,
                                           source::Gaps gaps = source::Gaps::never);

// mirror.cpp: every object of releases in one folder of bare repositories.

/// What mirror() and create_bundle() bring, and where.
struct MirrorOptions {
  ReleaseChoice choice;
  std::string output;
  int jobs = 1;
  std::optional<source::NetworkOptions> histories{};  ///< of a mirror: the whole history of each repository as well
  bool replace = false;                               ///< of a bundle: a file that is there already
  source::Gaps gaps = source::Gaps::refused;          ///< of a mirror; what is missing is a warning
};

/// Brings the objects of all closures of the choice to "<output>/git/<host>/<path>.git". What is there already stays.
/// Raises as pinned_sets, source::read_closure, source::fill_repositories and source::fetch_histories do.
MirrorReport mirror(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                    Console& console);

// bundle.cpp: every object of releases in one self-checking file, for a machine without a network. A plain tar of
// index.json, index.json.sha256 and one pack for each repository, in this order.

/// Raises environment where the file is there and is not to be replaced, or its directory is not there: to be asked
/// before anything is read.
void check_bundle_output(const MirrorOptions& options);

/// Writes the bundle of all closures of the choice; equal pins give equal bytes (with one version of zlib), wherever
/// objects come from. The file has its name only when it is whole. Raises as mirror() does.
MirrorReport create_bundle(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                           Console& console);

/// Reads all of a bundle: every byte, every object, and whether everything that its releases need is there. Pins are
/// compared with the catalog's. Packs are unpacked into a private temporary directory. Raises environment alone: what
/// is wrong with the file is in the report.
BundleReport verify_bundle(const std::string& file, const Catalog& catalog, int jobs, Console& console);

/// Makes a mirror folder of a bundle, after the same checks but for those with the catalog; `output` must be absent or
/// empty, and appears when all of it is there. Raises data where the bundle is not what it says, environment.
MirrorReport unpack_bundle(const std::string& file, const std::string& output, int jobs, Console& console);

// cache.cpp: what is in the cache (or in a mirror folder, which is laid out in the same way), whether it is sound, and
// what may be removed.

/// Lists the repositories and commits below `directory`, and which releases of the catalog need each. Raises
/// environment where a newer torchpatch has laid it out.
CacheReport list_cache(const std::string& directory, const Catalog& catalog, int jobs, Console& console);

/// Reads and checks every object.
CacheCheck verify_cache(const std::string& directory, int jobs, Console& console);

struct CollectOptions {
  bool all = false;                 ///< everything goes
  bool damaged = false;             ///< so do repositories with something damaged in them
  std::optional<int> older_than{};  ///< days; so do commits that no run has used for so long
  bool dry_run = false;             ///< only say it
  int jobs = 1;
  std::int64_t now = 0;  ///< seconds since 1970
};

/// Removes commits that no release of the catalog needs, what the options say, and what dead runs have left. Raises
/// environment where other runs use the cache.
CollectReport collect_cache(const std::string& directory, const Catalog& catalog, const CollectOptions& options,
                            Console& console);

// export_tree.cpp: a prepared tree as one canonical archive. Equal trees give equal tars, wherever and whenever they
// are made.

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
