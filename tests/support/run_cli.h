// SPDX-License-Identifier: BSD-3-Clause
/// Runs the command line in-process, in a workspace of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/file.h"

namespace torchpatch::test {

struct CliResult {
  int exit_code = 0;
  std::string out;  ///< the workspace's path replaced by "$TMP"
  std::string err;
};

/// A temporary directory with an environment that knows nothing of this machine: HOME and the XDG directories lie in
/// it.
class TestWorkspace {
 public:
  TestWorkspace();

  std::string path(const std::string& name) const { return temp_.path() + "/" + name; }
  /// Writes a file below the workspace, with its directories.
  void write(const std::string& name, const std::string& bytes) const;
  void set_variable(const std::string& name, const std::string& value) { variables_[name] = value; }
  /// Where the files of the host are read in place of "/".
  void set_root(const std::string& root) { root_ = root; }
  /// The working directory, where a project may be.
  void set_place(const std::string& place) { place_ = place; }
  /// stdin counts as a terminal.
  void set_terminal() { is_terminal_ = true; }
  /// The columns of the terminal that stdout is taken for; 0: none.
  void set_width(std::size_t columns) { width_ = columns; }
  /// Further text to replace in output, such as the path of an upstream.
  void replace_in_output(const std::string& text, const std::string& by) { replaced_[text] = by; }
  CliResult run(const std::vector<std::string>& args) const;

 private:
  std::string normalized(std::string text) const;

  TempDir temp_;
  std::size_t width_ = 0;
  std::string root_ = "/", place_ = ".";
  bool is_terminal_ = false;
  std::map<std::string, std::string> variables_;
  std::map<std::string, std::string> replaced_;
};

/// Replaces the first `from` in a file, which must have one.
void edit(const std::string& file, const std::string& from, const std::string& to);

}  // namespace torchpatch::test
