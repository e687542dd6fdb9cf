// SPDX-License-Identifier: BSD-3-Clause
/// The catalog: the contents of all data files, from the shipped directory and the layers over it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/advisory.h"
#include "model/board.h"
#include "model/issue.h"
#include "model/matrix.h"
#include "model/patchset.h"
#include "model/release.h"
#include "model/tables.h"
#include "model/text_rules.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// The layer an entry came from ("shipped", or the name of a --catalog directory) and its digest (SHA-256 of its file;
/// of a patchset's patchset.json).
struct EntryOrigin {
  std::string entry;  ///< "board tx2"
  std::string layer;
  Sha256 digest;
};
FIELDS(EntryOrigin, entry, layer, digest)

enum class ApprovalKind { patch, replacement, added_file, commands, variables };
NAMES(ApprovalKind, patch, (replacement, "override"), (added_file, "file"), commands, variables)

/// Something that runs on the way from a tree to a wheel; it is approved by the digest of its bytes.
struct Approvable {
  ApprovalKind kind = ApprovalKind::patch;
  std::string name;          ///< for people; for files and commands it includes the path, or when they run
  Sha256 sha256;             ///< of a patch or file; otherwise of its lines (upkeep/audit/audit.h)
  std::string repository{};  ///< of a patch: "torch:third_party/onnx"

  /// Returns whether an approval of this also approves `other`. Equal bytes are not enough: they act differently in
  /// another repository, at another path or at another time.
  bool covers(const Approvable& other) const {
    const bool is_bound = kind == ApprovalKind::added_file || kind == ApprovalKind::commands;
    return kind == other.kind && sha256 == other.sha256 && repository == other.repository &&
           (!is_bound || name == other.name);
  }
  auto operator<=>(const Approvable&) const = default;
};
FIELDS(Approvable, kind, ("name", self.name, kLineRule), sha256,
       ("repository", self.repository, kOptional, "of a patch: torch:third_party/onnx"))

/// A file of approvals. Only its signature identifies the approver.
struct Approval {
  std::string file{};  ///< path it was read from
  std::string date;    ///< 2026-11-23, according to the signer
  std::vector<Approvable> approved;
  std::string signature{};  ///< by OpenSSH or minisign, over the rest of the file
};
FIELDS(Approval, ("schema", SchemaVersion{}), ("date", self.date, kDateRule), ("approved", self.approved, kNotEmpty),
       ("signature", self.signature, kOptional, "of OpenSSH or minisign, over the rest of the file"))
/// Reports a missing signature.
void check_fields(ObjectReader& object, const Approval& approval);

/// A recorded result: plan digest → the tree of each component, submodules inlined.
struct RecordedResult {
  Sha256 plan;
  std::map<Component, ObjectId> trees;
  std::string layer{};
};
FIELDS(RecordedResult, plan, trees)

/// results/<release>.json
struct ResultFile {
  std::string release;
  std::vector<RecordedResult> results;
  std::map<ObjectId, std::vector<SubmodulePin>> submodules;  ///< of components, by commit
};
FIELDS(ResultFile, ("schema", SchemaVersion{}), ("release", self.release, kIdRule),
       ("results", self.results, kNotEmpty),
       ("submodules", self.submodules, kOptional, kNotEmpty, kUnique,
        "of each component's commit: hints for fetching them"))

/// The origin of all advisories; with several layers, the digest is over theirs.
inline constexpr const char* kAdvisoriesEntry = "advisories";

struct Catalog {
  std::map<Version, Release> releases;
  std::map<std::string, Board> boards;
  std::map<std::string, Issue> issues;
  std::map<std::string, Patchset> patchsets;
  std::map<Sha256, RecordedResult> results;
  std::vector<MovedRepository> moved_repositories;
  VariableTable variables;
  CoreTable cores;
  PlatformTable platforms;
  BuildSizes build_sizes;
  std::vector<BuildEvidence> evidence;
  std::map<std::string, Advisory> advisories;  ///< by id
  std::vector<Approval> approvals;             ///< of all layers, from any signer
  /// "release 1.1.0", "board tx2", "issue nccl-device-link", "patchset nccl-default", "advisories" → origin.
  std::map<std::string, EntryOrigin> origins;
  std::vector<std::string> layers;   ///< names, the shipped one first
  std::set<std::string> own_layers;  ///< names of the layers that do not come with torchpatch

  /// These raise usage with the nearest names if there is no such entry. A partial version ("1.10") is refused, listing
  /// the releases of that family.
  const Release& release(const std::string& name) const;
  /// By id or alias.
  const Board& board(const std::string& name) const;
  const Issue& issue(const std::string& id) const;
  const Patchset& patchset(const std::string& id) const;

  /// Returns the releases that pin the component at this commit, oldest first.
  std::vector<std::string> releases_at(Component component, const ObjectId& commit) const;
};

/// Pins each chosen component by its content instead of its commit.
void take_contents(
    Catalog& catalog,
    const std::function<bool(const Version& release, Component component, const ContentPin& content)>& is_chosen);

/// Returns all releases except `version`: older ones first, nearest first, then the newer ones.
std::vector<const Release*> nearest_releases(const Catalog& catalog, const Version& version);

/// Returns an error of kind usage that suggests the nearest of the `known` names. `kind` is a singular such as "board";
/// `list` accepts its plural.
Error unknown_entry(const std::string& kind, const std::string& name, const std::vector<std::string>& known);

/// Returns the releases for which `holds` is true, with runs merged: "1.0.0 to 1.4.1 and 2.0.0"; may be empty.
std::string releases_where(const Catalog& catalog, const std::function<bool(const Release&)>& holds);

}  // namespace torchpatch
