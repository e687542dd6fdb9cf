// SPDX-License-Identifier: BSD-3-Clause
/// What is wrong in data files, collected so that all of it is reported at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/error.h"
#include "support/fields.h"

namespace torchpatch {

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
