// SPDX-License-Identifier: BSD-3-Clause
/// Writers of archives in which equal members give equal bytes: compressed streams (make_compressor), canonical tars
/// (tar_header and others) and zips (ZipWriter). Another version of zlib or libzstd may still compress differently, so
/// callers print the digest of the tar too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::archive {

enum class Compression { none, gzip, zstd };

/// Receives bytes as they are written.
using Sink = std::function<void(std::string_view)>;

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Ends the stream; call it once.
  virtual void finish() = 0;
};

/// Returns a compressor that writes to `sink` with fixed levels and nothing that varies between runs in the headers.
/// gzip: level 6, no name, no time, system "unknown" (RFC 1952 §2.3). zstd: level 9 with a checksum, in jobs whose
/// boundaries do not depend on `threads`, so that any number gives the same bytes. Raises environment if the library
/// fails, and what the sink raises.
std::unique_ptr<Compressor> make_compressor(Compression compression, Sink sink, int threads);

// Headers of a canonical tar: ustar, with pax (POSIX.1-2017 §4.12, "pax Interchange Format") only for what ustar cannot
// represent. Owner and group are 0, without names; modes 0644, 0755 for executables and directories; one time.
//
// Not written by libarchive, whose output depends on the locale (3.6.2 gives a non-ASCII name a pax header in the C
// locale and none in a UTF-8 one, although ustar can store its bytes), so two machines could differ.

struct TarMember {
  enum class Type { file, executable, link, directory };
  std::string path;  ///< relative, without trailing slash
  Type type = Type::file;
  std::uint64_t size = 0;  ///< of a file, in bytes
  std::string target{};    ///< of a link
};

/// Returns the blocks before the member's content; `mtime` in seconds since 1970, not negative. Values that do not fit
/// into ustar's fields (a path that cannot be split at a slash into 155 and 100 bytes, a target over 100 bytes, 8 GiB
/// or more, a time after 2242) are in a preceding pax header.
std::string tar_header(const TarMember& member, std::int64_t mtime);

/// The header of a member, parsed from a block of 512 bytes.
struct TarBlock {
  std::string path;
  char type = '0';  ///< '0' a file, '1' and '2' links, '5' a directory, 'x' a pax header, …
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
};

/// Parses a header block; returns nothing if it has no ustar magic or invalid numbers. Nothing else is checked: to test
/// whether tar_header() made it, compare the bytes.
std::optional<TarBlock> parse_tar_block(std::string_view block);

/// Returns the zero padding after `size` bytes of content.
std::string tar_padding(std::uint64_t size);

/// Returns the end of an archive with `written` bytes of members: two zero blocks, padded to a record of 20 blocks.
std::string tar_end(std::uint64_t written);

// The commit that `git archive` writes into its archives (https://git-scm.com/docs/git-get-tar-commit-id).

/// Size of the part of a tar with the commit: a header block and the first block of its records.
inline constexpr std::size_t kTarNoteBytes = 1024;

/// Returns the 40 hex digits at the start of a tar (a pax global header with only a comment), or empty text.
std::string commit_of_tar(std::string_view start);
/// Returns the 40 hex digits in the comment of a zip, or empty text.
std::string commit_of_zip(std::string_view comment);

/// Writes a zip: deflate at a fixed level, the format's first day as time, no extra fields (PKWARE's APPNOTE 6.3.10).
/// libarchive is not used, because its times depend on the time zone.
class ZipWriter {
 public:
  /// `name` is for messages.
  ZipWriter(Sink sink, std::string name) : sink_(std::move(sink)), name_(std::move(name)) {}

  /// Adds a file. Raises unsafe if the archive reaches 4 GiB or 65,535 members, environment if zlib fails, and what the
  /// sink raises.
  void add(const std::string& path, std::string_view bytes, bool is_executable);
  /// Ends the archive; call it once.
  void finish();

 private:
  void put(std::string_view bytes);

  Sink sink_;
  std::string name_;
  std::string directory_;  ///< central directory so far
  std::uint64_t written_ = 0, members_ = 0;
};

}  // namespace torchpatch::archive
