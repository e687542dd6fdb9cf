// SPDX-License-Identifier: BSD-3-Clause
/// The files of patchsets/<id>/ (docs/formats.md): patchset.json with its patches and added files, certificates/*.json,
/// proof.json and proofs/*.json.
#pragma once

#include <string>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/patchset.h"

namespace torchpatch::catalog {

/// Returns the patchset with the bytes of its patches and files; what is wrong is findings, among them bytes that
/// are not those of the recorded sha256, and files of the directory that patchset.json does not name. `directory`:
/// patchsets/<id>.
Patchset read_patchset(const DataFile& file, const std::string& directory, Findings& findings);

// What patchsets must agree about among themselves.

/// Findings: an `after` that names no patchset, and circles of them.
void check_order(Assembly& assembly);

/// Findings: two patchsets that add the same file to some release.
void check_added_files(Assembly& assembly);

// certificates/<release>.json.

/// Returns the certificates; what is wrong with them is findings. `patchset` and `release`: what the path says.
CertificateFile read_certificates(const DataFile& file, const std::string& patchset, const std::string& release,
                                  Findings& findings);

// What certificates must agree with: the patches, the pins of their release, and each other.

/// Returns the patch of a patchset that has this digest, or null.
const Patch* find_patch(const Patchset& patchset, const Sha256& digest);

/// Adds the edges of one file to their patchset. Findings: an edge for a patch or a release that the layers so far do
/// not have, for another commit than the release pins, or at odds with an edge that is there already. Of a
/// patchset that is to be certified such edges are left out.
void add_certificates(const DataFile& file, const CertificateFile& certificates, Assembly& assembly);

/// Returns whether an edge of a file goes with the patches, pins and overrides of a catalog.
bool is_in_place(const CertificateEdge& edge, const RecordedFile& file, const Catalog& catalog);

// proof.json and the files of proof/.

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
