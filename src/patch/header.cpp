// SPDX-License-Identifier: BSD-3-Clause
#include "patch/header.h"

#include <algorithm>
#include <optional>

#include "patch/line_reader.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

constexpr std::string_view kLicence = "SPDX-License-Identifier";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<HeaderField> parse_field(std::string_view line, int number) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  if (!std::all_of(name.begin(), name.end(), is_name_character)) return std::nullopt;
  return HeaderField{std::string(name), std::string(trim(line.substr(colon + 1))), number};
}

void parse_line(std::string_view line, int number, PatchHeader& header) {
  if (line[0] == ' ' || line[0] == '\t') {
    if (header.fields.empty()) {
      header.stray_line = number;
    } else {
      header.fields.back().value += concat("\n", line.substr(1));
    }
    return;
  }
  const bool is_comment = line[0] == '#';
  std::optional<HeaderField> field = parse_field(is_comment ? trim(line.substr(1)) : line, number);
  if (field && (!is_comment || field->name == kLicence)) {
    header.fields.push_back(std::move(*field));
  } else if (!is_comment && header.stray_line == 0) {
    header.stray_line = number;
  }
}

}  // namespace

const HeaderField* PatchHeader::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const HeaderField& field) {
    return std::equal(field.name.begin(), field.name.end(), name.begin(), name.end(),
                      [](char one, char other) { return lower(one) == lower(other); });
  });
  return found == fields.end() ? nullptr : &*found;
}

PatchHeader parse_header(std::string_view preamble) {
  PatchHeader header;
  LineReader in(preamble, "");
  int number = 1;
  for (; !in.at_end() && in.line().empty(); in.advance()) ++number;
  for (; !in.at_end() && !in.line().empty() && in.line() != "---"; in.advance(), ++number) {
    const bool is_mail_start = header.fields.empty() && starts_with(in.line(), "From ");
    if (!is_mail_start) parse_line(in.line(), number, header);
  }
  return header;
}

}  // namespace torchpatch::patch
