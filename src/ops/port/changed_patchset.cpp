// SPDX-License-Identifier: BSD-3-Clause
#include "ops/port/changed_patchset.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "ops/author/work_state.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Returns the comparisons of a range but those that bound it on the side of `direction`. One that bounds it on both,
/// such as ==1.3.1 or 1.3, bounds it on the other alone then.
std::vector<std::string> bounds_but(const VersionRange& range, Direction direction) {
  const bool is_newer = direction == Direction::newer;
  std::vector<std::string> bounds;
  for (const std::string& part : split(range.text(), ' ')) {
    if (part == "*" || starts_with(part, is_newer ? "<" : ">")) continue;
    const bool is_exact = starts_with(part, "==") || part.find_first_of("<>=") == std::string::npos;
    const std::string version = starts_with(part, "==") ? part.substr(2) : part;
    bounds.push_back(is_exact ? concat(is_newer ? ">=" : "<=", version) : part);
  }
  return bounds;
}

std::string range_with(std::vector<std::string> bounds, std::string bound, Direction direction) {
  bounds.insert(direction == Direction::newer ? bounds.end() : bounds.begin(), std::move(bound));
  return join(bounds, " ");
}

bool overlaps(const Patchset& patchset, const std::string& variant, const VersionRange& range, const Catalog& catalog) {
  return std::ranges::any_of(patchset.variants, [&](const Variant& other) {
    return other.id != variant && std::ranges::any_of(catalog.releases, [&](const auto& release) {
             return range.contains(release.first) && other.releases.contains(release.first);
           });
  });
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

void ChangedPatchset::end(const std::string& id, const Version& release, Direction direction, const std::string& why) {
  set_range(id, ended_range(variant(id).releases, release, direction));
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
  const std::string range = widened_range(variant(id).releases, release, direction);
  if (!overlaps(patchset_, id, VersionRange::parse(range).value(), catalog)) {
    set_range(id, range);
    return id;
  }
  add(release.text(), release, variant(id).patches);
  return release.text();
}

void ChangedPatchset::add(const std::string& id, const Version& release, std::vector<Patch> patches) {
  const std::string range = "==" + release.text();
  Json described = {{"id", id}, {"releases", range}, {"patches", patches_json(patches)}};
  Variant added{id, VersionRange::parse(range).value(), std::move(patches), {}};
  const auto is_behind = [&](const Variant& other) {  // those of older releases come first
    const auto first = Version::parse(other.releases.text().substr(other.releases.text().find_first_not_of("<>=")));
    return first && *first > release;
  };
  const auto place = std::ranges::find_if(patchset_.variants, is_behind) - patchset_.variants.begin();
  patchset_.variants.insert(patchset_.variants.begin() + place, std::move(added));
  Json& variants = json_["variants"];
  variants.items.insert(variants.items.begin() + place, std::move(described));
}

void ChangedPatchset::replace(const Sha256& below) { json_["replaces"] = below.hex(); }

std::string ChangedPatchset::described() const { return canonical_json(json_, path_); }

}  // namespace torchpatch::ops
