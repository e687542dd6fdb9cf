// SPDX-License-Identifier: BSD-3-Clause
#include "archive/write_archive.h"

#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "archive/read_archive.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::archive {

namespace {

constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 9;
constexpr int kMostThreads = 8;  // each needs about 20 MiB
constexpr std::size_t kBufferSize = 256 << 10;

class Plain : public Compressor {
 public:
  explicit Plain(Sink sink) : sink_(std::move(sink)) {}
  void write(std::string_view bytes) override { sink_(bytes); }
  void finish() override {}

 private:
  Sink sink_;
};

class Gzip : public Compressor {
 public:
  explicit Gzip(Sink sink) : sink_(std::move(sink)), buffer_(kBufferSize, '\0') {
    constexpr int kGzipWindow = 15 + 16;  // zlib.h: 16 more selects the gzip format
    constexpr int kMemory = 8;
    if (deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) fail();
    header_.os = 255;
    if (deflateSetHeader(&stream_, &header_) != Z_OK) fail();
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, std::numeric_limits<uInt>::max());
      deflate_all(part, Z_NO_FLUSH);
      bytes.remove_prefix(part.size());
    }
  }
  void finish() override { deflate_all({}, Z_FINISH); }

 private:
  [[noreturn]] static void fail() { throw Error(ErrorKind::environment, "compressing with zlib failed"); }

  void deflate_all(std::string_view bytes, int flush) {
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) fail();
      sink_(std::string_view(buffer_).substr(0, buffer_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  Sink sink_;
  std::string buffer_;
  z_stream stream_{};
  gz_header header_{};
};

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class Zstd : public Compressor {
 public:
  Zstd(Sink sink, int threads) : sink_(std::move(sink)), context_(ZSTD_createCCtx()), buffer_(kBufferSize, '\0') {
    if (!context_) throw Error(ErrorKind::environment, "compressing with libzstd: out of memory");
    set(ZSTD_c_compressionLevel, kZstdLevel);
    set(ZSTD_c_checksumFlag, 1);
    // At least one: without workers the library splits the stream differently (zstd.h, ZSTD_c_nbWorkers).
    set(ZSTD_c_nbWorkers, std::clamp(threads, 1, kMostThreads));
  }
  void write(std::string_view bytes) override {
    ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
    while (input.pos < input.size) compress(input, ZSTD_e_continue);
  }
  void finish() override {
    ZSTD_inBuffer input = {nullptr, 0, 0};
    while (compress(input, ZSTD_e_end) != 0) continue;
  }

 private:
  static std::size_t check(std::size_t result) {
    if (ZSTD_isError(result) != 0)
      throw Error(ErrorKind::environment, concat("compressing with libzstd: ", ZSTD_getErrorName(result)));
    return result;
  }
  void set(ZSTD_cParameter parameter, int value) { check(ZSTD_CCtx_setParameter(context_.get(), parameter, value)); }

  /// Returns how much remains to be flushed, as reported by the library.
  std::size_t compress(ZSTD_inBuffer& input, ZSTD_EndDirective directive) {
    ZSTD_outBuffer output = {buffer_.data(), buffer_.size(), 0};
    const std::size_t rest = check(ZSTD_compressStream2(context_.get(), &output, &input, directive));
    sink_(std::string_view(buffer_).substr(0, output.pos));
    return rest;
  }

  Sink sink_;
  std::unique_ptr<ZSTD_CCtx, FreeZstd> context_;
  std::string buffer_;
};

constexpr std::size_t kBlock = 512;
constexpr std::size_t kRecord = 20 * kBlock;

/// A field of the ustar header; numbers are octal digits and a NUL.
struct Field {
  std::size_t offset, size;
};
constexpr Field kName = {0, 100}, kMode = {100, 8}, kUid = {108, 8}, kGid = {116, 8}, kSize = {124, 12},
                kTime = {136, 12}, kSum = {148, 8}, kType = {156, 1}, kTarget = {157, 100}, kMagic = {257, 8},
                kMajor = {329, 8}, kMinor = {337, 8}, kPrefix = {345, 155};

std::string octal(std::uint64_t number, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; number >>= 3) text[i] = static_cast<char>('0' + (number & 7));
  return text;
}

std::optional<std::uint64_t> parse_octal(std::string_view text) {
  if (text.empty() || text.size() > 12 || text.find_first_not_of("01234567") != std::string_view::npos)
    return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) number = number << 3 | static_cast<std::uint64_t>(c - '0');
  return number;
}

/// Returns the largest number that fits into a field.
constexpr std::uint64_t largest(Field field) { return (1ull << (3 * (field.size - 1))) - 1; }

class Block {
 public:
  Block() : bytes_(kBlock, '\0') {
    put(kMagic, std::string_view("ustar\0"
                                 "00",
                                 8));
    for (const Field field : {kUid, kGid, kMajor, kMinor}) put(field, 0);
  }
  void put(Field field, std::string_view text) { bytes_.replace(field.offset, text.size(), text); }
  void put(Field field, std::uint64_t number) { put(field, octal(number, field.size - 1)); }

  /// Returns the block with its checksum: the sum of its bytes, with the checksum itself as spaces.
  std::string finish() {
    put(kSum, std::string(kSum.size, ' '));
    std::uint64_t sum = 0;
    for (const char c : bytes_) sum += static_cast<unsigned char>(c);
    put(kSum, octal(sum, 6) + std::string("\0 ", 2));
    return bytes_;
  }

 private:
  std::string bytes_;
};

/// Returns ustar's prefix and name for a path, with the longest possible name; nothing if it cannot be split.
std::optional<std::pair<std::string_view, std::string_view>> split_path(std::string_view path) {
  if (path.size() <= kName.size) return std::pair(std::string_view(), path);
  const std::size_t slash = path.find('/', path.size() - kName.size - 1);
  if (slash == std::string_view::npos || slash == 0 || slash > kPrefix.size || slash + 1 == path.size())
    return std::nullopt;
  return std::pair(path.substr(0, slash), path.substr(slash + 1));
}

/// Returns "<length> <key>=<value>\n"; the length includes its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (concat(length).size() + rest != length) ++length;
  return concat(length, " ", key, "=", value, "\n");
}

std::string pax_header(const std::string& records, std::uint64_t mtime) {
  Block block;
  block.put(kName, "PaxHeaders/member");
  block.put(kMode, 0644);
  block.put(kSize, records.size());
  block.put(kTime, mtime);
  block.put(kType, "x");
  return block.finish() + records + tar_padding(records.size());
}

const char* type_flag(TarMember::Type type) {
  if (type == TarMember::Type::link) return "2";
  return type == TarMember::Type::directory ? "5" : "0";
}

std::uint64_t mode_of(TarMember::Type type) {
  if (type == TarMember::Type::link) return 0777;
  return type == TarMember::Type::file ? 0644 : 0755;
}

std::string id_or_nothing(std::string_view text) { return ObjectId::parse(text) ? std::string(text) : std::string(); }

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostMembers = std::numeric_limits<std::uint16_t>::max();
constexpr int kLevel = 6;
constexpr std::size_t kPieceBytes = 4 << 20;
constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kDefaultMemory = 8;
constexpr std::uint64_t kVersion = 20;           ///< 2.0: deflate
constexpr std::uint64_t kMadeByUnix = 3 << 8;    ///< makes modes effective
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

std::unique_ptr<Compressor> make_compressor(Compression compression, Sink sink, int threads) {
  switch (compression) {
    case Compression::gzip:
      return std::make_unique<Gzip>(std::move(sink));
    case Compression::zstd:
      return std::make_unique<Zstd>(std::move(sink), threads);
    case Compression::none:
      break;
  }
  return std::make_unique<Plain>(std::move(sink));
}

std::string tar_header(const TarMember& member, std::int64_t mtime) {
  const std::string path = member.type == TarMember::Type::directory ? member.path + "/" : member.path;
  std::uint64_t time = static_cast<std::uint64_t>(mtime), size = member.size;
  std::string records;
  Block block;
  if (const auto parts = split_path(path)) {
    block.put(kPrefix, parts->first);
    block.put(kName, parts->second);
  } else {
    records += pax_record("path", path);
    block.put(kName, path.substr(0, kName.size));
  }
  if (member.target.size() > kTarget.size) records += pax_record("linkpath", member.target);
  if (size > largest(kSize)) records += pax_record("size", concat(std::exchange(size, 0)));
  if (time > largest(kTime)) records += pax_record("mtime", concat(std::exchange(time, largest(kTime))));
  block.put(kMode, mode_of(member.type));
  block.put(kSize, size);
  block.put(kTime, time);
  block.put(kType, type_flag(member.type));
  block.put(kTarget, std::string_view(member.target).substr(0, kTarget.size));
  return (records.empty() ? "" : pax_header(records, time)) + block.finish();
}

std::optional<TarBlock> parse_tar_block(std::string_view block) {
  if (block.size() != kBlock || block.substr(kMagic.offset, 5) != "ustar") return std::nullopt;
  const auto text = [&](Field field) {
    const std::string_view bytes = block.substr(field.offset, field.size);
    return std::string(bytes.substr(0, bytes.find('\0')));
  };
  const auto size = parse_octal(text(kSize)), time = parse_octal(text(kTime));
  if (!size || !time) return std::nullopt;
  const std::string prefix = text(kPrefix);
  return TarBlock{(prefix.empty() ? "" : prefix + "/") + text(kName), block[kType.offset], *size,
                  static_cast<std::int64_t>(*time)};
}

std::string tar_padding(std::uint64_t size) { return std::string((kBlock - size % kBlock) % kBlock, '\0'); }

std::string tar_end(std::uint64_t written) {
  const std::uint64_t end = written + 2 * kBlock;
  return std::string(2 * kBlock + (kRecord - end % kRecord) % kRecord, '\0');
}

std::string commit_of_tar(std::string_view start) {
  constexpr std::size_t kTypeFlag = 156, kRecords = 512, kIdDigits = 40;
  constexpr std::string_view kNote = "52 comment=";
  if (start.size() < kTarNoteBytes || start[kTypeFlag] != 'g') return {};
  const std::string_view record = start.substr(kRecords);
  return starts_with(record, kNote) ? id_or_nothing(record.substr(kNote.size(), kIdDigits)) : std::string();
}

std::string commit_of_zip(std::string_view comment) { return id_or_nothing(comment); }

void ZipWriter::put(std::string_view bytes) {
  written_ += bytes.size();
  if (written_ > kMostBytes) {
    throw Error(ErrorKind::unsafe, concat("writing ", quote(name_),
                                          ": it would exceed 4 GiB, the most a zip without extensions "
                                          "can hold"));
  }
  sink_(bytes);
}

void ZipWriter::add(const std::string& path, std::string_view bytes, bool is_executable) {
  if (bytes.size() > kMostBytes || ++members_ >= kMostMembers)
    throw Error(ErrorKind::unsafe,
                concat("writing ", quote(name_), ": ", quote(path), " is too large, or there are too many files"));
  const std::string content = deflated(bytes, name_);
  // Common to a member's header and its entry in the central directory.
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
