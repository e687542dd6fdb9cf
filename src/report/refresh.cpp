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
  page.blocks.push_back(plain_items(collect(report.patches, refreshed_text)));
  add_items(page.blocks, "written", report.written);
  add_items(page.blocks, "recorded of the old patches, and dropped there", report.dropped);
  if (report.written.empty()) page.blocks.push_back(plain_items({"nothing changed, nothing was written"}));
  return page;
}

}  // namespace torchpatch::report
