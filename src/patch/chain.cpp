// SPDX-License-Identifier: BSD-3-Clause
#include "patch/chain.h"

#include <algorithm>
#include <map>

#include "support/text.h"

namespace torchpatch::patch {
namespace {

void check_before(const SeriesStep& step, FileSource& files) {
  for (const PatchEdge& edge : step.expected) {
    const std::optional<ObjectId> found = file_id(files.read(edge.path));
    if (found == edge.before) continue;
    throw ApplyError(
        Failure::wrong_content, edge.path,
        concat("before the patch it is ", id_text(found), ", its certificate is for ", id_text(edge.before)));
  }
}

std::vector<PatchEdge> edges_of(const Changes& changes, FileSource& before) {
  std::vector<PatchEdge> edges;
  for (const auto& [path, file] : changes) edges.push_back({path, file_id(before.read(path)), file_id(file)});
  return edges;
}

void check_after(const SeriesStep& step, const std::vector<PatchEdge>& edges) {
  std::map<std::string, std::optional<ObjectId>> expected;
  for (const PatchEdge& edge : step.expected) expected[edge.path] = edge.after;
  for (const PatchEdge& edge : edges) {
    const auto found = expected.find(edge.path);
    if (found == expected.end())
      throw ApplyError(Failure::wrong_content, edge.path, "the patch changes this file, but no certificate says so");
    if (found->second != edge.after)
      throw ApplyError(
          Failure::wrong_content, edge.path,
          concat("after the patch it is ", id_text(edge.after), ", its certificate says ", id_text(found->second)));
    expected.erase(found);
  }
  if (!expected.empty())
    throw ApplyError(Failure::wrong_content, expected.begin()->first,
                     "a certificate says that the patch changes this file, but it does not");
}

/// Returns whether the patch removes the file or gives it another mode: taken back, it then makes the mode it states.
bool makes_mode_when_reversed(const PatchFile& patch, const std::string& path) {
  return std::ranges::any_of(patch.files, [&](const FilePatch& file) {
    return file.old_path == path && (file.kind == ChangeKind::remove || file.new_mode);
  });
}

/// Edges hold no modes, so a certified patch must find those that it states; and so must one that could not be taken
/// back otherwise.
void check_modes(const SeriesStep& step, const Applied& applied) {
  for (const std::string& path : applied.other_modes) {
    if (step.expected.empty() && !makes_mode_when_reversed(*step.patch, path)) continue;
    throw ApplyError(Failure::wrong_content, path, "its mode is not the one that the patch states");
  }
}

void apply_step(const SeriesStep& step, FileSource& files, SeriesResult& result) {
  OverlayFiles overlay(files, result.changes);
  const bool is_certified = !step.expected.empty();
  if (is_certified) check_before(step, overlay);
  Applied applied = apply_patch(*step.patch, overlay);
  std::vector<PatchEdge> edges = edges_of(applied.changes, overlay);
  if (is_certified) check_after(step, edges);
  check_modes(step, applied);
  result.edges.push_back(std::move(edges));
  for (auto& [path, file] : applied.changes) result.changes[path] = std::move(file);
  result.moved.insert(result.moved.end(), applied.moved.begin(), applied.moved.end());
}

}  // namespace

SeriesResult apply_series(const std::vector<SeriesStep>& steps, FileSource& files) {
  SeriesResult result;
  for (const SeriesStep& step : steps) {
    try {
      apply_step(step, files, result);
    } catch (Error& error) {
      error.add_context(concat("while applying ", quote(step.name)));
      throw;
    }
  }
  return result;
}

Changes take_series_out(const std::vector<SeriesStep>& steps, FileSource& files) {
  std::vector<PatchFile> reversed;
  std::vector<SeriesStep> series;
  reversed.reserve(steps.size());  // the steps point into it
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    reversed.push_back(reverse_patch(*step->patch));
    series.push_back({&reversed.back(), step->name, {}});
  }
  return apply_series(series, files).changes;
}

}  // namespace torchpatch::patch
