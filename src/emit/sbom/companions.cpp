// SPDX-License-Identifier: BSD-3-Clause
#include "emit/sbom/companions.h"

namespace torchpatch::emit {

std::vector<Companion> companions(const CompanionInput& input) {
  return {{"provenance.intoto.json", provenance_document(input)},
          {"sbom.cdx.json", cyclonedx_document(input)},
          {"sbom.spdx.json", spdx_document(input)}};
}

const std::vector<std::string>& companion_names() {
  static const std::vector<std::string> kNames = {"provenance.intoto.json", "sbom.cdx.json", "sbom.spdx.json"};
  return kNames;
}

}  // namespace torchpatch::emit
