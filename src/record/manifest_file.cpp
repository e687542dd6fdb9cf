// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_file.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "support/error.h"
#include "support/json_fields.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

Json sorted_json(Manifest sorted) {
  std::ranges::sort(sorted.repositories, {}, &ManifestRepository::path);
  std::ranges::sort(sorted.links, {}, &OutLink::path);
  std::ranges::sort(sorted.executables);
  std::ranges::sort(sorted.side_files, {}, &ManifestSideFile::name);
  std::ranges::sort(sorted.origins, {}, &ManifestEntryOrigin::entry);
  return to_json(sorted);
}

}  // namespace

std::string manifest_json(const Manifest& manifest) { return canonical_json(sorted_json(manifest), "manifest.json"); }

std::vector<std::string> differing_fields(const Manifest& left, const Manifest& right) {
  const auto values_of = [](const Manifest& manifest) {
    std::set<std::pair<std::string, std::string>> values;
    for (const JsonMember& member : sorted_json(manifest).members)
      values.emplace(member.name, canonical_json(member.value, member.name));
    return values;
  };
  std::set<std::pair<std::string, std::string>> differing;
  std::ranges::set_symmetric_difference(values_of(left), values_of(right), std::inserter(differing, differing.end()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : differing)
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  return keys;
}

Manifest parse_manifest(std::string_view bytes, const std::string& file) {
  Findings findings;
  auto manifest = read_json<Manifest>(bytes, file, findings);
  if (!ends_with(bytes, "\n")) findings.add(file, 0, "", "the file is cut off: it does not end with a newline");
  findings.raise_if_any("reading the manifest", findings.has_refusal() ? ErrorKind::unsafe : ErrorKind::data,
                        "torchpatch writes this file; prepare the tree again instead of editing it");
  return manifest;
}

}  // namespace torchpatch::record
