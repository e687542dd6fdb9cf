// SPDX-License-Identifier: BSD-3-Clause
/// patchsets/<id>/patchset.json, the patches and the added files (docs/formats.md).
#pragma once

#include <string>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
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

}  // namespace torchpatch::catalog
