// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::size_t kMaxProgressLine = 4096;
constexpr std::uint64_t kMaxNumber = 1ull << 50;

/// Returns the number at the beginning of `text`, at most 2^50, and takes it away; 0 where there is none.
template <typename Number>
Number take_number(std::string_view& text) {
  Number number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return result.ec == std::errc() ? std::clamp(number, Number{0}, static_cast<Number>(kMaxNumber)) : Number{0};
}

/// Returns the bytes of "1.50 MiB".
std::uint64_t parse_size(std::string_view text) {
  const double number = take_number<double>(text);
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{" bytes", 1.0}, {" KiB", 0x1p10}, {" MiB", 0x1p20}, {" GiB", 0x1p30}}};
  for (const auto& [unit, factor] : kUnits) {
    const double size = number * factor;
    if (starts_with(text, unit) && size < static_cast<double>(kMaxNumber)) return static_cast<std::uint64_t>(size);
  }
  return 0;
}

}  // namespace

void ProgressReader::feed(std::string_view err) {
  rest_ += err;
  std::size_t begin = 0;
  for (std::size_t end; (end = rest_.find_first_of("\r\n", begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view(rest_).substr(begin, end - begin));
  }
  rest_.erase(0, begin);
  if (rest_.size() > kMaxProgressLine) rest_.clear();
}

void ProgressReader::take_line(std::string_view line) {
  const std::size_t count = line.find('(');
  if (!starts_with(line, "Receiving objects:") || count == std::string_view::npos) return;
  line.remove_prefix(count + 1);
  progress_.objects = take_number<std::uint64_t>(line);
  if (!starts_with(line, "/")) return;
  line.remove_prefix(1);
  progress_.total = take_number<std::uint64_t>(line);
  if (starts_with(line, "), ")) progress_.bytes = std::max(progress_.bytes, parse_size(line.substr(3)));
}

}  // namespace torchpatch::source
