// SPDX-License-Identifier: BSD-3-Clause
/// audit --against: which patch of one series is which of another, and how it changed.
#pragma once

#include <vector>

#include "model/audit.h"
#include "ops/audit/audit_patch.h"

namespace torchpatch::ops {

/// Pairs the patches of two series, by equal text, then by what they have in common: within a patchset a fifth of their
/// changed lines or the same title is enough, between patchsets it takes half. Returns what became of each; titles of
/// the sides are for the caller to fill in.
SeriesReport compare_series(const std::vector<AuditStep>& before, const std::vector<AuditStep>& after);

}  // namespace torchpatch::ops
