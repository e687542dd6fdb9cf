// SPDX-License-Identifier: BSD-3-Clause
/// board new and issue new: skeletons that are complete files with marks where a person has to write
/// (catalog/marked_places.h). release remove and patch remove: an entry of a catalog goes, with what hangs on it or not
/// at all.
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog_changes.h"
#include "model/doctor.h"
#include "support/console.h"

namespace torchpatch::upkeep {

struct NewEntry {
  std::string id;
  std::string directory;               ///< catalog directory to write into, which is there
  std::vector<catalog::Layer> layers;  ///< whose ids are taken; they may have findings
};

/// Writes boards/<id>.json and returns its path. `like`: id or alias of the board whose figures are taken over, or
/// empty; `host`: what was read of the machine, or null. With both what was read of the host stands in place of the
/// other board's. `today` ("2026-11-25") is for the sources. Raises usage for an id that is none or is taken, and for
/// an unknown board; environment.
std::string write_new_board(const NewEntry& wanted, const std::string& like, const HostFacts* host,
                            const std::string& today);

/// Writes known_issues/<id>.md and returns its path. Raises as write_new_board.
std::string write_new_issue(const NewEntry& wanted);

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
