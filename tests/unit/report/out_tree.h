// SPDX-License-Identifier: BSD-3-Clause
/// A small OUT on disk, with its scripts, to run them for real.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/doctor.h"
#include "model/manifest.h"
#include "record/manifest_file.h"
#include "support/file.h"
#include "support/program.h"

namespace torchpatch::test {

using Variables = std::vector<std::pair<std::string, std::string>>;

class OutTree {
 public:
  /// Makes `<temp>/<name>`; `name` may have any bytes.
  explicit OutTree(const std::string& name = "out");

  const std::string& root() const { return root_; }
  const std::string& temp() const { return temp_.path(); }
  /// What the scripts are made from; change it before seal().
  Manifest manifest;
  std::vector<HostRequirement> requirements;
  std::set<Component> scikit_build;

  /// Writes a file of OUT that SHA256SUMS will name.
  void add(const std::string& path, const std::string& bytes, bool is_executable = false);
  void add_link(const std::string& path, const std::string& target);
  /// Writes torchpatch/ with check.sh, build.env, build.sh and SHA256SUMS.
  void seal(const std::vector<PlannedStep>& steps = {}, const std::vector<std::string>& recipe = {});

  /// Changes the sealed tree.
  void write(const std::string& path, const std::string& bytes) const;
  void set_mode(const std::string& path, unsigned mode) const;
  void remove(const std::string& path) const;

  /// Runs torchpatch/`script` by `shell` ("dash", "busybox sh") in `directory`, with our PATH unless `variables` has
  /// one.
  ProgramResult run(const std::string& shell, const std::string& script, const std::vector<std::string>& arguments = {},
                    const Variables& variables = {}, const std::string& directory = "/") const;

 private:
  TempDir temp_;
  std::string root_;
  record::Sums sums_;
};

/// Returns the shells that the scripts are written for; fails the test where one is missing.
std::vector<std::string> script_shells();

/// Fails the test with what shellcheck finds in `script`.
void check_with_shellcheck(const std::string& script);

}  // namespace torchpatch::test
