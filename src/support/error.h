// SPDX-License-Identifier: BSD-3-Clause
/// Error, the one exception of torchpatch: its kind says who must act, and is the exit code. Findings: what is wrong in
/// data files, collected so that all of it is reported at once.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "support/fields.h"

namespace torchpatch {

/// Exit codes of the program; `docs/commands.md` documents each.
enum class ErrorKind {
  usage = 2,        ///< the command line is wrong: unknown board, version, option
  data = 3,         ///< a catalog, manifest or lock file is malformed
  source = 4,       ///< an object is missing, damaged or cannot be fetched
  patch = 5,        ///< a patch does not apply, or has no certificate
  unsafe = 6,       ///< well-formed input that policy refuses: path, mode, link, URL, size
  environment = 7,  ///< disk full, permission, locked, missing program
  internal = 70,    ///< a bug in torchpatch
};

NAMES(ErrorKind, usage, data, source, patch, unsafe, environment, internal)

/// One thing that is wrong in a data file.
struct Finding {
  std::string file;
  int line = 0;     ///< 1-based; 0 where no line is known
  std::string key;  ///< such as "patches[2].sha256", or empty
  std::string message;
  /// Returns "file:line: key: message" without the parts that are absent; hostile names are quoted.
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
  /// What is wrong in data files, one by one; the message has it in words.
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

/// Error of kind source: a worker process died, hung, ran out of its limits, or sent what no worker sends
/// (worker_pool.h).
class WorkerFailure : public Error {
 public:
  explicit WorkerFailure(std::string message) : Error(ErrorKind::source, std::move(message)) {}
};

/// Returns an environment Error: "opening '/x': Permission denied". "/proc/self/fd/N" of a directory becomes its name.
Error system_error(const std::string& action);

FIELDS(Finding, file, line, key, message)

/// Collects findings so that all of all files are reported at once. Of a hostile file, which can have more than memory
/// holds, the first kMostFindings are kept and the others counted.
class Findings {
 public:
  static constexpr std::size_t kMostFindings = 1000;

  void add(std::string file, int line, std::string key, std::string message);
  /// The same for what is well-formed, but refused by policy: a path, a link.
  void refuse(std::string file, int line, std::string key, std::string message);
  bool has_refusal() const { return has_refusal_; }
  bool empty() const { return list_.empty(); }
  const std::vector<Finding>& list() const { return list_; }
  /// How many findings were not kept.
  std::size_t omitted() const { return omitted_; }
  /// Raises `kind` with one line a finding, sorted by file and line, if there is any. `action` says what was attempted:
  /// "loading the catalog".
  void raise_if_any(const std::string& action, ErrorKind kind = ErrorKind::data, const std::string& hint = {}) const;

 private:
  std::vector<Finding> list_;
  std::size_t omitted_ = 0;
  bool has_refusal_ = false;
};

}  // namespace torchpatch
