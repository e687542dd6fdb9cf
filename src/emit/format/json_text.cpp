// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/json_text.h"

#include <nlohmann/json.hpp>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::emit {

using Json = nlohmann::ordered_json;

std::string canonical_json(const Json& value, const std::string& what) {
  try {
    return value.dump(2) + "\n";
  } catch (const Json::type_error&) {
    throw Error(ErrorKind::unsafe, concat("writing ", what, ": a name or text in it is not valid UTF-8"));
  }
}

std::string report_json(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace torchpatch::emit
