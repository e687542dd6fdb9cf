// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"

#include <algorithm>

#include "patch/binary_patch.h"
#include "patch/locate_hunk.h"
#include "patch/tree_patcher.h"
#include "support/delta.h"
#include "support/digest.h"
#include "support/text.h"

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
  if (hunk.method == BinaryMethod::delta) result = apply_delta(hunk.data, bytes, kMaxBinaryBytes);
  if (!result) fail(Failure::conflict, patch, "the binary delta does not go with the file");
  if (const std::string made = null_if_removed(patch, *result); made != patch.new_id)
    fail(Failure::conflict, patch, concat("the binary patch makes blob ", made, ", but says ", patch.new_id));
  return std::move(*result);
}

FileMode resulting_mode(const FilePatch& patch, const std::optional<TreeFile>& old) {
  if (patch.new_mode) return *patch.new_mode;
  return old ? old->mode : FileMode::regular;
}

std::string describe(Failure failure, const std::string& path, int hunk, const std::string& message) {
  return concat(failure_name(failure), ": ", quote(path), hunk > 0 ? concat(", hunk ", hunk) : "", ": ", message);
}

std::string advice(Failure failure) {
  switch (failure) {
    case Failure::already_applied:
      return "leave the patch out";
    case Failure::wrong_content:
      return "the patch is certified for other content of this file";
    case Failure::conflict:
    case Failure::file_absent:
    case Failure::file_exists:
      return "the patch was made for another version of this tree";
  }
  return "";
}

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

bool FileSource::has_others_below(const std::string& path, const std::set<std::string>&) { return is_directory(path); }

Applied apply_patch(const PatchFile& patch, FileSource& files) {
  try {
    return TreePatcher(patch, files).run();
  } catch (const ApplyError& error) {
    if (!is_applied(patch, files)) throw;
    throw ApplyError(Failure::already_applied, error.path(), error.hunk(), "all that the patch makes is there already");
  }
}

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

const char* failure_name(Failure failure) {
  switch (failure) {
    case Failure::already_applied:
      return "already applied";
    case Failure::conflict:
      return "conflict";
    case Failure::file_absent:
      return "file absent";
    case Failure::file_exists:
      return "file exists";
    case Failure::wrong_content:
      return "wrong content";
  }
  return "";
}

ApplyError::ApplyError(Failure failure, std::string path, int hunk, const std::string& message)
    : Error(ErrorKind::patch, describe(failure, path, hunk, message), advice(failure)),
      failure_(failure),
      path_(std::move(path)),
      hunk_(hunk) {}

void check_file_patch(const LineReader& header, const FilePatch& file) {
  if (!file.has_content()) return check_without_content(header, file);
  check_hunks(header, file);
  if (file.binary) check_binary(header, file);
}

}  // namespace torchpatch::patch
