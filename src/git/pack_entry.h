// SPDX-License-Identifier: BSD-3-Clause
/// What packs are made of (internal to git, for readers and writers): numbers, the header, and entries, read by our own
/// bounded code. Format: https://git-scm.com/docs/gitformat-pack
#pragma once

#include <endian.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "git/object.h"

struct libdeflate_decompressor;
struct z_stream_s;

namespace torchpatch::git {

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
