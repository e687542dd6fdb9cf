// SPDX-License-Identifier: BSD-3-Clause
#include "ops/certified_blobs.h"

#include <algorithm>
#include <map>

#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// (path, blob) → the releases whose pinned file it is, oldest first.
using Holders = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

Holders holders_of(const Patch& patch, const Patchset& patchset, const Catalog& catalog) {
  Holders holders;
  for (const auto& [version, release] : catalog.releases) {
    const ComponentPin* pin = release.find(patch.repository.component);
    for (const CertificateEdge& edge : patchset.certificates) {
      if (!pin || edge.commit != pin->commit || edge.patch != patch.sha256 || edge.follows || edge.overridden) continue;
      holders[{edge.path, edge.before ? edge.before->hex() : "absent"}].push_back(version.text());
    }
  }
  return holders;
}

}  // namespace

std::vector<std::string> certified_blobs(const Plan& plan, const Catalog& catalog) {
  std::vector<std::string> lines;
  for (const PlannedPatch& planned : plan.patches) {
    if (!planned.edges.empty()) continue;
    const std::string name = concat(planned.patchset, "/", planned.patch->file);
    for (const auto& [place, releases] : holders_of(*planned.patch, catalog.patchset(planned.patchset), catalog)) {
      lines.push_back(concat(name, " expects ", planned.patch->repository.text(), ": ", place.first, " to be ",
                             place.second, " (", join(releases, ", "), ")"));
    }
  }
  return lines;
}

}  // namespace torchpatch::ops
