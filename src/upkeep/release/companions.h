// SPDX-License-Identifier: BSD-3-Clause
/// Which torchvision or torchaudio goes with a torch, as their own tables say: README, and torchaudio's documentation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/release_draft.h"
#include "support/fields.h"
#include "upkeep/release/upstream_tags.h"

namespace torchpatch::upkeep {

/// What a row of a table says of one torch.
struct CompanionRow {
  std::string torch;      ///< as it stands there: "1.10.2", "<=1.0.1", "2.1"
  std::string companion;  ///< "0.11.3"; "0.16" in a row for all of 2.1
};
FIELDS(CompanionRow, torch, companion)

/// Returns the rows for `torch` of the tables of torch and `component` in a README.md, README.rst or .rst of the
/// documentation, in order: tables with '|' between their cells, and list-tables.
std::vector<CompanionRow> companion_rows(std::string_view text, Component component, const Version& torch);

/// Returns whether a row names this torch and one version of the companion, so that nothing is left to choose.
bool is_exact(const CompanionRow& row);

/// What the tables at hand say.
struct CompanionAnswer {
  std::string version{};   ///< or empty: they do not say
  CompanionTable table{};  ///< that says so
  std::string reason{};    ///< why not, or empty
};

/// Looks through the tables that the copies of a component have at HEAD, in the branches main, master and release/…,
/// at the tags of releases, and at the pins. Of those that have a row for that very release the newest commit's
/// counts, unless it names several versions; a row such as 2.1 → 0.16 decides nothing. In worker processes; raises
/// source where a copy is damaged.
CompanionAnswer find_companion(const PinnedComponent& pinned, const Version& torch,
                               const std::vector<std::string>& object_folders, int jobs);

}  // namespace torchpatch::upkeep
