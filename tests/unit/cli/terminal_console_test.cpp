// SPDX-License-Identifier: BSD-3-Clause
#include "cli/terminal.h"

#include <sstream>

#include "support/catch.h"

using namespace torchpatch;
using namespace torchpatch::cli;

namespace {

struct Screen {
  std::ostringstream err;
  double now = 0;
  TerminalConsole console;
  explicit Screen(ConsoleStyle style) : console(err, style, [this] { return now; }) {}
  std::string text() const { return err.str(); }
};

}  // namespace

TEST_CASE("TerminalConsole: draws one line over and over on a terminal") {
  Screen screen({.is_terminal = true});
  screen.console.progress("writing files", 1, 4000, 0);
  CHECK(screen.text().empty());  // too early to draw
  screen.now = 0.5;
  screen.console.progress("writing files", 2000, 4000, 1'000'000);
  const std::string drawn = "\r\033[Kwriting files: [============            ] 2,000/4,000  50%  1.0 MB  2.0 MB/s";
  CHECK(screen.text() == drawn);
  screen.now = 0.55;
  screen.console.progress("writing files", 2100, 4000, 1'100'000);
  CHECK(screen.text() == drawn);
  screen.err.str("");
  screen.now = 2;
  screen.console.progress("writing files", 4000, 4000, 8'000'000);
  screen.err.str("");
  screen.console.progress_done();
  CHECK(screen.text() == "\r\033[Kwriting files: 4,000  8.0 MB  4.0 MB/s\n");
}

TEST_CASE("TerminalConsole: prints whole lines elsewhere, one in ten seconds") {
  Screen screen({});
  for (std::uint64_t second = 0; second < 25; ++second) {
    screen.now = static_cast<double>(second);
    screen.console.progress("reading", second, 0, 0);
  }
  screen.console.progress_done();
  CHECK(screen.text() == "reading: 10\nreading: 20\nreading: 24\n");
}

TEST_CASE("TerminalConsole: tells rate and time left after some seconds, by the rate of the current total") {
  Screen screen({.is_terminal = true, .width = 64});
  const auto drawn = [&](double now, std::uint64_t done, std::uint64_t total) {
    screen.err.str("");
    screen.now = now;
    screen.console.progress("compiling", done, total, 0);
    return screen.text();
  };
  drawn(0, 0, 90);
  CHECK(drawn(4, 3, 90) == "\r\033[Kcompiling: [                        ] 3/90  3%");
  CHECK(drawn(50, 30, 90) == "\r\033[Kcompiling: [========                ] 30/90  33%  2 min left");
  CHECK(drawn(90, 80, 90) == "\r\033[Kcompiling: [=====================   ] 80/90  88%  12 s left");
  // The next run of ninja.
  CHECK(drawn(100, 1, 9001) == "\r\033[Kcompiling: [                        ] 1/9,001  0%");
  CHECK(drawn(200, 101, 9001) == "\r\033[Kcompiling: [              ] 101/9,001  1%  1/s  2 h 29 min left");
  // It was begun again.
  CHECK(drawn(300, 11, 9001) == "\r\033[Kcompiling: [                        ] 11/9,001  0%");
  CHECK(drawn(400, 9001, 9001) == "\r\033[Kcompiling: 9,001");
}

TEST_CASE("TerminalConsole: no bar where there is no room, and no line is wider than the terminal") {
  for (const std::size_t width : {30u, 40u, 60u, 200u}) {
    Screen screen({.is_terminal = true, .width = width});
    screen.console.progress("compiling", 0, 90, 0);
    screen.now = 50;
    screen.console.progress("compiling", 45, 90, 0);
    const std::string line = screen.text().substr(4);
    CHECK((line.find('[') != std::string::npos) == (width > 50));
    CHECK((line.size() < width || width == 30));
  }
}

TEST_CASE("TerminalConsole: elsewhere the time left comes after a minute, without a bar") {
  Screen screen({});
  const auto printed = [&](double now, std::uint64_t done) {
    screen.err.str("");
    screen.now = now;
    screen.console.progress("compiling", done, 90, 0);
    return screen.text();
  };
  printed(0, 0);
  CHECK(printed(50, 30) == "compiling: 30/90  33%\n");
  CHECK(printed(60, 36) == "compiling: 36/90  40%  2 min left\n");
}

TEST_CASE("TerminalConsole: a message ends the drawn line first") {
  Screen screen({.is_terminal = true});
  screen.console.progress("reading", 0, 0, 0);
  screen.now = 1;
  screen.console.progress("reading", 5, 0, 0);
  screen.err.str("");
  screen.console.warning("careful");
  CHECK(screen.text() == "\r\033[Kwarning: careful\n");
}

TEST_CASE("TerminalConsole: quiet leaves warnings and errors") {
  Screen screen({});
  screen.console.set_quiet(true);
  screen.console.status("reading");
  screen.console.progress("reading", 1, 2, 3);
  screen.now = 100;
  screen.console.progress("reading", 2, 2, 3);
  screen.console.progress_done();
  CHECK(screen.text().empty());
  screen.console.warning("careful");
  CHECK(screen.text() == "warning: careful\n");
}

TEST_CASE("TerminalConsole: prints an error with its context and hint") {
  Error error(ErrorKind::data, "unknown key 'x'", "did you mean 'y'?");
  error.add_context("while reading 'a.json'");
  error.add_context("while loading layer 'b'");
  Screen plain({});
  plain.console.error(error);
  CHECK(plain.text() ==
        "torchpatch: error: unknown key 'x'\n  while reading 'a.json'\n  while loading layer 'b'\n"
        "hint: did you mean 'y'?\n");
  Screen hostile({});
  hostile.console.error(Error(ErrorKind::data, "no \033[31m here"));
  CHECK(hostile.text() == "torchpatch: error: no \\u001B[31m here\n");
  Screen colored({.color = true});
  colored.console.error(Error(ErrorKind::data, "bad"));
  CHECK(colored.text() == "torchpatch: \033[31;1merror:\033[0m bad\n");
}

TEST_CASE("grouped: a comma every three digits") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(19470123) == "19,470,123");
}
