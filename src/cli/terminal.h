// SPDX-License-Identifier: BSD-3-Clause
/// TerminalConsole: status, progress, warnings and errors on stderr; print_result(): results on stdout.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/command.h"
#include "document/text.h"
#include "support/console.h"
#include "support/error.h"
#include "support/json.h"

namespace torchpatch::cli {

struct ConsoleStyle {
  bool is_terminal = false;  ///< redraw one line; false: print whole lines, rarely
  bool color = false;
  std::size_t width = 0;  ///< columns of the terminal; 0: unknown
};

/// Prints a question, even with --quiet, and returns the answer from stdin, trimmed; empty at the end of input. Raises
/// environment: unreadable; Interrupted, also while waiting.
std::string read_answer(const char* question, Context& context);

/// Draws one progress line on a terminal ("writing files: [=====>   ] 12,345/19,470  63%  120.4 MB  45.2 MB/s  12 s
/// left"). Otherwise prints a line every ten seconds, with the time left after one minute, without bytes, and one at
/// the end of a step.
class TerminalConsole : public Console {
 public:
  /// `clock`: seconds since any start; tests pass their own.
  TerminalConsole(std::ostream& err, ConsoleStyle style, std::function<double()> clock = steady_seconds);

  void set_quiet(bool quiet) { is_quiet_ = quiet; }

  void status(const std::string& line) override;
  void warning(const std::string& line) override;
  void question(const std::string& text) override;
  void progress(const std::string& step, std::uint64_t done, std::uint64_t total, std::uint64_t bytes) override;
  void progress_done() override;
  /// Prints "torchpatch: error: …", a "  while …" line per context, and a "hint: …" line.
  void error(const Error& error);

  static double steady_seconds();

 private:
  struct Progress {
    std::string step;
    std::uint64_t done = 0, total = 0, bytes = 0;
    double started = 0, drawn = 0;
    double since = 0;         ///< start time of this total
    std::uint64_t first = 0;  ///< `done` at that time
  };

  /// Returns the line; `is_drawn`: with bar, rate and time left.
  std::string progress_text(bool is_drawn) const;
  /// Returns "  12 min left", from the rate so far, if measured for `steady_after` seconds; or nothing.
  std::string time_left(double steady_after) const;
  /// Returns "[====>    ] " in the columns left by `text`; nothing if they are few.
  std::string bar(const std::string& text) const;
  void draw_progress();
  void clear_progress_line();
  void print_line(const std::string& line);
  std::string colored(const char* code, const std::string& text) const;

  std::ostream& err_;
  ConsoleStyle style_;
  std::function<double()> clock_;
  bool is_quiet_ = false;
  Progress progress_;  ///< of the current step; if there is none, its name is empty
  bool is_line_drawn_ = false;
};

/// Returns 12345 as "12,345".
std::string grouped(std::uint64_t number);
/// Returns 190123456 as "190.1 MB".
std::string megabytes(double bytes);

// Results on a terminal.

/// Returns the style for stdout: width and colours if it is a terminal.
TextStyle text_style(const Context& context);

/// Prints a result to stdout: as JSON, or as a page for people.
template <typename Result>
void print_result(Context& context, bool as_json, const Result& result, const Document& page) {
  print(context, as_json ? report_json(to_json(result, JsonForm::report)) : document_text(page, text_style(context)));
}

/// Prints `text` through the user's pager (support/program.h) if stdout is a terminal, else directly.
void print_paged(Context& context, const std::string& text);

}  // namespace torchpatch::cli
