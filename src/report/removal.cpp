// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string hanging_text(const HangingFile& file) {
  return concat(file.file, file.is_gone ? ": all of it" : ": a part of it");
}

}  // namespace

Document removal_document(const RemovalReport& report, bool cascade) {
  Document page;
  page.blocks.push_back(
      Heading{2, concat(report.entry, report.is_done ? " was removed" : " was not removed: nothing was changed")});
  add_items(page.blocks, report.is_done ? "files that were removed or changed" : "files that go or change with it",
            report.files);
  add_items(page.blocks,
            report.is_done ? "what hung on it, and went as well"
            : cascade      ? "what hangs on it"
                           : "what hangs on it: --cascade takes it along",
            collect(report.hanging, hanging_text));
  add_items(page.blocks, "what would be wrong without it: edit these first", collect(report.by_hand, &Finding::text));
  add_items(page.blocks, "what is to be looked at afterwards", report.afterwards);
  return page;
}

}  // namespace torchpatch::report
