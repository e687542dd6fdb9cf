// SPDX-License-Identifier: BSD-3-Clause
/// The commits that a new release pins: those that were given, else those of upstream's tags (resolve_pins); and which
/// torchvision or torchaudio goes with a torch, as their own tables say: README, and torchaudio's documentation
/// (companion_rows).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "upkeep/release/add_release.h"

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

/// Returns what the catalog says of a component in `like`, or in its newest release that has it, or null.
const ComponentPin* pin_before(const Catalog& catalog, const Release& like, Component component);

/// Fills in the draft's pins and open companions. Looks for tags and tables in the repositories of `source`; for tags
/// upstream is asked instead where the network may be used.
///
/// The tables are those that the copies of a component have at HEAD, in the branches main, master and release/…, at the
/// tags of releases, and at the pins. Of those that have a row for that very release the newest commit's counts, unless
/// it names several versions; a row such as 2.1 → 0.16 decides nothing.
///
/// Raises usage where no release of the catalog has a component that is asked for; source where the tag of what is
/// asked for is nowhere or is not the same everywhere, or a copy is damaged; and as tags_of_copies, tags_of_upstream.
void resolve_pins(const Catalog& catalog, const Release& like, const AddReleaseOptions& options,
                  const source::ObjectSource& source, Console& console, ReleaseDraft& draft);

}  // namespace torchpatch::upkeep
