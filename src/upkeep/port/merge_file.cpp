// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/merge_file.h"

#include <algorithm>
#include <map>

#include "git/merge_text.h"
#include "patch/context.h"
#include "patch/locate_hunk.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

bool is_plain(const std::optional<patch::TreeFile>& file) {
  return file && (file->mode == FileMode::regular || file->mode == FileMode::executable);
}

bool is_text(const std::optional<patch::TreeFile>& file) { return file->bytes.find('\0') == std::string::npos; }

FileMode merged_mode(const FileStates& states) {
  return states.ours->mode == states.base->mode ? states.theirs->mode : states.ours->mode;
}

git::MergedText merge(const std::string& base, const std::string& theirs, const std::string& ours,
                      const MergePlace& place) {
  return git::merge_texts({base, place.old_release}, {theirs, place.new_release},
                          {ours, place.old_release + " with the patch"});
}

std::map<std::string_view, std::size_t> count_lines(const std::string& text) {
  std::map<std::string_view, std::size_t> counts;
  for (const std::string_view line : patch::split_lines(text)) ++counts[trim(line)];
  return counts;
}

/// Lines such as "}" or "else" stand everywhere.
constexpr std::size_t kTellingLength = 12;

/// Returns a line that the patch adds, and that upstream's file has now and did not have before; or nothing.
std::optional<std::string> line_that_upstream_added(const FileStates& states) {
  const auto base = count_lines(states.base->bytes), ours = count_lines(states.ours->bytes),
             theirs = count_lines(states.theirs->bytes);
  for (const auto& [line, count] : ours)
    if (line.size() >= kTellingLength && !base.contains(line) && theirs.contains(line)) return std::string(line);
  return std::nullopt;
}

/// Returns the first commit whose file `holds`; of one that is removed, with nothing.
template <typename Holds>
std::optional<BlamedCommit> first_change(const FileStates& states, const MergePlace& place, const Holds& holds) {
  try {
    for (const source::FileChange& change : place.history.changes_of(states.path))
      if (holds(change.blob ? std::optional(place.history.read_blob(*change.blob)) : std::nullopt))
        return blamed(change.commit);
  } catch (const source::AbsentObject&) {
  }
  return std::nullopt;
}

/// Carries the change through upstream's commits, one after the other, to the one where that fails.
std::optional<BlamedCommit> commit_that_conflicts(const FileStates& states, const MergePlace& place) {
  std::string base = states.base->bytes, ours = states.ours->bytes;
  const auto fails = [&](const std::optional<std::string>& now) {
    if (!now) return false;  // it came back, for both have it
    git::MergedText merged = merge(base, *now, ours, place);
    if (!merged.is_clean) return true;
    base = *now;
    ours = std::move(merged.text);
    return false;
  };
  if (const auto commit = first_change(states, place, fails)) return commit;
  return first_change(states, place, [&](const std::optional<std::string>& now) {
    return now && !merge(states.base->bytes, *now, states.ours->bytes, place).is_clean;
  });
}

FileConflict conflict_of(PortConflictKind kind, const FileStates& states, const MergePlace& place,
                         std::optional<BlamedCommit> commit) {
  FileConflict conflict{{place.repository, states.path, states.theirs ? states.new_path : "", kind, std::move(commit)},
                        states.base,
                        states.ours,
                        states.theirs,
                        std::nullopt,
                        {}};
  return conflict;
}

FileMerge merge_lines(const FileStates& states, const MergePlace& place) {
  git::MergedText merged = merge(states.base->bytes, states.theirs->bytes, states.ours->bytes, place);
  const FileMode mode = merged_mode(states);
  FileMerge result;
  if (!merged.is_clean) {
    result.conflict = conflict_of(PortConflictKind::content, states, place, commit_that_conflicts(states, place));
    result.conflict->words = git::merge_words(states.base->bytes, states.theirs->bytes, states.ours->bytes).text;
    result.conflict->what.has_words = !result.conflict->words.empty();
    result.conflict->merged = {mode, std::move(merged.text)};
  } else if (const auto line = line_that_upstream_added(states)) {
    const auto has_line = [&](const std::optional<std::string>& now) {
      return now && count_lines(*now).contains(*line);
    };
    result.conflict = conflict_of(PortConflictKind::upstream, states, place, first_change(states, place, has_line));
    result.conflict->merged = {mode, std::move(merged.text)};
  } else {
    result.file = patch::TreeFile{mode, std::move(merged.text)};
  }
  return result;
}

}  // namespace

FileMerge merge_file(const FileStates& states, const MergePlace& place) {
  const auto& [path, new_path, base, ours, theirs] = states;
  if (theirs == base || theirs == ours) return {theirs == base ? ours : theirs, std::nullopt};
  if (base && !theirs) {
    const auto is_gone = [](const std::optional<std::string>& now) { return !now; };
    return {std::nullopt, conflict_of(PortConflictKind::removed, states, place, first_change(states, place, is_gone))};
  }
  if (!base) {
    const auto is_there = [](const std::optional<std::string>& now) { return now.has_value(); };
    return {std::nullopt, conflict_of(PortConflictKind::created, states, place, first_change(states, place, is_there))};
  }
  if (is_plain(base) && is_plain(ours) && is_plain(theirs)) {
    const bool is_theirs = ours->bytes == base->bytes;  // the patch changes its mode alone
    if (is_theirs || theirs->bytes == base->bytes)
      return {patch::TreeFile{merged_mode(states), is_theirs ? theirs->bytes : ours->bytes}, std::nullopt};
    if (is_text(base) && is_text(ours) && is_text(theirs)) return merge_lines(states, place);
  }
  return {std::nullopt, conflict_of(PortConflictKind::content, states, place,
                                    first_change(states, place, [](const auto&) { return true; }))};
}

}  // namespace torchpatch::upkeep
