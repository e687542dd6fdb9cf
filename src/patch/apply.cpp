// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"

#include "patch/tree_patcher.h"

namespace torchpatch::patch {
namespace {

/// True where the reverse of `patch` applies.
bool is_applied(const PatchFile& patch, FileSource& files) {
  try {
    const PatchFile reverse = reverse_patch(patch);
    TreePatcher(reverse, files).run();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool FileSource::has_others_below(const std::string& path, const std::set<std::string>&) { return is_directory(path); }

Applied apply_patch(const PatchFile& patch, FileSource& files) {
  try {
    return TreePatcher(patch, files).run();
  } catch (const ApplyError& error) {
    if (!is_applied(patch, files)) throw;
    throw ApplyError(Failure::already_applied, error.path(), error.hunk(), "all that the patch makes is there already");
  }
}

}  // namespace torchpatch::patch
