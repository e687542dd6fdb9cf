// SPDX-License-Identifier: BSD-3-Clause
/// Error, the only exception of torchpatch: its kind is the exit code and identifies who must act. Findings: problems
/// in data files, collected so that all are reported at once.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "support/fields.h"

namespace torchpatch {

/// Exit codes of the program, documented in `docs/commands.md`.
enum class ErrorKind {
  usage = 2,        ///< the command line is wrong: unknown board, version, option
  data = 3,         ///< a catalog, manifest or lock file is malformed
  source = 4,       ///< an object is missing, damaged or cannot be fetched
  patch = 5,        ///< a patch does not apply, or has no certificate
  unsafe = 6,       ///< well-formed input refused by policy: path, mode, link, URL, size
  environment = 7,  ///< disk full, permission, locked, missing program
  internal = 70,    ///< a bug in torchpatch
};

NAMES(ErrorKind, usage, data, source, patch, unsafe, environment, internal)

/// A problem in a data file.
struct Finding {
  std::string file;
  int line = 0;     ///< 1-based; 0 if unknown
  std::string key;  ///< such as "patches[2].sha256", or empty
  std::string message;
  /// Returns "file:line: key: message" without absent parts; hostile names are quoted.
  std::string text() const;
};

/// An error: what was attempted and why it failed, in lower case without a final period, names in single quotes.
/// Callers at layer borders add context ("while preparing board 'tx2'"); advice goes into the hint.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message, std::string hint = {});

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  /// Innermost first.
  const std::vector<std::string>& context() const { return context_; }
  /// What to do next, or empty.
  const std::string& hint() const { return hint_; }
  /// Problems in data files, one by one; the message contains them as text.
  const std::vector<Finding>& findings() const { return findings_; }
  void set_findings(std::vector<Finding> findings) { findings_ = std::move(findings); }
  void add_context(std::string line) { context_.push_back(std::move(line)); }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
  std::string hint_;
  std::vector<std::string> context_;
  std::vector<Finding> findings_;
};

/// Error of kind source: a worker process died, hung, exceeded its limits, or sent invalid data (worker_pool.h).
class WorkerFailure : public Error {
 public:
  explicit WorkerFailure(std::string message) : Error(ErrorKind::source, std::move(message)) {}
};

/// Returns an environment Error: "opening '/x': Permission denied". "/proc/self/fd/N" is replaced by the directory's
/// name.
Error system_error(const std::string& action);

FIELDS(Finding, file, line, key, message)

/// Collects findings from all files so that they are reported at once. A hostile file can have more than fit into
/// memory, so only the first kMostFindings are kept; the rest are counted.
class Findings {
 public:
  static constexpr std::size_t kMostFindings = 1000;

  void add(std::string file, int line, std::string key, std::string message);
  /// The same for input that is well-formed but refused by policy: a path, a link.
  void refuse(std::string file, int line, std::string key, std::string message);
  bool has_refusal() const { return has_refusal_; }
  bool empty() const { return list_.empty(); }
  const std::vector<Finding>& list() const { return list_; }
  /// Returns the number of findings not kept.
  std::size_t omitted() const { return omitted_; }
  /// If there are findings, raises `kind` with one line per finding, sorted by file and line. `action` is what was
  /// attempted: "loading the catalog".
  void raise_if_any(const std::string& action, ErrorKind kind = ErrorKind::data, const std::string& hint = {}) const;

 private:
  std::vector<Finding> list_;
  std::size_t omitted_ = 0;
  bool has_refusal_ = false;
};

}  // namespace torchpatch
