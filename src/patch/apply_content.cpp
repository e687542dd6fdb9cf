// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply_content.h"

#include "patch/delta.h"
#include "patch/locate_hunk.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

constexpr std::string_view kGitlinkText = "Subproject commit ";

[[noreturn]] void fail(Failure failure, const FilePatch& patch, const std::string& message) {
  throw ApplyError(failure, patch.path(), 0, message);
}

/// A gitlink's content in a patch is a line of text.
std::string patched_side(const TreeFile& file) {
  if (file.mode != FileMode::gitlink) return file.bytes;
  return concat(kGitlinkText, file.bytes, "\n");
}

/// Returns the id in the line that stands for a gitlink. What follows it is passed over, as git does: git diff writes
/// "-dirty" behind the id of a submodule with changes of its own.
std::string gitlink_commit(const FilePatch& patch, std::string_view text) {
  const bool is_line = starts_with(text, kGitlinkText) && text.find('\n') == text.size() - 1;
  const std::string_view id = is_line ? text.substr(kGitlinkText.size(), ObjectId{}.bytes.size() * 2) : "";
  if (!ObjectId::parse(id))
    fail(Failure::conflict, patch, "the result is not the line that a submodule's commit is written as");
  return std::string(id);
}

std::string apply_hunks(const FilePatch& patch, const std::string& text, std::vector<MovedHunk>& moved) {
  HunkLocator locator(text);
  int number = 0;
  for (const Hunk& hunk : patch.hunks) {
    ++number;
    const std::optional<Place> place = locator.place(hunk);
    if (!place) throw ApplyError(Failure::conflict, patch.path(), number, locator.explain(hunk));
    if (!place->is_stated) moved.push_back({patch.path(), number, place->offset});
  }
  return locator.result();
}

std::string null_if_removed(const FilePatch& patch, const std::string& text) {
  return patch.new_path.empty() ? ObjectId{}.hex() : git_blob_id(text).hex();
}

std::string apply_binary(const FilePatch& patch, const std::string& bytes) {
  const std::string id = patch.old_path.empty() ? ObjectId{}.hex() : git_blob_id(bytes).hex();
  if (id != patch.old_id)
    fail(Failure::wrong_content, patch, concat("its blob is ", id, ", the patch is for ", patch.old_id));
  const BinaryHunk& hunk = patch.binary->forward;
  std::optional<std::string> result = hunk.data;
  if (hunk.method == BinaryMethod::delta) result = apply_delta(hunk.data, bytes);
  if (!result) fail(Failure::conflict, patch, "the binary delta does not go with the file");
  if (const std::string made = null_if_removed(patch, *result); made != patch.new_id)
    fail(Failure::conflict, patch, concat("the binary patch makes blob ", made, ", but says ", patch.new_id));
  return std::move(*result);
}

FileMode resulting_mode(const FilePatch& patch, const std::optional<TreeFile>& old) {
  if (patch.new_mode) return *patch.new_mode;
  return old ? old->mode : FileMode::regular;
}

}  // namespace

std::optional<TreeFile> apply_content(const FilePatch& patch, const std::optional<TreeFile>& old,
                                      std::vector<MovedHunk>& moved) {
  TreeFile file{resulting_mode(patch, old), old ? patched_side(*old) : std::string()};
  if (patch.binary) {
    file.bytes = apply_binary(patch, file.bytes);
  } else if (!patch.hunks.empty()) {
    file.bytes = apply_hunks(patch, file.bytes, moved);
  }
  if (patch.kind == ChangeKind::remove) {
    if (!file.bytes.empty()) fail(Failure::conflict, patch, "the file has more content than the patch removes");
    return std::nullopt;
  }
  if (file.mode == FileMode::gitlink) file.bytes = gitlink_commit(patch, file.bytes);
  return file;
}

}  // namespace torchpatch::patch
