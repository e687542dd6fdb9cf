// SPDX-License-Identifier: BSD-3-Clause
/// audit: whether later releases have what a patch makes.
#pragma once

#include <string>
#include <vector>

#include "ops/audit/audit_patch.h"
#include "source/closure/object_source.h"

namespace torchpatch::ops {

/// Looks for each patch in the releases of the catalog that come after its own (`releases`, one a step; empty: it is
/// not looked for) and fills in `upstream`. A release has a change where each file that the patch changes is the very
/// blob that the patch makes, or the change can be taken back out of the file there; a file that the patch removes must
/// be gone, which alone proves nothing. Only what this needs is read; a release of which something is nowhere is named
/// as not looked at. Where repositories only stand in for upstream nothing is looked for. Raises as run_lookups.
void look_in_later_releases(const std::vector<std::string>& releases, const std::vector<AuditStep>& steps,
                            const Catalog& catalog, source::ObjectSource& source, int jobs, Console& console,
                            std::vector<AuditPatch>& entries);

}  // namespace torchpatch::ops
