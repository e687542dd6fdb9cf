// SPDX-License-Identifier: BSD-3-Clause
/// read_archive(): reads untrusted archives, tar and zip; read_zip() only zips. Their members are values; limits keep
/// them from filling memory and disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace torchpatch::archive {

enum class MemberType { file, executable, link, directory, hard_link };

struct Member {
  std::string path;  ///< accepted by output_path_problem; without leading "./" and trailing "/"
  MemberType type = MemberType::file;
  std::string bytes{};  ///< content of a file; target of a link; for a hard link, the path of an earlier member
};

using MemberSink = std::function<void(Member&& member)>;

struct ReadLimits {
  std::uint64_t members = 1'000'000;          ///< directories included
  std::uint64_t path_bytes = 64ull << 20;     ///< sum of all paths
  std::uint64_t member_bytes = 256ull << 20;  ///< git::kMaxObjectBytes
  std::uint64_t total_bytes = 8ull << 30;     ///< sum of all contents, plus 512 per member
  std::uint64_t ratio = 200;                  ///< contents to compressed bytes, checked after `ratio_from` bytes
  std::uint64_t ratio_from = 64ull << 20;
};

struct ArchiveFacts {
  std::string format;  ///< "tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst" or "zip"
  std::string commit;  ///< written by `git archive`: 40 hex digits, or empty. For information only
};

/// The bytes of an archive: an open regular file, or memory that must outlive this. `name` is for messages.
struct Input {
  Input(int open_file, std::string its_name) : file(open_file), name(std::move(its_name)) {}
  Input(std::string_view its_bytes, std::string its_name) : bytes(its_bytes), name(std::move(its_name)) {}

  std::uint64_t size() const;
  /// Returns `size` bytes from `at`. Raises source if there are fewer.
  std::string read(std::uint64_t at, std::uint64_t size) const;

  /// Raises source: the archive cannot be read.
  [[noreturn]] void fail(const std::string& reason) const;
  /// Raises unsafe: the archive is readable, but refused.
  [[noreturn]] void refuse(const std::string& reason, std::string hint = {}) const;
  /// Raises unsafe for paths that output_path_problem refuses; `what` precedes the path, such as "the member ".
  void check_path(const std::string& path, const std::string& what) const;

  int file = -1;
  std::string_view bytes{};
  std::string name;
};

/// Counts the contents of an archive, and refuses what exceeds the limits.
class Tally {
 public:
  Tally(const Input& input, const ReadLimits& limits) : input_(input), limits_(limits) {}

  /// Adds a member without its contents. `read`, here and below: bytes of the archive consumed so far.
  void add_member(std::string_view path, std::uint64_t read);
  /// Refuses a member that is too large.
  void check_size(const std::string& path, std::uint64_t size) const;
  /// Adds bytes of content.
  void add_bytes(std::uint64_t bytes, std::uint64_t read);

 private:
  const Input& input_;
  const ReadLimits& limits_;
  std::uint64_t members_ = 0, path_bytes_ = 0, total_bytes_ = 0;
};

/// Reads all members. Raises source if it is not an archive, damaged, encrypted or has no files; unsafe if the
/// path-and-mode rule refuses a member (its path, a hard link to anything but an earlier member's path, a device, a
/// FIFO), a path occurs twice (unless as a directory), a limit is exceeded, or read_zip() refuses it. Members cut off
/// at the end of a tar are not detected here; ids do that.
ArchiveFacts read_archive(const Input& input, const ReadLimits& limits, const MemberSink& sink);

/// Reads all members of a zip, in byte order, by its central directory, as Python's zipfile does, which pip uses for
/// wheels. Other readers use the header before each member, or find another directory; so a zip is refused if any two
/// of them could get different members, names or contents from it. Raises source if it is not a zip, damaged,
/// encrypted, compressed by anything but deflate or has no files; unsafe if a limit is exceeded, or for
/// * bytes that belong to no member (before, between or after them) or to two, a second end record;
/// * a member whose own header differs from its entry in the directory, or that is a directory only by its name or only
///   by its attributes;
/// * a name that output_path_problem refuses, that has a backslash, or that is neither ASCII nor marked as UTF-8; two
///   members of one path (unless directories), or one below a file.
/// A link is a member with the target as content; Python writes it as a file.
ArchiveFacts read_zip(const Input& input, const ReadLimits& limits, const MemberSink& sink);

// The parts of the zip format that reader and writer share (PKWARE's APPNOTE 6.3.10).

// First bytes of records: a member's own header, its entry in the central directory, the end of that.
inline constexpr std::string_view kZipHeader = "PK\3\4", kZipEntry = "PK\1\2", kZipEnd = "PK\5\6";
/// The flag of names in UTF-8; without it they are in code page 437.
inline constexpr std::uint64_t kZipUtf8 = 1 << 11;

/// Returns the CRC-32 of a member's bytes.
std::uint64_t zip_checksum(std::string_view bytes);

/// Returns a number in little-endian bytes.
inline std::string zip_number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
  return bytes;
}

/// Returns the little-endian number in `bytes`, which must be long enough.
inline std::uint64_t read_zip_number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  while (size-- > 0) value = value << 8 | static_cast<unsigned char>(bytes[at + size]);
  return value;
}

}  // namespace torchpatch::archive
