// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "record/sbom.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

std::string midnight(const std::string& date) { return date + "T00:00:00Z"; }

/// Returns the component; for a submodule, with that as the vulnerable part.
Json product(const Manifest& manifest, const AdvisoryDecision& advisory) {
  const ManifestRepository& part = repository_of(manifest, advisory);
  const auto whole =
      std::ranges::find(manifest.repositories, RepositoryPath{part.path.component, ""}, &ManifestRepository::path);
  Json product = {{"@id", package_url(*whole)}};
  if (&part != &*whole) product["subcomponents"] = Json::array({{{"@id", package_url(part)}}});
  return product;
}

Json statement(const Manifest& manifest, const AdvisoryDecision& advisory) {
  static constexpr const char* kStatus[] = {"affected", "fixed", "not_affected", "not_affected", "under_investigation"};
  const AdvisoryRecord& about = advisory.about;
  Json vulnerability = {{"@id", advisory_url(about.id)}, {"name", about.id}, {"description", about.summary}};
  if (!about.aliases.empty()) vulnerability["aliases"] = about.aliases;
  Json json = {{"vulnerability", vulnerability},
               {"timestamp", midnight(about.looked_up)},
               {"products", Json::array({product(manifest, advisory)})},
               {"status", entry_of(kStatus, advisory.status)},
               {"status_notes", advisory.text()}};
  if (advisory.status == AdvisoryStatus::affected) json["action_statement"] = action_text(about);
  if (advisory.status == AdvisoryStatus::not_affected) json["justification"] = "vulnerable_code_not_present";
  if (advisory.status == AdvisoryStatus::not_built) json["justification"] = "vulnerable_code_not_in_execute_path";
  return json;
}

}  // namespace

std::string openvex_document(const CompanionInput& input) {
  const Manifest& manifest = *input.manifest;
  std::string newest = utc_time(manifest.timestamp);
  Json statements = Json::array();
  for (const AdvisoryDecision& advisory : manifest.advisories) {
    newest = std::max(newest, midnight(advisory.about.looked_up));
    statements.push_back(statement(manifest, advisory));
  }
  const Json root = {{"@context", "https://openvex.dev/ns/v0.2.0"},
                     {"@id", concat("https://openvex.dev/docs/public/torchpatch-", tree_name(manifest), "-",
                                    document_uuid(input.manifest_digest))},
                     {"author", "torchpatch"},
                     {"timestamp", newest},
                     {"version", 1},
                     {"tooling", "torchpatch " + manifest.tool_version},
                     {"statements", statements}};
  return canonical_json(root, "openvex.json");
}

}  // namespace torchpatch::record
