// SPDX-License-Identifier: BSD-3-Clause
/// The files that patches touch, of many releases at once, without the rest of their closures.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/release.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "source/closure/object_source.h"
#include "source/closure/repository_tree.h"
#include "support/find.h"
#include "upkeep/audit/audit_patch.h"

namespace torchpatch::upkeep {

struct TouchedRequest {
  const Release* release = nullptr;
  std::vector<SubmoduleOverride> overrides;
  const std::vector<AuditStep>* steps = nullptr;  ///< whose paths are read
};

/// Files in memory. What is not in it is not there; so put in every path that touched_paths() gives and that exists.
class MemoryFiles : public patch::FileSource {
 public:
  void add(const std::string& path, patch::TreeFile file) { files_[path] = std::move(file); }
  void add_directory(const std::string& path) { directories_.insert(path); }

  std::optional<patch::TreeFile> read(const std::string& path) override {
    const patch::TreeFile* const file = find_value(files_, path);
    return file ? std::optional(*file) : std::nullopt;
  }
  bool is_directory(const std::string& path) override { return directories_.contains(path); }

 private:
  std::map<std::string, patch::TreeFile> files_;
  std::set<std::string> directories_;
};

struct TouchedFiles {
  std::map<RepositoryPath, MemoryFiles> repositories;  ///< those that the pins have
  std::vector<source::MissingPin> missing;             ///< not empty: something could not be read; all else is empty
};

/// Returns for each request what the paths of its steps hold at its pins, in order. Raises as run_lookups.
std::vector<TouchedFiles> read_touched_files(const std::vector<TouchedRequest>& requests,
                                             const std::vector<MovedRepository>& moved, source::ObjectSource& source,
                                             int jobs, Console& console);

// audit: changes where they stand in the files that they are for.

/// Gives the files of a repository as they are without any patch; null: there is no such repository.
using BaseFiles = std::function<patch::FileSource*(const RepositoryPath&)>;

/// Returns the pinned files that were read; lives no longer than `files`.
BaseFiles base_files(TouchedFiles& files);

/// Applies the patches in memory, one after the other, and shows each in the files as it finds them, with `context`
/// unchanged lines around a change; `entries` are those of the steps. Every edge that a step comes with must hold.
/// Raises as apply_series, patch where a repository is not there; with the patch's name.
void show_in_files(const std::vector<AuditStep>& steps, const BaseFiles& base, std::size_t context,
                   std::vector<AuditPatch>& entries);

}  // namespace torchpatch::upkeep
