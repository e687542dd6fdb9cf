// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>

#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string refreshed_text(const RefreshedPatch& patch) {
  return concat(patch.file, patch.is_changed ? ": written anew, changes " : ": as it was, changes ",
                join(patch.paths, ", "));
}

}  // namespace

Document refresh_document(const RefreshReport& report) {
  Document page;
  page.blocks.push_back(Heading{2, concat(report.patchset, ", variant ", report.variant, ", at ", report.version)});
  page.blocks.push_back(plain_items(texts_of(report.patches, refreshed_text)));
  add_items(page.blocks, "written", report.written);
  add_items(page.blocks, "recorded of the old patches, and dropped there", report.dropped);
  if (report.written.empty()) page.blocks.push_back(plain_items({"nothing changed, nothing was written"}));
  return page;
}

Json refresh_json(const RefreshReport& report) {
  Json patches = Json::array();
  for (const RefreshedPatch& patch : report.patches) {
    patches.push_back(
        {{"file", patch.file}, {"sha256", patch.sha256.hex()}, {"changed", patch.is_changed}, {"paths", patch.paths}});
  }
  return {{"schema", 1},        {"patchset", report.patchset}, {"variant", report.variant}, {"release", report.version},
          {"patches", patches}, {"written", report.written},   {"dropped", report.dropped}};
}

}  // namespace torchpatch::report
