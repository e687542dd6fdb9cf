// SPDX-License-Identifier: BSD-3-Clause
/// A machine to examine: a root with its files, and shell scripts as its tools.
#pragma once

#include <map>
#include <string>

#include "support/file.h"

namespace torchpatch::test {

class FakeHost {
 public:
  /// An aarch64 board: Ubuntu 18.04 with its tools, 4 processors, 8 GiB, no CUDA.
  FakeHost();

  std::string root() const { return temp_.path() + "/root"; }
  std::string path() const { return temp_.path() + "/bin"; }
  /// Writes a file below the root.
  void write(const std::string& name, const std::string& bytes) const;
  /// Puts a tool in PATH: the lines of a shell script.
  void tool(const std::string& name, const std::string& script) const;
  void remove(const std::string& tool) const;

 private:
  TempDir temp_;
};

}  // namespace torchpatch::test
