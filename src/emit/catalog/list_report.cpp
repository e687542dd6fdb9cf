// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/text_table.h"
#include "emit/run/proof_state.h"
#include "emit/run/reports.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

/// One kind of entries: what a row of text says, and the object of it in JSON.
struct Listing {
  Rows rows;
  Json objects = Json::array();
};

std::vector<std::string> components_of(const Release& release) {
  std::vector<std::string> names;
  for (const auto& [component, pin] : release.components) names.emplace_back(component_name(component));
  return names;
}

Listing list_releases(const Catalog& catalog) {
  Listing listing;
  for (const auto& [version, release] : catalog.releases) {
    const std::vector<std::string> components = components_of(release);
    listing.rows.push_back({version.text(), release.date, join(components, " "), "Python " + join(release.python, " "),
                            release.stand_in ? "not PyTorch" : ""});
    listing.objects.push_back({{"version", version.text()},
                               {"date", release.date},
                               {"components", components},
                               {"python", release.python},
                               {"genuine", !release.stand_in.has_value()}});
  }
  return listing;
}

std::vector<std::string> images_of(const Board& board) {
  std::vector<std::string> ids;
  for (const Image& image : board.images) ids.push_back(image.id);
  return ids;
}

Listing list_boards(const Catalog& catalog) {
  Listing listing;
  for (const auto& [id, board] : catalog.boards) {
    const std::vector<std::string> images = images_of(board);
    listing.rows.push_back({id, board.title, board.arch, join(images, " ")});
    listing.objects.push_back(
        {{"id", id}, {"title", board.title}, {"aliases", board.aliases}, {"arch", board.arch}, {"images", images}});
  }
  return listing;
}

Listing list_issues(const Catalog& catalog) {
  Listing listing;
  for (const auto& [id, issue] : catalog.issues) {
    listing.rows.push_back({id, issue.severity, issue.title});
    listing.objects.push_back({{"id", id}, {"severity", issue.severity}, {"title", issue.title}});
  }
  return listing;
}

std::vector<std::string> variants_of(const Patchset& patchset) {
  std::vector<std::string> ids;
  for (const Variant& variant : patchset.variants) ids.push_back(variant.id);
  return ids;
}

Listing list_patchsets(const Catalog& catalog) {
  Listing listing;
  for (const auto& [id, patchset] : catalog.patchsets) {
    const std::vector<std::string> variants = variants_of(patchset);
    const std::string proven = coverage_text(patchset, catalog);
    listing.rows.push_back({id, join(variants, " "), proven, patchset.summary});
    listing.objects.push_back({{"id", id}, {"summary", patchset.summary}, {"variants", variants}, {"proofs", proven}});
  }
  return listing;
}

Listing list_kind(const Catalog& catalog, const std::string& kind) {
  if (kind == "releases") return list_releases(catalog);
  if (kind == "boards") return list_boards(catalog);
  if (kind == "issues") return list_issues(catalog);
  if (kind == "patchsets") return list_patchsets(catalog);
  throw Error(ErrorKind::usage, concat("listing ", quote(kind), ": there is no such kind of entry"),
              "the kinds are releases, boards, issues and patchsets");
}

}  // namespace

std::string list_report(const Catalog& catalog, const std::string& kind, Format format) {
  const Listing listing = list_kind(catalog, kind);
  return format == Format::json ? report_json({{"schema", 1}, {kind, listing.objects}}) : text_table(listing.rows);
}

}  // namespace torchpatch::emit
