// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/changed_patchset.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "support/text.h"
#include "upkeep/edit/work_state.h"

namespace torchpatch::upkeep {

namespace {

/// Returns the first version that is not in a family: of 1.3 that is 1.4.
std::string behind_family(const Version& family) {
  std::vector<std::string> numbers;
  for (const int number : family.numbers()) numbers.push_back(concat(number));
  numbers.back() = concat(family.numbers().back() + 1);
  return join(numbers, ".");
}

/// Returns the other bound of one that bounds a range on both sides: ==1.3.1, or 1.3, which is a family.
std::string other_bound(const std::string& part, bool is_newer) {
  const std::string version = starts_with(part, "==") ? part.substr(2) : part;
  const std::optional<Version> family = version == part ? Version::parse(version) : std::nullopt;
  if (is_newer) return ">=" + version;
  return family && !family->is_pre_release() ? "<" + behind_family(*family) : "<=" + version;
}

/// Returns the comparisons of a range but those that bound it on the side of `direction`.
std::vector<std::string> bounds_but(const VersionRange& range, Direction direction) {
  const bool is_newer = direction == Direction::newer;
  std::vector<std::string> bounds;
  for (const std::string& part : split(range.text(), ' ')) {
    if (part == "*" || starts_with(part, is_newer ? "<" : ">")) continue;
    const bool is_exact = starts_with(part, "==") || part.find_first_of("<>=") == std::string::npos;
    bounds.push_back(is_exact ? other_bound(part, is_newer) : part);
  }
  return bounds;
}

std::string range_with(std::vector<std::string> bounds, std::string bound, Direction direction) {
  bounds.insert(direction == Direction::newer ? bounds.end() : bounds.begin(), std::move(bound));
  return join(bounds, " ");
}

/// Whether `range` holds, besides `release`, no release of the catalog that the variant is not for.
bool adds_none_but(const Version& release, const VersionRange& range, const VersionRange& old, const Catalog& catalog) {
  return std::ranges::none_of(catalog.releases, [&](const auto& each) {
    return each.first != release && range.contains(each.first) && !old.contains(each.first);
  });
}

/// Whether a range holds releases of the catalog on the far side of one.
bool goes_on_behind(const VersionRange& range, const Version& release, Direction direction, const Catalog& catalog) {
  return std::ranges::any_of(catalog.releases, [&](const auto& each) {
    const bool is_behind = direction == Direction::newer ? each.first > release : each.first < release;
    return is_behind && range.contains(each.first);
  });
}

/// Returns where a range begins; of one without a bound below, where it ends.
std::optional<Version> first_bound(const VersionRange& range) {
  const std::string part = split(range.text(), ' ').front();
  return Version::parse(part.substr(std::min(part.find_first_not_of("<>="), part.size())));
}

Json patches_json(const std::vector<Patch>& patches) {
  Json json = Json::array();
  for (const Patch& patch : patches)
    json.push_back({{"file", patch.file}, {"sha256", patch.sha256.hex()}, {"repository", patch.repository.text()}});
  return json;
}

}  // namespace

std::string widened_range(const VersionRange& range, const Version& release, Direction direction) {
  if (range.contains(release)) return range.text();
  return range_with(bounds_but(range, direction), concat(direction == Direction::newer ? "<=" : ">=", release.text()),
                    direction);
}

std::string ended_range(const VersionRange& range, const Version& release, Direction direction) {
  if (!range.contains(release)) return range.text();
  return range_with(bounds_but(range, direction), concat(direction == Direction::newer ? "<" : ">", release.text()),
                    direction);
}

ChangedPatchset::ChangedPatchset(const Patchset& patchset, std::string path)
    : patchset_(patchset), path_(std::move(path)) {
  Findings findings;
  std::optional<catalog::DataFile> file = catalog::read_json_file(path_, findings);
  findings.raise_if_any("reading " + quote(path_));
  json_ = std::move(file->json);
}

Variant& ChangedPatchset::variant(const std::string& id) {
  variant_named(patchset_, id);  // raises
  return *std::ranges::find(patchset_.variants, id, &Variant::id);
}

Json& ChangedPatchset::json_of(const std::string& id) {
  for (Json& each : json_["variants"].items)
    if (each["id"].string == id) return each;
  throw Error(ErrorKind::internal, concat(quote(path_), " has no variant ", quote(id)));
}

void ChangedPatchset::set_range(const std::string& id, const std::string& range) {
  variant(id).releases = VersionRange::parse(range).value();
  json_of(id)["releases"] = range;
}

void ChangedPatchset::remove_end(const std::string& id) {
  variant(id).ends.clear();
  std::erase_if(json_of(id).members, [](const JsonMember& member) { return member.name == "ends"; });
}

void ChangedPatchset::end(const std::string& id, const Version& release, Direction direction, const std::string& why,
                          const Catalog& catalog) {
  const VersionRange old = variant(id).releases;
  set_range(id, ended_range(old, release, direction));
  if (old.contains(release) && goes_on_behind(old, release, direction, catalog)) {
    const bool is_newer = direction == Direction::newer;
    const std::string copy = unused_variant_id(patchset_, id);
    add_copy(id, copy, ended_range(old, release, is_newer ? Direction::older : Direction::newer));
    remove_end(is_newer ? id : copy);
  }
  if (why.empty()) return;
  variant(id).ends = why;
  Json ended = Json::object();  // its reason stands behind its range
  for (const JsonMember& member : json_of(id).members) {
    if (member.name != "ends") ended[member.name] = member.value;
    if (member.name == "releases") ended["ends"] = why;
  }
  json_of(id) = std::move(ended);
}

std::string ChangedPatchset::widen(const std::string& id, const Version& release, Direction direction,
                                   const Catalog& catalog) {
  const VersionRange old = variant(id).releases;
  const std::string range = widened_range(old, release, direction);
  if (adds_none_but(release, VersionRange::parse(range).value(), old, catalog)) {
    set_range(id, range);
    return id;
  }
  const std::string copy = unused_variant_id(patchset_, release.text());
  add_copy(id, copy, "==" + release.text());
  remove_end(copy);
  return copy;
}

void ChangedPatchset::add_copy(const std::string& from, const std::string& id, const std::string& range) {
  Variant added = variant(from);
  Json described = json_of(from);
  added.id = id;
  added.releases = VersionRange::parse(range).value();
  described["id"] = id;
  described["releases"] = range;
  const auto is_behind = [&](const Variant& other) {  // those of older releases come first
    const std::optional<Version> begin = first_bound(added.releases), other_begin = first_bound(other.releases);
    return begin && other_begin && *other_begin > *begin;
  };
  const auto place = std::ranges::find_if(patchset_.variants, is_behind) - patchset_.variants.begin();
  patchset_.variants.insert(patchset_.variants.begin() + place, std::move(added));
  Json& variants = json_["variants"];
  variants.items.insert(variants.items.begin() + place, std::move(described));
}

void ChangedPatchset::replace(const Sha256& below) { json_["replaces"] = below.hex(); }

void ChangedPatchset::add(const std::string& id, const std::string& from, const Version& release,
                          std::vector<Patch> patches) {
  add_copy(from, id, "==" + release.text());
  remove_end(id);
  json_of(id)["patches"] = patches_json(patches);
  variant(id).patches = std::move(patches);
}

std::string unused_variant_id(const Patchset& patchset, std::string wanted) {
  while (std::ranges::count(patchset.variants, wanted, &Variant::id) > 0) wanted += "-port";
  return wanted;
}

std::string ChangedPatchset::described() const { return canonical_json(json_, path_); }

}  // namespace torchpatch::upkeep
