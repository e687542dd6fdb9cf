// SPDX-License-Identifier: BSD-3-Clause
/// audit: everything that a reviewer needs to sign off patches.
#pragma once

#include <string>

#include "model/audit.h"
#include "model/plan.h"
#include "source/closure/object_source.h"

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

}  // namespace torchpatch::upkeep
