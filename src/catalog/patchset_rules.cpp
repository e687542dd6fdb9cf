// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/patchset_rules.h"

#include <algorithm>
#include <tuple>

#include "catalog/release_ranges.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

using Patchsets = std::map<std::string, Patchset>;

/// Returns the shortest way from `start` back to itself along `after`, or nothing.
std::vector<std::string> find_circle(const Patchsets& patchsets, const std::string& start) {
  std::vector<std::vector<std::string>> ways = {{start}};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto patchset = patchsets.find(ways[i].back());
    if (patchset == patchsets.end()) {
      continue;
    }
    for (const std::string& next : patchset->second.after) {
      std::vector<std::string> way = ways[i];
      way.push_back(next);
      if (next == start) {
        return way;
      }
      if (seen.insert(next).second) {
        ways.push_back(std::move(way));
      }
    }
  }
  return {};
}

/// A place that a patchset adds a file to.
struct AddedPlace {
  std::string patchset;
  std::string key;
  const Variant* variant;
  const AddedFile* file;
};

std::vector<AddedPlace> added_places(const Patchsets& patchsets) {
  std::vector<AddedPlace> places;
  for (const auto& [id, patchset] : patchsets) {
    for (std::size_t v = 0; v < patchset.variants.size(); ++v) {
      const Variant& variant = patchset.variants[v];
      for (std::size_t f = 0; f < variant.files.size(); ++f) {
        places.push_back({id, concat("variants[", v, "].files[", f, "].path"), &variant, &variant.files[f]});
      }
    }
  }
  return places;
}

bool is_same_place(const AddedPlace& a, const AddedPlace& b) {
  return std::tie(a.file->repository, a.file->path) == std::tie(b.file->repository, b.file->path) &&
         have_common_release(a.variant->releases, b.variant->releases);
}

}  // namespace

void check_order(Assembly& assembly) {
  const Patchsets& patchsets = assembly.catalog.patchsets;
  for (const auto& [id, patchset] : patchsets) {
    for (const std::string& earlier : patchset.after) {
      if (!assembly.is_known(patchset_entry(earlier))) {
        assembly.report(patchset_entry(id), "after", concat("there is no patchset ", quote(earlier)));
      }
    }
    const std::vector<std::string> circle = find_circle(patchsets, id);
    // Once for each circle: where it begins with the first of its ids.
    if (!circle.empty() && id == *std::min_element(circle.begin(), circle.end())) {
      assembly.report(patchset_entry(id), "after", concat("goes in a circle: ", join(circle, " after ")));
    }
  }
}

void check_added_files(Assembly& assembly) {
  const std::vector<AddedPlace> places = added_places(assembly.catalog.patchsets);
  for (auto one = places.begin(); one != places.end(); ++one) {
    const auto other =
        std::find_if(places.begin(), one, [&](const AddedPlace& place) { return is_same_place(place, *one); });
    if (other != one && !one->file->path.empty()) {
      assembly.report(patchset_entry(one->patchset), one->key,
                      concat("patchset ", quote(other->patchset), " adds ", quote(one->file->path), " too"));
    }
  }
}

}  // namespace torchpatch::catalog
