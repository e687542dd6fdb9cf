// SPDX-License-Identifier: BSD-3-Clause
#include "patch/tree_patcher.h"

#include "patch/apply.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

bool takes_away(const FilePatch& patch) { return patch.kind == ChangeKind::remove || patch.kind == ChangeKind::rename; }

bool is_plain(FileMode mode) { return mode == FileMode::regular || mode == FileMode::executable; }
bool same_type(FileMode one, FileMode other) { return one == other || (is_plain(one) && is_plain(other)); }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::unsafe, concat("the patch touches ", quote(path), ", which is refused: ", why),
              "paths must stay inside the tree and outside of git's own directories");
}

void check_path(const std::string& path) {
  if (const auto problem = path_problem(path)) refuse(path, *problem);
}

}  // namespace

std::optional<TreeFile> OverlayFiles::read(const std::string& path) {
  const auto change = changes_.find(path);
  return change == changes_.end() ? base_.read(path) : change->second;
}

bool OverlayFiles::is_directory(const std::string& path) { return has_others_below(path, {}); }

bool OverlayFiles::has_others_below(const std::string& path, const std::set<std::string>& removed) {
  const std::string prefix = path + "/";
  std::set<std::string> gone = removed;
  bool is_changed = !removed.empty();
  for (auto change = changes_.lower_bound(prefix); change != changes_.end() && starts_with(change->first, prefix);
       ++change) {
    if (change->second && !removed.contains(change->first)) return true;
    gone.insert(change->first);
    is_changed = true;
  }
  return is_changed ? base_.is_directory(path) && base_.has_others_below(path, gone) : base_.is_directory(path);
}

TreePatcher::TreePatcher(const PatchFile& patch, FileSource& files) : patch_(patch), files_(files) {
  for (const FilePatch& file : patch.files) {
    if (takes_away(file)) leaving_.insert(file.old_path);
  }
}

Applied TreePatcher::run() {
  for (const FilePatch& file : patch_.files) apply(file);
  check_places();
  for (const std::string& path : gone_) applied_.changes[path] = std::nullopt;
  for (auto& [path, file] : result_) applied_.changes[path] = std::move(file);
  return std::move(applied_);
}

void TreePatcher::apply(const FilePatch& patch) {
  if (patch.kind != ChangeKind::create) check_path(patch.old_path);
  if (patch.kind != ChangeKind::remove) check_path(patch.new_path);
  const std::optional<TreeFile> old = read_old(patch);
  if (old) check_types(patch, *old);
  if (patch.kind != ChangeKind::remove && patch.kind != ChangeKind::modify) check_free(patch);
  std::optional<TreeFile> made = apply_content(patch, old, applied_.moved);
  if (takes_away(patch)) gone_.insert(patch.old_path);
  if (patch.kind == ChangeKind::rename && old->mode == FileMode::link) renamed_links_.insert(patch.old_path);
  if (patch.kind == ChangeKind::modify) modified_.insert(patch.new_path);
  if (made) keep(patch, std::move(*made));
}

std::optional<TreeFile> TreePatcher::read_old(const FilePatch& patch) {
  if (patch.kind == ChangeKind::create) return std::nullopt;
  return patch.kind == ChangeKind::modify ? read_modified(patch) : read_unchanged(patch);
}

/// Returns the file as the patch has made it so far.
TreeFile TreePatcher::read_modified(const FilePatch& patch) {
  const auto made = result_.find(patch.old_path);
  if (made == result_.end()) return read_unchanged(patch);
  if (!modified_.contains(patch.old_path))
    throw ApplyError(Failure::conflict, patch.old_path, 0, "the patch makes this file and then modifies it");
  return made->second;
}

/// Returns the file as it was before the patch.
TreeFile TreePatcher::read_unchanged(const FilePatch& patch) {
  const std::string& path = patch.old_path;
  if (patch.kind != ChangeKind::copy) {
    if (gone_.contains(path))
      throw ApplyError(Failure::conflict, path, 0, "the patch has removed or renamed this file already");
    if (modified_.contains(path) || (patch.kind == ChangeKind::remove && result_.contains(path)))
      throw ApplyError(Failure::conflict, path, 0, "the patch changes this file and then takes it away");
  }
  std::optional<TreeFile> file = files_.read(path);
  if (!file) throw ApplyError(Failure::file_absent, path, 0, "there is no such file");
  return std::move(*file);
}

void TreePatcher::check_types(const FilePatch& patch, const TreeFile& old) {
  const FileMode stated = patch.old_mode.value_or(old.mode);
  const FileMode next = patch.new_mode.value_or(old.mode);
  const bool is_right = same_type(stated, old.mode) && (patch.kind == ChangeKind::remove || same_type(next, old.mode));
  if (!is_right)
    throw ApplyError(Failure::conflict, patch.old_path, 0,
                     concat("its mode is ", file_mode_text(old.mode), ", which does not go with the patch's ",
                            file_mode_text(stated), patch.new_mode ? concat(" and ", file_mode_text(next)) : ""));
  if (stated != old.mode) applied_.other_modes.push_back(patch.old_path);
}

/// A new file may take the place of one that this patch takes away, before or after.
void TreePatcher::check_free(const FilePatch& patch) {
  const std::string& path = patch.new_path;
  if (result_.contains(path)) throw ApplyError(Failure::file_exists, path, 0, "the patch makes this file twice");
  if (!leaving_.contains(path) && files_.read(path))
    throw ApplyError(Failure::file_exists, path, 0, "the patch makes this file, but it is there");
}

void TreePatcher::keep(const FilePatch& patch, TreeFile file) {
  if (file.mode == FileMode::link) {
    if (const auto problem = link_name_problem(patch.new_path)) refuse(patch.new_path, *problem);
  }
  result_bytes_ += file.bytes.size();
  if (result_bytes_ > kMaxResultBytes)
    throw Error(ErrorKind::unsafe,
                concat("the patch makes more than ", kMaxResultBytes, " bytes, at ", quote(patch.new_path)));
  result_[patch.new_path] = std::move(file);
}

/// No file may stand where others need a directory. Files that were modified in place stood well before.
void TreePatcher::check_places() {
  std::vector<std::string> made;
  for (const auto& [path, file] : result_) {
    if (!modified_.contains(path)) made.push_back(path);
  }
  // A path below a link is unsafe, which says more than that the link is in its way.
  for (const std::string& path : made) check_parents(path);
  for (const std::string& path : made) check_below(path);
}

void TreePatcher::check_parents(const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    const std::optional<FileMode> mode = mode_after(parent);
    // git apply takes only a link that is removed for gone, not one that is renamed.
    if (mode == FileMode::link || renamed_links_.contains(parent))
      refuse(path, concat(quote(parent), " is a symbolic link"));
    if (!mode) continue;
    if (*mode == FileMode::gitlink) refuse(path, concat(quote(parent), " is a submodule"));
    throw ApplyError(Failure::file_exists, parent, 0, concat("the patch makes ", quote(path), ", but this is a file"));
  }
}

/// Returns the mode of the file at `path` after the patch, or nothing where there is none.
std::optional<FileMode> TreePatcher::mode_after(const std::string& path) {
  if (const auto made = result_.find(path); made != result_.end()) return made->second.mode;
  if (gone_.contains(path) || files_.is_directory(path)) return std::nullopt;
  const std::optional<TreeFile> file = files_.read(path);
  if (!file) return std::nullopt;
  return file->mode;
}

void TreePatcher::check_below(const std::string& path) {
  const std::string prefix = path + "/";
  const auto next = result_.lower_bound(prefix);
  const bool is_needed = next != result_.end() && starts_with(next->first, prefix);
  if (is_needed || (files_.is_directory(path) && files_.has_others_below(path, gone_)))
    throw ApplyError(Failure::file_exists, path, 0, "the patch makes this file, but it is a directory");
}

}  // namespace torchpatch::patch
