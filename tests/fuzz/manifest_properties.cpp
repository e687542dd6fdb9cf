// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fuzz/harmless_text.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "record/manifest_file.h"

namespace torchpatch::fuzz {
namespace {

/// Returns what `parse` returns, or nothing where it refuses the file in the way that readers of OUT promise.
template <typename Parse>
auto parse_or_refuse(Parse parse) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::data || error.kind() == ErrorKind::unsafe, "a refusal is data or unsafe");
    std::string message = error.message();  // a finding a line
    std::replace(message.begin(), message.end(), '\n', ' ');
    require(is_harmless(message), "a refusal shows nothing raw");
    return std::nullopt;
  }
}

void require_path(const std::string& path) { require(may_be_in_output(path), "every path passes the rule"); }

void check_paths(const Manifest& manifest) {
  for (const ManifestRepository& repository : manifest.repositories)
    if (!repository.path.path.empty()) require_path(repository.path.path);
  for (const ManifestPatch& patch : manifest.patches) {
    require_path(patch.file);
    for (const PatchEdge& edge : patch.edges) require_path(edge.path);
  }
  for (const ManifestAddedFile& file : manifest.added_files) require_path(file.path);
  for (const ManifestSideFile& file : manifest.side_files) require_path(file.name);
  for (const std::string& path : manifest.executables) require_path(path);
  for (const auto& [path, target] : manifest.links) {
    require_path(path);
    require(may_be_link(path, target), "every link passes the rule");
  }
}

}  // namespace

void check_manifest(std::string_view bytes) {
  const auto manifest = parse_or_refuse([&] { return record::parse_manifest(bytes, "manifest.json"); });
  if (!manifest) return;
  check_paths(*manifest);
  const std::string written = record::manifest_json(*manifest);
  require(record::manifest_json(record::parse_manifest(written, "manifest.json")) == written,
          "what is written is read to the same");
}

void check_sums(std::string_view bytes) {
  const auto sums = parse_or_refuse([&] { return record::parse_sums(bytes, "SHA256SUMS"); });
  if (!sums) return;
  for (const auto& [path, sum] : *sums) require_path(path);
  require(record::sums_text(*sums) == bytes, "what is read is written to the same bytes");
}

}  // namespace torchpatch::fuzz
