// SPDX-License-Identifier: BSD-3-Clause
/// Published vulnerabilities: Advisory, an entry of advisories.json, and AdvisoryDecision, what a plan decides about
/// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/citation.h"
#include "model/issue.h"
#include "model/repository_path.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// The part of an advisory that manifests repeat.
struct AdvisoryRecord {
  std::string id;                    ///< "CVE-2022-45907"
  std::vector<std::string> aliases;  ///< "GHSA-47fc-vmwq-366v"
  std::string published;             ///< 2022-11-26
  std::string looked_up;             ///< when its sources were read
  std::string summary;
  std::string advice;               ///< what to do with an affected release
  RepositoryPath repository;        ///< whose code is vulnerable
  std::optional<Version> fixed_in;  ///< the first release with the fix
  std::optional<ObjectId> fix;      ///< upstream's commit
  std::string disputed;             ///< who disputes it and why, or empty
  std::string issue;                ///< the known issue whose patch fixes it, or empty
  std::vector<std::string> sources;
};
FIELDS(AdvisoryRecord, ("id", self.id, kNameRule, "CVE if there is one"),
       ("aliases", self.aliases, kOptional, kNameRule, kUnique), ("published", self.published, kDateRule),
       ("looked_up", self.looked_up, kDateRule, "when its sources were read"), ("summary", self.summary, kLineRule),
       ("advice", self.advice, kLineRule, "what to do with an affected release"),
       ("repository", self.repository, "whose code is vulnerable"),
       ("fixed_in", self.fixed_in, kOptional, "the first release with the fix; absent: none, or unknown"),
       ("fix", self.fix, kOptional, "upstream's commit"),
       ("disputed", self.disputed, kOptional, kLineRule, "who disputes it, and why"),
       ("issue", self.issue, kOptional, kIdRule, "the known issue whose patch fixes it"),
       ("sources", self.sources, kWebLinkRule, kNotEmpty, kUnique))

/// An additional note on some unaffected releases.
struct AdvisoryNote {
  VersionRange releases;
  std::string text;
};
FIELDS(AdvisoryNote, releases, ("text", self.text, kLineRule))

struct Advisory {
  AdvisoryRecord about;
  std::vector<VersionRange> affected;  ///< ranges of releases; any of them
  VersionRange judged;                 ///< releases that `affected` was decided for
  Condition when;                      ///< builds of an affected release that contain the code
  std::vector<AdvisoryNote> notes;
  Citations citations;  ///< the vulnerable lines, and what unaffected releases lack
};
FIELDS(Advisory, (kMembersOf, self.about), ("affected", self.affected, kNotEmpty, kUnique, "if any of these holds"),
       ("judged", self.judged, "releases that 'affected' was decided for; 'check' reports any other"),
       ("when", ConditionForm{self.when}, kOptional, "builds that have the code"),
       ("notes", self.notes, kOptional, "of releases that are not affected"),
       ("citations", CitationsForm{self.citations.present, true}, kOptional),
       ("absences", CitationsForm{self.citations.absent, false}, kOptional))
/// Reports a first fixed release that is itself affected.
void check_fields(ObjectReader& object, const Advisory& advisory);

/// advisories.json
struct AdvisoryTable {
  std::vector<Advisory> advisories;
};
FIELDS(AdvisoryTable, ("schema", SchemaVersion{}), ("advisories", self.advisories, kNotEmpty))
/// Reports duplicate ids.
void check_fields(ObjectReader& object, const AdvisoryTable& table);

enum class AdvisoryStatus {
  affected,
  fixed,         ///< by a patch of the plan
  not_affected,  ///< the release is not one of those affected
  not_built,     ///< the release is affected, but this build excludes the code
  unjudged,      ///< not yet known whether the release is affected
};
NAMES(AdvisoryStatus, affected, fixed, not_affected, not_built, unjudged)
/// Returns the status in words: "fixed by a patch".
const char* status_words(AdvisoryStatus status);

struct AdvisoryDecision {
  AdvisoryRecord about;
  AdvisoryStatus status = AdvisoryStatus::unjudged;
  std::string reason;
  std::string note{};        ///< further note on an unaffected release
  bool is_verified = false;  ///< checked in the release's sources; false: from the published range alone

  /// Returns "CVE-2022-45907 (GHSA-47fc-vmwq-366v)".
  std::string names() const;
  /// Returns status and reason, and whether the sources were read.
  std::string text() const;
};
FIELDS(AdvisoryDecision, (kMembersOf, self.about), status, ("reason", self.reason, kLineRule),
       ("note", self.note, kOptional, kLineRule), ("verified", self.is_verified))

/// Returns whether any of the advisory's ranges contains the release.
bool affects(const Advisory& advisory, const Version& release);

/// Returns the ids of the decisions with the given status, in order.
std::vector<std::string> advisories_with(const std::vector<AdvisoryDecision>& decisions, AdvisoryStatus status);

}  // namespace torchpatch
