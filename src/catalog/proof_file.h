// SPDX-License-Identifier: BSD-3-Clause
/// patchsets/<id>/proof.json and the files of patchsets/<id>/proof/ (docs/formats.md).
#pragma once

#include <string>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "model/patchset.h"

namespace torchpatch::catalog {

/// Returns what proof.json says; what is wrong with it is findings.
ProofSet read_proofs(const DataFile& file, const Patchset& patchset, Findings& findings);

/// Returns the proofs of a patchset with the bytes of their files, without records, or none where there is no
/// proof.json; what is wrong is findings. `directory`: patchsets/<id>.
ProofSet read_proof_set(const std::string& directory, const Patchset& patchset, Findings& findings);

// patchsets/<id>/proofs/<release>.json (docs/formats.md).

/// Adds the recorded outcomes of one file to their patchset; one that a lower layer recorded too is replaced. Findings:
/// a release, proof or variant that the layers so far do not have, an outcome that contradicts itself. The former are
/// left out where the patchset is to be certified. `patchset` and `release`: what the path says.
void add_proof_records(const DataFile& file, const std::string& patchset, const std::string& release,
                       Assembly& assembly);

/// Returns whether a catalog has the proof, variant and release of an outcome of a patchset.
bool is_in_place(const ProofRecord& record, const std::string& patchset, const Catalog& catalog);

}  // namespace torchpatch::catalog
