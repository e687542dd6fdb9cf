// SPDX-License-Identifier: BSD-3-Clause
/// How this layer prints JSON (internal).
#pragma once

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

/// Returns the clauses as text: "arch is 'aarch64'; registers_per_block <65536"; "always" where there are none.
std::string condition_text(const Condition& condition);

/// Returns the row of each source: keys, "verified" or "UNVERIFIED", and the source.
std::vector<std::vector<std::string>> source_rows(const std::vector<SourceNote>& sources);

}  // namespace torchpatch::record
