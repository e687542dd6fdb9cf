// SPDX-License-Identifier: BSD-3-Clause
/// Reports: the result of each command as a page (Document). What --json prints is the FIELDS of the results
/// (src/model).
#pragma once

#include <cstdint>
#include <string>

#include "document/document.h"
#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "model/diagnosis.h"
#include "model/differences.h"
#include "model/doctor.h"
#include "model/flags.h"
#include "model/keep.h"
#include "model/matrix.h"
#include "model/plan.h"
#include "model/proof.h"
#include "model/release_draft.h"
#include "model/wheel.h"
#include "support/error.h"
#include "support/json.h"

namespace torchpatch::report {

/// How a plan is shown.
struct PlanView {
  bool all = false;               ///< also the issues that do not apply, and every line of a script
  bool is_image_assumed = false;  ///< nobody named the image, and the board has others
};
/// explain: the issues by what is done about them, patches in order, environment, warnings, plan digest; in JSON every
/// issue with its decision and reason.
Document plan_document(const Plan& plan, const Catalog& catalog, const PlanView& view = {});

/// explain ISSUE: whether and why it applies to the plan, and what is done about it.
Document issue_plan_document(const Plan& plan, const Catalog& catalog, const std::string& id,
                             const PlanView& view = {});
/// Returns the plan with this issue alone, and what answers it: what explain ISSUE --json prints.
Plan plan_of_issue(const Plan& plan, const std::string& issue);

/// diagnose: the issues that a log tells of, best first, with what to do; where to go on if there is none.
Document diagnosis_document(const Diagnosis& diagnosis);

/// release add: what was written, and what a person has to look at; long lists whole with `all`.
Document release_draft_document(const ReleaseDraft& draft, bool all);

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

/// recipe: what was written, or which files are not what would be.
Document recipe_document(const RecipeReport& report);

/// One difference that verify found, in a line.
std::string difference_text(const Difference& difference);

/// verify: the differences, what a build added, the verdict.
Document verify_document(const VerifyReport& report);

/// prove: the outcomes, what the wrong ones printed, what has no proof, the counts.
Document prove_document(const ProveReport& report);

/// release remove, patch remove: what went with a release, variant or patchset, or stands against that; `cascade`: what
/// depends on it may go.
Document removal_document(const RemovalReport& report, bool cascade);

/// patch refresh: each patch and whether it changed, what was written and dropped.
Document refresh_document(const RefreshReport& report);

/// port: what became of each patchset, then what a person has to decide; `all`: lists whole.
Document port_document(const PortReport& report, bool all);

/// doctor: the host, one line a check in the words of check.sh, the issues by outcome, the verdict.
Document doctor_document(const DoctorReport& report);

/// flags: each variable, where and how it is read, and in which releases.
Document flags_document(const FlagsReport& report);
/// flags NAME: what 'show setting' says of each, with what the release makes of it.
Document named_flags_document(const FlagsReport& report, const Catalog& catalog);
/// flags --check: what a script sets and does not do what it seems to, the verdict.
Document flag_check_document(const FlagCheckReport& report);

/// kernels: those that the board's GPU does not launch in blocks of every size.
Document kernels_document(const KernelReport& report);

/// wheel check: each wheel's verdict, what is in the way, and what to do.
Document wheel_document(const WheelReport& report);
/// wheel fix-names: what was renamed, and where the wheel is.
Document wheel_fix_document(const WheelFix& fix);

/// matrix: what is written, and what is left out; `output` is where.
Document matrix_document(const Matrix& matrix, const std::string& output);
Json matrix_json(const Matrix& matrix, const std::string& output);
/// matrix status: counts, releases × boards, what failed and why; the same as a page of HTML with links to logs and
/// wheels, `way` being that from the page to the results ("" or "results/").
Document matrix_status_document(const MatrixStatus& status);
std::string matrix_status_html(const MatrixStatus& status, const std::string& way);

/// diff: the differences by level, what nothing explains first, the verdict.
Document diff_document(const DiffReport& report);

/// outdated: what upstream's tags say that the catalog does not, by component.
Document outdated_document(const OutdatedReport& report);

/// mirror, mirror unpack: what was brought where.
Document mirror_document(const MirrorReport& report);
/// mirror verify: what is wrong with a bundle.
Document bundle_document(const BundleReport& report);
/// cache list, verify, gc.
Document cache_document(const CacheReport& report);
Document cache_check_document(const CacheCheck& check);
Document collect_document(const CollectReport& report);
/// export: what went into an archive.
Document export_document(const ExportReport& report);

}  // namespace torchpatch::report
