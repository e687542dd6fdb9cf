// SPDX-License-Identifier: BSD-3-Clause
#include "archive/write_zip.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::archive {

namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostMembers = std::numeric_limits<std::uint16_t>::max();
constexpr int kLevel = 6;
constexpr std::size_t kPieceBytes = 4 << 20;
constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kDefaultMemory = 8;
constexpr std::uint64_t kVersion = 20;           ///< 2.0: deflate
constexpr std::uint64_t kMadeByUnix = 3 << 8;    ///< so that modes count
constexpr std::uint64_t kUtf8 = 1 << 11;         ///< the flag of names in UTF-8
constexpr std::uint64_t kFirstDay = 1 << 5 | 1;  ///< 1980-01-01

/// Returns a number in little-endian order.
std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
  return bytes;
}

std::uint64_t checksum(std::string_view bytes) {
  return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::string deflated(std::string_view bytes, const std::string& name) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kRawDeflate, kDefaultMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorKind::environment, concat("writing ", quote(name), ": zlib: out of memory"));
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(std::min<std::uint64_t>(out.size(), kMostBytes));
  int code = Z_OK;
  do {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    code = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    note_step();
  } while (!bytes.empty() && code == Z_OK);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw Error(ErrorKind::environment, concat("writing ", quote(name), ": zlib fails"));
  return out;
}

}  // namespace

void ZipWriter::put(std::string_view bytes) {
  written_ += bytes.size();
  if (written_ > kMostBytes) {
    throw Error(ErrorKind::unsafe, concat("writing ", quote(name_),
                                          ": it gets 4 GiB, more than a zip without extensions "
                                          "can hold"));
  }
  sink_(bytes);
}

void ZipWriter::add(const std::string& path, std::string_view bytes, bool is_executable) {
  if (bytes.size() > kMostBytes || ++members_ >= kMostMembers)
    throw Error(ErrorKind::unsafe,
                concat("writing ", quote(name_), ": ", quote(path), " is too large, or one too many"));
  const std::string content = deflated(bytes, name_);
  // The header of a member, and its entry in the central directory, have this in common.
  const std::string common = concat(number(kVersion, 2), number(kUtf8, 2), number(Z_DEFLATED, 2), number(0, 2),
                                    number(kFirstDay, 2), number(checksum(bytes), 4), number(content.size(), 4),
                                    number(bytes.size(), 4), number(path.size(), 2), number(0, 2));
  const std::uint64_t mode = S_IFREG | (is_executable ? 0755 : 0644);
  directory_ += concat("PK\1\2", number(kMadeByUnix | kVersion, 2), common, number(0, 2), number(0, 2), number(0, 2),
                       number(mode << 16, 4), number(written_, 4), path);
  put(concat("PK\3\4", common, path));
  put(content);
}

void ZipWriter::finish() {
  const std::uint64_t begin = written_, size = directory_.size();
  put(directory_);
  put(concat("PK\5\6", number(0, 2), number(0, 2), number(members_, 2), number(members_, 2), number(size, 4),
             number(begin, 4), number(0, 2)));
}

}  // namespace torchpatch::archive
