// SPDX-License-Identifier: BSD-3-Clause
/// Finds the git repositories in folders that the user names, whatever they are called.
#pragma once

#include <string>
#include <vector>

#include "source/closure/object_source.h"
#include "support/console.h"

namespace torchpatch::source {

struct FoundFolders {
  std::vector<std::string> object_folders;  ///< absolute, ".../objects", each once
  std::vector<std::string> warnings;        ///< what was left out, and why
};

/// Returns the object folders of every repository at any depth below `directories`, in the order of these and bytewise
/// within one: bare repositories, ".git" directories and ".git/modules/**". Work trees are searched as well; symbolic
/// links (but for `directories` themselves), "objects" and "refs" are not entered. A repository that lacks parts, a
/// folder that cannot be read, and objects borrowed (info/alternates) from outside are warnings. Raises environment
/// where one of `directories` is not a directory.
FoundFolders find_object_folders(const std::vector<std::string>& directories);

/// Reads from folders of repositories only.
class MirrorSource : public ObjectSource {
 public:
  /// Raises as above, and source where no repository is found at all. Warnings go to `console`.
  MirrorSource(std::vector<std::string> directories, Console& console);

  const std::vector<std::string>& object_folders() const override { return object_folders_; }
  std::string describe() const override;

 private:
  std::vector<std::string> directories_;
  std::vector<std::string> object_folders_;
};

}  // namespace torchpatch::source
