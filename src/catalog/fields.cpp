// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/fields.h"

#include <algorithm>
#include <map>
#include <set>

#include "catalog/data_file.h"
#include "model/path_rule.h"
#include "model/url.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool all_of(std::string_view text, bool (*holds)(char)) { return std::all_of(text.begin(), text.end(), holds); }

bool is_id(std::string_view text) {
  return !text.empty() && (is_lower(text.front()) || is_digit(text.front())) &&
         all_of(text, [](char c) { return is_lower(c) || is_digit(c) || is_one_of(c, ".-"); });
}

bool is_variable_pattern(std::string_view text) {
  return is_variable_name(text.ends_with('*') ? text.substr(0, text.size() - 1) : text);
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const std::string digits = concat(text.substr(0, 4), text.substr(5, 2), text.substr(8, 2));
  const std::string_view month = text.substr(5, 2), day = text.substr(8, 2);
  return all_of(digits, is_digit) && month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

bool is_line(std::string_view text) { return !trim(text).empty() && !has_hidden(text); }

bool is_url_of(std::string_view text, const std::vector<std::string_view>& schemes) {
  const bool plain = is_line(text) && !is_one_of('\\', text) && !is_one_of(' ', text);
  return plain && std::any_of(schemes.begin(), schemes.end(), [&](std::string_view scheme) {
           return starts_with(text, scheme) && text.size() > scheme.size();
         });
}

bool is_url(std::string_view text) { return !url_problem(text) && is_line(text); }

bool is_web_link(std::string_view text) { return is_url_of(text, {"https://", "http://"}); }

bool is_name(std::string_view text) {
  return !text.empty() &&
         all_of(text, [](char c) { return is_lower(c) || is_upper(c) || is_digit(c) || is_one_of(c, "_+.-"); });
}

bool is_architecture(std::string_view text) {
  constexpr std::string_view kArm = "armv", kProfile = "-a";
  return text.starts_with(kArm) && text.ends_with(kProfile) && text.size() > kArm.size() + kProfile.size() &&
         parse_as<Version>(text.substr(kArm.size(), text.size() - kArm.size() - kProfile.size())).has_value();
}

bool is_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return is_line(text) && colon != std::string_view::npos && colon > 0 && parse_decimal(text.substr(colon + 1));
}

enum class Repeats { allowed, refused };

/// Reads a list of texts; `presence` says whether it may be absent or empty.
std::vector<std::string> read_texts(ObjectReader& reader, const std::string& key, const TextRule& rule,
                                    Presence presence, Repeats repeats = Repeats::refused) {
  const Json* list = member_of(reader, key, Json::Kind::array, presence);
  if (list == nullptr) return {};
  if (list->items.empty() && presence == Presence::required) reader.report(key, "must not be empty");
  std::vector<std::string> texts;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Json& item = list->items[i];
    const std::string item_path = concat(reader.key_path(key), '[', i, ']');
    if (item.kind != Json::Kind::string)
      report_at(reader, item, item_path, concat("must be a string, not ", item.kind_name()));
    else if (!rule.holds(item.string))
      report_at(reader, item, item_path, concat(rule.show(item.string), " is not ", rule.description));
    else if (!seen.insert(item.string).second && repeats == Repeats::refused)
      report_at(reader, item, item_path, concat(quote(item.string), " is there twice"));
    else
      texts.push_back(item.string);
  }
  return texts;
}

std::string read_text(ObjectReader& reader, const std::string& key, const TextRule& rule, Presence presence) {
  const Json* text = member_of(reader, key, Json::Kind::string, presence);
  if (text == nullptr) return {};
  if (!rule.holds(text->string)) {
    reader.report(key, concat(rule.show(text->string), " is not ", rule.description));
    return {};
  }
  return text->string;
}

bool is_minor_version(std::string_view text) {
  const auto version = parse_as<Version>(text);
  return version && version->numbers().size() == 2;
}

/// Returns the id of an element of a list, or empty text.
std::string id_of(const Json& element) {
  for (const auto& [key, value] : element.members)
    if (key == "id" && value.kind == Json::Kind::string) return value.string;
  return {};
}

using Pattern = std::vector<std::string>;  ///< names from the root down, of which "*" is any

/// Walks a file: every figure must be covered by a key of its sources, every key must name a place.
class FigureCheck {
 public:
  FigureCheck(const std::string& file, const std::vector<SourceNote>& notes, Findings& findings)
      : file_(file), findings_(findings) {
    for (const SourceNote& note : notes)
      for (const std::string& key : note.keys) is_known_.emplace(key, false);
  }

  /// Checks what lies below `value`, whose own name is `path`. `patterns`: those whose first names, one for each level
  /// above, are the names of `path`.
  void walk(const Json& value, const std::string& path, std::size_t depth, bool is_covered,
            const std::vector<const Pattern*>& patterns) {
    const auto descend = [&](const std::string& name, const Json& child) {
      const std::string below = path.empty() ? name : concat(path, ".", name);
      const auto key = is_known_.find(below);
      if (key != is_known_.end()) key->second = true;
      const bool is_below_covered = is_covered || key != is_known_.end();
      std::vector<const Pattern*> matching;
      for (const Pattern* pattern : patterns) {
        const std::string& wanted = (*pattern)[depth];
        if (wanted != "*" && wanted != name) continue;
        if (pattern->size() > depth + 1)
          matching.push_back(pattern);
        else if (!is_below_covered)
          findings_.add(file_, child.line, below, "no entry of 'sources' covers this figure");
      }
      walk(child, below, depth + 1, is_below_covered, matching);
    };
    for (const auto& [name, child] : value.members) descend(name, child);
    for (const Json& element : value.items)
      if (const std::string id = id_of(element); !id.empty()) descend(id, element);
  }

  void report_unknown_keys(int line) {
    for (const auto& [key, is_known] : is_known_)
      if (!is_known) findings_.add(file_, line, "sources", concat(quote(key), " names nothing in this file"));
  }

 private:
  const std::string& file_;
  Findings& findings_;
  std::map<std::string, bool> is_known_;
};

}  // namespace

const TextRule kId{"an id: lower-case letters, digits, '.' and '-', the first a letter or digit", is_id};
const TextRule kVariableName{
    "a variable name: capital letters, digits and '_', the first a letter, perhaps behind one '_'", is_variable_name};
const TextRule kVariablePattern{"a variable name, or the beginning of one and '*'", is_variable_pattern};
const TextRule kDate{"a date such as 2019-04-30", is_date};
const TextRule kUrl{"the URL of a repository: https, http, ssh, git or file, without user name or password", is_url,
                    redact_url};
const TextRule kWebLink{"a link that begins with https:// or http://", is_web_link};
const TextRule kLine{"one line of text", is_line};
const TextRule kName{"a name of letters, digits, '_', '+', '.' and '-'", is_name};
const TextRule kArchitecture{"an architecture such as armv8-a or armv8.2-a", is_architecture};
const TextRule kPlace{"a place such as setup.py:12", is_place};

template <>
std::optional<Version> parse_as(std::string_view text) {
  const std::optional<Version> version = Version::parse(text);
  return version && version->is_pre_release() ? std::nullopt : version;
}
template <>
std::optional<VersionRange> parse_as(std::string_view text) {
  const std::optional<VersionRange> range = VersionRange::parse(text);
  return range && range->names_pre_release() ? std::nullopt : range;
}

template <>
const char* form_of<Version>() {
  return "a version such as 1.10.2";
}
template <>
const char* form_of<VersionRange>() {
  return "a range such as '>=1.5 <1.7' that some version can meet";
}
template <>
const char* form_of<Sha256>() {
  return "a SHA-256 of 64 lower-case hex digits";
}
template <>
const char* form_of<ObjectId>() {
  return "an object id of 40 lower-case hex digits";
}
template <>
const char* form_of<RepositoryPath>() {
  return "a repository such as torch or torch:third_party/onnx";
}

const Json* member_of(ObjectReader& reader, const std::string& key, Json::Kind kind, Presence presence) {
  return presence == Presence::required ? reader.required(key, kind) : reader.optional(key, kind);
}

std::string required_text(ObjectReader& reader, const std::string& key, const TextRule& rule) {
  return read_text(reader, key, rule, Presence::required);
}

std::string optional_text(ObjectReader& reader, const std::string& key, const TextRule& rule) {
  return read_text(reader, key, rule, Presence::optional);
}

std::vector<std::string> required_texts(ObjectReader& reader, const std::string& key, const TextRule& rule) {
  return read_texts(reader, key, rule, Presence::required);
}

std::vector<std::string> optional_texts(ObjectReader& reader, const std::string& key, const TextRule& rule) {
  return read_texts(reader, key, rule, Presence::optional);
}

std::vector<std::string> optional_lines(ObjectReader& reader, const std::string& key) {
  return read_texts(reader, key, kLine, Presence::optional, Repeats::allowed);
}

std::vector<Version> required_minor_versions(ObjectReader& reader, const std::string& key) {
  const TextRule rule{"a minor version such as 3.5", is_minor_version};
  std::vector<Version> versions;
  for (const std::string& text : required_texts(reader, key, rule)) versions.push_back(*Version::parse(text));
  return versions;
}

std::vector<std::pair<std::string, std::string>> optional_environment(ObjectReader& reader, const std::string& key) {
  std::vector<std::pair<std::string, std::string>> settings;
  const Json* object = reader.optional(key, Json::Kind::object);
  if (object == nullptr) return settings;
  for (const auto& [name, value] : object->members) {
    const std::string path = concat(reader.key_path(key), '.', name);
    if (!kVariableName.holds(name))
      report_at(reader, value, path, concat(quote(name), " is not ", kVariableName.description));
    else if (value.kind != Json::Kind::string)
      report_at(reader, value, path, concat("must be a string, not ", value.kind_name()));
    else if (!value.string.empty() && !kLine.holds(value.string))
      report_at(reader, value, path, concat(quote(value.string), " is not ", kLine.description));
    else
      settings.emplace_back(name, value.string);
  }
  return settings;
}

std::string required_path(ObjectReader& reader, const std::string& key) {
  const Json* text = reader.required(key, Json::Kind::string);
  if (text == nullptr) return {};
  if (const std::optional<std::string> problem = output_path_problem(text->string)) {
    reader.report(key, concat("the path ", quote(text->string), " is refused: ", *problem));
    return {};
  }
  return text->string;
}

std::string required_id(ObjectReader& reader, const std::string& key, const std::string& stem) {
  const std::string id = required_text(reader, key, kId);
  if (!id.empty() && id != stem)
    reader.report(key, concat("is ", quote(id), ", but the file's path says ", quote(stem)));
  return stem;
}

void report_at(ObjectReader& reader, const Json& value, const std::string& key_path, std::string message) {
  reader.findings().add(reader.file(), value.line, key_path, std::move(message));
}

std::vector<SourceNote> read_source_notes(ObjectReader& reader) {
  std::vector<SourceNote> notes;
  read_objects(reader, "sources", Presence::required, [&](ObjectReader& item) {
    SourceNote note;
    note.keys = required_texts(item, "keys", kLine);
    note.source = required_text(item, "source", kLine);
    if (item.required("verified", Json::Kind::boolean)) note.verified = item.optional_boolean("verified", false);
    notes.push_back(std::move(note));
  });
  return notes;
}

void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings) {
  std::vector<Pattern> patterns;
  for (const std::string& figure : figures) patterns.push_back(split(figure, '.'));
  std::vector<const Pattern*> all;
  for (const Pattern& pattern : patterns) all.push_back(&pattern);
  FigureCheck check(file, notes, findings);
  check.walk(root, "", 0, false, all);
  check.report_unknown_keys(line_of(root, "sources"));
}

}  // namespace torchpatch::catalog
