// SPDX-License-Identifier: BSD-3-Clause
/// A release: one PyTorch version and its companions, pinned by commit or by content (releases/*.json); also overrides
/// of submodules, and repositories that moved.
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
#include "model/text_rules.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch {

// A submodule that is taken at a different commit than its gitlink pins.

struct SubmoduleOverride {
  RepositoryPath repository;  ///< a submodule, never a component's own repository
  ObjectId replaces;          ///< the commit that the gitlink must name
  ObjectId commit;            ///< the commit to use instead
  std::string url;            ///< where that commit can be fetched

  auto operator<=>(const SubmoduleOverride&) const = default;
};
FIELDS(SubmoduleOverride, repository, replaces, ("url", self.url, kUrlRule), commit)

/// Returns whether `inner` is `outer` or a repository inside it.
bool lies_in(const RepositoryPath& inner, const RepositoryPath& outer);

/// Returns the override that determines the content of `repository`: the deepest that is for it or for a repository
/// around it. Null: the release's pins do.
const SubmoduleOverride* find_override(const std::vector<SubmoduleOverride>& overrides,
                                       const RepositoryPath& repository);

/// A commit of a closure, and the URL recorded for its repository.
struct SubmodulePin {
  ObjectId commit;
  std::string url;

  /// Parses "<commit> <url>"; the URL must be accepted by url_problem.
  static std::optional<SubmodulePin> parse(std::string_view text);
  std::string text() const;

  auto operator<=>(const SubmodulePin&) const = default;
};
template <>
inline constexpr TextRule kFormOf<SubmodulePin>{"a commit and the URL of its repository", nullptr,
                                                "^[0-9a-f]{40} \\S+$"};

/// The program that builds a component.
enum class FrontEndKind {
  setup_py,           ///< `setup.py bdist_wheel`, and `setup.py build --cmake-only` to configure alone
  scikit_build_core,  ///< `python -m build`; its setup.py refuses to build
};
NAMES(FrontEndKind, (setup_py, "setup.py"), (scikit_build_core, "scikit-build-core"))

/// How a component is built, if not by a setup.py that passes the variables to CMake.
struct FrontEnd {
  FrontEndKind kind = FrontEndKind::setup_py;
  std::string forwards;  ///< the file that passes environment variables to CMake; empty: setup.py
};
FIELDS(FrontEnd, kind,
       ("forwards", self.forwards, kOptional, kLineRule,
        "the file that passes environment variables to CMake; absent: setup.py does"))

/// An archive that replaces a component whose commit is in no repository. Its commit is constructed, a pure function of
/// the pinned content, so that everything else can work with commits; it is never presented as upstream's.
struct ContentPin {
  std::string archive;               ///< file name: "pytorch_2.6.0+dfsg.orig.tar.xz"
  Sha256 sha256;                     ///< of the archive
  ObjectId tree;                     ///< of its files and `gitlinks`
  ObjectId commit;                   ///< of raw_commit()
  std::optional<ObjectId> claims{};  ///< upstream's commit that it claims to be, by the archive or the release
  std::map<std::string, SubmodulePin> gitlinks{};  ///< by path: submodules, whose commits are not in archives
  std::vector<std::string> absent{};               ///< paths missing from it without a known pin

  /// Returns the content of the constructed commit object.
  std::string raw_commit() const;
  /// Returns "content of FILE, SHA-256 …; upstream's commit … is claimed, not proven".
  std::string text() const;

  bool operator==(const ContentPin&) const = default;
};
FIELDS(ContentPin, ("archive", self.archive, kLineRule, "name of the file"), sha256,
       ("tree", self.tree, "git tree of its files and gitlinks"),
       ("commit", self.commit, "constructed from tree, archive and sha256"),
       ("claims", self.claims, kOptional, "upstream's commit that it claims to be"),
       ("gitlinks", self.gitlinks, kOptional, KeyRule{kOutputPathRule}, "commit and URL of each submodule, by path"),
       ("absent", self.absent, kOptional, kOutputPathRule, kUnique, "paths that it lacks, and no pin is known for"))
/// Reports a commit other than the constructed one, and a submodule with the commit of another repository.
void check_fields(ObjectReader& object, const ContentPin& content);

/// Returns the first other path with the same commit but another URL, or empty text. A commit belongs to one
/// repository, so one of the two pins is wrong.
std::string path_of_same_commit(const std::map<std::string, SubmodulePin>& gitlinks, const std::string& path);

/// The source of a component.
struct ComponentPin {
  std::string url;      ///< recorded upstream, https
  std::string tag;      ///< only checked; it never determines content
  std::string version;  ///< the component's own version, "0.3.0"
  ObjectId commit;
  /// Variables for the build of this component only: name → value, in order; BUILD_VERSION of a companion.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::optional<FrontEnd> front_end{};  ///< absent: setup.py
  /// An archive for those who cannot get `commit`; the only pin if `commit` is its constructed commit.
  std::optional<ContentPin> content{};
  /// The submodules of its closure as recorded: only hints, for fetching them together with it.
  std::set<SubmodulePin> submodules{};

  bool is_content() const { return content && content->commit == commit; }
  /// Returns whether `other` is a commit that it is pinned by, constructed ones included.
  bool is_at(const ObjectId& other) const { return commit == other || (content && content->commit == other); }
  /// Returns the commit of the other kind of pin: the constructed one, or if that is the pin, the claimed one.
  std::optional<ObjectId> other_commit() const;
  /// Switches to the pin by content; the commit becomes a claim.
  void take_content();
};
FIELDS(ComponentPin, ("url", self.url, kUrlRule), ("tag", self.tag, kNameRule), ("version", self.version, kVersionRule),
       commit, ("content", self.content, kOptional, "an archive to use instead of the commit"),
       ("front_end", self.front_end, kOptional, "what builds it; absent: setup.py"),
       ("environment", self.environment, kOptional, KeyRule{kVariableNameRule}, kLineRule, kMayBeEmpty,
        "of the build of this component alone"))

/// A submodule whose repository moved, or whose pin has known problems.
struct MovedRepository {
  std::string from;             ///< URL as recorded in .gitmodules
  std::vector<std::string> to;  ///< current URLs, tried in order
  std::string note;
};
FIELDS(MovedRepository, ("from", self.from, kUrlRule, "URL as .gitmodules has it"),
       ("to", self.to, kUrlRule, kNotEmpty, kUnique, "its current URLs, tried in order"),
       ("note", self.note, kOptional, kLineRule))

/// Returns whether a build variable may have that name: `_?[A-Z][A-Z0-9_]*`.
bool is_variable_name(std::string_view name);

struct MovedRepositories {
  std::vector<MovedRepository> moved;
};
FIELDS(MovedRepositories, ("schema", SchemaVersion{}), ("moved", self.moved, kNotEmpty))

struct Release {
  Version version;
  std::string date;
  std::vector<std::string> python;               ///< minor versions that it builds for: "3.5"
  std::optional<VersionRange> cuda;              ///< versions that its build accepts; absent = any
  std::vector<std::string> unsupported_archs{};  ///< as uname -m prints them: no longer supported by upstream
  std::map<Component, ComponentPin> components;
  /// Bounds on build tools: name → range, by name; cmake "<4".
  std::map<std::string, VersionRange> build_tools;
  /// Python modules imported by the build of a component, name → place: yaml → "aten/src/ATen/gen.py:4". A component
  /// whose sources were not checked is not in the map.
  std::map<Component, std::map<std::string, std::string>> imports;
  /// Environment variables that its build reads: name → place; USE_NCCL → "tools/setup_helpers/nccl.py:9".
  std::map<std::string, std::string> flags;
  /// Environment for every build of this release, such as the version variables: name → value, in order.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Components left out, with the reason ("torchaudio": "no tag …").
  std::vector<std::string> notes;
  /// Set if these repositories only stand in for upstream: the message for users. Absent = upstream's.
  std::optional<std::string> stand_in;
  std::vector<SourceNote> sources;
  Citations citations;  ///< supporting the texts of `sources`
  std::optional<Sha256> replaces{};

  const ComponentPin* find(Component component) const;
};
FIELDS(Release, ("schema", SchemaVersion{}),
       ("replaces", self.replaces, kOptional, "SHA-256 of the file of a lower layer that this one replaces"),
       ("version", self.version, "equals the file's name"), ("date", self.date, kDateRule),
       ("python", self.python, kMinorVersionRule, kNotEmpty, kUnique, "minor versions that it builds for"),
       ("cuda", self.cuda, kOptional, kNoPreRelease, "versions of CUDA that its build accepts; absent: any"),
       ("unsupported_archs", self.unsupported_archs, kOptional, kNameRule, kUnique,
        "instruction sets, as uname -m prints them, that upstream no longer supports"),
       ("components", self.components),
       ("build_tools", self.build_tools, kOptional, kKeptIfEmpty, KeyRule{kNameRule}, kNoPreRelease,
        "bounds, such as cmake: <4"),
       ("imports", self.imports, kOptional, kKeptIfEmpty, KeyRule{kNameRule}, kPlaceRule,
        "modules that the build of a component imports"),
       ("flags", self.flags, kOptional, kKeptIfEmpty, KeyRule{kVariableNameRule}, kPlaceRule,
        "variables that its build reads, and where"),
       ("environment", self.environment, kOptional, kKeptIfEmpty, KeyRule{kVariableNameRule}, kLineRule, kMayBeEmpty),
       ("notes", self.notes, kOptional, kLineRule, kUnique),
       ("stand_in", self.stand_in, kOptional, kLineRule, "set if these repositories only stand in for upstream"),
       ("sources", self.sources, kNotEmpty), ("citations", CitationsForm{self.citations.present, true}, kOptional),
       ("absences", CitationsForm{self.citations.absent, false}, kOptional),
       ("outside", self.citations.outside, kOptional, kPlaceRule, kUnique),
       ("genuine", derived([&] { return !self.stand_in.has_value(); })))
/// Returns the components that `kind` builds.
std::set<Component> built_by(const Release& release, FrontEndKind kind);
/// Reports a missing torch.
void check_fields(ObjectReader& object, const Release& release);

}  // namespace torchpatch
