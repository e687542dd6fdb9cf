// SPDX-License-Identifier: BSD-3-Clause
#include "record/bundle_index.h"

#include <algorithm>
#include <limits>

#include "model/manifest.h"
#include "model/url.h"
#include "record/json.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/text.h"

namespace torchpatch::record {

template <typename Fields>
void fields(Fields& f, BundlePin& pin) {
  f("url", RepositoryUrl{pin.url});
  f("commit", pin.commit);
}

/// The pins of a closure as an object of pins by component.
struct PinsByComponent {
  std::vector<BundlePin>& pins;
};
template <typename Fields>
void fields(Fields& f, PinsByComponent& each) {
  for (const auto& [component, name] : kNamesOf<Component>) {
    const auto known = std::ranges::find(each.pins, component, &BundlePin::component);
    std::optional<BundlePin> pin;
    if (known != each.pins.end()) pin = *known;
    f.optional(name, pin);
    if (pin && known == each.pins.end()) each.pins.push_back({component, pin->url, pin->commit});
  }
  f.check([&](ObjectReader& object) {
    if (each.pins.empty()) object.report("", "must name a component");
  });
}

template <typename Fields>
void fields(Fields& f, BundleClosure& closure) {
  f("release", VersionText{closure.release});
  f("components", PinsByComponent{closure.components});
  f.each("overrides", closure.overrides, [](auto& g, SubmoduleOverride& each) {
    g("repository", NamedRepository{each.repository});
    g("replaces", each.replaces);
    g("url", RepositoryUrl{each.url});
    g("commit", each.commit);
  });
  f.check([&](ObjectReader& object) { require_sorted(object, "overrides", closure.overrides, std::identity{}); });
}

FIELDS(BundleCommit, commit, tree)

template <typename Fields>
void fields(Fields& f, BundleRepository& repository) {
  constexpr std::int64_t kMaxObjects = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t kMaxPackBytes = std::int64_t{1} << 40;
  f("url", RepositoryUrl{repository.url});
  f.constant("member", repository.member());
  f("size", InRange{repository.size, 1, kMaxPackBytes});
  f("sha256", repository.sha256);
  f("objects", InRange{repository.objects, 1, kMaxObjects});
  f("commits", repository.commits);
  f.check([&](ObjectReader& object) {
    if (repository.commits.empty()) object.report("commits", "must name a commit");
    require_sorted(object, "commits", repository.commits, &BundleCommit::commit);
  });
}

template <typename Fields>
void fields(Fields& f, BundleIndex& index) {
  f.schema(1);
  f.constant("what", "torchpatch bundle");
  f("timestamp", InRange{index.timestamp, 0, kLastTimestamp});
  f("closures", index.closures);
  f("repositories", index.repositories);
  f.check([&](ObjectReader& object) {
    if (index.closures.empty()) object.report("closures", "must name a release");
    require_sorted(object, "repositories", index.repositories,
                   [](const BundleRepository& each) { return url_file_path(each.url); });
  });
}

std::string BundleRepository::member() const { return concat("packs/", url_file_path(url), ".pack"); }

std::string bundle_index_json(const BundleIndex& index) { return canonical_json(to_json(index), "the bundle's index"); }

BundleIndex parse_bundle_index(std::string_view bytes, const std::string& file) {
  Findings findings;
  auto index = read_json<BundleIndex>(bytes, file, findings);
  findings.raise_if_any("reading the index of a bundle");
  if (bundle_index_json(index) != bytes) {
    throw Error(ErrorKind::data,
                concat("reading the index of a bundle: ", quote(file), " is not laid out as torchpatch writes it"));
  }
  return index;
}

}  // namespace torchpatch::record
