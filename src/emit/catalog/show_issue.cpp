// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "emit/format/text_table.h"
#include "emit/run/reports.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

Json fix_json(const Fix& fix) {
  Json object = {{"id", fix.id}, {"kind", fix_kind_name(fix.kind)}, {"summary", fix.summary}};
  if (!fix.patchset.empty()) object["patchset"] = fix.patchset;
  object["environment"] = Json::object();
  for (const EnvironmentSetting& setting : fix.environment) {
    object["environment"][setting.name] = {{"value", setting.value}, {"why", setting.why}};
  }
  object["commands"] = fix.commands;
  object["when"] = condition_json(fix.when);
  object["optional"] = fix.is_optional;
  return object;
}

std::vector<std::string> ranges_of(const Issue& issue) {
  std::vector<std::string> ranges;
  for (const VersionRange& range : issue.releases) ranges.push_back(range.text());
  return ranges;
}

std::string issue_json(const Issue& issue) {
  Json root = {{"schema", 1},
               {"id", issue.id},
               {"title", issue.title},
               {"severity", issue.severity},
               {"releases", ranges_of(issue)},
               {"when", condition_json(issue.when)},
               {"symptoms", issue.symptoms},
               {"links", issue.links},
               {"seeds", issue.seeds},
               {"fixes", Json::array()},
               {"sections", object_json(issue.sections)}};
  for (const Fix& fix : issue.fixes) root["fixes"].push_back(fix_json(fix));
  return report_json(root);
}

Rows texts(const std::vector<std::string>& lines) {
  Rows rows;
  for (const std::string& line : lines) rows.push_back({line});
  return rows;
}

std::string fix_text(const Fix& fix) {
  Rows rows = {{"when", condition_text(fix.when)}};
  if (!fix.patchset.empty()) rows.push_back({"patchset", fix.patchset});
  for (const EnvironmentSetting& setting : fix.environment) {
    rows.push_back({"sets", concat(setting.name, "=", shell_quote(setting.value)), setting.why});
  }
  for (const std::string& command : fix.commands) rows.push_back({"runs", command});
  return concat("\nfix ", fix.id, " (", fix_kind_name(fix.kind), fix.is_optional ? ", only with --with" : "",
                "): ", plain_line(fix.summary), "\n", text_table(rows, "  "));
}

/// A section of the page, indented; the lines stay as they were written.
std::string section_text(const std::string& heading, const std::string& text) {
  Rows rows;
  for (const std::string& line : split(trim(text), '\n')) rows.push_back({line});
  return text_section(heading, rows);
}

std::string issue_text(const Issue& issue) {
  const Rows facts = {
      {"severity", issue.severity}, {"releases", join(ranges_of(issue), " or ")}, {"when", condition_text(issue.when)}};
  std::string out = concat("issue ", issue.id, ": ", plain_line(issue.title), "\n", text_table(facts, "  "));
  out += text_section("as a log shows it", texts(issue.symptoms));
  for (const auto& [heading, text] : issue.sections) out += section_text(heading, text);
  for (const Fix& fix : issue.fixes) out += fix_text(fix);
  return out + text_section("links", texts(issue.links)) + text_section("told by", texts(issue.seeds));
}

}  // namespace

std::string show_issue(const Issue& issue, Format format) {
  return format == Format::json ? issue_json(issue) : issue_text(issue);
}

}  // namespace torchpatch::emit
