// SPDX-License-Identifier: BSD-3-Clause
/// The work repositories of port (internal): one for each patchset, as patch edit makes them, in which a person settles
/// conflicts. The branches base, ours and theirs have the files in conflict, words has them merged word by word.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "upkeep/edit/patch_work.h"
#include "upkeep/edit/work_repository.h"
#include "upkeep/port/carry_variant.h"

namespace torchpatch::upkeep {

/// What a work of port says of itself besides: .git/torchpatch-port.json.
struct PortWork {
  std::string from;  ///< variant
  std::string from_release;
  std::vector<std::string> messages;     ///< of the patches' commits
  std::vector<WorkFile> removed;         ///< that the patch in conflict changes and upstream removed
  std::int64_t laid = 0;                 ///< so many patches have a commit
  bool has_conflict = false;             ///< the one behind them is for a person to settle
  std::string behind;                    ///< commit behind which patches are being written; empty: the work is whole
  std::vector<LeftOutPatch> upstream{};  ///< patches that nothing was left of, with commits
};

/// A patchset on its way to a release.
struct PortCase {
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;  ///< that it is carried from
  const Release* to = nullptr;
  std::string new_variant;
};

/// What a person made of the patches so far.
struct SettledWork {
  PatchWork state;
  PortWork port;
  std::map<RepositoryPath, patch::Changes> changes;  ///< against the pinned files
  std::size_t patches = 0;                           ///< that have a commit
};

/// Returns whether a directory is a work of port.
bool is_port_work(const std::string& work);
/// Returns whether a directory is one that begin_port_work, ended by force, left half written beside a work.
bool is_half_port_work(const std::string& path);
/// Writes a work with the carried patches, the last perhaps in conflict; `work` is absent, and comes at once. Raises
/// environment.
PatchWork begin_port_work(const std::string& work, const PortCase& of, const CarriedVariant& carried,
                          const WorkOrigin& origin, const std::string& directory);
/// Goes on in a work behind what is settled.
PatchWork continue_port_work(const std::string& work, SettledWork settled, const CarriedVariant& carried);
/// Returns whether a work has a conflict, and a person settled it.
bool has_settled_conflict(const std::string& work);
/// Commits what a person did to the patch in conflict, and returns what there is then. Raises patch where marks of the
/// conflict are left, where a file is as it was laid and not in the index, where a file that upstream removed is still
/// gone, unless `drops_removed`, and where the patch has a commit that does not name it.
SettledWork settle_port_work(const std::string& work, bool drops_removed);

}  // namespace torchpatch::upkeep
