// SPDX-License-Identifier: BSD-3-Clause
/// Carries the patches of a variant from one release's pinned files to another's (internal): the worker's half of port.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/port.h"
#include "patch/apply.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::upkeep {

/// A file as it is before a carried patch, and behind it.
struct CarriedFile {
  std::string path;  ///< in the newer release
  std::optional<patch::TreeFile> before, after;
};

/// A file that a person has to look at.
struct FileConflict {
  PortConflict what;
  std::optional<patch::TreeFile> base;    ///< of the older release, with the patches before this one
  std::optional<patch::TreeFile> ours;    ///< with this one
  std::optional<patch::TreeFile> theirs;  ///< of the newer release, with the patches before this one
  std::optional<patch::TreeFile> merged;  ///< with marks, where lines conflict
  std::string words;                      ///< merged word by word, where that is clean; or empty
};

struct CarriedPatch {
  std::vector<CarriedFile> files;
  std::vector<FileConflict> conflicts;   ///< none: it was carried
  std::optional<BlamedCommit> commit{};  ///< that has its change, where nothing is left of it
  bool is_upstream_by_lines = false;     ///< nothing is left, though the files are not what it makes of the older ones
};

/// A file of the newer release, or nothing.
struct PinnedFile {
  RepositoryPath repository;
  std::string path;
  std::optional<patch::TreeFile> file;
};

struct CarriedVariant {
  std::string from_release;              ///< empty: the pinned files of no release of the variant are at hand
  bool is_upstream = false;              ///< every file is what the patches make of it
  bool is_reversible = false;            ///< the patches can be taken out of the newer release
  bool applies = false;                  ///< the patches as they are make the same of it as the merge
  std::optional<BlamedCommit> commit{};  ///< of is_upstream and is_reversible
  std::vector<CarriedPatch> patches;     ///< up to the first with conflicts
  std::vector<PinnedFile> rest;          ///< that the patches behind that change, and what a person settled
  /// What the variant brings besides patches, and that the release has no room for: files, and overrides in words.
  std::vector<PortConflict> taken;
  std::vector<std::string> unfit;
};

struct CarryTask {
  const Variant* variant = nullptr;
  std::vector<const Release*> from;  ///< the first whose files are at hand counts
  const Release* to = nullptr;
  bool drops_removed = false;  ///< what is done to files that upstream removed is dropped
  /// What a person made of the first patches: by repository, against the pinned files of `to`; and how many they are.
  std::map<RepositoryPath, patch::Changes> settled{};
  std::size_t settled_patches = 0;
};

/// Returns a CarriedVariant as bytes. Raises as PinnedLookup for `to`; patch where the patches do not apply to their
/// own release.
std::string carry_variant(const CarryTask& task, source::PinnedLookup& lookup);
CarriedVariant decode_carried_variant(const std::string& bytes);

}  // namespace torchpatch::upkeep
