// SPDX-License-Identifier: BSD-3-Clause
/// The manifest (torchpatch/manifest.json): what was prepared, in enough detail to verify it and to build it again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/json_forms.h"
#include "model/licence.h"
#include "model/path_rule.h"
#include "model/plan.h"
#include "model/release.h"
#include "model/repository_path.h"

namespace torchpatch {

FIELDS(LicenceFile, ("file", self.name, kSafePathRule), ("id", TextOrNull{self.id}))
/// Reports a name that is not a licence file's.
void check_fields(ObjectReader& object, const LicenceFile& file);

/// 9999-12-31, the latest time that tar and file systems can store; seconds since 1970.
inline constexpr std::int64_t kLastTimestamp = 253402300799;

/// Why a submodule is not at the commit in its gitlink.
struct ManifestOverride {
  ObjectId replaces;  ///< the commit in the gitlink
  std::string patchset, variant;
  std::vector<std::string> issues;
};
FIELDS(ManifestOverride, replaces, patchset, variant, issues)

struct ManifestRepository {
  RepositoryPath path;
  std::string url;  ///< as recorded (relative URLs resolved against the recorded parent), or the override's
  ObjectId commit;
  std::string raw_commit;  ///< content of the commit object; base64 in JSON
  ObjectId base_tree;      ///< the commit's tree
  ObjectId patched_tree;   ///< with patches and added files; submodules as gitlinks to their pinned commits
  std::optional<ManifestOverride> overridden{};
  std::optional<ContentPin> content{};  ///< of a component pinned by content; `commit` is then constructed
  std::vector<LicenceFile> licences{};  ///< at its root in OUT, by name

  /// The commit that the parent repository's tree names.
  const ObjectId& gitlink() const { return overridden ? overridden->replaces : commit; }
};
FIELDS(ManifestRepository, ("path", self.path, kSafeRepositoryRule), url, commit,
       ("override", self.overridden, kOptional), ("content", self.content, kOptional), base_tree, patched_tree,
       licences, ("raw_commit", Base64{self.raw_commit}))
/// Reports licences out of order, an override of a component itself, and content that does not match the repository.
void check_fields(ObjectReader& object, const ManifestRepository& repository);

/// An entry of a pinned tree that OUT lacks: a file, a link, or a whole submodule (mode gitlink, id of its commit).
struct ManifestGap {
  RepositoryPath repository;  ///< whose tree names it
  std::string path;           ///< path in the repository
  FileMode mode = FileMode::regular;
  ObjectId id;

  /// Returns its path in OUT: "pytorch/third_party/onnx/onnx.h".
  std::string out_path() const { return repository_directory(repository) + "/" + path; }
};
FIELDS(ManifestGap, ("repository", self.repository, kSafeRepositoryRule), ("path", self.path, kSafePathRule),
       ("mode", ModeOutOf{self.mode, {FileMode::regular, FileMode::executable, FileMode::link, FileMode::gitlink}}), id)

struct ManifestPatch {
  std::string patchset, variant;
  std::string file;  ///< the copy: "patches/0001-nccl-default.patch" below torchpatch/
  Sha256 sha256;
  RepositoryPath repository;
  std::vector<std::string> issues;
  bool is_certified = true;
  std::vector<PatchEdge> edges;  ///< all paths it touches, as applied
};
FIELDS(ManifestPatch, patchset, variant, ("file", self.file, kSafePathRule), sha256,
       ("repository", self.repository, kSafeRepositoryRule), issues, is_certified, edges)
/// Refuses paths that are not allowed in OUT.
void check_fields(ObjectReader& object, const ManifestPatch& patch);

struct ManifestAddedFile {
  std::string patchset, variant;
  RepositoryPath repository;
  std::string path;
  FileMode mode = FileMode::regular;
  ObjectId blob;
  Sha256 sha256;
  std::vector<std::string> issues;
};
FIELDS(ManifestAddedFile, patchset, variant, ("repository", self.repository, kSafeRepositoryRule),
       ("path", self.path, kSafePathRule), ("mode", ModeOutOf{self.mode, {FileMode::regular, FileMode::executable}}),
       blob, sha256, issues)

/// The catalog's data on an issue that a patch, an added file or an override is for.
struct ManifestIssue {
  std::string id, title, severity;
  std::vector<std::string> links;
};
FIELDS(ManifestIssue, id, title, severity, links)

/// A file in torchpatch/ next to the manifest.
struct ManifestSideFile {
  std::string name;  ///< relative to torchpatch/
  Sha256 sha256;
  bool is_executable = false;
};
FIELDS(ManifestSideFile, ("name", self.name, kSafePathRule), sha256, is_executable)

/// The layer that comes with torchpatch.
inline constexpr const char* kShippedLayer = "shipped";

/// The versions of a tool that the release accepts.
struct ToolBound {
  std::string tool;
  std::string range;  ///< ">=5 <11"
};
FIELDS(ToolBound, tool, range)
void check_fields(ObjectReader& object, const ToolBound& bound);

struct OutLink {
  std::string path, target;
  auto operator<=>(const OutLink&) const = default;
};
FIELDS(OutLink, path, target)

struct Manifest {
  std::string tool_version;
  std::string release;
  std::optional<std::string> stand_in;  ///< set if this is not upstream's code
  std::string board, image, python;
  std::map<std::string, std::string> target;  ///< arch, os, glibc, gcc, cuda, …, if known
  /// The build machine, if it is not the board: board, image, arch, os, glibc, …, if known; else empty.
  std::map<std::string, std::string> host;
  std::vector<Component> components;
  std::map<Component, std::string> versions;  ///< of each component, by upstream's numbering: "0.3.0"
  std::vector<std::string> with_fixes, without_fixes;
  std::map<std::string, std::string> settings;
  std::vector<std::string> forced_settings{};  ///< those set by --force-set
  std::string build_target{};                  ///< --build-target, or empty
  bool forced = false, unpatched = false, allow_uncertified = false;
  Sha256 plan;
  /// Git tree of each component with submodules inlined; also its SWHID.
  std::map<Component, ObjectId> trees;
  /// Git tree of OUT without torchpatch/: the directories of the components.
  ObjectId tree;
  std::int64_t timestamp = 0;  ///< of the newest pinned commit, seconds since 1970; every mtime
  std::uint64_t file_count = 0, link_count = 0, byte_count = 0;
  std::vector<ManifestRepository> repositories;  ///< by path
  std::vector<ManifestGap> gaps;                 ///< by (repository, path); if not empty, the tree is partial
  std::vector<ManifestPatch> patches;            ///< in order of application
  std::vector<ManifestAddedFile> added_files;
  std::vector<IssueDecision> issues;
  std::vector<ManifestIssue> answered_issues;  ///< by id
  std::vector<AdvisoryDecision> advisories{};  ///< for its components, by id
  std::vector<PlannedSetting> environment;
  std::vector<ToolBound> tool_bounds;
  std::vector<std::string> warnings;
  std::vector<std::string> executables;  ///< paths relative to OUT, sorted bytewise
  std::vector<OutLink> links;
  std::vector<ManifestSideFile> side_files;  ///< except those derived from the manifest (docs/formats.md)
  std::vector<EntryOrigin> origins;          ///< of each catalog entry the plan used
};
/// Whether there is no stand-in; check_fields compares the two.
struct IsGenuine {
  const std::optional<std::string>& stand_in;
  Json json() const { return !stand_in.has_value(); }
  void read(const JsonPlace& place) const { place.is(Json::Kind::boolean); }
};
FIELDS(Manifest, ("schema", SchemaVersion{}), tool_version, ("release", self.release, kVersionRule),
       ("genuine", IsGenuine{self.stand_in}), ("stand_in", self.stand_in, kOptional), board, image,
       ("python", self.python, kPythonRule), target, ("host", self.host, kOptional), components,
       ("versions", OfComponents{self.components, self.versions}), with_fixes, without_fixes, settings,
       ("forced_settings", self.forced_settings, kOptional), ("build_target", self.build_target, kOptional), forced,
       unpatched, allow_uncertified, plan, tree, ("trees", OfComponents{self.components, self.trees}),
       ("timestamp", self.timestamp, Range{0, kLastTimestamp}), file_count, link_count, byte_count, repositories,
       ("missing", self.gaps, kOptional), patches, added_files, issues, answered_issues, advisories, environment,
       tool_bounds, warnings, links, executables, side_files, origins)
/// Reports inconsistencies: an entry of a repository that is not listed, a list that is not sorted, ….
void check_fields(ObjectReader& root, const Manifest& manifest);

/// Returns the paths in OUT of what is missing from it: present in the pinned sources, or missing from those too.
std::vector<std::string> missing_paths(const Manifest& manifest);
/// Returns whether there are any.
bool is_partial(const Manifest& manifest);
/// Returns "2 files and 1 submodule of the pinned commits are missing", or empty text if the tree is complete.
std::string gaps_text(const Manifest& manifest);
/// Returns the first ten of these paths, then "… and 3 more"; manifest.json lists all.
std::vector<std::string> gap_lines(const Manifest& manifest);

/// Returns what pip installs if the CMake of a system (Manifest::target or host) is older than the release accepts:
/// "cmake>=3.18,<4"; otherwise empty.
std::string newer_cmake(const Manifest& manifest, const std::map<std::string, std::string>& system);

/// Returns what whoever prepared it chose, as options: "--set CC=gcc-11", "--unpatched". Nothing can prove a choice.
std::vector<std::string> chosen_options(const Manifest& manifest);

/// Returns the options of prepare that reproduce this tree, without --output: "--version", "1.1.0", … A catalog layer
/// is given by its directory in `layers`, or by its name if it is not in there.
std::vector<std::string> prepare_words(const Manifest& manifest, const std::map<std::string, std::string>& layers = {});

/// Returns the catalog layers its entries come from, except the one that comes with torchpatch.
std::set<std::string> foreign_layers(const Manifest& manifest);

/// Returns the ids of the issues that its patches, added files and overrides are for.
std::set<std::string> answered_issues(const Manifest& manifest);

}  // namespace torchpatch
