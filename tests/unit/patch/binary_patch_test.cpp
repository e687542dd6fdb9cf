// SPDX-License-Identifier: BSD-3-Clause
#include "patch/patch_file.h"

#include "support/catch.h"
#include "support/error.h"
#include "support/print_patch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

BinaryChange parse_binary(const std::string& text) {
  LineReader in(text, "p");
  BinaryChange change = parse_binary(in);
  REQUIRE(in.at_end());
  return change;
}

ErrorKind binary_refusal(const std::string& text) {
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
    for (const std::string& line : split(text, '\n'))
      if (!line.empty()) decoded += decode_base85_line(line).value();
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

TEST_CASE("parse_binary: what is printed is read back", "[patch]") {
  BinaryChange change;
  change.forward = {BinaryMethod::literal, std::string(1000, '\0') + "x"};
  CHECK(parse_binary(print_binary(change)) == change);
  change.reverse = BinaryHunk{BinaryMethod::delta, ""};
  CHECK(parse_binary(print_binary(change)) == change);
}

TEST_CASE("parse_binary: refuses streams that are not exactly what they declare", "[patch]") {
  const std::string good = print_binary({{BinaryMethod::literal, std::string(300, 'a') + "b"}, std::nullopt});
  REQUIRE(parse_binary(good).forward.data.size() == 301);
  const auto with_size = [&](const std::string& size) {
    return "GIT binary patch\nliteral " + size + good.substr(good.find("301") + 3);
  };
  CHECK(binary_refusal(with_size("300")) == ErrorKind::data);
  CHECK(binary_refusal(with_size("302")) == ErrorKind::data);
  CHECK(binary_refusal(with_size("-1")) == ErrorKind::data);
  CHECK(binary_refusal(with_size("18446744073709551616")) == ErrorKind::data);
  CHECK(binary_refusal(with_size("67108865")) == ErrorKind::unsafe);
  CHECK(binary_refusal("GIT binary patch\nsquashed 301\n\n") == ErrorKind::data);
  CHECK(binary_refusal("GIT binary patch\nliteral 301\n\n") == ErrorKind::data);
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    CHECK(binary_refusal(good.substr(0, length)) == ErrorKind::data);
  }
}

TEST_CASE("parse_binary: a bomb is not inflated beyond what it declares", "[patch]") {
  const std::string bomb = print_binary({{BinaryMethod::literal, std::string(32u << 20, '\0')}, std::nullopt});
  const std::size_t size = bomb.find("33554432");
  CHECK(binary_refusal(std::string(bomb).replace(size, 8, "10")) == ErrorKind::data);
}

}  // namespace torchpatch::patch
