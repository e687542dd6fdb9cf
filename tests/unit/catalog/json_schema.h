// SPDX-License-Identifier: BSD-3-Clause
/// The part of JSON Schema (draft 2020-12) that docs/schema uses.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support/json.h"

namespace torchpatch::catalog::test {

/// Returns the member of an object, or null.
const Json* member(const Json& object, const std::string& key);

/// Returns what is wrong with `value` as "key path: message". Fails the test on a keyword that it does not know.
std::vector<std::string> schema_problems(const Json& schema, const Json& value);

/// Returns the names of all properties, at any depth.
std::set<std::string> property_names(const Json& schema);

}  // namespace torchpatch::catalog::test
