// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fitting_releases.h"

#include <algorithm>

#include "plan/image_choice.h"
#include "plan/make_plan.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

bool has_components(const Release& release, const PlanOptions& options) {
  return std::ranges::all_of(options.components, [&](Component each) { return release.find(each) != nullptr; });
}

bool has_stand_ins(const Catalog& catalog) {
  return std::ranges::any_of(catalog.releases, [](const auto& each) { return each.second.stand_in.has_value(); });
}

}  // namespace

std::vector<FittingRelease> fitting_releases(const Catalog& catalog, const Board& board) {
  std::vector<FittingRelease> fitting;
  for (const auto& [version, release] : catalog.releases) {
    std::vector<const Image*> images = fitting_images(release, board, "", {});
    if (!images.empty()) fitting.push_back({&release, &board, std::move(images), false});
  }
  return fitting;
}

void look_at_certificates(const Catalog& catalog, std::vector<FittingRelease>& fitting) {
  for (FittingRelease& each : fitting) {
    each.is_certified =
        is_certified(make_plan(catalog, each.release->version.text(), each.board->id, each.images.front()->id, {}));
  }
}

std::string fitting_text(const Catalog& catalog, const Board& board, const std::string& image) {
  const std::string releases = releases_where(
      catalog, [&](const Release& release) { return !fitting_images(release, board, image, {}).empty(); });
  const std::string whom = concat("board ", quote(board.id), image.empty() ? "" : " with image " + quote(image));
  return releases.empty() ? concat("no release fits ", whom) : concat("releases that fit ", whom, ": ", releases);
}

const Release* newest_release(const Catalog& catalog, const std::string& board, const std::string& image,
                              const PlanOptions& options) {
  const Board& target = catalog.board(board);
  const bool wants_stand_in = has_stand_ins(catalog);
  for (auto at = catalog.releases.rbegin(); at != catalog.releases.rend(); ++at) {
    const Release& release = at->second;
    if (release.version.is_pre_release() || release.stand_in.has_value() != wants_stand_in ||
        !has_components(release, options))
      continue;
    if (fitting_images(release, target, image, options).empty()) continue;
    if (is_certified(make_plan(catalog, release.version.text(), board, image, options))) return &release;
  }
  return nullptr;
}

}  // namespace torchpatch::plan
