// SPDX-License-Identifier: BSD-3-Clause
#include "archive/write_archive.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "archive/read_archive.h"
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
constexpr std::uint64_t kFirstDay = 1 << 5 | 1;  ///< 1980-01-01

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
  const std::string common =
      concat(zip_number(kVersion, 2), zip_number(kZipUtf8, 2), zip_number(Z_DEFLATED, 2), zip_number(0, 2),
             zip_number(kFirstDay, 2), zip_number(zip_checksum(bytes), 4), zip_number(content.size(), 4),
             zip_number(bytes.size(), 4), zip_number(path.size(), 2), zip_number(0, 2));
  const std::uint64_t mode = S_IFREG | (is_executable ? 0755 : 0644);
  directory_ += concat(kZipEntry, zip_number(kMadeByUnix | kVersion, 2), common, zip_number(0, 2), zip_number(0, 2),
                       zip_number(0, 2), zip_number(mode << 16, 4), zip_number(written_, 4), path);
  put(concat(kZipHeader, common, path));
  put(content);
}

void ZipWriter::finish() {
  const std::uint64_t begin = written_, size = directory_.size();
  put(directory_);
  put(concat(kZipEnd, zip_number(0, 2), zip_number(0, 2), zip_number(members_, 2), zip_number(members_, 2),
             zip_number(size, 4), zip_number(begin, 4), zip_number(0, 2)));
}

}  // namespace torchpatch::archive
