// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit/patch_places.h"

#include <optional>

#include "ops/check/check.h"
#include "plan/make_plan.h"
#include "source/wire.h"
#include "support/error.h"

namespace torchpatch::ops {

namespace {

std::optional<Plan> try_plan(const Catalog& catalog, const PatchPlace& place) {
  try {
    return plan_at(place, catalog);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // usage: this release does not fit this image
    return std::nullopt;
  }
}

std::vector<PatchPlace> places_of(const Catalog& catalog, const Release& release) {
  std::vector<PatchPlace> places;
  for (const auto& [id, board] : catalog.boards) {
    for (const Image& image : board.images) places.push_back({&release, &board, &image, ""});
  }
  return places;
}

/// Returns the certified patches of each place of a release: index of the place, sha256.
std::string plan_release(const Catalog& catalog, const Release& release) {
  source::WireWriter writer;
  const std::vector<PatchPlace> places = places_of(catalog, release);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::optional<Plan> plan = try_plan(catalog, places[i]);
    if (!plan) continue;
    for (const PlannedPatch& planned : plan->patches) {
      if (planned.edges.empty()) continue;
      writer.number(i + 1);
      writer.text(planned.patch->sha256.hex());
    }
  }
  writer.number(0);
  return writer.take();
}

bool has_certified(const Plan& plan, const Sha256& patch) {
  for (const PlannedPatch& planned : plan.patches) {
    if (planned.patch->sha256 == patch && !planned.edges.empty()) return true;
  }
  return false;
}

std::vector<std::string> fixes_of(const Catalog& catalog, const std::string& patchset) {
  std::vector<std::string> fixes;
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      if (fix.patchset == patchset) fixes.push_back(fix.id);
    }
  }
  return fixes;
}

/// Returns the places of the newest release that get a patch with one of its fixes asked for.
std::vector<PatchPlace> places_on_request(const Catalog& catalog, const Patchset& patchset, const Variant& variant,
                                          const Sha256& patch) {
  for (auto release = catalog.releases.rbegin(); release != catalog.releases.rend(); ++release) {
    if (!variant.releases.contains(release->first)) continue;
    std::vector<PatchPlace> found;
    for (const std::string& fix : fixes_of(catalog, patchset.id)) {
      for (PatchPlace place : places_of(catalog, release->second)) {
        place.fix = fix;
        const std::optional<Plan> plan = try_plan(catalog, place);
        if (plan && has_certified(*plan, patch)) found.push_back(place);
      }
    }
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

Plan plan_at(const PatchPlace& place, const Catalog& catalog) {
  PlanOptions options;
  if (!place.fix.empty()) options.with_fixes = {place.fix};
  return plan::make_plan(catalog, place.release->version.text(), place.board->id, place.image->id, options);
}

PatchPlaces patch_places(const Catalog& catalog, int jobs) {
  std::vector<const Release*> releases;
  for (auto each = catalog.releases.rbegin(); each != catalog.releases.rend(); ++each)
    releases.push_back(&each->second);
  const auto planned = run_planning(
      releases.size(), [&](std::size_t item) { return plan_release(catalog, *releases[item]); }, jobs);
  PatchPlaces result;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const std::vector<PatchPlace> places = places_of(catalog, *releases[i]);
    source::WireReader reader(planned[i].bytes);
    while (const std::uint64_t place = reader.number_below(places.size() + 1)) {
      if (const auto patch = Sha256::parse(reader.text())) result[*patch].push_back(places.at(place - 1));
    }
  }
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const Patch& patch : variant.patches) {
        if (!result.contains(patch.sha256)) {
          result[patch.sha256] = places_on_request(catalog, patchset, variant, patch.sha256);
        }
      }
    }
  }
  return result;
}

}  // namespace torchpatch::ops
