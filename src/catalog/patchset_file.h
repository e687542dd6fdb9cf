// SPDX-License-Identifier: BSD-3-Clause
/// read_patchset() and the other readers of patchsets/<id>/ (docs/formats.md): patchset.json with its patches and added
/// files, certificates/*.json, proof.json and proofs/*.json.
#pragma once

#include <string>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/patchset.h"

namespace torchpatch::catalog {

/// Returns the patchset with the bytes of its patches and files. Problems become findings, including bytes that do not
/// match the recorded sha256, and files in the directory that patchset.json does not list. `directory`: patchsets/<id>.
Patchset read_patchset(const DataFile& file, const std::string& directory, Findings& findings);

// Consistency between patchsets.

/// Findings: an unknown patchset in `after`, and cycles.
void check_order(Assembly& assembly);

/// Findings: two patchsets that add the same file to a release.
void check_added_files(Assembly& assembly);

// certificates/<release>.json.

/// Returns the certificates; problems become findings. `patchset` and `release`: from the path.
CertificateFile read_certificates(const DataFile& file, const std::string& patchset, const std::string& release,
                                  Findings& findings);

// What certificates must be consistent with: the patches, the pins of their release, and each other.

/// Returns the patch of a patchset with this digest, or null.
const Patch* find_patch(const Patchset& patchset, const Sha256& digest);

/// Adds the edges of one file to their patchset. Findings: an edge for a patch or release that the layers so far do not
/// have, for another commit than the release pins, or in conflict with an existing edge. If the patchset is to be
/// certified, such edges are omitted.
void add_certificates(const DataFile& file, const CertificateFile& certificates, Assembly& assembly);

/// Returns whether an edge of a file matches the patches, pins and overrides of a catalog.
bool is_in_place(const CertificateEdge& edge, const RecordedFile& file, const Catalog& catalog);

// proof.json and the files of proof/.

/// Returns the contents of proof.json; problems become findings.
ProofSet read_proofs(const DataFile& file, const Patchset& patchset, Findings& findings);

/// Returns the proofs of a patchset with the bytes of their files, without records; none if there is no proof.json.
/// Problems become findings. `directory`: patchsets/<id>.
ProofSet read_proof_set(const std::string& directory, const Patchset& patchset, Findings& findings);

// patchsets/<id>/proofs/<release>.json (docs/formats.md).

/// Adds the recorded outcomes of one file to their patchset, replacing those of lower layers. Findings: a release,
/// proof or variant that the layers so far do not have, and an outcome that contradicts itself. The former are omitted
/// if the patchset is to be certified. `patchset` and `release`: from the path.
void add_proof_records(const DataFile& file, const std::string& patchset, const std::string& release,
                       Assembly& assembly);

/// Returns whether a catalog has the proof, variant and release of a patchset's outcome.
bool is_in_place(const ProofRecord& record, const std::string& patchset, const Catalog& catalog);

}  // namespace torchpatch::catalog
