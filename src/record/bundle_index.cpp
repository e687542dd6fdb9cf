// SPDX-License-Identifier: BSD-3-Clause
#include "record/bundle_index.h"

#include <functional>

#include "model/url.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

void check_fields(ObjectReader& object, const BundleRepository& repository) {
  require_sorted(object, "commits", repository.commits, &BundleCommit::commit);
}

void check_fields(ObjectReader& object, const BundleClosure& closure) {
  require_sorted(object, "overrides", closure.overrides, std::identity{});
}

void check_fields(ObjectReader& object, const BundleIndex& index) {
  require_sorted(object, "repositories", index.repositories,
                 [](const BundleRepository& each) { return url_file_path(each.url); });
}

std::string BundleRepository::member() const { return concat("packs/", url_file_path(url), ".pack"); }

std::string bundle_index_json(const BundleIndex& index) { return canonical_json(to_json(index), "the bundle's index"); }

BundleIndex parse_bundle_index(std::string_view bytes, const std::string& file) {
  Findings findings;
  auto index = read_json<BundleIndex>(bytes, file, findings);
  findings.raise_if_any("reading the index of a bundle");
  if (bundle_index_json(index) != bytes) {
    throw Error(ErrorKind::data,
                concat("reading the index of a bundle: ", quote(file), " is not in torchpatch's format"));
  }
  return index;
}

}  // namespace torchpatch::record
