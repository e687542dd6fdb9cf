// SPDX-License-Identifier: BSD-3-Clause
/// Pack and PackIndex: packs of a foreign repository and their indexes (.idx, version 2), mapped (MappedFile) and read
/// by our own bounded code: libgit2 1.5 trusts an index and crashes on a bad one (fixed upstream in 6e8227ab3 and
/// 06cafdf9d, not in Debian 12). Format: https://git-scm.com/docs/gitformat-pack
#pragma once

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "git/object.h"
#include "support/digest.h"
#include "support/file.h"

struct libdeflate_decompressor;
struct z_stream_s;

namespace torchpatch::git {

/// Opens a regular file without following a link in the last component and without blocking on a FIFO. Returns no
/// descriptor if it does not exist. Raises source if it cannot be opened or is not a regular file.
UniqueFd open_foreign_file(const std::string& path);

/// Returns the size in bytes of an open file.
std::size_t file_size(const UniqueFd& file, const std::string& path);

/// A file mapped into memory for the lifetime of this object.
class MappedFile {
 public:
  /// Raises source if the file is missing (no descriptor), empty, or cannot be mapped; `path` is for messages.
  MappedFile(const UniqueFd& file, const std::string& path);
  /// Maps a part: `offset` is a multiple of the page size, and `size` is not zero.
  MappedFile(const UniqueFd& file, const std::string& path, std::uint64_t offset, std::size_t size);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  /// Lets the kernel reclaim the pages; they are loaded again when read.
  void release_pages() const;

 private:
  void map(const UniqueFd& file, const std::string& path, std::uint64_t offset);

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

class PackIndex {
 public:
  /// Opens an index and checks what lookups rely on: magic, fan-out, size. Raises source if any is wrong.
  explicit PackIndex(const std::string& path);
  /// The same for an open file; `path` is for messages.
  PackIndex(const UniqueFd& file, const std::string& path);

  std::uint32_t object_count() const { return count_; }
  /// Returns the ids of all objects, in pack order. Raises source.
  std::vector<ObjectId> ids() const;
  /// Returns the offset of an object in the pack, or nothing.
  std::optional<std::uint64_t> find(const ObjectId& id) const;
  /// Checks the whole index: ids sorted and in their fan-out, every offset inside a pack of `pack_size` bytes. Raises
  /// source.
  void check_entries(std::uint64_t pack_size) const;
  /// Returns the pack's trailing checksum as recorded in the index.
  std::string_view pack_checksum() const;

 private:
  std::uint32_t fan_out(std::size_t first_byte) const;
  std::string_view name(std::uint32_t position) const;
  std::size_t offsets_start() const;
  std::uint64_t offset(std::uint32_t position) const;
  void check_names() const;
  void check_offsets(std::uint64_t pack_size) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;
  MappedFile file_;
  std::uint32_t count_ = 0;
  std::size_t long_offset_count_ = 0;  ///< entries of the table of 64-bit offsets
};

class Pack {
 public:
  /// Opens "….idx". Raises source if the index is unusable.
  explicit Pack(const std::string& index_path);
  ~Pack();
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  const std::string& index_path() const { return index_path_; }
  /// Returns all ids, in the fastest order for reading.
  std::vector<ObjectId> ids() const { return index_.ids(); }
  /// Returns the offset of an object, or nothing.
  std::optional<std::uint64_t> find(const ObjectId& id) const { return index_.find(id); }
  /// Verifies the whole index, and that the pack's header and trailer match it; only the first call does anything.
  /// Raises source.
  void check();
  /// Unpacks the object at this offset, opening the pack if needed; does not check its id. As in git, bases of deltas
  /// must be in the same pack. Raises source if the pack is damaged, unsafe if the object or one of its bases is over
  /// kMaxObjectBytes.
  Object read(std::uint64_t place);
  /// The same for an id; also raises source if the pack lacks it.
  Object read(const ObjectId& id);
  /// Returns the size declared by the entry at this offset; for a delta, that of its chain's first object. Raises as
  /// read().
  std::uint64_t size_of(std::uint64_t place);
  /// Closes the pack: releases its mapping, and up to 1 MiB of delta bases.
  void close();

 private:
  struct Open;
  Open& open();

  std::string index_path_;
  PackIndex index_;
  std::unique_ptr<Open> open_;
  bool is_checked_ = false;
};

// The structure of packs (internal to git, for readers and writers): numbers, the header, and entries, read by our own
// bounded code.

inline constexpr std::string_view kPackMagic = "PACK";
inline constexpr std::size_t kPackHeaderBytes = 12;
inline constexpr std::size_t kPackChecksumBytes = 20;

/// Deflate's largest ratio is 1032:1 (https://zlib.net/zlib_tech.html).
inline constexpr std::uint64_t kMaxInflation = 1032;

/// Returns the big-endian 32-bit number at `at`; the caller ensures that four bytes are there.
inline std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return be32toh(value);
}

/// Returns the big-endian 64-bit number at `at`; the caller ensures that eight bytes are there.
inline std::uint64_t read_u64(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return be64toh(value);
}

/// An entry's header.
struct PackEntry {
  std::uint64_t start = 0;         ///< its offset in the pack
  std::optional<ObjectType> type;  ///< nothing for a delta
  std::uint64_t size = 0;          ///< inflated bytes of the object or the delta
  std::size_t header_size = 0;     ///< bytes before the zlib stream
  std::uint64_t base = 0;          ///< offset of a delta's base; 0 if it is given by id
  ObjectId base_id;
};

/// Types of deltas in an entry's first byte: the base is given by offset, or by id.
inline constexpr unsigned kOffsetDelta = 6, kIdDelta = 7;

/// Largest number of bytes before an entry's stream.
inline constexpr std::size_t kMostEntryHeaderBytes = 40;

/// Returns an Error about the entry of the pack `name` at byte `start`: "… is not a whole zlib stream".
Error entry_error(ErrorKind kind, const std::string& name, std::uint64_t start, const std::string& problem);

/// Parses the entry at byte `start`, the first of `bytes`, which end before the pack's checksum. Raises source if it is
/// malformed or a base is not before it, unsafe if its size is over kMaxObjectBytes.
PackEntry parse_pack_entry(std::string_view bytes, std::uint64_t start, const std::string& name);

/// Inflates streams of known size, with libdeflate.
class EntryInflater {
 public:
  EntryInflater();
  ~EntryInflater();
  EntryInflater(const EntryInflater&) = delete;
  EntryInflater& operator=(const EntryInflater&) = delete;

  /// Inflates the stream of `entry` at the start of `compressed` into `out`. Returns the length of the stream. Raises
  /// source, with the pack's `name`, if it is damaged or does not have exactly the entry's size.
  std::size_t inflate(const PackEntry& entry, std::string_view compressed, const std::string& name, std::string& out);

 private:
  libdeflate_decompressor* decompressor_;
};

/// Inflates a zlib stream in parts, with zlib.
class StreamInflater {
 public:
  /// `compressed` must outlive this. `action` begins the messages: "reading the loose object '…': ".
  StreamInflater(std::string_view compressed, std::string action);
  ~StreamInflater();
  StreamInflater(const StreamInflater&) = delete;
  StreamInflater& operator=(const StreamInflater&) = delete;

  /// Raises source unless `holds`.
  void require(bool holds, const char* problem) const;
  /// Inflates up to `size` bytes; returns how many were written, fewer only at the end of the stream. Raises source if
  /// it is damaged or truncated.
  std::size_t read(char* out, std::size_t size);
  /// Returns how many bytes of `compressed` were consumed; at the end, the length of the stream.
  std::size_t consumed() const;

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::string action_;
  std::size_t size_;
  bool is_at_end_ = false;
};

/// Returns the CRC-32 of an entry's bytes, as kept in an index.
std::uint32_t entry_crc(std::string_view entry);

}  // namespace torchpatch::git
