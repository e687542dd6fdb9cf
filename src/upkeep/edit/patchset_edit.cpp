// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/entries.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "support/find.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

namespace {

/// Returns the other bound of one that bounds a range on both sides: ==1.3.1, or 1.3, which is a family and ends before
/// 1.4.
std::string other_bound(const std::string& part, Direction direction) {
  const bool is_exact = starts_with(part, "==");
  const std::string version = is_exact ? part.substr(2) : part;
  if (direction == Direction::newer) return ">=" + version;
  const std::optional<Version> family = Version::parse(version);
  if (is_exact || !family || family->is_pre_release()) return "<=" + version;
  std::vector<std::string> numbers = split(version, '.');
  numbers.back() = concat(family->numbers().back() + 1);
  return "<" + join(numbers, ".");
}

/// Returns the range with `bound` in place of what bounds it on the side of `direction`.
std::string with_bound(const VersionRange& range, const std::string& bound, Direction direction) {
  const bool is_newer = direction == Direction::newer;
  std::vector<std::string> bounds;
  for (const std::string& part : split(range.text(), ' ')) {
    if (part == "*" || starts_with(part, is_newer ? "<" : ">")) continue;
    const bool bounds_both = starts_with(part, "==") || part.find_first_of("<>=") == std::string::npos;
    bounds.push_back(bounds_both ? other_bound(part, direction) : part);
  }
  bounds.insert(is_newer ? bounds.end() : bounds.begin(), bound);
  return join(bounds, " ");
}

/// Returns where a range begins; of one without a bound below, where it ends.
std::optional<Version> first_bound(const VersionRange& range) {
  const std::string part = split(range.text(), ' ').front();
  return Version::parse(part.substr(std::min(part.find_first_not_of("<>="), part.size())));
}

Variant& variant_of(Patchset& patchset, const std::string& id) {
  variant_named(patchset, id);  // raises
  return *std::ranges::find(patchset.variants, id, &Variant::id);
}

/// Adds a variant that is as another but for id and range; those of older releases come first.
Variant& add_copy(Patchset& patchset, const std::string& from, const std::string& id, const std::string& range) {
  Variant added = variant_named(patchset, from);
  added.id = id;
  added.releases = VersionRange::parse(range).value();
  const std::optional<Version> begin = first_bound(added.releases);
  const auto place = std::ranges::find_if(patchset.variants, [&](const Variant& other) {
    const std::optional<Version> other_begin = first_bound(other.releases);
    return begin && other_begin && *other_begin > *begin;
  });
  return *patchset.variants.insert(place, std::move(added));
}

}  // namespace

std::string patchset_folder(const std::string& directory, const std::string& id) {
  return concat(directory, "/", patchset_path(id));
}

std::string patchset_directory(const std::string& patchset, const std::vector<catalog::Layer>& layers) {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    if (catalog::is_present(patchset_folder(layer->directory, patchset) + "/patchset.json")) return layer->directory;
  throw Error(ErrorKind::internal, concat("no layer has the patchset ", quote(patchset)));
}

const catalog::Layer* layer_over_patchset(const Catalog& catalog, const std::string& patchset, const Version& release,
                                          const std::vector<catalog::Layer>& layers) {
  const auto layer_of = [&](const std::string& entry) {
    return std::ranges::find(layers, catalog.origins.at(entry).layer, &catalog::Layer::name);
  };
  const auto pins = layer_of(catalog::release_entry(release.text()));
  return pins > layer_of(catalog::patchset_entry(patchset)) ? &*pins : nullptr;
}

const Variant& variant_named(const Patchset& patchset, const std::string& id) {
  const auto found = std::ranges::find(patchset.variants, id, &Variant::id);
  if (found != patchset.variants.end()) return *found;
  throw Error(ErrorKind::usage, concat("patchset ", quote(patchset.id), " has no variant ", quote(id)),
              "it has " + join(collect(patchset.variants, &Variant::id), ", "));
}

std::string unused_variant_id(const Patchset& patchset, std::string wanted) {
  while (std::ranges::count(patchset.variants, wanted, &Variant::id) > 0) wanted += "-port";
  return wanted;
}

std::string widened_range(const VersionRange& range, const Version& release, Direction direction) {
  if (range.contains(release)) return range.text();
  return with_bound(range, (direction == Direction::newer ? "<=" : ">=") + release.text(), direction);
}

std::string ended_range(const VersionRange& range, const Version& release, Direction direction) {
  if (!range.contains(release)) return range.text();
  return with_bound(range, (direction == Direction::newer ? "<" : ">") + release.text(), direction);
}

void end_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                 const std::string& why, const Catalog& catalog) {
  const bool is_newer = direction == Direction::newer;
  const VersionRange old = variant_named(patchset, id).releases;
  variant_of(patchset, id).releases = VersionRange::parse(ended_range(old, release, direction)).value();
  const bool continues_behind = std::ranges::any_of(catalog.releases, [&](const auto& each) {
    return (is_newer ? each.first > release : each.first < release) && old.contains(each.first);
  });
  if (old.contains(release) && continues_behind) {
    const std::string copy = unused_variant_id(patchset, id);
    add_copy(patchset, id, copy, ended_range(old, release, is_newer ? Direction::older : Direction::newer));
    variant_of(patchset, is_newer ? id : copy).ends.clear();
  }
  if (!why.empty()) variant_of(patchset, id).ends = why;
}

std::string widen_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                          const Catalog& catalog) {
  Variant& variant = variant_of(patchset, id);
  const VersionRange wider = VersionRange::parse(widened_range(variant.releases, release, direction)).value();
  const bool adds_others = std::ranges::any_of(catalog.releases, [&](const auto& each) {
    return each.first != release && wider.contains(each.first) && !variant.releases.contains(each.first);
  });
  if (!adds_others) {
    variant.releases = wider;
    return id;
  }
  Variant& copy = add_copy(patchset, id, unused_variant_id(patchset, release.text()), "==" + release.text());
  copy.ends.clear();
  return copy.id;
}

void add_variant(Patchset& patchset, const std::string& id, const std::string& from, const Version& release,
                 std::vector<Patch> patches) {
  Variant& added = add_copy(patchset, from, id, "==" + release.text());
  added.ends.clear();
  added.patches = std::move(patches);
}

}  // namespace torchpatch::upkeep
