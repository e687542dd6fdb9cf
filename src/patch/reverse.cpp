// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "patch/apply.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

[[noreturn]] void fail(const FilePatch& file, const std::string& why) {
  throw Error(ErrorKind::patch, concat("taking back the change of ", quote(file.path()), ": ", why));
}

ChangeKind reverse_kind(const FilePatch& file) {
  switch (file.kind) {
    case ChangeKind::create:
      return ChangeKind::remove;
    case ChangeKind::remove:
      return ChangeKind::create;
    case ChangeKind::copy:
      fail(file, "a copy cannot be taken back");
    case ChangeKind::modify:
    case ChangeKind::rename:
      return file.kind;
  }
  fail(file, "unknown kind of change");
}

Hunk reverse_hunk(Hunk hunk) {
  std::swap(hunk.old_start, hunk.new_start);
  std::swap(hunk.old_count, hunk.new_count);
  for (HunkLine& line : hunk.lines) {
    if (line.kind == LineKind::context) continue;
    line.kind = line.kind == LineKind::added ? LineKind::removed : LineKind::added;
  }
  return hunk;
}

FilePatch reverse_file(const FilePatch& file) {
  FilePatch reverse = file;
  reverse.kind = reverse_kind(file);
  std::swap(reverse.old_path, reverse.new_path);
  std::swap(reverse.old_id, reverse.new_id);
  // A mode on the index line is that of both sides.
  const bool mode_stays = file.kind != ChangeKind::create && file.kind != ChangeKind::remove && !file.new_mode;
  if (!mode_stays) std::swap(reverse.old_mode, reverse.new_mode);
  std::transform(file.hunks.begin(), file.hunks.end(), reverse.hunks.begin(), reverse_hunk);
  if (file.binary) {
    if (!file.binary->reverse) fail(file, "the binary patch has no reverse side");
    std::swap(reverse.binary->forward, *reverse.binary->reverse);
  }
  return reverse;
}

}  // namespace

PatchFile reverse_patch(const PatchFile& patch) {
  PatchFile reverse;
  for (auto file = patch.files.rbegin(); file != patch.files.rend(); ++file)
    reverse.files.push_back(reverse_file(*file));
  // What makes room for a file must come before it.
  std::stable_partition(reverse.files.begin(), reverse.files.end(),
                        [](const FilePatch& file) { return file.kind == ChangeKind::remove; });
  return reverse;
}

}  // namespace torchpatch::patch
