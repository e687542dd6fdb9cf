// SPDX-License-Identifier: BSD-3-Clause
/// Skeletons of boards and issues: complete files with marks where a person has to write (catalog/marked_places.h).
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/doctor.h"

namespace torchpatch::upkeep {

struct NewEntry {
  std::string id;
  std::string directory;               ///< catalog directory to write into, which is there
  std::vector<catalog::Layer> layers;  ///< whose ids are taken; they may have findings
};

struct NewBoard {
  NewEntry entry;
  std::string like;                 ///< id or alias of the board whose figures are taken over, or empty
  const HostFacts* host = nullptr;  ///< what was read of the machine, or null
  std::string today;                ///< "2026-11-25", for the sources
};

/// Writes boards/<id>.json and returns its path. With `like` and `host` what was read of the host stands in place of
/// the other board's. Raises usage for an id that is none or is taken, and for an unknown board; environment.
std::string write_new_board(const NewBoard& wanted);

/// Writes known_issues/<id>.md and returns its path. Raises as write_new_board.
std::string write_new_issue(const NewEntry& wanted);

}  // namespace torchpatch::upkeep
