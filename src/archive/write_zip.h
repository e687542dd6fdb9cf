// SPDX-License-Identifier: BSD-3-Clause
/// Writes zip archives so that equal members give equal bytes: deflate at a fixed level, no times but the format's
/// first day, no extra fields (PKWARE's APPNOTE 6.3.10). Written here rather than by libarchive, whose times depend on
/// the time zone. Another version of zlib may still compress in another way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "archive/write_archive.h"

namespace torchpatch::archive {

class ZipWriter {
 public:
  /// `name` is for messages.
  ZipWriter(Sink sink, std::string name) : sink_(std::move(sink)), name_(std::move(name)) {}

  /// Adds a file. Raises unsafe where the archive gets 4 GiB or 65,535 members, environment where zlib fails, and
  /// whatever the sink raises.
  void add(const std::string& path, std::string_view bytes, bool is_executable);
  /// Ends the archive; to be called once.
  void finish();

 private:
  void put(std::string_view bytes);

  Sink sink_;
  std::string name_;
  std::string directory_;  ///< the central one, so far
  std::uint64_t written_ = 0, members_ = 0;
};

}  // namespace torchpatch::archive
