// SPDX-License-Identifier: BSD-3-Clause
/// release remove and patch remove: an entry of a catalog goes, with what hangs on it or not at all.
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/removal.h"
#include "support/console.h"

namespace torchpatch::upkeep {

struct RemoveOptions {
  std::string release;            ///< or
  std::string patchset, variant;  ///< no variant: all of them
  std::string directory;          ///< catalog directory that has it, one of the layers
  bool cascade = false;           ///< what hangs on it goes too; else it stays where something does
};

/// Removes the entry by one change_catalog, unless a person has to edit something first. Nothing but files of the
/// directory changes. Raises usage for an entry that the directory does not have; data for a catalog with findings;
/// environment.
RemovalReport remove_entry(const RemoveOptions& options, const std::vector<catalog::Layer>& layers, Console& console);

}  // namespace torchpatch::upkeep
