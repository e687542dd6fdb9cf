// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"

#include <algorithm>
#include <array>

#include "patch/patch_file.h"
#include "support/delta.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

/// The name of a class of failure, and the advice for it.
struct FailureText {
  const char* name;
  const char* advice;
};
constexpr const char* kOtherVersion = "the patch was made for another version of this tree";
/// Indexed by Failure.
constexpr std::array<FailureText, 5> kFailureTexts = {
    {{"already applied", "leave the patch out"},
     {"conflict", kOtherVersion},
     {"file absent", kOtherVersion},
     {"file exists", kOtherVersion},
     {"wrong content", "the patch is certified for other content of this file"}}};

const FailureText& text_of(Failure failure) { return kFailureTexts[static_cast<std::size_t>(failure)]; }

constexpr std::string_view kGitlinkText = "Subproject commit ";

/// In patches, a gitlink's content is a line of text.
std::string patched_side(const TreeFile& file) {
  if (file.mode != FileMode::gitlink) return file.bytes;
  return concat(kGitlinkText, file.bytes, "\n");
}

/// Returns the id in the line that represents a gitlink. As in git, anything after it is ignored: git diff appends
/// "-dirty" to the id of a submodule with local changes.
std::string gitlink_commit(const FilePatch& patch, std::string_view text) {
  const bool is_line = starts_with(text, kGitlinkText) && text.find('\n') == text.size() - 1;
  const std::string_view id = is_line ? text.substr(kGitlinkText.size(), ObjectId{}.bytes.size() * 2) : "";
  if (!ObjectId::parse(id))
    throw ApplyError(Failure::conflict, patch.path(), "the result is not a 'Subproject commit' line");
  return std::string(id);
}

/// Returns nothing if hunks failed.
std::optional<std::string> apply_hunks(const FilePatch& patch, const std::string& text, std::vector<MovedHunk>& moved,
                                       std::vector<FailedHunk>& failed) {
  const std::size_t failed_before = failed.size();
  HunkLocator locator(text);
  int number = 0;
  for (const Hunk& hunk : patch.hunks) {
    ++number;
    const std::optional<Place> place = locator.place(hunk);
    if (!place) {
      failed.push_back({patch.path(), number, locator.explain(hunk)});
      if (failed.size() == kMostFailedHunks) throw ApplyError(failed);
      locator.pass_over(hunk);
    } else if (!place->is_stated) {
      moved.push_back({patch.path(), number, place->offset});
    }
  }
  return failed.size() > failed_before ? std::nullopt : std::optional(locator.result());
}

std::string apply_binary(const FilePatch& patch, const std::string& bytes) {
  const std::string id = (patch.old_path.empty() ? ObjectId{} : git_blob_id(bytes)).hex();
  if (id != patch.old_id)
    throw ApplyError(Failure::wrong_content, patch.path(),
                     concat("found blob ", id, ", the patch needs ", patch.old_id));
  const BinaryHunk& hunk = patch.binary->forward;
  std::optional<std::string> result = hunk.data;
  if (hunk.method == BinaryMethod::delta) result = apply_delta(hunk.data, bytes, kMaxBinaryBytes);
  if (!result) throw ApplyError(Failure::conflict, patch.path(), "the binary delta does not match the file");
  const std::string made = (patch.new_path.empty() ? ObjectId{} : git_blob_id(*result)).hex();
  if (made != patch.new_id)
    throw ApplyError(Failure::conflict, patch.path(),
                     concat("the binary patch produces blob ", made, ", but declares ", patch.new_id));
  return std::move(*result);
}

/// Returns "'a.txt', hunk 1: why; hunk 3: why; 'b.txt', hunk 1: why". On one line, for use in tables.
std::string text_of(const std::vector<FailedHunk>& hunks) {
  std::string text;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    const bool is_same_file = i > 0 && hunks[i].path == hunks[i - 1].path;
    text += concat(i > 0 ? "; " : "", is_same_file ? std::string() : quote(hunks[i].path) + ", ", "hunk ",
                   hunks[i].number, ": ", hunks[i].why);
  }
  if (hunks.size() == kMostFailedHunks) text += "; no further hunk was tried";
  return text;
}

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

/// apply_content(), but adds hunks that do not fit to `failed`; the result is then `old`.
std::optional<TreeFile> content_after(const FilePatch& patch, const std::optional<TreeFile>& old,
                                      std::vector<MovedHunk>& moved, std::vector<FailedHunk>& failed) {
  const FileMode mode = patch.new_mode.value_or(old ? old->mode : FileMode::regular);
  TreeFile file{mode, old ? patched_side(*old) : std::string()};
  if (patch.binary) file.bytes = apply_binary(patch, file.bytes);
  if (!patch.hunks.empty()) {
    std::optional<std::string> result = apply_hunks(patch, file.bytes, moved, failed);
    if (!result) return old;
    file.bytes = std::move(*result);
  }
  if (patch.kind == ChangeKind::remove) {
    if (!file.bytes.empty())
      throw ApplyError(Failure::conflict, patch.path(), "the file has more content than the patch removes");
    return std::nullopt;
  }
  if (file.mode == FileMode::gitlink) file.bytes = gitlink_commit(patch, file.bytes);
  return file;
}

/// Applies the files of one patch in order, with rules for several changes of one path: removals, renames and copies
/// read the tree before the patch; creations, renames and copies write to paths that are free in the tree after it. So
/// the order of files does not matter, as for git diff's output (two files that swap names, a file that becomes a
/// directory). Only modifications of the same file may be combined.
class TreePatcher {
 public:
  TreePatcher(const PatchFile& patch, FileSource& files) : patch_(patch), files_(files) {
    for (const FilePatch& file : patch.files)
      if (takes_away(file)) leaving_.insert(file.old_path);
  }

  /// Applies all files. Raises as apply_patch, but never already_applied.
  Applied run() {
    apply_all();
    if (!failed_.empty()) throw ApplyError(failed_);
    check_places();
    for (const std::string& path : gone_) applied_.changes[path] = std::nullopt;
    for (auto& [path, file] : result_) applied_.changes[path] = std::move(file);
    return std::move(applied_);
  }

 private:
  /// A failure other than a hunk's ends the patch, but earlier failed hunks are reported too.
  void apply_all() try {
    for (const FilePatch& file : patch_.files) apply(file);
  } catch (const ApplyError&) {
    if (failed_.empty()) throw;
  }

  void apply(const FilePatch& patch) {
    if (patch.kind != ChangeKind::create) check_path(patch.old_path);
    if (patch.kind != ChangeKind::remove) check_path(patch.new_path);
    const std::optional<TreeFile> old = read_old(patch);
    if (old) check_types(patch, *old);
    if (patch.kind != ChangeKind::remove && patch.kind != ChangeKind::modify) check_free(patch);
    std::optional<TreeFile> made = content_after(patch, old, applied_.moved, failed_);
    if (takes_away(patch)) gone_.insert(patch.old_path);
    if (patch.kind == ChangeKind::rename && old->mode == FileMode::link) renamed_links_.insert(patch.old_path);
    if (patch.kind == ChangeKind::modify) modified_.insert(patch.new_path);
    if (made) keep(patch, std::move(*made));
  }

  /// Returns the file to change: for a modification as patched so far, otherwise as before the patch.
  std::optional<TreeFile> read_old(const FilePatch& patch) {
    const std::string& path = patch.old_path;
    if (patch.kind == ChangeKind::create) return std::nullopt;
    if (const TreeFile* const made = find_value(result_, path); made && patch.kind == ChangeKind::modify) {
      if (modified_.contains(path)) return *made;
      throw ApplyError(Failure::conflict, path, "the patch creates this file and then modifies it");
    }
    if (patch.kind != ChangeKind::copy) {
      if (gone_.contains(path))
        throw ApplyError(Failure::conflict, path, "the patch already removed or renamed this file");
      if (modified_.contains(path) || (patch.kind == ChangeKind::remove && result_.contains(path)))
        throw ApplyError(Failure::conflict, path, "the patch changes this file and then deletes it");
    }
    std::optional<TreeFile> file = files_.read(path);
    if (!file) throw ApplyError(Failure::file_absent, path, "no such file");
    return file;
  }

  void check_types(const FilePatch& patch, const TreeFile& old) {
    const FileMode stated = patch.old_mode.value_or(old.mode);
    const FileMode next = patch.new_mode.value_or(old.mode);
    const bool is_right =
        same_type(stated, old.mode) && (patch.kind == ChangeKind::remove || same_type(next, old.mode));
    if (!is_right)
      throw ApplyError(Failure::conflict, patch.old_path,
                       concat("found mode ", name_of(old.mode), ", the patch needs ", name_of(stated),
                              patch.new_mode ? concat(" and ", name_of(next)) : ""));
    if (stated != old.mode) applied_.other_modes.push_back(patch.old_path);
  }

  /// A new file may replace one that this patch removes, earlier or later.
  void check_free(const FilePatch& patch) {
    const std::string& path = patch.new_path;
    if (result_.contains(path)) throw ApplyError(Failure::file_exists, path, "the patch creates this file twice");
    if (!leaving_.contains(path) && files_.read(path))
      throw ApplyError(Failure::file_exists, path, "the patch creates this file, but it already exists");
  }

  void keep(const FilePatch& patch, TreeFile file) {
    if (file.mode == FileMode::link) {
      if (const auto problem = link_name_problem(patch.new_path)) refuse(patch.new_path, *problem);
    }
    result_bytes_ += file.bytes.size();
    if (result_bytes_ > kMaxResultBytes)
      throw Error(ErrorKind::unsafe,
                  concat("the patch creates more than ", kMaxResultBytes, " bytes, at ", quote(patch.new_path)));
    result_[patch.new_path] = std::move(file);
  }

  /// Checks that no file is where others need a directory. Files modified in place were fine before.
  void check_places() {
    std::vector<std::string> made;
    for (const auto& [path, file] : result_)
      if (!modified_.contains(path)) made.push_back(path);
    // Check for links first: that a path is below one is the more useful error.
    for (const std::string& path : made) check_parents(path);
    for (const std::string& path : made) check_below(path);
  }

  void check_parents(const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const std::string parent = path.substr(0, slash);
      const std::optional<FileMode> mode = mode_after(parent);
      // git apply treats only removed links as gone, not renamed ones.
      if (mode == FileMode::link || renamed_links_.contains(parent))
        refuse(path, concat(quote(parent), " is a symbolic link"));
      if (!mode) continue;
      if (*mode == FileMode::gitlink) refuse(path, concat(quote(parent), " is a submodule"));
      throw ApplyError(Failure::file_exists, parent, concat("the patch creates ", quote(path), ", but this is a file"));
    }
  }

  /// Returns the mode of the file at `path` after the patch, or nothing if there is none.
  std::optional<FileMode> mode_after(const std::string& path) {
    if (const TreeFile* const made = find_value(result_, path)) return made->mode;
    if (gone_.contains(path) || files_.is_directory(path)) return std::nullopt;
    const std::optional<TreeFile> file = files_.read(path);
    return file ? std::optional(file->mode) : std::nullopt;
  }

  void check_below(const std::string& path) {
    const std::string prefix = path + "/";
    const auto next = result_.lower_bound(prefix);
    const bool is_needed = next != result_.end() && starts_with(next->first, prefix);
    if (is_needed || (files_.is_directory(path) && files_.has_others_below(path, gone_)))
      throw ApplyError(Failure::file_exists, path, "the patch creates this file, but it is a directory");
  }

  const PatchFile& patch_;
  FileSource& files_;
  std::set<std::string> leaving_;           ///< removed or renamed away, now or later
  std::set<std::string> gone_;              ///< removed or renamed away so far
  std::set<std::string> renamed_links_;     ///< symbolic links that were renamed away
  std::set<std::string> modified_;          ///< modified in place so far
  std::map<std::string, TreeFile> result_;  ///< touched paths in the tree after the patch
  std::size_t result_bytes_ = 0;
  std::vector<FailedHunk> failed_;
  Applied applied_;
};

/// Returns whether the reverse of `patch` applies.
bool is_applied(const PatchFile& patch, FileSource& files) {
  try {
    const PatchFile reverse = reverse_patch(patch);
    TreePatcher(reverse, files).run();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void check_before(const PatchStep& step, FileSource& files) {
  for (const PatchEdge& edge : step.expected) {
    const std::optional<ObjectId> found = file_id(files.read(edge.path));
    if (found == edge.before) continue;
    throw ApplyError(
        Failure::wrong_content, edge.path,
        concat("before the patch: found ", id_text(found), ", the certificate has ", id_text(edge.before)));
  }
}

std::vector<PatchEdge> edges_of(const Changes& changes, FileSource& before) {
  std::vector<PatchEdge> edges;
  for (const auto& [path, file] : changes) edges.push_back({path, file_id(before.read(path)), file_id(file)});
  return edges;
}

void check_after(const PatchStep& step, const std::vector<PatchEdge>& edges) {
  std::map<std::string, std::optional<ObjectId>> expected;
  for (const PatchEdge& edge : step.expected) expected[edge.path] = edge.after;
  for (const PatchEdge& edge : edges) {
    const auto found = expected.find(edge.path);
    if (found == expected.end())
      throw ApplyError(Failure::wrong_content, edge.path, "the patch changes this file, but no certificate lists it");
    if (found->second != edge.after)
      throw ApplyError(
          Failure::wrong_content, edge.path,
          concat("after the patch: found ", id_text(edge.after), ", the certificate has ", id_text(found->second)));
    expected.erase(found);
  }
  if (!expected.empty())
    throw ApplyError(Failure::wrong_content, expected.begin()->first,
                     "a certificate lists this file as changed, but the patch does not change it");
}

/// Returns whether the patch removes the file or changes its mode, so that its reverse sets the stated mode.
bool makes_mode_when_reversed(const PatchFile& patch, const std::string& path) {
  return std::ranges::any_of(patch.files, [&](const FilePatch& file) {
    return file.old_path == path && (file.kind == ChangeKind::remove || file.new_mode);
  });
}

/// Edges have no modes, so a certified patch must find the modes it states; so must one that is otherwise not
/// reversible.
void check_modes(const PatchStep& step, const Applied& applied) {
  for (const std::string& path : applied.other_modes) {
    if (step.expected.empty() && !makes_mode_when_reversed(step.patch, path)) continue;
    throw ApplyError(Failure::wrong_content, path, "its mode differs from the one in the patch");
  }
}

void apply_step(const PatchStep& step, FileSource& files, SeriesResult& result) {
  OverlayFiles overlay(files, result.changes);
  const bool is_certified = !step.expected.empty();
  if (is_certified) check_before(step, overlay);
  Applied applied = apply_patch(step.patch, overlay);
  std::vector<PatchEdge> edges = edges_of(applied.changes, overlay);
  if (is_certified) check_after(step, edges);
  check_modes(step, applied);
  result.edges.back() = std::move(edges);
  for (auto& [path, file] : applied.changes) result.changes[path] = std::move(file);
  result.moved.insert(result.moved.end(), applied.moved.begin(), applied.moved.end());
}

}  // namespace

std::optional<ObjectId> file_id(const std::optional<TreeFile>& file) {
  if (!file) return std::nullopt;
  return file->mode == FileMode::gitlink ? ObjectId::parse(file->bytes) : git_blob_id(file->bytes);
}

std::string id_text(const std::optional<ObjectId>& id) { return id ? concat("blob ", id->hex()) : "no file"; }

std::optional<TreeFile> OverlayFiles::read(const std::string& path) {
  const std::optional<TreeFile>* const change = find_value(changes_, path);
  return change ? *change : base_.read(path);
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

ApplyError::ApplyError(Failure failure, std::string path, const std::string& message, int hunk)
    : PatchError(
          concat(text_of(failure).name, ": ", quote(path), hunk > 0 ? concat(", hunk ", hunk) : "", ": ", message),
          text_of(failure).advice),
      failure_(failure),
      path_(std::move(path)),
      hunk_(hunk) {}

ApplyError::ApplyError(const std::vector<FailedHunk>& hunks)
    : PatchError(concat(text_of(Failure::conflict).name, ": ", text_of(hunks)), text_of(Failure::conflict).advice),
      failure_(Failure::conflict),
      path_(hunks.front().path),
      hunk_(hunks.front().number) {}

Applied apply_patch(const PatchFile& patch, FileSource& files) {
  try {
    return TreePatcher(patch, files).run();
  } catch (const ApplyError& error) {
    if (!is_applied(patch, files)) throw;
    throw ApplyError(Failure::already_applied, error.path(), "all changes of the patch are already present",
                     error.hunk());
  }
}

std::optional<TreeFile> apply_content(const FilePatch& patch, const std::optional<TreeFile>& old,
                                      std::vector<MovedHunk>& moved) {
  std::vector<FailedHunk> failed;
  std::optional<TreeFile> file = content_after(patch, old, moved, failed);
  if (!failed.empty()) throw ApplyError(failed);
  return file;
}

namespace {

/// Links that cannot be written are refused already when a patch is applied.
void check_links(const Changes& changes, const RepositoryPath& repository) {
  for (const auto& [path, file] : changes) {
    if (!file || file->mode != FileMode::link) continue;
    const std::string place = concat(repository_directory(repository), "/", path);
    if (const auto problem = link_problem(place, file->bytes))
      throw Error(ErrorKind::unsafe, concat("the patch creates the link ", quote(place), ", which ", *problem));
  }
}

}  // namespace

SeriesResult apply_series(const std::vector<PatchStep>& steps, const RepositoryPath& repository, FileSource& files) {
  SeriesResult result;
  for (const PatchStep& step : steps) {
    result.edges.emplace_back();
    if (step.repository != repository) continue;
    try {
      apply_step(step, files, result);
      check_links(result.changes, repository);
    } catch (Error& error) {
      error.add_context(concat("while applying ", quote(step.name)));
      throw;
    }
  }
  return result;
}

Changes take_series_out(const std::vector<PatchStep>& steps, const RepositoryPath& repository, FileSource& files) {
  std::vector<PatchStep> reversed;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    if (step->repository == repository) reversed.push_back({step->name, repository, reverse_patch(step->patch), {}});
  return apply_series(reversed, repository, files).changes;
}

}  // namespace torchpatch::patch
