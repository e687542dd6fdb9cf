// SPDX-License-Identifier: BSD-3-Clause
/// A bundle as a file: a plain tar of index.json, index.json.sha256 and one pack a repository, in this order. There is
/// exactly one file for what an index says, so that reading is comparing.
#pragma once

#include <string>
#include <vector>

#include "emit/keep/bundle_index.h"
#include "support/file.h"

namespace torchpatch::ops {

inline constexpr const char* kBundleIndexName = "index.json";
inline constexpr const char* kBundleDigestName = "index.json.sha256";

/// Returns all that stands before the content of the first pack but for that pack's header: both small members.
std::string bundle_head(const emit::BundleIndex& index);
/// Returns the header of a repository's member.
std::string bundle_member_header(const emit::BundleIndex& index, const emit::BundleRepository& repository);

/// A bundle that is opened for reading.
class BundleFile {
 public:
  /// Reads the index, and checks that everything but the packs' own bytes is as torchpatch writes it: names, types,
  /// sizes, order, and nothing besides. Raises environment where the file cannot be read, data for everything else.
  explicit BundleFile(const std::string& path);

  const std::string& path() const { return path_; }
  const UniqueFd& file() const { return file_; }
  const emit::BundleIndex& index() const { return index_; }
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
  emit::BundleIndex index_;
  std::uint64_t head_size_ = 0;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace torchpatch::ops
