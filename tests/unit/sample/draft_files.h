// SPDX-License-Identifier: BSD-3-Clause
/// Drafts as the patch engine reads files.
#pragma once

#include "patch/apply.h"
#include "sample/write_repositories.h"
#include "support/text.h"

namespace torchpatch::test {

class DraftFiles : public patch::FileSource {
 public:
  explicit DraftFiles(const sample::FileDrafts& drafts) : drafts_(drafts) {}
  std::optional<patch::TreeFile> read(const std::string& path) override {
    const auto draft = drafts_.find(path);
    if (draft == drafts_.end()) return std::nullopt;
    return patch::TreeFile{draft->second.mode, sample::draft_content(path, draft->second)};
  }
  bool is_directory(const std::string& path) override {
    const auto next = drafts_.lower_bound(path + "/");
    return next != drafts_.end() && starts_with(next->first, path + "/");
  }

 private:
  const sample::FileDrafts& drafts_;
};

}  // namespace torchpatch::test
