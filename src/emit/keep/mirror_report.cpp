// SPDX-License-Identifier: BSD-3-Clause
#include "emit/keep/mirror_report.h"

#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/number_text.h"
#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

struct Totals {
  std::uint64_t commits = 0, objects = 0, added = 0, bytes = 0;
};

Totals totals_of(const MirrorReport& report) {
  Totals totals;
  for (const MirroredRepository& repository : report.repositories) {
    totals.commits += repository.commits.size();
    totals.objects += repository.objects;
    totals.added += repository.added;
    totals.bytes += repository.bytes;
  }
  return totals;
}

std::string mirror_json(const MirrorReport& report) {
  nlohmann::ordered_json repositories = nlohmann::ordered_json::array();
  for (const MirroredRepository& repository : report.repositories) {
    nlohmann::ordered_json commits = nlohmann::ordered_json::array();
    for (const ObjectId& commit : repository.commits) commits.push_back(commit.hex());
    repositories.push_back({{"url", repository.url},
                            {"path", repository.path},
                            {"commits", commits},
                            {"objects", repository.objects},
                            {"added", repository.added},
                            {"bytes", repository.bytes}});
  }
  const Totals totals = totals_of(report);
  nlohmann::ordered_json root = {{"schema", 1}, {"output", report.output}, {"releases", report.releases}};
  if (!report.sha256.empty()) {
    root["sha256"] = report.sha256;
    root["size"] = report.size;
  }
  root["totals"] = {{"repositories", report.repositories.size()},
                    {"commits", totals.commits},
                    {"objects", totals.objects},
                    {"added", totals.added},
                    {"bytes", totals.bytes}};
  root["repositories"] = repositories;
  return report_json(root);
}

std::string mirror_text(const MirrorReport& report) {
  const Totals totals = totals_of(report);
  std::string out =
      concat(report.action, " ", join(report.releases, ", "), " to ", shell_quote(report.output), "\n  ",
             report.repositories.size(), " repositories, ", totals.commits, " commits, ", totals.objects, " objects");
  if (totals.added != totals.objects) out += concat(", ", totals.added, " of them new");
  out += concat(", ", size_text(totals.bytes), "\n");
  if (!report.sha256.empty()) out += concat("  ", report.size, " bytes, sha256 ", report.sha256, "\n");
  return out;
}

}  // namespace

std::string mirror_report(const MirrorReport& report, Format format) {
  return format == Format::json ? mirror_json(report) : mirror_text(report);
}

}  // namespace torchpatch::emit
