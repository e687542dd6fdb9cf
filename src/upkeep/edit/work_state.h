// SPDX-License-Identifier: BSD-3-Clause
/// What the parts of patch new, patch edit and patch refresh share (internal).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "patch/apply.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::upkeep {

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
/// Writes a file in place of whatever stands at a path; a link as one. Raises environment.
void write_work_file(const std::string& path, const patch::TreeFile& file);
/// Returns the message of a patch's commit. The name stands first: it is what git log shows of a commit.
std::string commit_message(std::string_view header, const std::string& file);
/// Returns the directory of the topmost layer that describes a patchset.
std::string patchset_directory(const std::string& patchset, const std::vector<catalog::Layer>& layers);
/// Certificates lie beside the patchset: those of pins that a layer over it replaces do not belong there. Raises usage.
void check_layer_of_release(const Catalog& catalog, const std::string& patchset, const Release& release,
                            const std::vector<catalog::Layer>& layers);
/// Raises patch, with the hint, where the catalog is no longer what the work began with.
void check_unchanged(const PatchWork& state, const Catalog& catalog, const std::string& hint);
/// Raises patch: a work that cannot go into the catalog as it is.
[[noreturn]] void refuse_work(const std::string& message, const std::string& hint);

}  // namespace torchpatch::upkeep
