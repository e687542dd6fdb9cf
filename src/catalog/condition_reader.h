// SPDX-License-Identifier: BSD-3-Clause
/// `when`: JSON → Condition.
#pragma once

#include <string>

#include "model/condition.h"
#include "support/json.h"

namespace torchpatch::catalog {

/// Returns the condition at `key`; one without clauses where it is absent. Unknown facts (with the nearest name) and
/// clauses whose form does not suit the fact's kind are findings.
Condition read_condition(ObjectReader& reader, const std::string& key);

}  // namespace torchpatch::catalog
