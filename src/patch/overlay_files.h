// SPDX-License-Identifier: BSD-3-Clause
/// Files with changes laid over them.
#pragma once

#include "patch/apply.h"

namespace torchpatch::patch {

class OverlayFiles : public FileSource {
 public:
  /// Both must outlive this; `changes` may grow.
  OverlayFiles(FileSource& base, const Changes& changes) : base_(base), changes_(changes) {}

  std::optional<TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  FileSource& base_;
  const Changes& changes_;
};

}  // namespace torchpatch::patch
