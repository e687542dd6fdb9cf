// SPDX-License-Identifier: BSD-3-Clause
/// Values of the model as JSON, in the words of docs/formats.md (internal).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/condition.h"
#include "model/plan.h"
#include "model/source_note.h"

namespace torchpatch::emit {

nlohmann::ordered_json text_or_null(const std::string& text);
nlohmann::ordered_json id_or_null(const std::optional<ObjectId>& id);
nlohmann::ordered_json object_json(const std::vector<std::pair<std::string, std::string>>& entries);
nlohmann::ordered_json condition_json(const Condition& condition);
nlohmann::ordered_json sources_json(const std::vector<SourceNote>& sources);
nlohmann::ordered_json setting_json(const PlannedSetting& setting);

/// Returns the clauses as text: "arch is 'aarch64'; registers_per_block <65536"; "always" where there are none.
std::string condition_text(const Condition& condition);

/// Returns the row of each source: keys, "verified" or "UNVERIFIED", and the source.
std::vector<std::vector<std::string>> source_rows(const std::vector<SourceNote>& sources);

}  // namespace torchpatch::emit
