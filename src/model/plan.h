// SPDX-License-Identifier: BSD-3-Clause
/// A plan: what prepare will do for (release, board, image, options), computed from data only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/catalog.h"
#include "support/fields.h"
#include "support/find.h"
#include "support/json_fields.h"

namespace torchpatch {

/// The value in --set for "known to be absent".
inline constexpr const char* kKnownAbsent = "none";

/// The user's choices. Part of the plan and the manifest.
struct PlanOptions {
  std::set<Component> components;  ///< empty = all of the release
  std::set<std::string> with_fixes;
  std::set<std::string> without_fixes;
  /// --set: an upper-case name is a build variable, a lower-case one a fact (distributed, cross, gcc, …).
  std::map<std::string, std::string> settings;
  /// Those set by --force-set, even if this release does not read them.
  std::set<std::string> forced_settings{};
  std::string build_target{};  ///< --build-target: a core of cores.json, or "native"; empty = the board's flags
  std::string host{};          ///< --host: BOARD or BOARD:IMAGE of the build machine; empty = the board itself
  bool force = false;          ///< continue even if release and board do not match
  bool unpatched = false;      ///< the pinned tree, unchanged
};
FIELDS(PlanOptions, with_fixes, without_fixes, settings, forced_settings, build_target, force, unpatched)

enum class IssueStatus {
  applied,       ///< a fix is used
  not_affected,  ///< excluded by release or condition
  undecided,     ///< a fact is unknown
  declined,      ///< --without, --unpatched, or every fix is optional
  uncertified,   ///< applies, but its patch has no certificate for this commit
};
NAMES(IssueStatus, applied, not_affected, undecided, declined, uncertified)

/// The decision on one issue: a line of the plan.
struct IssueDecision {
  std::string issue;
  IssueStatus status = IssueStatus::not_affected;
  std::string reason;  ///< "registers_per_block is 65536, not <65536"
  std::string fix;     ///< id of the fix that resolves it, or empty
  FixKind kind = FixKind::advice;
  std::string variant;  ///< of its patchset, or empty

  /// Returns whether the issue applies, or nothing if a deciding fact is unknown. An uncertified issue applies too;
  /// only its patch is missing.
  std::optional<bool> applies() const {
    if (status == IssueStatus::undecided) return std::nullopt;
    return status == IssueStatus::applied || status == IssueStatus::uncertified;
  }
  auto operator<=>(const IssueDecision&) const = default;
};
FIELDS(IssueDecision, ("id", self.issue), ("applies", derived([&] { return self.applies(); })), status, reason,
       ("fix", self.fix, kNullIfNothing), ("kind", self.kind, PresentIf{!self.fix.empty()}),
       ("variant", self.variant, kNullIfNothing, kKeptIfEmpty, PresentIf{!self.fix.empty()}))

/// A submodule to take at a different commit.
struct PlannedOverride {
  std::string patchset;
  std::string variant;
  const SubmoduleOverride* what = nullptr;  ///< owned by the catalog
  std::vector<std::string> issues;          ///< that it fixes
};
FIELDS(PlannedOverride, patchset, variant, ("repository", derived([&] { return self.what->repository; })),
       ("replaces", derived([&] { return self.what->replaces; })),
       ("commit", derived([&] { return self.what->commit; })), ("url", derived([&] { return self.what->url; })), issues)

/// A patch to apply, with the certified effect on each path it touches.
struct PlannedPatch {
  std::string patchset;
  std::string variant;
  const Patch* patch = nullptr;     ///< owned by the catalog
  std::vector<std::string> issues;  ///< that it fixes
  std::vector<PatchEdge> edges;     ///< by path; empty if uncertified
};
FIELDS(PlannedPatch, patchset, variant, ("file", derived([&] { return self.patch->file; })),
       ("sha256", derived([&] { return self.patch->sha256; })),
       ("repository", derived([&] { return self.patch->repository; })), issues,
       ("is_certified", derived([&] { return !self.edges.empty(); })), edges)

struct PlannedFile {
  std::string patchset;
  std::string variant;
  const AddedFile* file = nullptr;
  std::vector<std::string> issues;
};
FIELDS(PlannedFile, patchset, variant, ("repository", derived([&] { return self.file->repository; })),
       ("path", derived([&] { return self.file->path; })), ("sha256", derived([&] { return self.file->sha256; })),
       issues)

/// A build variable, its origin, and whether this release reads it.
struct PlannedSetting {
  std::string name;
  std::string value;
  /// "issue nccl-device-link", "board tx2", "release 1.1.0", "--set"; several are joined with " and ".
  std::string origin;
  std::string why;
  std::string read_at;                   ///< file:line in this release, or empty: the catalog knows no place
  std::optional<Component> component{};  ///< only its build gets the variable; absent = every build
  std::string unread{};  ///< why this release is known not to read it; empty: it does, or that is unknown
};
FIELDS(PlannedSetting, name, value, origin, why, read_at, ("component", self.component, kOptional),
       ("unread", self.unread, kOptional))
/// Reports a name that cannot be a variable's.
void check_fields(ObjectReader& object, const PlannedSetting& setting);

/// The origin of what --force-set sets.
inline constexpr const char* kForceSet = "--force-set";

/// Returns whether the build gets it: no if the release is known not to read it, unless set by --force-set.
bool is_exported(const PlannedSetting& setting);

/// Returns the origins of the parts of its value.
std::vector<std::string> origins_of(const PlannedSetting& setting);

/// Returns "read at setup.py:9", why it is not read, or that no place is known.
std::string reading_text(const PlannedSetting& setting);

/// Commands of a fix that build.sh runs after the build of torch, or after its wheel is finished.
struct PlannedStep {
  std::string issue;
  std::string fix;
  bool after_wheel = false;
  std::vector<std::string> commands;
};
FIELDS(PlannedStep, issue, fix, commands)

/// A board with one of its images.
struct Machine {
  const Board* board = nullptr;  ///< owned by the catalog
  const Image* image = nullptr;

  const std::string& arch() const { return image->arch ? *image->arch : board->arch; }
};
FIELDS(Machine, ("board", derived([&] { return self.board->id; })), ("image", derived([&] { return self.image->id; })),
       ("arch", derived([&] { return self.arch(); })), ("os", derived([&] { return self.image->os; })))

/// The pin of a component in a plan.
struct PlannedComponent {
  std::string version, url, tag;
  ObjectId commit;
  std::optional<ContentPin> content{};
};
FIELDS(PlannedComponent, version, url, tag, commit, ("content", self.content, kOptional))

struct Plan {
  const Release* release = nullptr;  ///< owned by the catalog
  const Board* board = nullptr;
  const Image* image = nullptr;
  std::string python;     ///< minor version used by build and conditions
  std::string cpu_flags;  ///< for the board's CPU, in terms of its gcc or the host's
  PlanOptions options;
  std::optional<Machine> host;        ///< the build machine, if it is not the board
  std::vector<Component> components;  ///< in order: torch, vision, audio
  Facts facts;
  std::vector<IssueDecision> issues;       ///< every issue of the catalog, by id
  std::vector<PlannedOverride> overrides;  ///< one per repository, sorted
  std::vector<PlannedPatch> patches;       ///< in order of application
  std::vector<PlannedFile> files;
  std::vector<PlannedSetting> environment;
  std::vector<PlannedStep> steps;
  std::vector<AdvisoryDecision> advisories;  ///< for its components, by id
  std::vector<std::string> warnings;
  /// SHA-256 of the canonical pins and overrides, components, and ordered hashes of patches and added files.
  Sha256 digest;
  /// For a prepared tree: the user's choices as options; `options` is then unused.
  std::optional<std::vector<std::string>> chosen{};

  std::map<Component, PlannedComponent> pins() const;
  /// Returns the steps after the build, or those after the wheel.
  std::vector<PlannedStep> steps_of(bool after_wheel) const;
  std::variant<PlanOptions, std::vector<std::string>> shown_options() const;
};
FIELDS(Plan, ("schema", SchemaVersion{}), ("release", derived([&] { return self.release->version; })),
       ("genuine", derived([&] { return !self.release->stand_in; })),
       ("stand_in", derived([&] { return self.release->stand_in; }), kOptional),
       ("board", derived([&] { return self.board->id; })), ("image", derived([&] { return self.image->id; })), python,
       ("plan", self.digest), host, ("components", derived([&] { return self.pins(); })),
       ("options", derived([&] { return self.shown_options(); })), facts, issues, overrides, patches,
       ("added_files", self.files), environment, ("post_build", derived([&] { return self.steps_of(false); })),
       ("post_wheel", derived([&] { return self.steps_of(true); })), advisories, warnings)

/// Returns whether each patch that the plan needs is certified for its release.
bool is_certified(const Plan& plan);

/// A release that a board supports.
struct FittingRelease {
  const Release* release = nullptr;  ///< owned by the catalog
  const Board* board = nullptr;
  std::vector<const Image*> images;  ///< that support it; first the one that a plan uses by default
  bool is_certified = false;         ///< of the plan for the first image (look_at_certificates)
};

}  // namespace torchpatch
