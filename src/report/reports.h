// SPDX-License-Identifier: BSD-3-Clause
/// What the commands say: each result as a page for people and as JSON (docs/formats.md: "What --json prints").
#pragma once

#include <cstdint>
#include <string>

#include "document/document.h"
#include "model/catalog.h"
#include "model/diagnosis.h"
#include "model/diff.h"
#include "model/doctor.h"
#include "model/flags.h"
#include "model/keep.h"
#include "model/matrix.h"
#include "model/outdated.h"
#include "model/patch_work.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/prove.h"
#include "model/recipe.h"
#include "model/release_draft.h"
#include "model/removal.h"
#include "model/verify.h"
#include "model/wheel.h"
#include "support/error.h"
#include "support/json.h"

namespace torchpatch::report {

/// One thing that is wrong in a data file.
Json data_finding_json(const Finding& finding);
/// What a command that has --json prints where it ends with an error.
Json error_json(const Error& error);

/// How a plan is shown.
struct PlanView {
  const VerifyReport* tree = nullptr;  ///< of a prepared tree: also what whoever prepared it chose
  bool all = false;                    ///< also the issues that do not apply, and every line of a script
  bool is_image_assumed = false;       ///< nobody named the image, and the board has others
};
/// explain: the issues by what is done about them, patches in order, environment, warnings, plan digest; in JSON every
/// issue with its decision and reason.
Document plan_document(const Plan& plan, const Catalog& catalog, const PlanView& view = {});
Json plan_json(const Plan& plan, const VerifyReport* tree = nullptr);

/// explain ISSUE: whether and why it applies to the plan, and what is done about it.
Document issue_plan_document(const Plan& plan, const Catalog& catalog, const std::string& id,
                             const PlanView& view = {});
/// Returns the plan with this issue alone, and what answers it: plan_json of it is the JSON of explain ISSUE.
Plan plan_of_issue(const Plan& plan, const std::string& issue);

/// diagnose: the issues that a log tells of, best first, with what to do; where to go on if there is none.
Document diagnosis_document(const Diagnosis& diagnosis);
Json diagnosis_json(const Diagnosis& diagnosis);

/// release add: what was written, and what a person has to look at; long lists whole with `all`.
Document release_draft_document(const ReleaseDraft& draft, bool all);
Json release_draft_json(const ReleaseDraft& draft);

/// What the catalog says, in both forms.
struct Listing {
  Document page;
  Json json;
};
/// list: what `kind` ("releases", "boards", "images", "issues", "fixes", "patchsets", "settings") there is, one line
/// each, the name that other commands take first. `board`: images of this one alone.
Listing list_entries(const Catalog& catalog, const std::string& kind, const Board* board = nullptr);
/// list releases --board: those that fit it, and with which images.
Listing list_fitting(const std::vector<FittingRelease>& fitting, const Board& board);
/// list pairs: releases and boards that go together.
Listing list_pairs(const std::vector<FittingRelease>& fitting);

/// show: one entry of a kind ("release", "board", "image", "issue", "fix", "patchset", "setting") in full, with its
/// sources and what is unverified. Raises usage where there is none of that name.
Listing show_entry(const Catalog& catalog, const std::string& kind, const std::string& name);
/// The catalog says for which releases the proofs are to hold.
Json patchset_json(const Patchset& patchset, const Catalog& catalog);

/// What docs wrote.
struct DocsReport {
  std::string output;  ///< as given
  std::string first;   ///< the file to open
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};
Json docs_json(const DocsReport& report);

/// recipe: what was written, or which files are not what would be.
Document recipe_document(const RecipeReport& report);
Json recipe_json(const RecipeReport& report);

/// One difference that verify found, in a line.
std::string difference_text(const Difference& difference);
Json difference_json(const Difference& difference);

/// verify: the differences, what a build added, the verdict.
Document verify_document(const VerifyReport& report);
Json verify_json(const VerifyReport& report);

/// prove: the outcomes, what the wrong ones printed, what has no proof, the counts.
Document prove_document(const ProveReport& report);
Json prove_json(const ProveReport& report);

/// release remove, patch remove: what went with a release, variant or patchset, or stands against that; `cascade`: what
/// hangs on it may go.
Document removal_document(const RemovalReport& report, bool cascade);
Json removal_json(const RemovalReport& report);

/// patch refresh: each patch and whether it changed, what was written and dropped.
Document refresh_document(const RefreshReport& report);
Json refresh_json(const RefreshReport& report);

/// port: what became of each patchset, then what a person has to decide; `all`: lists whole.
Document port_document(const PortReport& report, bool all);
Json port_json(const PortReport& report);

/// doctor: the host, one line a check in the words of check.sh, the issues by outcome, the verdict.
Document doctor_document(const DoctorReport& report);
Json doctor_json(const DoctorReport& report);

/// flags: each variable, where and how it is read, and in which releases.
Document flags_document(const FlagsReport& report);
/// flags NAME: what 'show setting' says of each, with what the release makes of it.
Document named_flags_document(const FlagsReport& report, const Catalog& catalog);
Json flags_json(const FlagsReport& report);
/// flags --check: what a script sets and does not do what it seems to, the verdict.
Document flag_check_document(const FlagCheckReport& report);
Json flag_check_json(const FlagCheckReport& report);

/// wheel check: each wheel's verdict, what is in the way, and what to do.
Document wheel_document(const WheelReport& report);
Json wheel_report_json(const WheelReport& report);
/// wheel fix-names: what was renamed, and where the wheel is.
Document wheel_fix_document(const WheelFix& fix);
Json wheel_fix_json(const WheelFix& fix);

/// matrix: what is written, and what is left out; `output` is where.
Document matrix_document(const Matrix& matrix, const std::string& output);
Json matrix_json(const Matrix& matrix, const std::string& output);
/// matrix status: counts, releases × boards, what failed and why; the same as a page of HTML.
bool has_failed(const MatrixStatus& status);
Document matrix_status_document(const MatrixStatus& status);
std::string matrix_status_html(const MatrixStatus& status);
Json matrix_status_json(const MatrixStatus& status);

/// diff: the differences by level, what nothing explains first, the verdict.
Document diff_document(const DiffReport& report);
Json diff_json(const DiffReport& report);
/// Returns its name in JSON: "request", …, "override", …
const char* diff_level_name(DiffLevel level);
/// Returns how many entries nothing explains; they stand first.
std::size_t count_unexplained(const DiffReport& report);

/// outdated: what upstream's tags say that the catalog does not, by component.
Document outdated_document(const OutdatedReport& report);
Json outdated_json(const OutdatedReport& report);

/// mirror, mirror unpack: what was brought where.
Document mirror_document(const MirrorReport& report);
Json mirror_json(const MirrorReport& report);
/// mirror verify: what is wrong with a bundle.
Document bundle_document(const BundleReport& report);
Json bundle_json(const BundleReport& report);
/// cache list, verify, gc.
Document cache_document(const CacheReport& report);
Json cache_json(const CacheReport& report);
Document cache_check_document(const CacheCheck& check);
Json cache_check_json(const CacheCheck& check);
Document collect_document(const CollectReport& report);
Json collect_json(const CollectReport& report);
/// export: what went into an archive.
Document export_document(const ExportReport& report);
Json export_json(const ExportReport& report);

}  // namespace torchpatch::report
