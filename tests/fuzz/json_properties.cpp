// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/encoded_json.h"
#include "fuzz/finding_properties.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "support/json.h"

namespace torchpatch::fuzz {
namespace {

using Kind = Json::Kind;

bool is_same(const Json& ours, const nlohmann::ordered_json& theirs) {
  switch (ours.kind) {
    case Kind::null:
      return theirs.is_null();
    case Kind::boolean:
      return theirs.is_boolean() && theirs.get<bool>() == ours.boolean;
    case Kind::integer:
      return theirs.is_number_integer() && theirs.get<std::int64_t>() == ours.integer;
    case Kind::string:
      return theirs.is_string() && theirs.get<std::string>() == ours.string;
    case Kind::array:
      return theirs.is_array() &&
             std::equal(ours.items.begin(), ours.items.end(), theirs.begin(), theirs.end(), is_same);
    case Kind::object:
      break;
  }
  // A key that stands twice would make theirs smaller.
  return theirs.is_object() && theirs.size() == ours.members.size() &&
         std::all_of(ours.members.begin(), ours.members.end(), [&](const JsonMember& member) {
           return theirs.contains(member.name) && is_same(member.value, theirs[member.name]);
         });
}

/// The lines of values do not go back, and are lines of the text.
void check_lines(const Json& value, int& line, int last) {
  require(value.line >= line && value.line <= last,
          "a value stands on a line of the text, and not before the last one");
  line = value.line;
  for (const Json& item : value.items) check_lines(item, line, last);
  for (const JsonMember& member : value.members) check_lines(member.value, line, last);
}

}  // namespace

void check_json(std::string_view text) {
  constexpr int kFirstLine = 7;
  const int last = kFirstLine + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  Findings findings;
  std::optional<Json> value = parse_json(text, "fuzz.json", kFirstLine, findings);
  check_findings(findings, kFirstLine, last);
  require(value || !findings.empty(), "what is not read has a finding");
  if (!value) return;

  require(depth_of(*value) <= kMaxJsonDepth, "values are no deeper than the limit");
  int line = kFirstLine;
  check_lines(*value, line, last);
  if (!findings.empty()) return;  // a key that stands twice: the first value stays
  const auto theirs = nlohmann::ordered_json::parse(text.begin(), text.end(), nullptr, false);
  require(!theirs.is_discarded() && is_same(*value, theirs), "the other parser reads the same");

  const std::string encoded = encode_on_lines(*value);
  const std::optional<Json> again = parse_json(encoded, "fuzz.json", 1, findings);
  require(again && findings.empty() && are_equal(*again, *value), "what is written is read to the same, on its lines");
}

}  // namespace torchpatch::fuzz
