// SPDX-License-Identifier: BSD-3-Clause
#include "patch/patch_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
constexpr std::size_t kLineBytes = 52;

/// Values by character; 85 = invalid.
constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(85);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

/// The letters that encode 1, 2, …, 52 bytes.
constexpr std::string_view kLengths = kAlphabet.substr(10, kLineBytes);

std::optional<std::uint32_t> decode_group(std::string_view group) {
  std::uint64_t value = 0;
  for (const char c : group) {
    const std::uint8_t digit = kValues[static_cast<unsigned char>(c)];
    if (digit == 85) return std::nullopt;
    value = value * 85 + digit;
  }
  if (value > 0xFFFFFFFFu) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

constexpr std::string_view kLiteral = "literal ";
constexpr std::string_view kDelta = "delta ";

bool is_method(std::string_view line) { return starts_with(line, kLiteral) || starts_with(line, kDelta); }

/// Inflates one zlib stream; returns nothing unless it has exactly `size` bytes and ends with `deflated`. Memory grows
/// with the output, not with the declared size.
std::optional<std::string> inflate_exactly(std::string_view deflated, std::size_t size) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw Error(ErrorKind::internal, "zlib failed to start");
  // zlib never writes through next_in; its type predates const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  std::string bytes;
  int status = Z_OK;
  while (status == Z_OK && bytes.size() <= size) {
    const std::size_t chunk = std::min<std::size_t>(size + 1 - bytes.size(), 1u << 16);
    const std::size_t begin = bytes.size();
    bytes.resize(begin + chunk);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + begin);
    stream.avail_out = static_cast<uInt>(chunk);
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(begin + chunk - stream.avail_out);
  }
  const bool is_whole = status == Z_STREAM_END && stream.avail_in == 0 && bytes.size() == size;
  inflateEnd(&stream);
  if (!is_whole) return std::nullopt;
  return bytes;
}

/// Reads base 85 lines up to the empty line that ends a hunk.
std::string read_base85(LineReader& in) {
  std::string bytes;
  while (!in.line().empty()) {
    const std::optional<std::string> decoded = decode_base85_line(in.line());
    if (!decoded || !in.has_newline()) in.fail("malformed line in a binary patch");
    bytes += *decoded;
    in.advance();
  }
  if (!in.has_newline()) in.fail("the patch ends inside a binary patch");
  in.advance();
  return bytes;
}

BinaryHunk parse_binary_hunk(LineReader& in) {
  const LineReader header = in;
  BinaryHunk hunk;
  const bool is_delta = starts_with(in.line(), kDelta);
  hunk.method = is_delta ? BinaryMethod::delta : BinaryMethod::literal;
  const std::optional<std::uint64_t> size = parse_decimal(in.line().substr((is_delta ? kDelta : kLiteral).size()));
  if (!size || !in.has_newline()) in.fail("malformed size in a binary patch");
  if (*size > kMaxBinaryBytes)
    in.refuse(concat("a binary patch of ", *size, " bytes; at most ", kMaxBinaryBytes, " are read"));
  in.advance();
  std::optional<std::string> data = inflate_exactly(read_base85(in), static_cast<std::size_t>(*size));
  if (!data) header.fail(concat("the binary patch has fewer than the ", *size, " bytes it declares"));
  hunk.data = std::move(*data);
  return hunk;
}

}  // namespace

std::optional<std::string> decode_base85_line(std::string_view line) {
  if (line.empty()) return std::nullopt;
  const std::size_t length = kLengths.find(line[0]) + 1;  // not found: 0
  line.remove_prefix(1);
  if (length == 0 || line.size() != (length + 3) / 4 * 5) return std::nullopt;
  std::string bytes;
  for (; !line.empty(); line.remove_prefix(5)) {
    const std::optional<std::uint32_t> value = decode_group(line.substr(0, 5));
    if (!value) return std::nullopt;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(*value >> shift & 0xFF);
  }
  bytes.resize(length);
  return bytes;
}

BinaryChange parse_binary(LineReader& in) {
  in.advance();
  if (!is_method(in.line())) in.fail("a binary patch must continue with 'literal' or 'delta'");
  BinaryChange change;
  change.forward = parse_binary_hunk(in);
  if (is_method(in.line())) change.reverse = parse_binary_hunk(in);
  return change;
}

}  // namespace torchpatch::patch
