// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/marked_places.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "catalog/data_file.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// The files of a layer that commands write with marks in them.
std::vector<std::string> files_with_marks(const Layer& layer) {
  Findings unused;  // of loading, which reports them
  std::vector<std::string> files;
  for (const std::string& stem : list_stems(layer.directory + "/boards", ".json", unused))
    files.push_back(concat(layer.directory, "/boards/", stem, ".json"));
  for (const std::string& stem : list_stems(layer.directory + "/known_issues", ".md", unused))
    files.push_back(concat(layer.directory, "/known_issues/", stem, ".md"));
  for (const std::string& id : list_folders(layer.directory + "/patchsets", unused))
    files.push_back(concat(layer.directory, "/patchsets/", id, "/patchset.json"));
  return files;
}

/// Returns what a marked line says of the place: "is to be filled in: free -m".
std::string told_of(std::string_view line) {
  std::string_view rest = line.substr(line.find(kMarker) + std::string_view(kMarker).size());
  const bool is_in_quotes = line.substr(0, line.find(kMarker)).find('"') != std::string_view::npos;
  if (is_in_quotes) rest = rest.substr(0, rest.find('"'));
  while (starts_with(rest, ":") || starts_with(rest, " ")) rest.remove_prefix(1);
  return rest.empty() ? "is to be filled in" : concat("is to be filled in: ", trim(rest));
}

std::vector<Finding> marks_of(const std::string& file) {
  Findings unused;
  const std::optional<std::string> bytes = is_present(file) ? read_bytes(file, kMaxJsonBytes, unused) : std::nullopt;
  std::vector<Finding> marks;
  if (!bytes || bytes->find(kMarker) == std::string::npos) return marks;
  int number = 0;
  for (const std::string& line : split(*bytes, '\n')) {
    ++number;
    if (line.find(kMarker) != std::string::npos) marks.push_back({file, number, "", told_of(line)});
  }
  return marks;
}

}  // namespace

std::vector<Finding> with_marked_places(const std::vector<Layer>& layers, std::vector<Finding> findings) {
  std::vector<Finding> marks;
  for (const Layer& layer : layers)
    for (const std::string& file : files_with_marks(layer))
      std::ranges::move(marks_of(file), std::back_inserter(marks));
  std::set<std::pair<std::string, int>> lines;
  for (const Finding& mark : marks) lines.emplace(mark.file, mark.line);
  std::erase_if(findings, [&](const Finding& each) { return lines.contains({each.file, each.line}); });
  std::ranges::move(marks, std::back_inserter(findings));
  std::ranges::stable_sort(findings, {}, [](const Finding& each) { return std::tie(each.file, each.line); });
  return findings;
}

}  // namespace torchpatch::catalog
