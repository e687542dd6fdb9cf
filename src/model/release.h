// SPDX-License-Identifier: BSD-3-Clause
/// Where a figure of a data file comes from.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/citation.h"
#include "model/repository_path.h"
#include "model/version.h"
#include "support/object_id.h"

namespace torchpatch {

/// The "sources" of a data file: for some of its keys, the evidence and whether anyone has verified it.
/// Every figure has one (a test says so); what is unverified is shown as such by `show` and the documentation.
struct SourceNote {
  std::vector<std::string> keys;  ///< key paths in the file, such as "memory_mib" or "images.jetpack-3.3.glibc"
  std::string source;             ///< a link, a document of the project, or "general knowledge"
  bool verified = false;
};

// A submodule that is taken at another commit than the one its gitlink pins.

struct SubmoduleOverride {
  RepositoryPath repository;  ///< a submodule, never a component's own repository
  ObjectId replaces;          ///< the commit that the gitlink has to name
  ObjectId commit;            ///< the one that is taken
  std::string url;            ///< where that one may be fetched from

  auto operator<=>(const SubmoduleOverride&) const = default;
};

/// Returns true where `inner` is `outer`, or a repository in it.
bool lies_in(const RepositoryPath& inner, const RepositoryPath& outer);

/// Returns the one of `overrides` that decides the content of `repository`: the deepest that is for it or for a
/// repository it lies in. Null: the release's pins decide.
const SubmoduleOverride* find_override(const std::vector<SubmoduleOverride>& overrides,
                                       const RepositoryPath& repository);

// A release: one PyTorch version and its companions, pinned by commit. Data: releases/*.json.

/// A commit of a closure, and the URL recorded for its repository.
struct SubmodulePin {
  ObjectId commit;
  std::string url;

  /// Parses "<commit> <url>"; the URL is one without url_problem.
  static std::optional<SubmodulePin> parse(std::string_view text);
  std::string text() const;

  auto operator<=>(const SubmodulePin&) const = default;
};

/// Where a component comes from.
struct ComponentPin {
  std::string url;      ///< recorded upstream, https
  std::string tag;      ///< only checked, never resolved to decide content
  std::string version;  ///< the component's own version, "0.3.0"
  ObjectId commit;
  /// Variables that only the build of this component gets, name → value, in order: BUILD_VERSION of a companion.
  std::vector<std::pair<std::string, std::string>> environment{};
  /// The submodules of its closure as recorded: hints for fetching them together with it, which decide nothing.
  std::set<SubmodulePin> submodules{};
};

/// A submodule whose repository moved, or whose pin has known trouble.
struct MovedRepository {
  std::string from;             ///< URL as recorded in .gitmodules
  std::vector<std::string> to;  ///< where it lives now, tried in order
  std::string note;
};

/// An environment variable that this release's build reads, and where: "tools/setup_helpers/nccl.py:9".
struct BuildFlag {
  std::string name;
  std::string read_at;
};
template <typename Fields>
void fields(Fields& f, BuildFlag& flag) {
  f("name", flag.name);
  f("read_at", flag.read_at);
}

/// Returns whether a build can get a variable of that name: `_?[A-Z][A-Z0-9_]*`.
bool is_variable_name(std::string_view name);

/// What the catalog knows of variables that stands in no release's `flags`. Data: variables.json.
struct VariableTable {
  /// A name that no release reads, although build notes set it → what to say instead, the nearest first.
  std::map<std::string, std::vector<std::string>> never_read;
  /// What compilers, CMake, Python, the loader and other tools read: names, or beginnings of them with a final '*'.
  std::vector<std::string> of_tools;
  /// What CMake reads on its own → the command that does: CC → "project(".
  std::map<std::string, std::string> implied;
};

struct Release {
  Version version;
  std::string date;
  std::vector<std::string> python;   ///< minor versions that it builds for: "3.5"
  std::optional<VersionRange> cuda;  ///< CUDA versions its build accepts; absent = not bounded
  std::map<Component, ComponentPin> components;
  /// Bounds on build tools, name → range, in name order: cmake "<4".
  std::map<std::string, VersionRange> build_tools;
  /// Python modules that the build of a component imports, name → place: yaml → "aten/src/ATen/gen.py:4". A component
  /// whose sources were not looked at is not in it.
  std::map<Component, std::map<std::string, std::string>> imports;
  std::vector<BuildFlag> flags;  ///< sorted by name
  /// Environment every build of this release needs, such as the version variables; name → value, in order.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Components left out, with the reason ("torchaudio": "no tag …").
  std::vector<std::string> notes;
  /// Set where these repositories only stand in for upstream: what to tell the user. Absent = the real thing.
  std::optional<std::string> stand_in;
  std::vector<SourceNote> sources;
  Citations citations;  ///< of the sources' texts

  const ComponentPin* find(Component component) const;
  /// Returns where a variable is read, or null.
  const BuildFlag* find_flag(std::string_view name) const;
};

}  // namespace torchpatch
