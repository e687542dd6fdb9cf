// SPDX-License-Identifier: BSD-3-Clause
/// The catalog: everything the data files say, from the shipped directory and the layers over it.
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

/// Where an entry came from: its layer ("shipped", or the name of a --catalog directory) and its digest
/// (SHA-256 of its file; for a patchset, of patchset.json).
struct EntryOrigin {
  std::string entry;  ///< "board tx2"
  std::string layer;
  Sha256 digest;
};
FIELDS(EntryOrigin, entry, layer, digest)

enum class ApprovalKind { patch, replacement, added_file, commands, variables };
NAMES(ApprovalKind, patch, (replacement, "override"), (added_file, "file"), commands, variables)

/// Something that runs on the way from a tree to a wheel, and that is approved by its bytes.
struct Approvable {
  ApprovalKind kind = ApprovalKind::patch;
  std::string name;          ///< for people; of a file and of commands also where it lies, or when they run
  Sha256 sha256;             ///< of a patch or file; of the others, of their lines (upkeep/audit/audit.h)
  std::string repository{};  ///< of a patch, "torch:third_party/onnx"

  /// Returns whether an approval of this is one of `other`: the same bytes do something else in another repository, at
  /// another path or at another time.
  bool covers(const Approvable& other) const {
    const bool is_bound = kind == ApprovalKind::added_file || kind == ApprovalKind::commands;
    return kind == other.kind && sha256 == other.sha256 && repository == other.repository &&
           (!is_bound || name == other.name);
  }
  auto operator<=>(const Approvable&) const = default;
};
FIELDS(Approvable, kind, ("name", self.name, kLineRule), sha256,
       ("repository", self.repository, kOptional, "of a patch: torch:third_party/onnx"))

/// A file of approvals. Who approves is whoever's key made the signature; nothing else in it says so.
struct Approval {
  std::string file{};  ///< where it was read
  std::string date;    ///< 2026-11-23, as the signer says
  std::vector<Approvable> approved;
  std::string signature{};  ///< of OpenSSH or minisign, over the bytes of the file without it
};
FIELDS(Approval, ("schema", SchemaVersion{}), ("date", self.date, kDateRule), ("approved", self.approved, kNotEmpty),
       ("signature", self.signature, kOptional, "of OpenSSH or minisign, over the rest of the file"))
/// Reports a file without signature.
void check_fields(ObjectReader& object, const Approval& approval);

/// A recorded result: plan digest → the tree of each component with submodules inlined.
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
  std::map<ObjectId, std::vector<SubmodulePin>> submodules;  ///< of components, by their commits
};
FIELDS(ResultFile, ("schema", SchemaVersion{}), ("release", self.release, kIdRule),
       ("results", self.results, kNotEmpty),
       ("submodules", self.submodules, kOptional, kNotEmpty, kUnique,
        "of each component's commit: hints for fetching them"))

/// The origin of all advisories; of several layers the digest is of their digests.
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
  std::vector<Approval> approvals;             ///< of all layers, whoever signed them
  /// "release 1.1.0", "board tx2", "issue nccl-device-link", "patchset nccl-default", "advisories" → origin.
  std::map<std::string, EntryOrigin> origins;
  std::vector<std::string> layers;   ///< names, the shipped one first
  std::set<std::string> own_layers;  ///< names of those that do not come with torchpatch

  /// Each raises usage with the nearest names where there is none.
  /// A partial version ("1.10") is refused with the releases of that family.
  const Release& release(const std::string& name) const;
  /// By id or alias.
  const Board& board(const std::string& name) const;
  const Issue& issue(const std::string& id) const;
  const Patchset& patchset(const std::string& id) const;

  /// Returns the releases that pin a component at this commit, oldest first.
  std::vector<std::string> releases_at(Component component, const ObjectId& commit) const;
};

/// Pins each component by its content for which that is chosen, in place of its commit.
void take_contents(
    Catalog& catalog,
    const std::function<bool(const Version& release, Component component, const ContentPin& content)>& is_chosen);

/// Returns the releases but one: the older ones, the nearest first, then the newer ones.
std::vector<const Release*> nearest_releases(const Catalog& catalog, const Version& version);

/// Returns an error of kind usage with the nearest of the `known` names. `kind` as in "board"; its plural is what
/// `list` lists.
Error unknown_entry(const std::string& kind, const std::string& name, const std::vector<std::string>& known);

/// Returns the releases of which it is true, runs of neighbours as one: "1.0.0 to 1.4.1 and 2.0.0", or empty text.
std::string releases_where(const Catalog& catalog, const std::function<bool(const Release&)>& holds);

}  // namespace torchpatch
