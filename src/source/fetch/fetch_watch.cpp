// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "git/fetch_commits.h"
#include "model/url.h"
#include "support/error.h"
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

/// Calls `take` with each line of `rest` and what follows it, and leaves the one that has not ended yet in `rest`; one
/// of more than `most` bytes is of no use.
template <typename Take>
void take_lines(std::string& rest, std::string_view bytes, const char* ends, std::size_t most, const Take& take) {
  rest += bytes;
  std::size_t begin = 0;
  for (std::size_t end; (end = rest.find_first_of(ends, begin)) != std::string::npos; begin = end + 1)
    take(std::string_view(rest).substr(begin, end - begin));
  rest.erase(0, begin);
  if (rest.size() > most) rest.clear();
}

constexpr std::size_t kMaxTraceLine = 1 << 16;  // a longer one is of no use: url_problem refuses more than 4096 bytes
constexpr std::string_view kHeader = "<= Recv header: ";
/// What comes after the connection to a server or proxy stands. Newer releases of curl say "Connected" only when TLS
/// does as well; before, they say how they begin it.
constexpr std::array<std::string_view, 3> kConnected = {"== Info: Connected to ",
                                                        "== Info: ALPN: ", "=> Send header: "};

int small_number(std::string_view text) {
  const auto number = parse_decimal(text);
  return number && *number <= 1'000'000 ? static_cast<int>(*number) : 0;
}

constexpr std::size_t kMaxFirstWords = 4096;

bool is_http(const std::string& scheme) { return scheme == "http" || scheme == "https"; }

}  // namespace

void ProgressReader::feed(std::string_view err) {
  take_lines(rest_, err, "\r\n", kMaxProgressLine, [&](std::string_view line) { take_line(line); });
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

void HttpTrace::feed(std::string_view bytes) {
  take_lines(rest_, bytes, "\n", kMaxTraceLine, [&](std::string_view line) { take_line(line); });
}

void HttpTrace::take_line(std::string_view line) {
  for (const std::string_view sign : kConnected)
    has_connected_ = has_connected_ || line.find(sign) != std::string_view::npos;
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

FetchWatch::FetchWatch(const std::string& url, std::chrono::milliseconds spent, const FetchTimeouts& timeouts,
                       const std::string& trace)
    : scheme_(url_scheme(url)), timeouts_(timeouts), spent_(spent), trace_path_(trace) {
  trace_file_ = UniqueFd(open(trace.c_str(), O_RDONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!trace_file_) throw system_error(concat("creating ", quote(trace)));
}

std::string FetchWatch::check(std::string_view err, Clock::time_point now) {
  if (!has_begun_) begun_ = last_progress_ = now;
  has_begun_ = true;
  last_look_ = now;
  if (first_words_.size() < kMaxFirstWords) first_words_ += err;
  progress_.feed(err);
  if (read_trace() || !err.empty()) last_progress_ = now;

  if (now - begun_ + spent_ >= timeouts_.total)
    return concat("not done within ", timeouts_.total.count(), " s (--timeout)");
  if (!has_connected()) {
    if (now - begun_ < timeouts_.connect) return {};
    return concat("no connection within ", timeouts_.connect.count(), " s (--connect-timeout)");
  }
  if (now - last_progress_ < timeouts_.idle) return {};
  return concat("no progress for ", timeouts_.idle.count(), " s (--idle-timeout)");
}

const HttpTrace& FetchWatch::trace() {
  read_trace();
  return trace_;
}

std::chrono::milliseconds FetchWatch::took() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(last_look_ - begun_);
}

/// Returns whether there was more of it.
bool FetchWatch::read_trace() {
  if (!is_http(scheme_)) return false;
  std::array<char, 65536> chunk;
  bool has_grown = false;
  while (true) {
    const ssize_t count = read(trace_file_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error(concat("reading ", quote(trace_path_)));
    if (count == 0) return has_grown;
    trace_.feed(std::string_view(chunk.data(), static_cast<std::size_t>(count)));
    has_grown = true;
  }
}

/// ssh has ConnectTimeout; a file is simply there.
bool FetchWatch::has_connected() const {
  if (first_words_.find(git::kConnected) != std::string::npos) return true;  // libgit2's, without a trace
  if (is_http(scheme_)) return trace_.has_connected();
  if (scheme_ != "git") return true;
  // git fetch -v: "Connecting to HOST (port N) ... ADDRESS done."
  const std::size_t connecting = first_words_.find("Connecting to ");
  return connecting != std::string::npos && first_words_.find(" done.", connecting) != std::string::npos;
}

}  // namespace torchpatch::source
