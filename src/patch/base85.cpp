// SPDX-License-Identifier: BSD-3-Clause
#include "patch/base85.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace torchpatch::patch {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
constexpr std::size_t kLineBytes = 52;

/// Values by character; 85 = none.
constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(85);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

std::size_t length_of(char letter) {
  if (letter >= 'A' && letter <= 'Z') return static_cast<std::size_t>(letter - 'A') + 1;
  if (letter >= 'a' && letter <= 'z') return static_cast<std::size_t>(letter - 'a') + 27;
  return 0;
}

char letter_for(std::size_t length) {
  return length <= 26 ? static_cast<char>('A' + (length - 1)) : static_cast<char>('a' + (length - 27));
}

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

void append_group(std::string& out, std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  std::array<char, 5> group{};
  for (std::size_t i = group.size(); i-- > 0; value /= 85) group[i] = kAlphabet[value % 85];
  out.append(group.data(), group.size());
}

}  // namespace

std::optional<std::string> decode_base85_line(std::string_view line) {
  if (line.empty()) return std::nullopt;
  const std::size_t length = length_of(line[0]);
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

std::string encode_base85_lines(std::string_view bytes) {
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kLineBytes, bytes.size()))) {
    const std::string_view line = bytes.substr(0, kLineBytes);
    out += letter_for(line.size());
    for (std::size_t i = 0; i < line.size(); i += 4) append_group(out, line.substr(i, 4));
    out += '\n';
  }
  return out;
}

}  // namespace torchpatch::patch
