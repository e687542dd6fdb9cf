// SPDX-License-Identifier: BSD-3-Clause
/// Types for --json that are not in the model: entries that `show` combines from several files (ShownImage,
/// ShownPatchset, Setting, …), and results in words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document/document.h"
#include "model/board.h"
#include "model/catalog.h"
#include "model/flags.h"
#include "model/issue.h"
#include "model/patchset.h"
#include "model/release_draft.h"
#include "support/error.h"
#include "support/json_fields.h"

namespace torchpatch::report {

struct ShownImage {
  std::string board;
  Image image;
  std::vector<std::string> default_for;  ///< ranges of releases
  std::vector<SourceNote> sources;       ///< those of the board's for its figures
};
FIELDS(ShownImage, ("schema", SchemaVersion{}), board, (kMembersOf, self.image), default_for, sources)

struct ShownFix {
  std::string issue;
  Fix fix;
};
FIELDS(ShownFix, ("schema", SchemaVersion{}), issue, (kMembersOf, self.fix))

/// A name for --set: a fact, or a variable that some release reads.
struct Setting {
  std::string name;
  std::string kind;                                    ///< a fact's kind ("version"), else "variable"
  std::vector<std::string> issues{};                   ///< whose conditions depend on the fact
  std::vector<std::string> fixes{};                    ///< that set the variable
  std::optional<std::vector<std::string>> releases{};  ///< for a variable, those that read it
};
FIELDS(Setting, name, kind, ("releases", self.releases, "that read the variable; null: it is a fact"),
       ("issues", self.issues, "whose conditions depend on the fact"), ("fixes", self.fixes, "that set the variable"))

/// Returns the facts, then the variables, each by name.
std::vector<Setting> settings_of(const Catalog& catalog);

/// Returns which releases read a variable: "1.0.0 to 1.4.1"; for a fact empty text.
std::string readers_of(const Setting& setting, const Catalog& catalog);

/// Returns the description of a setting for 'show setting' and 'flags NAME': `known` is null for a name that nothing
/// reads; `reading`, its use in one release, is null if no release is named.
Terms setting_terms(const Setting* known, const FlagFact* reading, const std::string& release, const Catalog& catalog);

struct ShownSetting {
  Setting setting;
};
FIELDS(ShownSetting, ("schema", SchemaVersion{}), (kMembersOf, self.setting))

/// The recorded outcome of a proof for a release that it should hold for.
struct ShownOutcome {
  std::string proof;
  Version release;
  std::string state;
  std::optional<std::string> date;
  std::optional<std::map<std::string, std::string>> tools;
};
FIELDS(ShownOutcome, proof, release, state, ("date", self.date, kOptional), ("tools", self.tools, kOptional))

struct ShownPatchset {
  Patchset patchset;
  std::vector<ShownOutcome> outcomes;
};
FIELDS(ShownPatchset, (kMembersOf, self.patchset), outcomes)

/// Returns the result for an issue: the fix that resolves it, or its status.
std::string standing_text(const IssueDecision& decision);

/// The result of docs.
struct DocsReport {
  std::string output;  ///< as given
  std::string first;   ///< the file to open
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};
FIELDS(DocsReport, ("schema", SchemaVersion{}), output, first, files, bytes)

}  // namespace torchpatch::report

namespace torchpatch {

FIELDS(PlanChange, ("issue", self.after.issue), ("before", derived([&] { return report::standing_text(self.before); })),
       ("after", derived([&] { return report::standing_text(self.after); })), ("reason", self.after.reason), boards)
FIELDS(ReleaseDraft, ("schema", SchemaVersion{}), ("release", self.release.version), like, file, pins, open,
       ("written", self.is_written), moved, changed, lost, first, cited, lost_citations, notes, contents, submodules,
       licences, missing, plans, pages)
FIELDS(Error, ("schema", SchemaVersion{}), ("error", group([&](auto& g) {
                                              g("code", derived([&] { return self.kind(); }));
                                              g("exit_code", derived([&] { return static_cast<int>(self.kind()); }));
                                              g("message", derived([&] { return self.message(); }));
                                              g("hint", derived([&] { return self.hint(); }), kNullIfNothing);
                                              g("context", derived([&] { return self.context(); }));
                                              g("findings", derived([&] { return self.findings(); }));
                                            })))

}  // namespace torchpatch
