// SPDX-License-Identifier: BSD-3-Clause
#include "archive/compressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <string>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::archive {
namespace {

constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 9;
constexpr int kMostThreads = 8;  // each holds some 20 MiB
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
    constexpr int kGzipWindow = 15 + 16;  // zlib.h: 16 more asks for a gzip header
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
    // At least one: without workers the library cuts the stream in another way (zstd.h, ZSTD_c_nbWorkers).
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
    if (ZSTD_isError(result) != 0) {
      throw Error(ErrorKind::environment, concat("compressing with libzstd: ", ZSTD_getErrorName(result)));
    }
    return result;
  }
  void set(ZSTD_cParameter parameter, int value) { check(ZSTD_CCtx_setParameter(context_.get(), parameter, value)); }

  /// Returns how much is still to be flushed, as far as the library knows.
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

}  // namespace torchpatch::archive
