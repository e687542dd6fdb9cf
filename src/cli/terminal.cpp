// SPDX-License-Identifier: BSD-3-Clause
#include "cli/terminal.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ostream>

#include "support/program.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

constexpr double kTerminalInterval = 0.1;  // seconds between redraws
constexpr double kPlainInterval = 10;
constexpr double kSteadyAfter = 60;  // minimum age of a rate
constexpr double kSteadyWhenDrawn = 5;
constexpr const char* kRed = "31;1";
constexpr const char* kYellow = "33;1";
constexpr const char* kCyan = "36";

}  // namespace

double TerminalConsole::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string read_answer(const char* question, Context& context) {
  context.console.question(question);
  std::string answer;
  for (char c = 0;;) {
    check_interrupted();
    const ssize_t count = ::read(STDIN_FILENO, &c, 1);
    if (count < 0 && errno != EINTR) throw system_error("reading the answer");
    if (count == 0 || (count > 0 && c == '\n')) return std::string(trim(answer));
    if (count > 0) answer += c;
  }
}

TerminalConsole::TerminalConsole(std::ostream& err, ConsoleStyle style, std::function<double()> clock)
    : err_(err), style_(style), clock_(std::move(clock)) {}

void TerminalConsole::status(const std::string& line) {
  if (!is_quiet_) print_line(line);
}

void TerminalConsole::warning(const std::string& line) {
  print_line(colored(kYellow, "warning:") + " " + visible(line));
}

void TerminalConsole::question(const std::string& text) {
  clear_progress_line();
  err_ << text << ' ' << std::flush;
}

void TerminalConsole::error(const Error& error) {
  print_line(concat("torchpatch: ", colored(kRed, "error:"), " ", visible(error.message())));
  for (const std::string& line : error.context()) print_line("  " + visible(line));
  if (!error.hint().empty()) print_line(colored(kCyan, "hint:") + " " + visible(error.hint()));
}

void TerminalConsole::progress(const std::string& step, std::uint64_t done, std::uint64_t total, std::uint64_t bytes) {
  if (is_quiet_) return;
  const double now = clock_();
  if (step != progress_.step) {
    progress_done();
    progress_ = {.step = step, .started = now, .drawn = now};
  }
  if (total != progress_.total || done < progress_.done) {
    progress_.since = now;
    progress_.first = done;
  }
  progress_.done = done;
  progress_.total = total;
  progress_.bytes = bytes;
  if (now - progress_.drawn < (style_.is_terminal ? kTerminalInterval : kPlainInterval)) return;
  progress_.drawn = now;
  draw_progress();
}

void TerminalConsole::progress_done() {
  if (progress_.step.empty()) return;
  clear_progress_line();
  const std::string last = progress_text(false);
  progress_ = {};
  print_line(last);
}

std::string TerminalConsole::progress_text(bool is_drawn) const {
  const bool is_open = progress_.total != 0 && progress_.done != progress_.total;
  std::string text = grouped(progress_.done);
  if (is_open) text += concat("/", grouped(progress_.total), "  ", progress_.done * 100 / progress_.total, "%");
  const double bytes = static_cast<double>(progress_.bytes), seconds = clock_() - progress_.started;
  const double steps = static_cast<double>(progress_.done - progress_.first) / (clock_() - progress_.since);
  if (progress_.bytes > 0) {
    text += "  " + megabytes(bytes);
    if (seconds >= 0.05) text += concat("  ", megabytes(bytes / seconds), "/s");
  } else if (is_drawn && is_open && steps >= 1) {
    text += concat("  ", grouped(static_cast<std::uint64_t>(steps)), "/s");
  }
  if (is_drawn)
    text += time_left(kSteadyWhenDrawn);
  else if (progress_.bytes == 0)
    text += time_left(kSteadyAfter);
  return concat(progress_.step, ": ", is_drawn && is_open ? bar(text) : "", text);
}

std::string TerminalConsole::bar(const std::string& text) const {
  const std::size_t columns = style_.width == 0 ? 80 : style_.width;
  const std::size_t taken = progress_.step.size() + text.size() + 6;  // ": [", "] ", and a free column
  if (columns < taken + 8) return {};
  const std::size_t length = std::min<std::size_t>(columns - taken, 24);
  const std::size_t filled = progress_.done * length / progress_.total;
  return concat("[", std::string(filled, '='), std::string(length - filled, ' '), "] ");
}

std::string TerminalConsole::time_left(double steady_after) const {
  const double seconds = clock_() - progress_.since;
  if (progress_.done <= progress_.first || progress_.done >= progress_.total || seconds < steady_after) return {};
  const double rate = static_cast<double>(progress_.done - progress_.first) / seconds;
  const auto left = static_cast<std::uint64_t>(static_cast<double>(progress_.total - progress_.done) / rate);
  if (style_.is_terminal && left < 60) return concat("  ", left + 1, " s left");
  return concat("  ", minutes_text(left / 60 + 1), " left");
}

void TerminalConsole::draw_progress() {
  if (!style_.is_terminal) {
    err_ << progress_text(false) << '\n' << std::flush;
    return;
  }
  err_ << "\r\033[K" << progress_text(true) << std::flush;
  is_line_drawn_ = true;
}

void TerminalConsole::clear_progress_line() {
  if (is_line_drawn_) err_ << "\r\033[K";
  is_line_drawn_ = false;
}

void TerminalConsole::print_line(const std::string& line) {
  clear_progress_line();
  err_ << line << '\n' << std::flush;
}

std::string TerminalConsole::colored(const char* code, const std::string& text) const {
  return style_.color ? concat("\033[", code, "m", text, "\033[0m") : text;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string megabytes(double bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MB", bytes / 1e6);
  return text.data();
}

TextStyle text_style(const Context& context) {
  return {context.environment.out_width, context.color ? TextColor::ansi : TextColor::none};
}

void print_paged(Context& context, const std::string& text) {
  if (context.environment.out_is_terminal && context.environment.variable("TERM") != "dumb") {
    const auto pager = find_pager(context.environment.variables);
    if (pager && run_pager(*pager, text)) return;
  }
  print(context, text);
}

}  // namespace torchpatch::cli
