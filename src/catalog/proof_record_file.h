// SPDX-License-Identifier: BSD-3-Clause
/// patchsets/<id>/proofs/<release>.json (docs/formats.md).
#pragma once

#include <string>

#include "catalog/assembly.h"

namespace torchpatch::catalog {

/// Adds the recorded outcomes of one file to their patchset; one that a lower layer recorded too is replaced. Findings:
/// a release, proof or variant that the layers so far do not have, an outcome that contradicts itself. `patchset` and
/// `release`: what the path says.
void add_proof_records(const DataFile& file, const std::string& patchset, const std::string& release,
                       Assembly& assembly);

}  // namespace torchpatch::catalog
