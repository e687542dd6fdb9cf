// SPDX-License-Identifier: BSD-3-Clause
/// Entries of a catalog: new ones (write_new_board, write_new_issue), removal with everything that depends on them
/// (remove_entry), and patchsets whose variants end, are widened or added (end_variant, widen_variant, add_variant). A
/// new file is complete, with marks where a person has to fill something in (with_marked_places).
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "model/doctor.h"
#include "support/console.h"

namespace torchpatch::upkeep {

struct NewEntry {
  std::string id;
  std::string directory;               ///< existing catalog directory to write into
  std::vector<catalog::Layer> layers;  ///< the new id must not occur in them; they may have findings
};

/// Writes boards/<id>.json and returns its path. `like`: id or alias of the board to copy figures from, or empty;
/// `host`: facts read from the machine, or null; they override the other board's. `today` ("2026-11-25") is for the
/// sources. Raises usage for an id that is invalid or taken, and for an unknown board; environment.
std::string write_new_board(const NewEntry& wanted, const std::string& like, const HostFacts* host,
                            const std::string& today, Console& console);

/// Writes known_issues/<id>.md and returns its path. Raises as write_new_board.
std::string write_new_issue(const NewEntry& wanted, Console& console);

struct RemoveOptions {
  std::string release;            ///< or
  std::string patchset, variant;  ///< no variant: the whole patchset
  std::string directory;          ///< the catalog directory that contains it, one of the layers
  bool cascade = false;           ///< also remove what depends on it; false: keep it if anything does
};

/// Removes the entry by one change_catalog, unless a person has to edit something first. Only files in the directory
/// change. Raises usage for an entry that is not in the directory; data for a catalog with findings; environment.
RemovalReport remove_entry(const RemoveOptions& options, const std::vector<catalog::Layer>& layers, Console& console);

/// Returns the path of a patchset in a catalog directory.
std::string patchset_folder(const std::string& directory, const std::string& id);
/// Returns the directory of the topmost layer that defines a patchset.
std::string patchset_directory(const std::string& patchset, const std::vector<catalog::Layer>& layers);
/// Returns the layer above the patchset's that has the release, or null. Certificates are next to the patchset; those
/// for pins that a layer above replaces do not belong there.
const catalog::Layer* layer_over_patchset(const Catalog& catalog, const std::string& patchset, const Version& release,
                                          const std::vector<catalog::Layer>& layers);
/// Returns the variant. Raises usage, with the existing ones, if there is none.
const Variant& variant_named(const Patchset& patchset, const std::string& id);
/// Returns an unused variant id: `wanted`, if it is free.
std::string unused_variant_id(const Patchset& patchset, std::string wanted);

/// A release's position relative to the one that a patchset is ported from.
enum class Direction { newer, older };

/// Returns the range extended to include `release`, or ended to exclude it.
std::string widened_range(const VersionRange& range, const Version& release, Direction direction);
std::string ended_range(const VersionRange& range, const Version& release, Direction direction);

/// Ends the range of a variant before a release, with the reason `why` unless empty. If it covers releases of the
/// catalog beyond that, a copy of the variant is added for those.
void end_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                 const std::string& why, const Catalog& catalog);
/// Extends the range of a variant to a release, and all in between. If the catalog has releases there that it did not
/// cover, adds a copy of the variant for this release only instead. Returns the variant's id.
std::string widen_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                          const Catalog& catalog);
/// Adds a variant for one release, a copy of `from` with other patches.
void add_variant(Patchset& patchset, const std::string& id, const std::string& from, const Version& release,
                 std::vector<Patch> patches);

}  // namespace torchpatch::upkeep
