// SPDX-License-Identifier: BSD-3-Clause
/// SBOMs and provenance: computed from the manifest and the copies beside it, written by prepare, compared by verify.
#pragma once

#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "emit/sbom/companions.h"
#include "ops/describe_plan.h"

namespace torchpatch::ops {

/// Returns the companions of a manifest, whose bytes have `digest`; `copies` has its patches and added files.
std::vector<emit::Companion> make_companions(const Manifest& manifest, const Sha256& digest,
                                             const std::vector<SideFile>& copies);

/// Computes the companions again from the manifest and the copies at `root` and compares them byte by byte.
std::vector<emit::Difference> check_companions(const std::string& root, const Manifest& manifest, const Sha256& digest);

}  // namespace torchpatch::ops
