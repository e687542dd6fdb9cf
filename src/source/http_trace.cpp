// SPDX-License-Identifier: BSD-3-Clause
#include "source/http_trace.h"

#include "support/ascii.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::size_t kMaxLine = 1 << 16;  // a longer one is of no use: url_problem refuses more than 4096 bytes
constexpr std::string_view kHeader = "<= Recv header: ";
constexpr std::string_view kConnected = "== Info: Connected to ";

int small_number(std::string_view text) {
  const auto number = parse_decimal(text);
  return number && *number <= 1'000'000 ? static_cast<int>(*number) : 0;
}

}  // namespace

void HttpTrace::feed(std::string_view bytes) {
  rest_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view(rest_).substr(begin, end - begin));
  }
  rest_.erase(0, begin);
  if (rest_.size() > kMaxLine) rest_.clear();
}

void HttpTrace::take_line(std::string_view line) {
  if (line.find(kConnected) != std::string_view::npos) has_connected_ = true;
  const std::size_t header = line.find(kHeader);
  if (header != std::string_view::npos) take_header(trim(line.substr(header + kHeader.size())));
}

void HttpTrace::take_header(std::string_view header) {
  if (starts_with(header, "HTTP/")) {
    const std::size_t space = std::min(header.find(' '), header.size() - 1);
    status_ = small_number(header.substr(space + 1, 3));
    location_.clear();
    retry_after_ = 0;
    return;
  }
  const std::size_t colon = header.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower_case(header.substr(0, colon));
  const std::string_view value = trim(header.substr(colon + 1));
  if (name == "location") location_ = value;
  if (name == "retry-after") retry_after_ = small_number(value);
}

}  // namespace torchpatch::source
