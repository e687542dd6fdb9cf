// SPDX-License-Identifier: BSD-3-Clause
#include "patch/overlay_files.h"

#include "support/text.h"

namespace torchpatch::patch {

std::optional<TreeFile> OverlayFiles::read(const std::string& path) {
  const auto change = changes_.find(path);
  return change == changes_.end() ? base_.read(path) : change->second;
}

bool OverlayFiles::is_directory(const std::string& path) { return has_others_below(path, {}); }

bool OverlayFiles::has_others_below(const std::string& path, const std::set<std::string>& removed) {
  const std::string prefix = path + "/";
  std::set<std::string> gone = removed;
  bool is_changed = !removed.empty();
  for (auto change = changes_.lower_bound(prefix); change != changes_.end() && starts_with(change->first, prefix);
       ++change) {
    if (change->second && !removed.contains(change->first)) return true;
    gone.insert(change->first);
    is_changed = true;
  }
  return is_changed ? base_.is_directory(path) && base_.has_others_below(path, gone) : base_.is_directory(path);
}

}  // namespace torchpatch::patch
