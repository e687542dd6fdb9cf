// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/diff/diff_text.h"
#include "emit/format/json_text.h"
#include "emit/format/model_json.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

Json side_json(const DiffSide& side) {
  return {{"name", side.name},   {"kind", side.kind},   {"release", side.release}, {"genuine", side.is_genuine},
          {"board", side.board}, {"image", side.image}, {"plan", side.plan.hex()}, {"tree", id_or_null(side.tree)}};
}

Json entry_json(const DiffEntry& entry) {
  Json json = {{"level", diff_level_name(entry.level)},
               {"subject", entry.subject},
               {"change", entry.change},
               {"a", text_or_null(entry.a)},
               {"b", text_or_null(entry.b)}};
  if (entry.counts) {
    json["files"] = {{"changed", entry.counts->changed},
                     {"only_in_a", entry.counts->only_in_a},
                     {"only_in_b", entry.counts->only_in_b}};
  }
  json["issues"] = entry.issues;
  json["patchsets"] = entry.patchsets;
  json["because"] = text_or_null(entry.because);
  return json;
}

std::string diff_json(const DiffReport& report) {
  Json root = {{"schema", 1},
               {"equal", report.entries.empty()},
               {"a", side_json(report.a)},
               {"b", side_json(report.b)},
               {"counts", {{"differences", report.entries.size()}, {"unexplained", count_unexplained(report)}}},
               {"differences", Json::array()},
               {"notes", report.notes}};
  for (const DiffEntry& entry : report.entries) root["differences"].push_back(entry_json(entry));
  return report_json(root);
}

}  // namespace

std::string diff_report(const DiffReport& report, Format format) {
  return format == Format::json ? diff_json(report) : diff_text(report);
}

}  // namespace torchpatch::emit
