// SPDX-License-Identifier: BSD-3-Clause
/// What the parts of patch new, patch edit and patch refresh share (internal).
#pragma once

#include <map>
#include <string>

#include "ops/author/patch_work.h"

namespace torchpatch::ops {

/// The line of a commit's message that says which patch it is.
inline constexpr const char* kPatchFile = "Patch-File: ";

/// Returns where a file lies in a work: as in a prepared tree.
std::string work_path(const WorkFile& file);
/// Returns where a patchset lies in a catalog directory.
std::string patchset_folder(const std::string& directory, const std::string& id);
/// Raises usage, with those there are, where the patchset has no such variant.
const Variant& variant_named(const Patchset& patchset, const std::string& id);
/// Returns the SHA-256 of a file. Raises environment.
std::string file_digest(const std::string& file);
/// Returns the pins that decide a work's files: those of their components.
std::map<std::string, std::string> pins_of_work(const Release& release, const PatchWork& state);
/// Writes the state of a work. Raises environment.
void write_patch_work(const std::string& work, const PatchWork& state);
/// Raises patch: a work that cannot go into the catalog as it is.
[[noreturn]] void refuse_work(const std::string& message, const std::string& hint);

}  // namespace torchpatch::ops
