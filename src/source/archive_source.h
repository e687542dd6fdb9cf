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
  ArchiveSource(std::vector<OpenArchive> archives, std::unique_ptr<ObjectSource> rest)
      : archives_(std::move(archives)), rest_(std::move(rest)) {}

  const std::vector<OpenArchive>& archives() const override { return archives_; }
  /// The archives' folders, then the other source's.
  const std::vector<std::string>& object_folders() const override;
  std::vector<std::string> bring(const std::vector<WantedCommit>& wanted, Console& console) override;
  std::string describe() const override;
  std::string hint() const override;

 private:
  std::vector<OpenArchive> archives_;
  std::unique_ptr<ObjectSource> rest_;
  mutable std::vector<std::string> folders_;
};

}  // namespace torchpatch::source
