// SPDX-License-Identifier: BSD-3-Clause
/// audit(), audit_tree(), audit_all(): everything that a reviewer needs to sign off patches; what_runs(): what runs;
/// look_up_approvals(), write_approval(): who approved it. The patches come from plan_steps(), tree_steps() or
/// catalog_steps(), and are described by describe_patch(), show_in_files(), look_in_later_releases(), compare_series().
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/audit.h"
#include "model/catalog.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "record/recipe/recipe.h"
#include "source/closure/object_source.h"
#include "source/closure/pinned_lookup.h"
#include "support/fields.h"
#include "support/find.h"
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

/// Returns an override of a report, with the digest of its lines.
AuditOverride audit_override(std::string patchset, std::string variant, SubmoduleOverride what,
                             std::vector<std::string> issues);

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
                           const std::string& directory, Console& console);

/// What a report may be refused for.
enum class AuditGate { uncertified, unproven, unapproved, risk };

/// Returns the gates that the report does not pass, and how often: patches without a certificate, without a proof that
/// is proven, things that run without an approval, warnings of patches that are not approved.
std::vector<std::pair<AuditGate, std::size_t>> failed_gates(const AuditReport& report,
                                                            const std::set<AuditGate>& gates);

struct AuditStep {
  std::string patchset, variant;
  std::string file;  ///< relative to the patchset; of a patch that no catalog has, below torchpatch/ of the tree
  RepositoryPath repository;
  Sha256 sha256;
  std::string text;
  std::vector<std::string> issues;
  std::vector<PatchEdge> edges;  ///< empty = not certified
  patch::PatchFile parsed{};

  std::string name() const { return patchset + "/" + file; }
};

// Each returns patches, parsed; raises data and unsafe as parse_patch.

/// Those of a plan, in the order of application.
std::vector<AuditStep> plan_steps(const Plan& plan);
/// Those of a prepared tree, by its manifest, from the copies beside it. Raises data where a copy is not the patch that
/// the manifest names.
std::vector<AuditStep> tree_steps(const std::string& root, const Manifest& manifest, const Catalog& catalog);
/// All of a catalog, by patchset and variant, without edges; one that variants share is listed once.
std::vector<AuditStep> catalog_steps(const Catalog& catalog);

/// Returns the issues that have a fix with this patchset.
std::vector<std::string> issues_of(const Catalog& catalog, const std::string& patchset);

/// Returns all of the audit of a patch that its text, its certificate and the records say of it at a release; of its
/// files the hunks are as the patch has them.
AuditPatch describe_patch(const AuditStep& step, const std::string& release, const Catalog& catalog);

/// Returns that of all steps of a series, and of each patch which others change its files.
std::vector<AuditPatch> describe_patches(const std::vector<AuditStep>& steps, const std::string& release,
                                         const Catalog& catalog);

/// Returns hunks as a reviewer sees them: with line numbers, and the words that changed.
std::vector<AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks);

/// Returns the lines of a text, as patch::diff_lines() takes them.
std::vector<std::string> text_lines(std::string_view text);

/// Files in memory. What is not in it is not there; so put in every path that touched_paths() gives and that exists.
struct MemoryFiles : patch::FileSource {
  std::map<std::string, patch::TreeFile> files;
  std::set<std::string> directories;

  std::optional<patch::TreeFile> read(const std::string& path) override {
    const patch::TreeFile* const file = find_value(files, path);
    return file ? std::optional(*file) : std::nullopt;
  }
  bool is_directory(const std::string& path) override { return directories.contains(path); }
};
FIELDS(MemoryFiles, files, directories)

/// Returns what paths of a repository hold, in a worker. Raises as PinnedLookup.
MemoryFiles read_paths(const std::set<std::string>& paths, const source::LocatedRepository& repository,
                       source::PinnedLookup& lookup);

/// Gives the files of a repository as they are without any patch; null: there is no such repository.
using BaseFiles = std::function<patch::FileSource*(const RepositoryPath&)>;

/// Applies the patches in memory, one after the other, and shows each in the files as it finds them, with `context`
/// unchanged lines around a change; `entries` are those of the steps. Every edge that a step comes with must hold.
/// Raises as apply_series, patch where a repository is not there; with the patch's name.
void show_in_files(const std::vector<AuditStep>& steps, const BaseFiles& base, std::size_t context,
                   std::vector<AuditPatch>& entries);

/// A plan whose patches are shown in its pinned files.
struct ShownPlan {
  Plan plan;
  std::vector<AuditStep> steps;
  std::vector<AuditPatch> entries;            ///< of the steps
  std::vector<source::MissingPin> missing{};  ///< not empty: something could not be read, and nothing is shown
};

/// Returns the plan with its steps, described, and not shown yet.
ShownPlan describe_plan(Plan plan, const Catalog& catalog);

/// Shows the patches of plans, reading only what they touch. Raises as run_lookups and show_in_files.
void show_plans(const std::vector<ShownPlan*>& plans, const Catalog& catalog, source::ObjectSource& source,
                std::size_t context, int jobs, Console& console);

/// Looks for each patch in the releases of the catalog that come after its own (`releases`, one a step; empty: it is
/// not looked for) and fills in `upstream`. A release has a change where each file that the patch changes is the very
/// blob that the patch makes, or the change can be taken back out of the file there; a file that the patch removes must
/// be gone, which alone proves nothing. Only what this needs is read; a release of which something is nowhere is named
/// as not looked at. Where repositories only stand in for upstream nothing is looked for. Raises as run_lookups.
void look_in_later_releases(const std::vector<std::string>& releases, const std::vector<AuditStep>& steps,
                            const Catalog& catalog, source::ObjectSource& source, int jobs, Console& console,
                            std::vector<AuditPatch>& entries);

/// Returns same, shifted or changed.
SeriesChange change_between(const AuditStep& before, const AuditStep& after);

/// Pairs the patches of two series, by equal text, then by what they have in common: within a patchset a fifth of their
/// changed lines or the same title is enough, between patchsets it takes half. Returns what became of each; titles of
/// the sides are for the caller to fill in.
SeriesReport compare_series(const std::vector<AuditStep>& before, const std::vector<AuditStep>& after);

}  // namespace torchpatch::upkeep

namespace torchpatch {
NAMES(upkeep::AuditGate, uncertified, unproven, unapproved, risk)
}
