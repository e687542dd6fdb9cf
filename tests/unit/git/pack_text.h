// SPDX-License-Identifier: BSD-3-Clause
/// Packs made by hand, entry by entry, whatever they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "git/pack_writer.h"
#include "support/file.h"

namespace torchpatch::test {

inline constexpr unsigned kBlob = 3, kOffsetDelta = 6, kIdDelta = 7;

/// Returns the id of the entry with this number, counted from one.
ObjectId numbered_id(std::size_t number);
/// Returns what stands in front of an entry of this type (the number of gitformat-pack) and size.
std::string entry_header(unsigned type, std::uint64_t size);
/// Returns a zlib stream.
std::string deflate(std::string_view bytes);
/// Returns how an offset delta says how far in front of it its base lies.
std::string base_distance(std::uint64_t distance);
/// Returns a size as it stands in a delta.
std::string delta_size(std::uint64_t size);

class PackText {
 public:
  /// Appends the bytes of an entry; returns its id.
  ObjectId add(const std::string& entry);
  ObjectId add_blob(std::string_view content) { return add(entry_header(kBlob, content.size()) + deflate(content)); }
  /// Appends a delta of the entry with the number `base`.
  ObjectId add_delta(std::size_t base, std::string_view instructions);
  ObjectId add_delta(const ObjectId& base, std::string_view instructions) {
    return add(entry_header(kIdDelta, instructions.size()) + std::string(base.view()) + deflate(instructions));
  }
  /// Where the next entry will stand.
  std::uint64_t size() const { return bytes_.size(); }
  /// Writes "p.pack" and "p.idx"; returns the path of the latter.
  std::string write() const;

 private:
  std::string bytes_ = git::pack_header(0);
  std::vector<git::PackPlace> places_;
  TempDir directory_;
};

}  // namespace torchpatch::test
