// SPDX-License-Identifier: BSD-3-Clause
#include "patch/binary_patch.h"

#include <catch2/catch.hpp>

#include "patch/base85.h"
#include "patch/delta.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

BinaryChange parse(const std::string& text) {
  LineReader in(text, "p");
  BinaryChange change = parse_binary(in);
  REQUIRE(in.at_end());
  return change;
}

ErrorKind refusal(const std::string& text) {
  try {
    LineReader in(text, "p");
    parse_binary(in);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

}  // namespace

TEST_CASE("base85: what is encoded is decoded", "[patch]") {
  std::string bytes;
  for (int length = 0; length < 120; ++length) {
    std::string decoded;
    const std::string text = encode_base85_lines(bytes);
    for (const std::string& line : split(text, '\n')) {
      if (!line.empty()) decoded += decode_base85_line(line).value();
    }
    CHECK(decoded == bytes);
    bytes += static_cast<char>(length * 37);
  }
}

TEST_CASE("base85: refuses malformed lines", "[patch]") {
  CHECK(decode_base85_line("A~~~~~") == std::nullopt);  // over 2^32
  for (const char* line : {"", "D", "D0000", "D000000", "E00000", "100000", "D0000 ", "D0000\"", "A000000000000000"}) {
    INFO(line);
    CHECK(!decode_base85_line(line));
  }
}

TEST_CASE("apply_delta: copies and inserts", "[patch]") {
  const std::string old_bytes = "0123456789";
  CHECK(apply_delta(bytes_of({10, 5, 0x91, 2, 3, 2, 'a', 'b'}), old_bytes) == "234ab");
  CHECK(apply_delta(bytes_of({10, 0}), old_bytes) == "");
  const std::string large(0x10000, 'x');
  CHECK(apply_delta(bytes_of({0x80, 0x80, 0x04, 0x80, 0x80, 0x04, 0x80}), large) == large);
}

TEST_CASE("apply_delta: refuses what leaves the old content or the stated sizes", "[patch]") {
  const std::string old_bytes = "0123456789";
  const std::vector<std::string> deltas = {
      "",
      bytes_of({10}),
      bytes_of({9, 1, 1, 'a'}),                // another old size
      bytes_of({10, 2, 1, 'a'}),               // too little
      bytes_of({10, 1, 2, 'a', 'b'}),          // too much
      bytes_of({10, 1, 0}),                    // the reserved instruction
      bytes_of({10, 3, 3, 'a', 'b'}),          // breaks off in an insertion
      bytes_of({10, 3, 0x91, 8, 3}),           // copies over the end
      bytes_of({10, 3, 0x91, 11, 1}),          // begins behind the end
      bytes_of({10, 3, 0x91, 2}),              // breaks off in a copy
      bytes_of({10, 0x81, 0x80, 0x80, 0x20}),  // 64 MiB and one byte
      std::string(12, '\xFF'),                 // a size without end
  };
  for (const std::string& delta : deltas) {
    INFO(to_hex(delta));
    CHECK(!apply_delta(delta, old_bytes));
  }
}

TEST_CASE("parse_binary: what is printed is read back", "[patch]") {
  BinaryChange change;
  change.forward = {BinaryMethod::literal, std::string(1000, '\0') + "x"};
  CHECK(parse(print_binary(change)) == change);
  change.reverse = BinaryHunk{BinaryMethod::delta, ""};
  CHECK(parse(print_binary(change)) == change);
}

TEST_CASE("parse_binary: refuses streams that are not exactly what they declare", "[patch]") {
  const std::string good = print_binary({{BinaryMethod::literal, std::string(300, 'a') + "b"}, std::nullopt});
  REQUIRE(parse(good).forward.data.size() == 301);
  const auto with_size = [&](const std::string& size) {
    return "GIT binary patch\nliteral " + size + good.substr(good.find("301") + 3);
  };
  CHECK(refusal(with_size("300")) == ErrorKind::data);
  CHECK(refusal(with_size("302")) == ErrorKind::data);
  CHECK(refusal(with_size("-1")) == ErrorKind::data);
  CHECK(refusal(with_size("18446744073709551616")) == ErrorKind::data);
  CHECK(refusal(with_size("67108865")) == ErrorKind::unsafe);
  CHECK(refusal("GIT binary patch\nsquashed 301\n\n") == ErrorKind::data);
  CHECK(refusal("GIT binary patch\nliteral 301\n\n") == ErrorKind::data);
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    CHECK(refusal(good.substr(0, length)) == ErrorKind::data);
  }
}

TEST_CASE("parse_binary: a bomb is not inflated beyond what it declares", "[patch]") {
  const std::string bomb = print_binary({{BinaryMethod::literal, std::string(32u << 20, '\0')}, std::nullopt});
  const std::size_t size = bomb.find("33554432");
  CHECK(refusal(std::string(bomb).replace(size, 8, "10")) == ErrorKind::data);
}

}  // namespace torchpatch::patch
