// SPDX-License-Identifier: BSD-3-Clause
#include "emit/run/run_report.h"

#include <nlohmann/json.hpp>

namespace torchpatch::emit {

std::string run_report_json(const RunReport& report) {
  nlohmann::ordered_json json;
  json["schema"] = 1;
  json["tool_version"] = report.tool_version;
  json["command_line"] = report.command_line;
  json["host"] = report.host;
  json["started"] = report.started;
  json["milliseconds"] = report.milliseconds;
  json["source"] = report.source;
  json["output"] = report.output;
  json["manifest_sha256"] = report.manifest.hex();
  auto& origins = json["origins"] = nlohmann::ordered_json::array();
  for (const auto& [repository, folder] : report.origins) {
    origins.push_back({{"repository", repository}, {"objects", folder}});
  }
  json["warnings"] = report.warnings;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace torchpatch::emit
