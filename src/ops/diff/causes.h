// SPDX-License-Identifier: BSD-3-Clause
/// Why two sides differ: which known issue, pin, option or entry of the catalog stands behind a difference (internal).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/diff.h"
#include "ops/diff/diff.h"

namespace torchpatch::ops {

/// Nothing explains where `because` is empty.
struct Cause {
  std::vector<std::string> issues{}, patchsets{};
  std::string because{};

  explicit operator bool() const { return !because.empty(); }
  /// Adds another one, each issue and patchset once.
  void add(const Cause& other);
};

/// Puts `cause` into an entry.
DiffEntry explained(DiffEntry entry, const Cause& cause);

class Causes {
 public:
  Causes(const DiffInput& a, const DiffInput& b);

  /// What was asked for, or the catalog, or torchpatch itself differs: so may anything that follows from them.
  Cause of_premises() const;
  /// An entry of the catalog ("patchset nccl-default") has another digest on each side, or stands on one alone.
  Cause of_entry(const std::string& entry) const;
  /// The sides decided differently about an issue.
  Cause of_issue(const std::string& issue) const;
  /// A fix that answers `issues` does something else on each side.
  Cause of_fix(const std::vector<std::string>& issues, const std::string& patchset, const std::string& variant,
               Component component) const;
  /// A repository is at another commit on each side, or in one alone: the override, the release, or the repository
  /// around it whose commit names another one.
  Cause of_repository(const RepositoryPath& path) const;
  /// A variable of the build is set by `origin` ("issue quiet", "board tx2", "--set") in another way on each side.
  Cause of_origin(const std::string& origin) const;

  /// Null where the side does not have, or not know, the repository.
  const ManifestRepository* in_a(const RepositoryPath& path) const;
  const ManifestRepository* in_b(const RepositoryPath& path) const;
  /// Returns whether it is at another commit, or in one side alone.
  bool is_repinned(const RepositoryPath& path) const;

 private:
  using Repositories = std::map<RepositoryPath, const ManifestRepository*>;
  Cause of_override(const RepositoryPath& path) const;
  Cause of_component(Component component) const;

  const Manifest& a_;
  const Manifest& b_;
  bool premises_differ_;
  Repositories repositories_a_, repositories_b_;
};

}  // namespace torchpatch::ops
