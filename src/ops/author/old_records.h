// SPDX-License-Identifier: BSD-3-Clause
/// What was recorded of patches that are written anew (internal).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ops/author/patch_work.h"
#include "support/json.h"

namespace torchpatch::ops {

/// Files of the catalog and what becomes of each; nothing: it goes.
using FileChanges = std::map<std::string, std::optional<std::string>>;
/// Certificates, by the file that has them.
using RecordedEdges = std::map<std::string, Json>;

/// Takes the certificates of the patches `stale` (by their SHA-256), and those that build on what they made, out of all
/// files below `directories` for these releases; returns what is left there. Raises data, environment.
RecordedEdges drop_certificates(const std::vector<std::string>& directories, const VersionRange& releases,
                                const std::set<std::string>& stale, FileChanges& changes);

/// Takes the proof outcomes of a variant out. Raises as drop_certificates.
void drop_proof_outcomes(const std::vector<std::string>& directories, const std::string& patchset,
                         const Variant& variant, FileChanges& changes);

/// Adds the certificates that were made in a directory of their own: of each patchset that has some that `recorded` has
/// not. Raises as drop_certificates.
void add_new_certificates(const std::string& made_in, const PatchWork& state, const RecordedEdges& recorded,
                          FileChanges& changes);

}  // namespace torchpatch::ops
