// SPDX-License-Identifier: BSD-3-Clause
/// Writes archives so that equal members give equal bytes: compressed streams (make_compressor), canonical tars
/// (tar_header and the others) and zips (ZipWriter). Another version of zlib or libzstd may still compress in another
/// way, which is why callers print the digest of the tar, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::archive {

enum class Compression { none, gzip, zstd };

/// Takes bytes as they come.
using Sink = std::function<void(std::string_view)>;

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Ends the stream; to be called once.
  virtual void finish() = 0;
};

/// Returns a compressor that writes to `sink`: fixed levels, nothing of the run in the headers. gzip: level 6, no name,
/// no time, system "unknown" (RFC 1952 §2.3). zstd: level 9 with a checksum, in jobs whose cut does not depend on
/// `threads`, of which any number gives the same bytes. It raises environment where the library fails, and whatever the
/// sink raises.
std::unique_ptr<Compressor> make_compressor(Compression compression, Sink sink, int threads);

// Headers of a canonical tar: ustar, and pax (POSIX.1-2017 §4.12, "pax Interchange Format") only for what ustar cannot
// hold. Owner and group are 0 without names; modes 0644, and 0755 for executables and directories; one time for all.
//
// Written here rather than by libarchive: its bytes depend on the locale (3.6.2 gives a name that is not ASCII a pax
// header in the C locale and none in a UTF-8 one, though ustar holds its bytes), so two machines would not agree.

struct TarMember {
  enum class Type { file, executable, link, directory };
  std::string path;  ///< relative, without a slash at its end
  Type type = Type::file;
  std::uint64_t size = 0;  ///< of a file, bytes
  std::string target{};    ///< of a link
};

/// Returns the blocks that stand before the member's content; `mtime` in seconds since 1970, not negative. What does
/// not fit into ustar's fields (a path that cannot be split at a slash into 155 and 100 bytes, a target over 100 bytes,
/// 8 GiB or more, a time after 2242) goes into a pax header before it.
std::string tar_header(const TarMember& member, std::int64_t mtime);

/// What a block of 512 bytes says, as the header of a member.
struct TarBlock {
  std::string path;
  char type = '0';  ///< '0' a file, '1' and '2' links, '5' a directory, 'x' a pax header, …
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
};

/// Returns what a header block says, or nothing where it has no ustar magic or its numbers are none. Nothing else is
/// checked: who wants to know whether tar_header() made it compares the bytes.
std::optional<TarBlock> parse_tar_block(std::string_view block);

/// Returns the zeros that stand after `size` bytes of content.
std::string tar_padding(std::uint64_t size);

/// Returns what ends an archive after `written` bytes of members: two blocks of zeros, filled up to a record of 20.
std::string tar_end(std::uint64_t written);

// The commit that `git archive` writes into its archives (https://git-scm.com/docs/git-get-tar-commit-id).

/// Bytes of a tar that the note lies in: a header block and the first of its records.
inline constexpr std::size_t kTarNoteBytes = 1024;

/// Returns the 40 hex digits at the start of a tar (a pax global header with a comment alone), or empty text.
std::string commit_of_tar(std::string_view start);
/// Returns the 40 hex digits that are the comment of a zip, or empty text.
std::string commit_of_zip(std::string_view comment);

/// Writes a zip: deflate at a fixed level, no times but the format's first day, no extra fields (PKWARE's APPNOTE
/// 6.3.10). Written here rather than by libarchive, whose times depend on the time zone.
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
