// SPDX-License-Identifier: BSD-3-Clause
/// `when`: JSON → Condition.
#pragma once

#include <string>

#include "model/issue.h"
#include "model/version.h"
#include "support/json.h"

namespace torchpatch::catalog {

/// Returns the condition at `key`; one without clauses where it is absent. Unknown facts (with the nearest name) and
/// clauses whose form does not suit the fact's kind are findings.
Condition read_condition(ObjectReader& reader, const std::string& key);

// Questions about two ranges of releases.

/// Returns true where some version meets both ranges.
bool have_common_release(const VersionRange& one, const VersionRange& other);

}  // namespace torchpatch::catalog
