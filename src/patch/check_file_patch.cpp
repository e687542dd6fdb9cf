// SPDX-License-Identifier: BSD-3-Clause
#include "patch/check_file_patch.h"

#include <algorithm>

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

constexpr std::size_t kFullId = 40;

/// True where `id`, which may be shortened, is that of an empty file.
bool is_empty_blob(const std::string& id) { return !id.empty() && starts_with(git_blob_id("").hex(), id); }

bool changes_mode(const FilePatch& file) { return file.old_mode && file.new_mode && file.old_mode != file.new_mode; }

void check_without_content(const LineReader& header, const FilePatch& file) {
  switch (file.kind) {
    case ChangeKind::create:
      if (!is_empty_blob(file.new_id))
        header.fail("the created file has no content, and no index line says it is empty");
      return;
    case ChangeKind::remove:
      if (!is_empty_blob(file.old_id))
        header.fail("the removed file's content is missing, and no index line says it is empty");
      return;
    case ChangeKind::rename:
    case ChangeKind::copy:
      if (file.old_id != file.new_id || file.similarity.value_or(100) != 100)
        header.fail("the header promises changed lines, but there are none");
      return;
    case ChangeKind::modify:
      if (file.old_id != file.new_id) header.fail("the header promises a changed file, but no hunk follows");
      if (!changes_mode(file)) header.fail("this header changes nothing");
      return;
  }
}

void check_hunks(const LineReader& header, const FilePatch& file) {
  const bool has_old =
      std::any_of(file.hunks.begin(), file.hunks.end(), [](const Hunk& hunk) { return hunk.old_count > 0; });
  const bool has_new =
      std::any_of(file.hunks.begin(), file.hunks.end(), [](const Hunk& hunk) { return hunk.new_count > 0; });
  if (file.kind == ChangeKind::create && has_old) header.fail("the created file depends on old lines");
  if (file.kind == ChangeKind::remove && has_new) header.fail("the removed file keeps lines");
}

/// git finds a binary change's file by the ids; without both in full it cannot be checked.
void check_binary(const LineReader& header, const FilePatch& file) {
  if (file.old_id.size() != kFullId || file.new_id.size() != kFullId)
    header.fail("a binary change needs an index line with two full ids",
                "make the patch with git diff --binary --full-index");
  const bool was_there = file.old_id != std::string(kFullId, '0');
  const bool is_there = file.new_id != std::string(kFullId, '0');
  if (was_there == (file.kind == ChangeKind::create) || is_there == (file.kind == ChangeKind::remove))
    header.fail("the ids of the index line do not go with what the header says");
}

}  // namespace

void check_file_patch(const LineReader& header, const FilePatch& file) {
  if (!file.has_content()) return check_without_content(header, file);
  check_hunks(header, file);
  if (file.binary) check_binary(header, file);
}

}  // namespace torchpatch::patch
