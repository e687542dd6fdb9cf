// SPDX-License-Identifier: BSD-3-Clause
/// audit: everything that a reviewer needs to sign off patches (audit, audit_tree, audit_all) and what runs
/// (what_runs), and who approved it (look_up_approvals, write_approval).
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/audit.h"
#include "model/catalog.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "record/recipe/recipe.h"
#include "source/closure/object_source.h"
#include "trees/sign/signature.h"

namespace torchpatch::upkeep {

struct AuditOptions {
  int context = 10;  ///< unchanged lines around a change, where there are files
  int jobs = 1;
  std::string recipe{};  ///< directory of a recipe for the prepared tree that is audited, or empty
};

/// Returns the audit of a plan. With `source` each patch is applied, in memory, to the pinned files and shown in them,
/// and looked for in later releases; without it (null) its hunks are shown as the patch has them. Raises source where a
/// commit is nowhere, patch where a patch does not apply or a certificate does not hold.
AuditReport audit(const Plan& plan, const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                  Console& console);

/// Returns the audit of a prepared tree, which is verified first, by its manifest, the copies of the patches beside it,
/// and its files, from which the patches are taken back out in memory; where that fails, a difference says why, and the
/// hunks are shown as the patch has them. With `source` the changes are looked for in later releases. Raises data where
/// a copy is not the patch that the manifest names.
AuditReport audit_tree(const std::string& root, const Catalog& catalog, source::ObjectSource* source,
                       const AuditOptions& options, Console& console);

/// Returns the audit of every patch of the catalog, each shown in the newest release that gets it and whose files are
/// there.
AuditReport audit_all(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                      Console& console);

// What runs on the way from a tree to a wheel besides the sources.

/// Returns the variables and commands of a plan, and its build.sh and check.sh against those that a plan of this
/// release without fix, board and options gets. The digest of the variables is over build.env's line for each, with the
/// name of the component in front where it alone gets it.
AuditRuns what_runs(const Catalog& catalog, const Plan& plan, const Manifest& manifest);

/// Adds the recipe in `directory`, which says its kind and system itself: what it is made for and which packages it
/// installs, as commands. Raises data where it is not what would be written for the tree of `recipe`.
void add_recipe(record::RecipeInput recipe, const std::string& directory, AuditRuns& runs);

/// Returns the commands of every board and fix of a catalog.
AuditRuns commands_of(const Catalog& catalog);

// Approvals of it.

/// Returns everything of a report that runs, in its order.
std::vector<Approvable> what_is_approved(const AuditReport& report);

/// Checks the approvals of a catalog against those whom `signers`, a file, allows, and says in the report who approved
/// what. Raises as check_signature().
void look_up_approvals(const Catalog& catalog, const std::string& signers, AuditReport& report);

/// Leaves out of a report what is approved.
void leave_unapproved(AuditReport& report);

/// Signs an approval of `what` into <directory>/approvals/, and returns the file's name. Raises as sign(), environment
/// where it cannot be written.
std::string write_approval(std::vector<Approvable> what, const std::string& date, const trees::SigningKey& key,
                           const std::string& directory);

/// What a report may be refused for.
enum class AuditGate { uncertified, unproven, unapproved, risk };

/// Returns the gates that the report does not pass, and how often: patches without a certificate, without a proof that
/// is proven, things that run without an approval, things to look at twice.
std::vector<std::pair<AuditGate, std::size_t>> failed_gates(const AuditReport& report,
                                                            const std::set<AuditGate>& gates);

}  // namespace torchpatch::upkeep

namespace torchpatch {
NAMES(upkeep::AuditGate, uncertified, unproven, unapproved, risk)
}
