// SPDX-License-Identifier: BSD-3-Clause
/// How this layer prints JSON (internal).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/issue.h"
#include "model/plan.h"
#include "model/release.h"
#include "support/json.h"

namespace torchpatch::record {

// Values of the model as JSON, in the words of docs/formats.md.

Json text_or_null(const std::string& text);
Json id_or_null(const std::optional<ObjectId>& id);
Json object_json(const std::vector<std::pair<std::string, std::string>>& entries);
Json condition_json(const Condition& condition);
Json sources_json(const std::vector<SourceNote>& sources);
Json setting_json(const PlannedSetting& setting);

/// Returns the JSON array of `row(item)` for each of `items`.
template <typename Items, typename Row>
Json array_of(const Items& items, Row row) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(std::invoke(row, item));
  return array;
}

}  // namespace torchpatch::record
