// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/hunk_json.h"

#include <nlohmann/json.hpp>

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

Json line_json(const AuditLine& line) {
  Json object = {{"kind", std::string(1, line.kind)}};
  if (line.before > 0) object["before"] = line.before;
  if (line.after > 0) object["after"] = line.after;
  object["text"] = line.text;
  if (!line.has_newline) object["newline"] = false;
  if (!line.changed.empty()) {
    Json spans = Json::array();
    for (const auto& [begin, end] : line.changed) spans.push_back({begin, end});
    object["changed"] = std::move(spans);
  }
  return object;
}

}  // namespace

Json hunks_json(const std::vector<AuditHunk>& hunks) {
  Json array = Json::array();
  for (const AuditHunk& hunk : hunks) {
    Json lines = Json::array();
    for (const AuditLine& line : hunk) lines.push_back(line_json(line));
    array.push_back(std::move(lines));
  }
  return array;
}

}  // namespace torchpatch::emit
