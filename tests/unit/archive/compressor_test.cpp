// SPDX-License-Identifier: BSD-3-Clause
#include "archive/write_archive.h"

#include <string>

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::archive {
namespace {

/// 3 MiB that compress a little.
std::string some_bytes() {
  std::string bytes;
  std::uint32_t state = 1;
  while (bytes.size() < (3u << 20)) {
    state = state * 1664525 + 1013904223;
    bytes += concat(state >> 12, "\n");
  }
  return bytes;
}

std::string compressed(Compression compression, const std::string& bytes, int threads, std::size_t part) {
  std::string out;
  const auto compressor = make_compressor(
      compression, [&](std::string_view more) { out += more; }, threads);
  for (std::size_t i = 0; i < bytes.size(); i += part) compressor->write(std::string_view(bytes).substr(i, part));
  compressor->finish();
  return out;
}

/// Returns the SHA-256 that a shell finds of what `command` unpacks from the file "a".
std::string unpacked_sum(const std::string& bytes, const std::string& command) {
  const TempDir directory;
  write_file_atomically(directory.path() + "/a", bytes);
  ProgramRun run;
  run.argv = {"sh", "-c", command + " <a | sha256sum"};
  run.environment = {{"PATH", "/usr/bin:/bin"}};
  run.directory = directory.path();
  return run_program(run).out;
}

}  // namespace

TEST_CASE("Compressor: equal bytes give equal bytes, and other programs unpack them") {
  const std::string bytes = some_bytes();
  const std::string sum = unpacked_sum(bytes, "cat");
  const std::string gzip = compressed(Compression::gzip, bytes, 1, bytes.size());
  CHECK(gzip == compressed(Compression::gzip, bytes, 4, 1000));
  CHECK(unpacked_sum(gzip, "gzip -dc") == sum);
  // RFC 1952: deflate, no flags, no time, no extra flags, an unknown system.
  CHECK(gzip.substr(0, 10) == std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));

  const std::string zstd = compressed(Compression::zstd, bytes, 1, bytes.size());
  CHECK(zstd == compressed(Compression::zstd, bytes, 4, 1000));
  CHECK(zstd.size() < bytes.size() / 2);
  if (!find_program("zstd").empty()) CHECK(unpacked_sum(zstd, "zstd -dc") == sum);
  CHECK(compressed(Compression::none, bytes, 1, 1000) == bytes);
}

TEST_CASE("Compressor: an empty stream is one, too") {
  CHECK(unpacked_sum(compressed(Compression::gzip, "", 1, 1), "gzip -dc") == unpacked_sum("", "cat"));
  CHECK_FALSE(compressed(Compression::zstd, "", 2, 1).empty());
}

TEST_CASE("Compressor: what the sink raises comes through") {
  const auto full = [](std::string_view bytes) {
    if (!bytes.empty()) throw Error(ErrorKind::environment, "no space");
  };
  for (const Compression compression : {Compression::none, Compression::gzip, Compression::zstd}) {
    const auto write = [&] {
      const auto compressor = make_compressor(compression, full, 2);
      compressor->write(some_bytes());
      compressor->finish();
    };
    CHECK_THROWS_WITH(write(), "no space");
  }
}

}  // namespace torchpatch::archive
