// SPDX-License-Identifier: BSD-3-Clause
/// Release archives beside another source: blobs come from them, commits and trees from the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source/archive_store.h"
#include "source/object_source.h"

namespace torchpatch::source {

class ArchiveSource : public ObjectSource {
 public:
  /// Opens the archives (open_archives); the cache is in use as long as this lives.
  ArchiveSource(const std::vector<NamedArchive>& archives, std::unique_ptr<ObjectSource> rest, const Cache& cache,
                int jobs, Console& console);

  const std::vector<OpenArchive>& archives() const override { return archives_; }
  /// The archives' folders, then the other source's.
  const std::vector<std::string>& object_folders() const override;
  std::vector<std::string> bring(const std::vector<WantedCommit>& wanted, Console& console) override;
  void note_use(int folder, const ObjectId& commit) override;
  std::string describe() const override;
  std::string hint() const override;

 private:
  UniqueFd in_use_;
  std::vector<OpenArchive> archives_;
  std::unique_ptr<ObjectSource> rest_;
  mutable std::vector<std::string> folders_;
};

}  // namespace torchpatch::source
