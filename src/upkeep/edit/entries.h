// SPDX-License-Identifier: BSD-3-Clause
/// Entries of a catalog: new ones (write_new_board, write_new_issue), removed with everything that depends on them
/// (remove_entry), and patchsets whose variants end, become wider or are added (end_variant, widen_variant,
/// add_variant). A new file is complete, with marks where a person has to write (with_marked_places).
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
  std::string directory;               ///< catalog directory to write into, which is there
  std::vector<catalog::Layer> layers;  ///< whose ids are taken; they may have findings
};

/// Writes boards/<id>.json and returns its path. `like`: id or alias of the board whose figures are taken over, or
/// empty; `host`: what was read of the machine, or null. With both what was read of the host stands in place of the
/// other board's. `today` ("2026-11-25") is for the sources. Raises usage for an id that is none or is taken, and for
/// an unknown board; environment.
std::string write_new_board(const NewEntry& wanted, const std::string& like, const HostFacts* host,
                            const std::string& today, Console& console);

/// Writes known_issues/<id>.md and returns its path. Raises as write_new_board.
std::string write_new_issue(const NewEntry& wanted, Console& console);

struct RemoveOptions {
  std::string release;            ///< or
  std::string patchset, variant;  ///< no variant: all of them
  std::string directory;          ///< catalog directory that has it, one of the layers
  bool cascade = false;           ///< what depends on it goes too; else it stays if something does
};

/// Removes the entry by one change_catalog, unless a person has to edit something first. Nothing but files of the
/// directory changes. Raises usage for an entry that the directory does not have; data for a catalog with findings;
/// environment.
RemovalReport remove_entry(const RemoveOptions& options, const std::vector<catalog::Layer>& layers, Console& console);

/// Returns where a patchset lies in a catalog directory.
std::string patchset_folder(const std::string& directory, const std::string& id);
/// Returns the directory of the topmost layer that describes a patchset.
std::string patchset_directory(const std::string& patchset, const std::vector<catalog::Layer>& layers);
/// Certificates lie beside the patchset: those of pins that a layer over it replaces do not belong there. Returns the
/// layer over the patchset's that has the release, or null.
const catalog::Layer* layer_over_patchset(const Catalog& catalog, const std::string& patchset, const Version& release,
                                          const std::vector<catalog::Layer>& layers);
/// Raises usage, with those there are, where the patchset has no such variant.
const Variant& variant_named(const Patchset& patchset, const std::string& id);
/// Returns an id that no variant has: `wanted`, where it is free.
std::string unused_variant_id(const Patchset& patchset, std::string wanted);

/// Where a release lies, seen from the one that a patchset is carried from.
enum class Direction { newer, older };

/// Returns the range with `release`, and without it.
std::string widened_range(const VersionRange& range, const Version& release, Direction direction);
std::string ended_range(const VersionRange& range, const Version& release, Direction direction);

/// Ends the range of a variant before a release, and says why where that is not empty. Where it is for releases of the
/// catalog behind that as well, a new variant that is the same is for those.
void end_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                 const std::string& why, const Catalog& catalog);
/// Lets the range of a variant hold a release, and all in between; where the catalog has releases there that it was not
/// for, a new variant that is the same is for this one alone. Returns the variant's id.
std::string widen_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                          const Catalog& catalog);
/// Adds a variant for one release, which is as `from` but for the patches.
void add_variant(Patchset& patchset, const std::string& id, const std::string& from, const Version& release,
                 std::vector<Patch> patches);

}  // namespace torchpatch::upkeep
