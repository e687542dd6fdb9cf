// SPDX-License-Identifier: BSD-3-Clause
/// Manifests in which something else stands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace torchpatch::test {

using Json = nlohmann::ordered_json;

/// Which elements of lists are places of their own.
enum class Elements { all, first };

/// Returns every place of `json` where a value stands, the outer ones first.
std::vector<Json::json_pointer> places_of(const Json& json, Elements elements);

/// Returns a manifest's bytes; what is not UTF-8 is replaced.
std::string manifest_bytes(const Json& manifest);

}  // namespace torchpatch::test
