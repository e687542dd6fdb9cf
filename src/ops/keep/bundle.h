// SPDX-License-Identifier: BSD-3-Clause
/// A bundle as a file: a plain tar of index.json, index.json.sha256 and one pack a repository, in this order. There is
/// exactly one file for what an index says, so that reading is comparing.
#pragma once

#include <string>
#include <vector>

#include "model/keep.h"
#include "ops/keep/mirror.h"
#include "record/bundle_index.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "support/file.h"

namespace torchpatch::ops {

inline constexpr const char* kBundleIndexName = "index.json";
inline constexpr const char* kBundleDigestName = "index.json.sha256";

/// Returns all that stands before the content of the first pack but for that pack's header: both small members.
std::string bundle_head(const record::BundleIndex& index);
/// Returns the header of a repository's member.
std::string bundle_member_header(const record::BundleIndex& index, const record::BundleRepository& repository);

/// A bundle that is opened for reading.
class BundleFile {
 public:
  /// Reads the index, and checks that everything but the packs' own bytes is as torchpatch writes it: names, types,
  /// sizes, order, and nothing besides. Raises environment where the file cannot be read, data for everything else.
  explicit BundleFile(const std::string& path);

  const std::string& path() const { return path_; }
  const UniqueFd& file() const { return file_; }
  const record::BundleIndex& index() const { return index_; }
  /// Where the content of a repository's pack begins.
  std::uint64_t offset(std::size_t repository) const { return offsets_[repository]; }

 private:
  void read_index();
  void check_members();
  /// Checks that these bytes stand at `position`; says what should, and what does.
  void expect(std::uint64_t position, const std::string& bytes, const std::string& what) const;
  std::string read_at(std::uint64_t position, std::size_t size) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;
  UniqueFd file_;
  record::BundleIndex index_;
  std::uint64_t head_size_ = 0;
  std::vector<std::uint64_t> offsets_;
};

// Unpacks a bundle, and finds everything that is wrong with it (internal to ops/keep).

/// Writes the bundle's repositories to `<directory>/git`, where nothing is yet, and returns what is wrong with them, in
/// the order of the index: packs that are not the ones of the index, damaged objects, commits that are not whole,
/// objects and commits that nothing needs, releases that lack something. Packs are read in worker processes. Raises
/// environment.
std::vector<std::string> read_bundle(const BundleFile& bundle, const std::string& directory, int jobs,
                                     Console& console);

// bundle: every object of releases in one self-checking file, for a machine without a network.

struct BundleOptions {
  ReleaseChoice choice;
  std::string output;
  bool replace = false;
  int jobs = 1;
};

/// Raises environment where the file is there and is not to be replaced, or its directory is not there: to be asked
/// before anything is read.
void check_bundle_output(const BundleOptions& options);

/// Writes the bundle of all closures of the choice; equal pins give equal bytes (with one version of zlib), wherever
/// objects come from. The file has its name only when it is whole. Raises as mirror() does.
MirrorReport create_bundle(const Catalog& catalog, const BundleOptions& options, source::ObjectSource& source,
                           Console& console);

/// Reads all of a bundle: every byte, every object, and whether everything that its releases need is there. Pins are
/// compared with the catalog's. Packs are unpacked into a private temporary directory. Raises environment alone: what
/// is wrong with the file is in the report.
BundleReport verify_bundle(const std::string& file, const Catalog& catalog, int jobs, Console& console);

/// Makes a mirror folder of a bundle, after the same checks but for those with the catalog; `output` must be absent or
/// empty, and appears when all of it is there. Raises data where the bundle is not what it says, environment.
MirrorReport unpack_bundle(const std::string& file, const std::string& output, int jobs, Console& console);

}  // namespace torchpatch::ops
