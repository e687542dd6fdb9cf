// SPDX-License-Identifier: BSD-3-Clause
#include "emit/run/run_report.h"

#include <nlohmann/json.hpp>

namespace torchpatch::emit {

namespace {

nlohmann::ordered_json archive_object(const ArchiveComparison& archive) {
  return {{"repository", archive.repository},
          {"file", archive.file},
          {"sha256", archive.digest.hex()},
          {"format", archive.format},
          {"commit", archive.commit},
          {"pinned_commit", archive.pinned},
          {"pinned_files", archive.pinned_files},
          {"converted", archive.converted},
          {"differing", archive.differing},
          {"modes", archive.modes},
          {"absent", archive.absent},
          {"extra", archive.extra}};
}

}  // namespace

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
  auto& archives = json["archives"] = nlohmann::ordered_json::array();
  for (const ArchiveComparison& archive : report.archives) archives.push_back(archive_object(archive));
  json["warnings"] = report.warnings;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace torchpatch::emit
