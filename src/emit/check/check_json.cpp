// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/check/check_report.h"
#include "emit/format/json_text.h"
#include "emit/format/model_json.h"

namespace torchpatch::emit {

namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const CheckCell& cell) {
  return {{"release", cell.release},
          {"board", cell.board},
          {"image", cell.image},
          {"issue", cell.issue},
          {"status", cell_status_name(cell.status)},
          {"fix", text_or_null(cell.fix)},
          {"variant", text_or_null(cell.variant)},
          {"reason", cell.reason}};
}

}  // namespace

std::string check_json(const CheckReport& report) {
  Json root = {{"schema", 1},
               {"sources", report.has_sources},
               {"releases", report.releases},
               {"boards", report.boards},
               {"counts", Json::object()},
               {"findings", Json::array()},
               {"missing", Json::array()},
               {"cells", Json::array()}};
  for (const auto& [status, count] : count_cells(report)) root["counts"][cell_status_name(status)] = count;
  for (const Finding& finding : report.findings) {
    root["findings"].push_back(
        {{"file", finding.file}, {"line", finding.line}, {"key", finding.key}, {"message", finding.message}});
  }
  for (const MissingCommit& missing : report.missing) {
    root["missing"].push_back({{"release", missing.release}, {"reason", missing.text}});
  }
  // There are hundreds of thousands of cells: one a line.
  std::string text = report_json(root);
  const std::string rest = "]\n}\n";
  text.resize(text.size() - rest.size());
  const char* separator = "\n    ";
  for (const CheckCell& cell : report.cells) {
    text += separator + cell_json(cell).dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n    ";
  }
  return text + (report.cells.empty() ? rest : "\n  " + rest);
}

}  // namespace torchpatch::emit
