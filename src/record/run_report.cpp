// SPDX-License-Identifier: BSD-3-Clause
#include "record/run_report.h"

#include "support/json.h"

namespace torchpatch::record {

namespace {

Json archive_object(const ArchiveComparison& archive) {
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
  Json json = {{"schema", 1},
               {"tool_version", report.tool_version},
               {"command_line", report.command_line},
               {"host", report.host},
               {"started", report.started},
               {"milliseconds", report.milliseconds},
               {"source", report.source},
               {"output", report.output},
               {"manifest_sha256", report.manifest.hex()},
               {"origins", Json::array()},
               {"archives", Json::array()}};
  for (const auto& [repository, folder] : report.origins)
    json["origins"].push_back({{"repository", repository}, {"objects", folder}});
  for (const ArchiveComparison& archive : report.archives) json["archives"].push_back(archive_object(archive));
  json["warnings"] = report.warnings;
  json["notes"] = report.notes;
  return report_json(json);
}

}  // namespace torchpatch::record
