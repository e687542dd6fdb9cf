// SPDX-License-Identifier: BSD-3-Clause
/// The JSON of data that commands write: releases, certificates, proofs, results and approvals (docs/formats.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/approval.h"
#include "model/catalog.h"
#include "model/patchset.h"
#include "model/release.h"
#include "support/json.h"

namespace torchpatch::record {

/// Returns what is shown of a release: releases/<version>.json without what it cites.
Json release_json(const Release& release);
/// Returns the bytes of releases/<version>.json: every member that has something.
std::string release_file(const Release& release);

/// Returns patchsets/<patchset>/certificates/<release>.json.
std::string certificates_json(const std::string& patchset, const std::string& release,
                              const std::vector<CertificateEdge>& edges);

/// Returns results/<release>.json, the results by plan.
std::string results_json(const std::string& release, ReleaseResults results);

/// Returns patchsets/<patchset>/proofs/<release>.json.
std::string proof_records_json(const std::string& patchset, const std::string& release,
                               const std::vector<ProofRecord>& records);

/// Returns approvals/<name>.json; of an approval without signature the bytes that are signed.
std::string approval_json(const Approval& approval);

}  // namespace torchpatch::record
