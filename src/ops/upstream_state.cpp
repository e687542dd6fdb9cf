// SPDX-License-Identifier: BSD-3-Clause
#include "ops/upstream_state.h"

#include <algorithm>
#include <set>

#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// A file that a variant changes, and the edges of its last patch there.
using Place = std::pair<RepositoryPath, std::string>;
using LastEdges = std::map<Place, std::vector<const CertificateEdge*>>;

LastEdges last_edges(const Patchset& patchset, const Variant& variant) {
  LastEdges last;
  for (const Patch& patch : variant.patches) {
    LastEdges edges;
    for (const CertificateEdge& edge : patchset.certificates) {
      if (edge.patch == patch.sha256) edges[{edge.repository, edge.path}].push_back(&edge);
    }
    for (auto& [place, of_place] : edges) last[place] = std::move(of_place);
  }
  return last;
}

std::optional<ObjectId> pinned_id(const Place& place, const Release& release, source::PinnedLookup& lookup) {
  const source::LocatedRepository* repository = lookup.find_repository(release, place.first);
  if (!repository) return std::nullopt;
  const auto entry = lookup.find(*repository, place.second);
  if (!entry || entry->mode == FileMode::directory) return std::nullopt;
  return entry->id;
}

std::string place_text(const Place& place) { return concat(place.first.text(), ":", place.second); }

std::string fixed_reason(const Place& place, const CertificateEdge& edge, const Variant& variant,
                         const Catalog& catalog) {
  return concat(quote(place_text(place)), edge.after ? concat(" is ", edge.after->hex()) : " is not there",
                ", what variant ", variant.id, " makes of that of ",
                join(catalog.releases_at(place.first.component, edge.commit), ", "));
}

/// Judges one variant; the reason is that of its first file.
UpstreamState variant_state(const Patchset& patchset, const Variant& variant, const Catalog& catalog,
                            const Release& release, source::PinnedLookup& lookup) {
  if (!variant.overrides.empty()) return {};  // the pinned files say nothing of those that it changes
  std::size_t fixed = 0, absent = 0;
  std::string reason_fixed, reason_absent;
  const LastEdges places = last_edges(patchset, variant);
  for (const auto& [place, edges] : places) {
    const std::optional<ObjectId> id = pinned_id(place, release, lookup);
    const auto made = std::find_if(edges.begin(), edges.end(), [&](const auto* edge) { return edge->after == id; });
    if (made != edges.end()) {
      ++fixed;
      if (reason_fixed.empty()) reason_fixed = fixed_reason(place, **made, variant, catalog);
    }
    if (!id) {
      ++absent;
      if (reason_absent.empty()) reason_absent = concat("file absent: ", quote(place_text(place)), " is not there");
    }
  }
  if (places.empty()) return {};
  if (fixed == places.size()) return {UpstreamState::fixed, reason_fixed, {}};
  if (absent == places.size()) return {UpstreamState::absent, reason_absent, {}};
  return {};
}

}  // namespace

UpstreamState upstream_state(const Patchset& patchset, const Catalog& catalog, const Release& release,
                             source::PinnedLookup& lookup) {
  UpstreamState absent;
  std::size_t absent_variants = 0;
  for (const Variant& variant : patchset.variants) {
    UpstreamState state = variant_state(patchset, variant, catalog, release, lookup);
    if (state.kind == UpstreamState::fixed) return state;
    if (state.kind == UpstreamState::absent) {
      ++absent_variants;
      absent = state;
    }
  }
  return absent_variants > 0 && absent_variants == patchset.variants.size() ? absent : UpstreamState{};
}

}  // namespace torchpatch::ops
