// SPDX-License-Identifier: BSD-3-Clause
/// The JSON of recorded data: certificates, proofs and results (docs/formats.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/patchset.h"

namespace torchpatch::record {

/// Returns patchsets/<patchset>/certificates/<release>.json.
std::string certificates_json(const std::string& patchset, const std::string& release,
                              const std::vector<CertificateEdge>& edges);

/// Returns results/<release>.json.
std::string results_json(const std::string& release, const std::map<Sha256, std::map<Component, ObjectId>>& results);

/// Returns patchsets/<patchset>/proofs/<release>.json.
std::string proof_records_json(const std::string& patchset, const std::string& release,
                               const std::vector<ProofRecord>& records);

}  // namespace torchpatch::record
