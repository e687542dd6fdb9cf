// SPDX-License-Identifier: BSD-3-Clause
#include "model/patchset.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {

namespace {

bool is_relative_path(std::string_view text) { return !output_path_problem(text); }

/// Returns whether an earlier item equals the one at `index` by `is_same`.
template <typename Items, typename IsSame>
bool is_repeated(const Items& items, std::size_t index, const IsSame& is_same) {
  const auto item = items.begin() + static_cast<std::ptrdiff_t>(index);
  return std::any_of(items.begin(), item, [&](const auto& other) { return is_same(other, *item); });
}

}  // namespace

const TextRule kPatchPathRule{"the relative path of a .patch file",
                              [](std::string_view text) { return is_relative_path(text) && text.ends_with(".patch"); },
                              "^[^/].*\\.patch$"};
const TextRule kAddedPathRule{
    "a relative path below files/",
    [](std::string_view text) { return is_relative_path(text) && text.starts_with("files/"); }, "^files/."};

void check_fields(ObjectReader& object, const Variant& variant) {
  // Variants may share a patch; within one, it can only be applied once.
  for (std::size_t i = 0; i < variant.patches.size(); ++i)
    if (is_repeated(variant.patches, i, [](const Patch& a, const Patch& b) { return a.sha256 == b.sha256; }))
      object.report(concat("patches[", i, "].file"),
                    concat("the patch ", quote(variant.patches[i].file), " is listed twice"));
  for (std::size_t i = 0; i < variant.overrides.size(); ++i) {
    const SubmoduleOverride& what = variant.overrides[i];
    const std::string path = concat("overrides[", i, "]."), name = quote(what.repository.text());
    if (is_repeated(variant.overrides, i, [](const auto& a, const auto& b) { return a.repository == b.repository; }))
      object.report(path + "repository", concat(name, " is overridden twice"));
    if (what.repository.path.empty())  // only the release pins those
      object.report(path + "repository", concat(name, " is a component itself, which only the release pins"));
    if (what.commit == what.replaces && !what.commit.is_null())
      object.report(path + "commit", "is the commit that it replaces");
  }
  if (variant.patches.empty() && variant.files.empty() && variant.overrides.empty())
    object.report("id", concat("variant ", quote(variant.id), " has no patches, files or overrides"));
}

void check_fields(ObjectReader& object, const CertificateEdge& edge) {
  if (!edge.before && !edge.after && !edge.path.empty())
    object.report("after", "must not be null where 'before' is null");
}

}  // namespace torchpatch
