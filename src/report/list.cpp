// SPDX-License-Identifier: BSD-3-Clause
#include "model/proof.h"
#include "report/reports.h"
#include "report/shown.h"
#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string name_of(const std::pair<const Component, ComponentPin>& pin) { return name_of(pin.first); }

/// An entry of list: a row of text, and an object.
using ListedEntry = std::pair<std::vector<std::string>, Json>;

ListedEntry listed_release(const Release& release) {
  const std::vector<std::string> components = collect(release.components, name_of);
  return {{release.version.text(), release.date, join(components, " "), "Python " + join(release.python, " "),
           release.stand_in ? "not PyTorch" : ""},
          {{"version", release.version.text()},
           {"date", release.date},
           {"components", components},
           {"python", release.python},
           {"genuine", !release.stand_in.has_value()}}};
}

ListedEntry listed_board(const Board& board) {
  const std::vector<std::string> images = collect(board.images, &Image::id);
  return {
      {board.id, board.title, board.arch, join(images, " ")},
      {{"id", board.id}, {"title", board.title}, {"aliases", board.aliases}, {"arch", board.arch}, {"images", images}}};
}

ListedEntry listed_issue(const Issue& issue) {
  return {{issue.id, issue.severity, issue.title},
          {{"id", issue.id}, {"severity", issue.severity}, {"title", issue.title}}};
}

ListedEntry listed_patchset(const Patchset& patchset, const Catalog& catalog) {
  const std::vector<std::string> variants = collect(patchset.variants, &Variant::id);
  const std::string proven = coverage_text(patchset, catalog);
  return {{patchset.id, join(variants, " "), proven, patchset.summary},
          {{"id", patchset.id}, {"summary", patchset.summary}, {"variants", variants}, {"proofs", proven}}};
}

ListedEntry listed_setting(const Setting& setting, const Catalog& catalog) {
  return {{setting.name, setting.kind, !setting.releases ? "fact" : "read by " + readers_of(setting, catalog)},
          to_json(setting, JsonForm::report)};
}

Listing listing_of(const std::string& kind, std::vector<ListedEntry> entries) {
  Rows rows;
  Json objects = Json::array();
  for (auto& [row, object] : entries) {
    rows.push_back(std::move(row));
    objects.push_back(std::move(object));
  }
  return {{.blocks = {plain_table(rows)}}, {{"schema", 1}, {kind, std::move(objects)}}};
}

template <typename Entries, typename Describe>
Listing listed(const std::string& kind, const Entries& entries, Describe describe) {
  std::vector<ListedEntry> described;
  for (const auto& [key, entry] : entries) described.push_back(describe(entry));
  return listing_of(kind, std::move(described));
}

Listing list_images(const Catalog& catalog, const Board* only) {
  std::vector<ListedEntry> entries;
  for (const auto& [id, board] : catalog.boards) {
    if (only && only != &board) continue;
    for (const Image& image : board.images) {
      entries.push_back({{concat(id, ":", image.id), image.title, image_text(image)},
                         {{"board", id},
                          {"id", image.id},
                          {"title", image.title},
                          {"os", image.os},
                          {"python", collect(image.python, &Version::text)}}});
    }
  }
  return listing_of("images", std::move(entries));
}

Listing list_fixes(const Catalog& catalog) {
  std::vector<ListedEntry> entries;
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      entries.push_back(
          {{fix.id, name_of(fix.kind), id, concat(fix.summary, fix.is_optional ? " (only with --with)" : "")},
           {{"id", fix.id},
            {"issue", id},
            {"kind", name_of(fix.kind)},
            {"summary", fix.summary},
            {"optional", fix.is_optional}}});
    }
  }
  return listing_of("fixes", std::move(entries));
}

Listing list_settings(const Catalog& catalog) {
  std::vector<ListedEntry> entries;
  for (const Setting& setting : settings_of(catalog)) entries.push_back(listed_setting(setting, catalog));
  return listing_of("settings", std::move(entries));
}

}  // namespace

Listing list_entries(const Catalog& catalog, const std::string& kind, const Board* board) {
  if (kind == "releases") return listed(kind, catalog.releases, listed_release);
  if (kind == "boards") return listed(kind, catalog.boards, listed_board);
  if (kind == "images") return list_images(catalog, board);
  if (kind == "issues") return listed(kind, catalog.issues, listed_issue);
  if (kind == "fixes") return list_fixes(catalog);
  if (kind == "settings") return list_settings(catalog);
  if (kind == "patchsets")
    return listed(kind, catalog.patchsets, [&](const Patchset& each) { return listed_patchset(each, catalog); });
  throw Error(ErrorKind::usage, concat("listing ", quote(kind), ": unknown kind of entry"),
              "the kinds are releases, boards, images, issues, fixes, patchsets and settings");
}

Listing list_fitting(const std::vector<FittingRelease>& fitting, const Board& board) {
  std::vector<ListedEntry> entries;
  for (const FittingRelease& each : fitting) {
    auto [row, object] = listed_release(*each.release);
    const std::vector<std::string> images = collect(each.images, &Image::id);
    row.insert(row.begin() + 3, join(images, " "));
    row.push_back(each.is_certified ? "" : certificate_text(false));
    object["images"] = images;
    object["certified"] = each.is_certified;
    entries.push_back({std::move(row), std::move(object)});
  }
  Listing listing = listing_of("releases", std::move(entries));
  listing.json["board"] = board.id;
  return listing;
}

Listing list_pairs(const std::vector<FittingRelease>& fitting) {
  std::vector<ListedEntry> entries;
  for (const FittingRelease& each : fitting) {
    const std::vector<std::string> images = collect(each.images, &Image::id);
    entries.push_back({{concat(each.release->version.text(), ":", each.board->id), join(images, " ")},
                       {{"release", each.release->version.text()}, {"board", each.board->id}, {"images", images}}});
  }
  return listing_of("pairs", std::move(entries));
}

}  // namespace torchpatch::report
