// SPDX-License-Identifier: BSD-3-Clause
#include "patch/header.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "patch/parse_patch.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

constexpr std::string_view kLicence = "SPDX-License-Identifier";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

std::optional<HeaderField> parse_field(std::string_view line, int number) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  if (!std::ranges::all_of(name, is_name_character)) return std::nullopt;
  return HeaderField{std::string(name), std::string(trim(line.substr(colon + 1))), number};
}

void parse_line(std::string_view line, int number, PatchHeader& header) {
  if (line[0] == ' ' || line[0] == '\t') {
    if (header.fields.empty())
      header.stray_line = number;
    else
      header.fields.back().value += concat("\n", line.substr(1));
    return;
  }
  const bool is_comment = line[0] == '#';
  std::optional<HeaderField> field = parse_field(is_comment ? trim(line.substr(1)) : line, number);
  if (field && (!is_comment || field->name == kLicence))
    header.fields.push_back(std::move(*field));
  else if (!is_comment && header.stray_line == 0)
    header.stray_line = number;
}

bool is_url(std::string_view text) {
  const bool is_web = starts_with(text, "https://") || starts_with(text, "http://");
  return is_web && text.find_first_of(" \t\n") == std::string_view::npos;
}

bool is_origin(std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(','));
  return std::ranges::count(kOriginKinds, kind) > 0 && !trim(text.substr(kind.size())).empty();
}

bool is_forwarded(std::string_view text) { return text == "no" || text == "not-needed" || is_url(text); }

bool is_date(std::string_view text) {
  std::string form(text);
  std::ranges::replace_if(
      form, [](char c) { return c >= '0' && c <= '9'; }, '0');
  if (form != "0000-00-00") return false;
  const auto number = [&](std::size_t begin, std::size_t size) {
    return std::stoi(std::string(text.substr(begin, size)));
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

bool is_text(std::string_view text) { return !text.empty(); }

struct FieldRule {
  const char* name;
  bool (*is_right)(std::string_view value);
  const char* form;
};

constexpr std::array<FieldRule, 6> kFieldRules = {{
    {"Description", is_text, "a text"},
    {"Origin", is_origin, "'upstream', 'backport', 'vendor' or 'other', a comma, and a link or name"},
    {"Bug", is_url, "an http or https link"},
    {"Forwarded", is_forwarded, "'no', 'not-needed' or an http or https link"},
    {"Last-Update", is_date, "a date YYYY-MM-DD"},
    {"SPDX-License-Identifier", is_text, "a licence expression"},
}};

void lint_header(const PatchHeader& header, std::vector<LintFinding>& findings) {
  for (const FieldRule& rule : kFieldRules) {
    const HeaderField* field = header.find(rule.name);
    if (field == nullptr && rule.name == std::string_view("Description")) field = header.find("Subject");
    if (field == nullptr)
      findings.push_back({0, concat("the header has no field ", quote(rule.name))});
    else if (!rule.is_right(field->value))
      findings.push_back({field->line, concat("the field ", quote(field->name), " must be ", rule.form)});
  }
  if (header.stray_line != 0)
    findings.push_back({header.stray_line, "this line of the header is neither a field nor goes on with one"});
}

/// Without context a hunk can be found again only where it covers the file from its first line on.
bool lacks_context(const Hunk& hunk) {
  const bool has_context = std::ranges::count(hunk.lines, LineKind::context, &HunkLine::kind) > 0;
  return !has_context && (hunk.old_start > 1 || hunk.new_start > 1);
}

void lint_file(const FilePatch& file, std::vector<LintFinding>& findings) {
  if (file.has_content() && (file.old_id.size() != kFullId || file.new_id.size() != kFullId))
    findings.push_back({0, concat("the change of ", quote(file.path()),
                                  " has no index line with two full ids: use git diff --full-index")});
  if (std::ranges::any_of(file.hunks, lacks_context))
    findings.push_back({0, concat("a hunk of ", quote(file.path()), " has no context: use git diff -U3")});
  if (file.kind == ChangeKind::copy)
    findings.push_back(
        {0, concat(quote(file.path()), " is a copy, which cannot be taken back: use git diff --no-renames")});
  if (file.binary && !file.binary->reverse)
    findings.push_back({0, concat("the binary change of ", quote(file.path()), " has no reverse side")});
}

}  // namespace

const HeaderField* PatchHeader::find(std::string_view name) const {
  return find_where(fields, [&](const HeaderField& field) { return lower_case(field.name) == lower_case(name); });
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

std::vector<LintFinding> lint_patch(const PatchFile& patch) {
  std::vector<LintFinding> findings;
  lint_header(parse_header(patch.preamble), findings);
  for (const FilePatch& file : patch.files) lint_file(file, findings);
  return findings;
}

}  // namespace torchpatch::patch
