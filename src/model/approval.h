// SPDX-License-Identifier: BSD-3-Clause
/// approvals/*.json of a catalog: what somebody looked at and signed (docs/formats.md).
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "model/text_rules.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

enum class ApprovalKind { patch, added_file, commands, variables };
template <>
inline constexpr auto kNamesOf<ApprovalKind> = std::to_array<Named<ApprovalKind>>({{ApprovalKind::patch, "patch"},
                                                                                   {ApprovalKind::added_file, "file"},
                                                                                   {ApprovalKind::commands, "commands"},
                                                                                   {ApprovalKind::variables,
                                                                                    "variables"}});

/// Something that runs on the way from a tree to a wheel, and that is approved by its bytes.
struct Approvable {
  ApprovalKind kind = ApprovalKind::patch;
  std::string name;  ///< for people; of a file and of commands also where it lies, or when they run
  Sha256 sha256;     ///< of a patch or file; of commands and variables, of their lines (upkeep/audit/what_runs.h)

  /// Returns whether an approval of this is one of `other`: bytes of a file or of commands do something else elsewhere.
  bool covers(const Approvable& other) const {
    const bool is_bound = kind == ApprovalKind::added_file || kind == ApprovalKind::commands;
    return kind == other.kind && sha256 == other.sha256 && (!is_bound || name == other.name);
  }
  bool operator<(const Approvable& other) const {
    return std::tie(kind, name, sha256) < std::tie(other.kind, other.name, other.sha256);
  }
};
FIELDS(Approvable, kind, ("name", self.name, kLineRule), sha256)

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

}  // namespace torchpatch
