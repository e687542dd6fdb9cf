// SPDX-License-Identifier: BSD-3-Clause
/// Reports: the result of each command as a page (Document). The output of --json is defined by the FIELDS of the
/// results (src/model).
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
  bool all = false;               ///< include issues that do not apply, and every line of scripts
  bool is_image_assumed = false;  ///< no image was named, and the board has several
};
/// explain: the issues by how they are handled, patches in order, environment, warnings, plan digest; in JSON every
/// issue with its decision and reason.
Document plan_document(const Plan& plan, const Catalog& catalog, const PlanView& view = {});

/// explain ISSUE: whether and why it applies to the plan, and how it is handled.
Document issue_plan_document(const Plan& plan, const Catalog& catalog, const std::string& id,
                             const PlanView& view = {});
/// Returns the plan with only this issue and its fix: the output of explain ISSUE --json.
Plan plan_of_issue(const Plan& plan, const std::string& issue);

/// diagnose: the known issues that match a log, best first, with what to do; next steps if there are none.
Document diagnosis_document(const Diagnosis& diagnosis);

/// release add: what was written, and what a person has to review; long lists are complete with `all`.
Document release_draft_document(const ReleaseDraft& draft, bool all);

/// A listing of the catalog in both forms.
struct Listing {
  Document page;
  Json json;
};
/// list: the entries of `kind` ("releases", "boards", "images", "issues", "fixes", "patchsets", "settings"), one per
/// line, beginning with the name that other commands accept. `board`: only its images.
Listing list_entries(const Catalog& catalog, const std::string& kind, const Board* board = nullptr);
/// list releases --board: those that match it, with the images.
Listing list_fitting(const std::vector<FittingRelease>& fitting, const Board& board);
/// list pairs: releases and boards that match.
Listing list_pairs(const std::vector<FittingRelease>& fitting);

/// show: one entry of a kind ("release", "board", "image", "issue", "fix", "patchset", "setting") in full, with sources
/// and what is unverified. Raises usage if there is none of that name.
Listing show_entry(const Catalog& catalog, const std::string& kind, const std::string& name);
/// The catalog determines the releases for which proofs should hold.
Json patchset_json(const Patchset& patchset, const Catalog& catalog);

/// recipe: the files written, or those that differ.
Document recipe_document(const RecipeReport& report);

/// Returns one difference found by verify, as one line.
std::string difference_text(const Difference& difference);

/// verify: the differences, files added by a build, the verdict.
Document verify_document(const VerifyReport& report);

/// prove: the outcomes, the output of failures, what has no proof, the counts.
Document prove_document(const ProveReport& report);

/// release remove, patch remove: what was removed with a release, variant or patchset, or prevents that; `cascade`:
/// dependent entries may be removed.
Document removal_document(const RemovalReport& report, bool cascade);

/// patch refresh: which patches changed, and the files written and dropped.
Document refresh_document(const RefreshReport& report);

/// port: the result for each patchset, then what a person has to decide; `all`: complete lists.
Document port_document(const PortReport& report, bool all);

/// doctor: the host, one line per check as in check.sh, the issues by outcome, the verdict.
Document doctor_document(const DoctorReport& report);

/// flags: each variable, where and how it is read, and in which releases.
Document flags_document(const FlagsReport& report);
/// flags NAME: as 'show setting', plus how the release reads it.
Document named_flags_document(const FlagsReport& report, const Catalog& catalog);
/// flags --check: assignments in a script without their apparent effect, the verdict.
Document flag_check_document(const FlagCheckReport& report);

/// kernels: those that the board's GPU cannot launch in blocks of every size.
Document kernels_document(const KernelReport& report);

/// wheel check: each wheel's verdict, the problems, and what to do.
Document wheel_document(const WheelReport& report);
/// wheel fix-names: what was renamed, and the path of the wheel.
Document wheel_fix_document(const WheelFix& fix);

/// matrix: what is written to `output`, and what is left out.
Document matrix_document(const Matrix& matrix, const std::string& output);
Json matrix_json(const Matrix& matrix, const std::string& output);
/// matrix status: counts, releases × boards, failures with reasons; also as an HTML page with links to logs and wheels,
/// with `way` as the path from the page to the results ("" or "results/").
Document matrix_status_document(const MatrixStatus& status);
std::string matrix_status_html(const MatrixStatus& status, const std::string& way);

/// diff: the differences by level, unexplained ones first, the verdict.
Document diff_document(const DiffReport& report);

/// outdated: upstream tags missing from the catalog, by component.
Document outdated_document(const OutdatedReport& report);

/// mirror, mirror unpack: what was copied where.
Document mirror_document(const MirrorReport& report);
/// mirror verify: the problems of a bundle.
Document bundle_document(const BundleReport& report);
/// cache list, verify, gc.
Document cache_document(const CacheReport& report);
Document cache_check_document(const CacheCheck& check);
Document collect_document(const CollectReport& report);
/// export: the contents of an archive.
Document export_document(const ExportReport& report);

}  // namespace torchpatch::report
