// SPDX-License-Identifier: BSD-3-Clause
#include "patch/extended_header.h"

#include <algorithm>
#include <array>

#include "patch/quoted_name.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

template <typename Value>
void set_once(const LineReader& in, std::optional<Value>& field, Value value) {
  if (field) in.fail("this header line stands twice");
  field = std::move(value);
}

FileMode read_mode(const LineReader& in, std::string_view octal) {
  const std::optional<FileMode> mode = parse_file_mode(octal);
  if (!mode || *mode == FileMode::directory) in.refuse(concat("mode ", quote(octal), " is not one of a file"));
  return *mode;
}

std::string read_name(const LineReader& in, std::string_view text) {
  if (text.empty() || text[0] != '"') return std::string(text);
  std::optional<UnquotedName> unquoted = unquote_name(text);
  if (!unquoted || !unquoted->rest.empty()) in.fail("malformed quoted name");
  return std::move(unquoted->name);
}

int read_percentage(const LineReader& in, std::string_view text) {
  const bool has_sign = ends_with(text, "%");
  const std::optional<std::uint64_t> value = parse_decimal(text.substr(0, text.size() - (has_sign ? 1 : 0)));
  if (!has_sign || !value || *value > 100) in.fail("malformed percentage");
  return static_cast<int>(*value);
}

bool is_id(std::string_view text) {
  return text.size() >= 4 && text.size() <= 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Reads "old..new" or "old..new mode".
void read_index(const LineReader& in, std::string_view text, ExtendedHeader& header) {
  const std::size_t space = text.find(' ');
  const std::string_view ids = text.substr(0, space);
  const std::size_t dots = ids.find("..");
  if (dots == std::string_view::npos || !is_id(ids.substr(0, dots)) || !is_id(ids.substr(dots + 2)))
    in.fail("malformed index line");
  set_once(in, header.old_id, std::string(ids.substr(0, dots)));
  set_once(in, header.new_id, std::string(ids.substr(dots + 2)));
  if (space != std::string_view::npos) header.index_mode = read_mode(in, text.substr(space + 1));
}

struct Rule {
  std::string_view prefix;
  void (*read)(const LineReader& in, std::string_view value, ExtendedHeader& header);
};

template <std::optional<FileMode> ExtendedHeader::*field>
void mode_line(const LineReader& in, std::string_view value, ExtendedHeader& header) {
  set_once(in, header.*field, read_mode(in, value));
}

template <std::optional<std::string> ExtendedHeader::*field>
void name_line(const LineReader& in, std::string_view value, ExtendedHeader& header) {
  set_once(in, header.*field, read_name(in, value));
}

template <std::optional<int> ExtendedHeader::*field>
void percentage_line(const LineReader& in, std::string_view value, ExtendedHeader& header) {
  set_once(in, header.*field, read_percentage(in, value));
}

constexpr std::array<Rule, 11> kRules = {{
    {"old mode ", mode_line<&ExtendedHeader::old_mode>},
    {"new mode ", mode_line<&ExtendedHeader::new_mode>},
    {"new file mode ", mode_line<&ExtendedHeader::created_mode>},
    {"deleted file mode ", mode_line<&ExtendedHeader::removed_mode>},
    {"rename from ", name_line<&ExtendedHeader::rename_from>},
    {"rename to ", name_line<&ExtendedHeader::rename_to>},
    {"copy from ", name_line<&ExtendedHeader::copy_from>},
    {"copy to ", name_line<&ExtendedHeader::copy_to>},
    {"similarity index ", percentage_line<&ExtendedHeader::similarity>},
    {"dissimilarity index ", percentage_line<&ExtendedHeader::dissimilarity>},
    {"index ", read_index},
}};

const Rule* find_rule(std::string_view line) {
  const auto* rule =
      std::find_if(kRules.begin(), kRules.end(), [&](const Rule& each) { return starts_with(line, each.prefix); });
  return rule == kRules.end() ? nullptr : rule;
}

}  // namespace

std::optional<ChangeKind> ExtendedHeader::kind() const {
  const bool is_rename = rename_from.has_value();
  const bool is_copy = copy_from.has_value();
  if (is_rename != rename_to.has_value() || is_copy != copy_to.has_value()) return std::nullopt;
  if (old_mode.has_value() != new_mode.has_value()) return std::nullopt;
  if (created_mode.has_value() + removed_mode.has_value() + is_rename + is_copy > 1) return std::nullopt;
  if (old_mode && (created_mode || removed_mode)) return std::nullopt;
  if (similarity && !is_rename && !is_copy) return std::nullopt;
  if (created_mode) return ChangeKind::create;
  if (removed_mode) return ChangeKind::remove;
  if (is_rename) return ChangeKind::rename;
  return is_copy ? ChangeKind::copy : ChangeKind::modify;
}

ExtendedHeader parse_extended_header(LineReader& in) {
  ExtendedHeader header;
  for (const Rule* rule = find_rule(in.line()); rule != nullptr; rule = find_rule(in.line())) {
    if (!in.has_newline()) in.fail("the patch breaks off inside a header");
    rule->read(in, in.line().substr(rule->prefix.size()), header);
    in.advance();
  }
  return header;
}

}  // namespace torchpatch::patch
