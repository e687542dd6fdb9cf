// SPDX-License-Identifier: BSD-3-Clause
/// What became of a variant's patches when they were written anew.
#pragma once

#include <string>
#include <vector>

#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch {

struct RefreshedPatch {
  std::string file;  ///< relative to the patchset
  Sha256 sha256;
  bool is_changed = false;
  std::vector<std::string> paths;  ///< that it changes, in its repository
};
FIELDS(RefreshedPatch, file, sha256, ("changed", self.is_changed), paths)

struct RefreshReport {
  std::string patchset, variant, version;
  std::vector<RefreshedPatch> patches;  ///< in the order of application
  std::vector<std::string> written;     ///< files of the catalog
  std::vector<std::string> dropped;     ///< certificates and proof outcomes of the old patches: files that lost some
};
FIELDS(RefreshReport, ("schema", SchemaVersion{}), patchset, variant, ("release", self.version), patches, written,
       dropped)

}  // namespace torchpatch
