// SPDX-License-Identifier: BSD-3-Clause
#include "emit/keep/bundle_report.h"

#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string bundle_json(const BundleReport& report) {
  return report_json(
      {{"schema", 1},
       {"ok", report.problems.empty()},
       {"file", report.file},
       {"size", report.size},
       {"sha256", report.sha256},
       {"releases", report.releases},
       {"totals", {{"repositories", report.repositories}, {"commits", report.commits}, {"objects", report.objects}}},
       {"problems", report.problems},
       {"notes", report.notes}});
}

std::string bundle_text(const BundleReport& report) {
  const std::size_t count = report.problems.size();
  std::string out = concat(quote(report.file), ": ",
                           count == 0 ? "whole" : concat(count, count == 1 ? " problem" : " problems"), "\n");
  for (const std::string& problem : report.problems) out += concat("  ", problem, "\n");
  for (const std::string& note : report.notes) out += concat("  note: ", note, "\n");
  if (!report.releases.empty()) {
    out += concat("  ", join(report.releases, ", "), ": ", report.repositories, " repositories, ", report.commits,
                  " commits, ", report.objects, " objects\n");
  }
  return out + concat("  ", report.size, " bytes, sha256 ", report.sha256, "\n");
}

}  // namespace

std::string bundle_report(const BundleReport& report, Format format) {
  return format == Format::json ? bundle_json(report) : bundle_text(report);
}

}  // namespace torchpatch::emit
