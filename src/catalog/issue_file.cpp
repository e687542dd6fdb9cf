// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/issue_file.h"

#include <algorithm>
#include <array>

#include "catalog/condition_reader.h"
#include "catalog/fields.h"
#include "catalog/issue_page.h"
#include "support/digest.h"

namespace torchpatch::catalog {

namespace {

const std::vector<std::string> kSeverities = {"build-failure", "runtime-failure", "silent-wrong-results", "limitation"};
constexpr std::array kFixKinds = {FixKind::patch, FixKind::environment, FixKind::files, FixKind::post_build,
                                  FixKind::advice};

/// Reads a text that is one of a few names.
std::string required_choice(ObjectReader& reader, const std::string& key, const std::vector<std::string>& choices) {
  std::string name = required_text(reader, key, kLine);
  if (!name.empty() && std::find(choices.begin(), choices.end(), name) == choices.end()) {
    reader.report(key, concat(quote(name), " is none of ", join(choices, ", ")));
  }
  return name;
}

std::optional<FixKind> read_kind(ObjectReader& reader) {
  std::vector<std::string> names;
  std::transform(kFixKinds.begin(), kFixKinds.end(), std::back_inserter(names), fix_kind_name);
  const std::string name = required_choice(reader, "kind", names);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return std::nullopt;
  }
  return kFixKinds[static_cast<std::size_t>(found - names.begin())];
}

std::vector<EnvironmentSetting> read_settings(ObjectReader& reader) {
  std::vector<EnvironmentSetting> settings;
  const JsonValue* object = reader.optional("environment", JsonValue::Kind::object);
  for (std::size_t i = 0; object && i < object->object.size(); ++i) {
    const auto& [name, value] = object->object[i];
    const std::string path = concat(reader.key_path("environment"), '.', name);
    if (!kVariableName.holds(name)) {
      report_at(reader, value, path, concat(quote(name), " is not ", kVariableName.description));
      continue;
    }
    ObjectReader item(value, reader.file(), path, reader.findings());
    settings.push_back({name, required_text(item, "value", kLine), required_text(item, "why", kLine)});
    item.finish();
  }
  return settings;
}

/// Says which members a kind of fix needs and which it must not have.
void check_kind(ObjectReader& reader, const Fix& fix) {
  const bool has_patchset = fix.kind == FixKind::patch || fix.kind == FixKind::files;
  const bool needs_commands = fix.kind == FixKind::post_build;
  const bool may_have_commands = needs_commands || fix.kind == FixKind::files;
  const std::string kind = concat("a fix of kind ", fix_kind_name(fix.kind));
  if (has_patchset != !fix.patchset.empty()) {
    reader.report("patchset", concat(kind, has_patchset ? " needs a patchset" : " has no patchset"));
  }
  if (needs_commands && fix.commands.empty()) {
    reader.report("commands", concat(kind, " needs commands"));
  }
  if (!may_have_commands && !fix.commands.empty()) {
    reader.report("commands", concat(kind, " has no commands"));
  }
  if (fix.kind == FixKind::environment && fix.environment.empty()) {
    reader.report("environment", concat(kind, " needs at least one variable"));
  }
}

Fix read_fix(ObjectReader& reader) {
  Fix fix;
  fix.id = required_text(reader, "id", kId);
  const std::optional<FixKind> kind = read_kind(reader);
  fix.summary = required_text(reader, "summary", kLine);
  fix.patchset = optional_text(reader, "patchset", kId);
  fix.environment = read_settings(reader);
  fix.commands = optional_lines(reader, "commands");
  fix.when = read_condition(reader, "when");
  fix.is_optional = reader.optional_boolean("optional", false);
  if (kind) {
    fix.kind = *kind;
    check_kind(reader, fix);
  }
  return fix;
}

std::vector<VersionRange> read_ranges(ObjectReader& reader) {
  const TextRule is_range{form_of<VersionRange>(),
                          [](std::string_view text) { return VersionRange::parse(text).has_value(); }};
  std::vector<VersionRange> ranges;
  for (const std::string& text : required_texts(reader, "releases", is_range)) {
    ranges.push_back(*VersionRange::parse(text));
  }
  return ranges;
}

Entry<Issue> read_metadata(ObjectReader& reader, const std::string& stem) {
  Entry<Issue> entry;
  reader.require_schema();
  entry.replaces = optional_as<Sha256>(reader, "replaces");
  Issue& issue = entry.value;
  issue.id = required_id(reader, "id", stem);
  issue.severity = required_choice(reader, "severity", kSeverities);
  issue.releases = read_ranges(reader);
  issue.when = read_condition(reader, "when");
  issue.symptoms = required_texts(reader, "symptoms", kLine);
  issue.links = optional_texts(reader, "links", kWebLink);
  issue.seeds = optional_texts(reader, "seeds", kLine);
  read_objects(reader, "fixes", Presence::required, [&](ObjectReader& item) { issue.fixes.push_back(read_fix(item)); });
  reader.finish();
  return entry;
}

}  // namespace

std::optional<IssueFile> parse_issue(const std::string& bytes, const std::string& path, const std::string& stem,
                                     Findings& findings) {
  std::optional<IssuePage> page = parse_issue_page(bytes, path, findings);
  std::optional<JsonValue> json = page ? parse_json(page->json, path, page->json_line, findings) : std::nullopt;
  if (!json) {
    return std::nullopt;
  }
  IssueFile issue{DataFile{path, sha256(bytes), std::move(*json)}, {}};
  ObjectReader reader(issue.file.json, path, "", findings);
  issue.entry = read_metadata(reader, stem);
  issue.entry.value.title = page->title;
  issue.entry.value.sections = std::move(page->sections);
  return issue;
}

std::optional<IssueFile> read_issue(const std::string& path, const std::string& stem, Findings& findings) {
  const std::optional<std::string> bytes = read_bytes(path, kMaxPageBytes, findings);
  return bytes ? parse_issue(*bytes, path, stem, findings) : std::nullopt;
}

}  // namespace torchpatch::catalog
