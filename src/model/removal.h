// SPDX-License-Identifier: BSD-3-Clause
/// What hangs on a release, variant or patchset that is to go, and what became of it.
#pragma once

#include <string>
#include <vector>

#include "support/error.h"
#include "support/json_fields.h"

namespace torchpatch {

/// A recorded file that is not what it was without the entry.
struct HangingFile {
  std::string file;      ///< relative to the catalog directory
  bool is_gone = false;  ///< nothing of it holds any more; else it loses some
};
FIELDS(HangingFile, file, ("gone", self.is_gone))

struct RemovalReport {
  std::string entry;                 ///< "release 1.1.0", "patchset block-limit", "variant V1 of block-limit"
  bool is_done = false;              ///< else nothing was changed
  std::vector<std::string> files;    ///< its own, relative to the catalog directory; a folder with a slash at its end
  std::vector<HangingFile> hanging;  ///< certificates, outcomes of proofs, results
  std::vector<Finding> by_hand;      ///< what would be wrong in the catalog, and nobody but a person can settle
  std::vector<std::string> afterwards;  ///< what is no error in the data, but to be looked at
};
FIELDS(RemovalReport, ("schema", SchemaVersion{}), entry, ("removed", self.is_done), files, hanging, by_hand,
       afterwards)

}  // namespace torchpatch
