// SPDX-License-Identifier: BSD-3-Clause
/// The part of JSON Schema (draft 2020-12) that docs/schema uses.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support/json.h"

namespace torchpatch::test {

/// Returns the member of an object, or null.
const Json* member(const Json& object, const std::string& key);

/// Returns the JSON of a file, which is read once. Fails the test where it is not strict.
const Json& json_of_file(const std::string& path);

/// Returns what is wrong with `value` as "key path: message". Fails the test on a keyword that it does not know.
/// Schemas of other files that `schema` refers to are relative to `directory`.
std::vector<std::string> schema_problems(const Json& schema, const Json& value, const std::string& directory = ".");

/// Returns the file of docs/schema/output that describes what a command ("cache list") prints with --json, whether it
/// is there or not; "error" is the one for errors.
std::string output_schema_file(const std::string& command);

/// Returns the names of all properties, at any depth.
std::set<std::string> property_names(const Json& schema);

}  // namespace torchpatch::test
