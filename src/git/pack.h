// SPDX-License-Identifier: BSD-3-Clause
/// Packs of a foreign repository (Pack) and their indexes (PackIndex, .idx of version 2), mapped (MappedFile), found
/// and unpacked by our own bounded code: libgit2 1.5 trusts an index and crashes on a bad one (fixed upstream in
/// 6e8227ab3 and 06cafdf9d, not in Debian 12). Format: https://git-scm.com/docs/gitformat-pack
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

/// Opens a regular file without following a link at its end and without blocking on a FIFO.
/// Returns no descriptor where nothing is there. Raises source where it cannot be opened or is not a regular file.
UniqueFd open_foreign_file(const std::string& path);

/// Returns the size in bytes of an open file.
std::size_t file_size(const UniqueFd& file, const std::string& path);

/// The bytes of a file as long as this lives.
class MappedFile {
 public:
  /// Raises source where the file is not there (no descriptor), is empty, or cannot be mapped; `path` is for messages.
  MappedFile(const UniqueFd& file, const std::string& path);
  /// A part of it: `offset` is a multiple of the page size, and `size` more than nothing.
  MappedFile(const UniqueFd& file, const std::string& path, std::uint64_t offset, std::size_t size);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  /// Lets the kernel take the pages back; they come again when they are read.
  void release_pages() const;

 private:
  void map(const UniqueFd& file, const std::string& path, std::uint64_t offset);

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

class PackIndex {
 public:
  /// Opens an index and checks what lookups rely on: magic, fan-out, size. Raises source where that is wrong.
  explicit PackIndex(const std::string& path);
  /// The same for a file that is open; `path` is for messages.
  PackIndex(const UniqueFd& file, const std::string& path);

  std::uint32_t object_count() const { return count_; }
  /// Returns the names of all objects, in the order in which these stand in the pack. Raises source.
  std::vector<ObjectId> ids() const;
  /// Returns the offset of an object in the pack, or nothing.
  std::optional<std::uint64_t> find(const ObjectId& id) const;
  /// Reads all of it: names sorted and in their fan-out, every offset inside a pack of `pack_size` bytes. Raises
  /// source.
  void check_entries(std::uint64_t pack_size) const;
  /// Returns the trailing checksum of the pack as the index records it.
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
  /// Opens "….idx". Raises source where the index cannot be used.
  explicit Pack(const std::string& index_path);
  ~Pack();
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  const std::string& index_path() const { return index_path_; }
  /// All objects, in the order in which reading them is fastest.
  std::vector<ObjectId> ids() const { return index_.ids(); }
  /// Returns the place of an object, or nothing.
  std::optional<std::uint64_t> find(const ObjectId& id) const { return index_.find(id); }
  /// Checks all of the index, and that the pack's header and trailer fit it; only the first call works. Raises source.
  void check();
  /// Unpacks the object at this place, opening the pack where it is closed; its id is not checked. The bases of deltas
  /// are looked for in this pack alone, as git does. Raises source where the pack is damaged, unsafe where the object,
  /// or something it is made of, is over kMaxObjectBytes.
  Object read(std::uint64_t place);
  /// The same for an object's id; raises source where the pack lacks it as well.
  Object read(const ObjectId& id);
  /// Returns the size that the entry at this place declares; of a delta, that of the object that it begins with. Raises
  /// as read().
  std::uint64_t size_of(std::uint64_t place);
  /// Closes the pack: gives up its mapping, and up to 1 MiB of delta bases.
  void close();

 private:
  struct Open;
  Open& open();

  std::string index_path_;
  PackIndex index_;
  std::unique_ptr<Open> open_;
  bool is_checked_ = false;
};

// What packs are made of (internal to git, for readers and writers): numbers, the header, and entries, read by our own
// bounded code.

inline constexpr std::string_view kPackMagic = "PACK";
inline constexpr std::size_t kPackHeaderBytes = 12;
inline constexpr std::size_t kPackChecksumBytes = 20;

/// Deflate cannot do better than 1032:1 (https://zlib.net/zlib_tech.html).
inline constexpr std::uint64_t kMaxInflation = 1032;

/// Returns the 32-bit number at `at`; the caller knows that four bytes are there.
inline std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return be32toh(value);
}

/// Returns the 64-bit number at `at`; the caller knows that eight bytes are there.
inline std::uint64_t read_u64(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return be64toh(value);
}

/// What an entry says in front of its zlib stream.
struct PackEntry {
  std::uint64_t start = 0;         ///< its place in the pack
  std::optional<ObjectType> type;  ///< nothing: a delta
  std::uint64_t size = 0;          ///< bytes, inflated, of the object or the delta
  std::size_t header_size = 0;     ///< bytes in front of the zlib stream
  std::uint64_t base = 0;          ///< place of a delta's base; 0 where that is named by its id
  ObjectId base_id;
};

/// Types of deltas in the first byte of an entry: the base is named by its place, or by its id.
inline constexpr unsigned kOffsetDelta = 6, kIdDelta = 7;

/// Most bytes that stand in front of an entry's stream.
inline constexpr std::size_t kMostEntryHeaderBytes = 40;

/// Returns the Error of this kind for the entry of the pack `name` at byte `start`: "… is not a whole zlib stream".
Error entry_error(ErrorKind kind, const std::string& name, std::uint64_t start, const std::string& problem);

/// Reads the entry at byte `start`, where `bytes` begin; they end before the pack's checksum. Raises source where it is
/// malformed or a base does not lie in front of it, unsafe where its size is over kMaxObjectBytes.
PackEntry parse_pack_entry(std::string_view bytes, std::uint64_t start, const std::string& name);

/// Inflates streams whose size is known beforehand, with libdeflate.
class EntryInflater {
 public:
  EntryInflater();
  ~EntryInflater();
  EntryInflater(const EntryInflater&) = delete;
  EntryInflater& operator=(const EntryInflater&) = delete;

  /// Inflates the stream of `entry`, which `compressed` begins with, into `out`, which then has exactly the entry's
  /// size. Returns how many bytes the stream has. Raises source, with the pack's `name`, where it is damaged, or longer
  /// or shorter than that.
  std::size_t inflate(const PackEntry& entry, std::string_view compressed, const std::string& name, std::string& out);

 private:
  libdeflate_decompressor* decompressor_;
};

/// Inflates a zlib stream a part at a time, with zlib.
class StreamInflater {
 public:
  /// `compressed` outlives this. `action` begins the messages: "reading the loose object '…': ".
  StreamInflater(std::string_view compressed, std::string action);
  ~StreamInflater();
  StreamInflater(const StreamInflater&) = delete;
  StreamInflater& operator=(const StreamInflater&) = delete;

  /// Raises source where `holds` is false.
  void require(bool holds, const char* problem) const;
  /// Inflates until `size` bytes are written or the stream ends; returns how many were written. Raises source where it
  /// is damaged or truncated.
  std::size_t read(char* out, std::size_t size);
  /// Returns how many bytes of `compressed` the stream has taken; all of it once it has ended.
  std::size_t consumed() const;

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::string action_;
  std::size_t size_;
  bool is_at_end_ = false;
};

/// Returns the CRC-32 that an index keeps of an entry's bytes.
std::uint32_t entry_crc(std::string_view entry);

}  // namespace torchpatch::git
