// SPDX-License-Identifier: BSD-3-Clause
/// Console: receives status, warnings and progress while a command runs, and shows them on stderr. Results do not go
/// through it, but to stdout.
#pragma once

#include <cstdint>
#include <string>

namespace torchpatch {

/// Receives messages; the library below `cli` never prints by itself.
class Console {
 public:
  virtual ~Console() = default;
  /// A step that begins or has ended: "reading torch: 44 repositories".
  virtual void status(const std::string& line) = 0;
  virtual void warning(const std::string& line) = 0;
  /// A question that the user must answer now; the answer is typed after it.
  virtual void question(const std::string& text) { status(text); }
  /// Progress of the current step; called often, drawn rarely. `total` 0 = unknown.
  virtual void progress(const std::string& step, std::uint64_t done, std::uint64_t total, std::uint64_t bytes) = 0;
  /// Ends the progress line of the current step.
  virtual void progress_done() = 0;
};

/// Discards everything (tests, --quiet for status).
class NullConsole : public Console {
 public:
  void status(const std::string&) override {}
  void warning(const std::string&) override {}
  void progress(const std::string&, std::uint64_t, std::uint64_t, std::uint64_t) override {}
  void progress_done() override {}
};

}  // namespace torchpatch
