// SPDX-License-Identifier: BSD-3-Clause

#include "git/merge_text.h"
#include "patch/locate_hunk.h"
#include "support/text.h"
#include "upkeep/port/port.h"

namespace torchpatch::upkeep {

namespace {

/// Lines such as "}" or "else" stand everywhere.
constexpr std::size_t kTellingLength = 12;

bool is_plain(const std::optional<patch::TreeFile>& file) {
  return file && (file->mode == FileMode::regular || file->mode == FileMode::executable);
}

git::MergedText merge(const std::string& base, const std::string& theirs, const std::string& ours,
                      const MergePlace& place) {
  return git::merge_texts({base, place.old_release}, {theirs, place.new_release},
                          {ours, place.old_release + " with the patch"});
}

std::set<std::string_view> distinct_lines(const std::string& text) {
  std::set<std::string_view> lines;
  for (const std::string_view line : patch::split_lines(text)) lines.insert(trim(line));
  return lines;
}

/// Returns a line that the patch adds, and that upstream's file has now and did not have before; or nothing.
std::optional<std::string> line_that_upstream_added(const MergedFile& file) {
  const auto base = distinct_lines(file.base->bytes), theirs = distinct_lines(file.theirs->bytes);
  for (const std::string_view line : distinct_lines(file.ours->bytes))
    if (line.size() >= kTellingLength && !base.contains(line) && theirs.contains(line)) return std::string(line);
  return std::nullopt;
}

/// Returns the first commit whose file `holds`; of one that is removed, with nothing.
template <typename Holds>
std::optional<BlamedCommit> first_change(const MergedFile& file, const MergePlace& place, const Holds& holds) {
  try {
    for (const source::FileChange& change : place.history.changes_of(file.what.path))
      if (holds(change.blob ? std::optional(place.history.read_blob(*change.blob)) : std::nullopt))
        return blamed(change.commit);
  } catch (const source::AbsentObject&) {
  }
  return std::nullopt;
}

/// Carries the change through upstream's commits, one after the other, to the one where that fails; if none does, to
/// the first that does not go with the change as it is.
std::optional<BlamedCommit> commit_that_conflicts(const MergedFile& file, const MergePlace& place) {
  std::string base = file.base->bytes, ours = file.ours->bytes;
  const auto fails = [&](const std::optional<std::string>& now) {
    if (!now) return false;  // it came back, for both have it
    git::MergedText merged = merge(base, *now, ours, place);
    if (!merged.is_clean) return true;
    base = *now;
    ours = std::move(merged.text);
    return false;
  };
  if (const auto commit = first_change(file, place, fails)) return commit;
  return first_change(file, place, [&](const std::optional<std::string>& now) {
    return now && !merge(file.base->bytes, *now, file.ours->bytes, place).is_clean;
  });
}

bool merge_lines(MergedFile& file, FileMode mode, const MergePlace& place) {
  git::MergedText merged = merge(file.base->bytes, file.theirs->bytes, file.ours->bytes, place);
  file.merged = {mode, std::move(merged.text)};
  if (!merged.is_clean) {
    file.what.kind = PortConflictKind::content;
    file.what.commit = commit_that_conflicts(file, place);
    file.words = git::merge_words(file.base->bytes, file.theirs->bytes, file.ours->bytes).text;
    file.what.has_words = !file.words.empty();
    return false;
  }
  const std::optional<std::string> line = line_that_upstream_added(file);
  if (!line) return true;
  file.what.kind = PortConflictKind::upstream;
  file.what.commit = first_change(
      file, place, [&](const std::optional<std::string>& now) { return now && distinct_lines(*now).contains(*line); });
  return false;
}

}  // namespace

bool merge_file(MergedFile& file, const MergePlace& place) {
  const auto& [what, base, ours, theirs, merged, words] = file;
  if (theirs == base || theirs == ours) {
    file.merged = theirs == base ? ours : theirs;
    return true;
  }
  const auto conflicts = [&](PortConflictKind kind, const auto& is_to_blame) {
    file.what.kind = kind;
    file.what.commit = first_change(file, place, is_to_blame);
    return false;
  };
  using Text = std::optional<std::string>;
  if (base && !theirs) return conflicts(PortConflictKind::removed, [](const Text& now) { return !now; });
  if (!base) return conflicts(PortConflictKind::created, [](const Text& now) { return now.has_value(); });
  if (is_plain(base) && is_plain(ours) && is_plain(theirs)) {
    const FileMode mode = ours->mode == base->mode ? theirs->mode : ours->mode;
    const bool is_theirs = ours->bytes == base->bytes;  // the patch changes its mode alone
    if (is_theirs || theirs->bytes == base->bytes) {
      file.merged = {mode, is_theirs ? theirs->bytes : ours->bytes};
      return true;
    }
    const bool is_text = (base->bytes + ours->bytes + theirs->bytes).find('\0') == std::string::npos;
    if (is_text) return merge_lines(file, mode, place);
  }
  return conflicts(PortConflictKind::content, [](const Text&) { return true; });
}

}  // namespace torchpatch::upkeep
