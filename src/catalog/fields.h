// SPDX-License-Identifier: BSD-3-Clause
/// Members of JSON objects as the values they stand for; what does not fit is a finding at its line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/release.h"
#include "model/repository_path.h"
#include "model/version.h"
#include "support/json.h"
#include "support/object_id.h"
#include "support/text.h"

namespace torchpatch::catalog {

/// What a text must look like.
struct TextRule {
  const char* description;  ///< "an id: lower-case letters, …", for the finding
  bool (*holds)(std::string_view text);
  std::string (*show)(std::string_view text) = quote;  ///< a text that does not hold, for the finding
};
extern const TextRule kId;               ///< [a-z0-9][a-z0-9.-]*
extern const TextRule kVariableName;     ///< _?[A-Z][A-Z0-9_]*
extern const TextRule kVariablePattern;  ///< a variable name, or the beginning of one with a final '*'
extern const TextRule kDate;             ///< 2019-04-30
extern const TextRule kUrl;              ///< of a repository: one that url_problem (model/url.h) has nothing against
extern const TextRule kWebLink;          ///< https or http
extern const TextRule kArchitecture;     ///< armv8.2-a
extern const TextRule kLine;             ///< some text on one line, without control bytes
extern const TextRule kName;             ///< letters, digits, "_", "+", ".", "-"
extern const TextRule kPlace;            ///< file:line

/// Returns how a text that stands for a T is described.
template <typename T>
const char* form_of();
template <>
const char* form_of<Version>();
template <>
const char* form_of<VersionRange>();
template <>
const char* form_of<Sha256>();
template <>
const char* form_of<ObjectId>();
template <>
const char* form_of<RepositoryPath>();

/// Returns what a text stands for, or nothing. Tools and images have no pre-releases, which check.sh could not compare;
/// what may name one of torch or a companion is read with Version::parse and VersionRange::parse.
template <typename T>
std::optional<T> parse_as(std::string_view text) {
  return T::parse(text);
}
template <>
std::optional<Version> parse_as(std::string_view text);
template <>
std::optional<VersionRange> parse_as(std::string_view text);

/// How the text of a member becomes its value.
template <typename T>
using TextParser = std::optional<T> (*)(std::string_view text);

/// Whether a member must be there.
enum class Presence { required, optional };

/// Returns the raw member of that kind, or null.
const Json* member_of(ObjectReader& reader, const std::string& key, Json::Kind kind, Presence presence);

/// Returns the value that a member's text stands for, or nothing where it is absent or (a finding) is not one.
template <typename T>
std::optional<T> read_as(ObjectReader& reader, const std::string& key, Presence presence,
                         TextParser<T> parse = parse_as<T>) {
  const Json* text = member_of(reader, key, Json::Kind::string, presence);
  std::optional<T> value = text ? parse(text->string) : std::nullopt;
  if (text && !value) reader.report(key, concat(quote(text->string), " is not ", form_of<T>()));
  return value;
}
template <typename T>
T required_as(ObjectReader& reader, const std::string& key, TextParser<T> parse = parse_as<T>) {
  return read_as<T>(reader, key, Presence::required, parse).value_or(T{});
}
template <typename T>
std::optional<T> optional_as(ObjectReader& reader, const std::string& key) {
  return read_as<T>(reader, key, Presence::optional);
}

/// Returns a member's text where it meets `rule`, else (a finding) empty text.
std::string required_text(ObjectReader& reader, const std::string& key, const TextRule& rule);
std::string optional_text(ObjectReader& reader, const std::string& key, const TextRule& rule);
/// Returns a list of texts that meet `rule`, none of them twice. A required list has at least one.
std::vector<std::string> required_texts(ObjectReader& reader, const std::string& key, const TextRule& rule);
std::vector<std::string> optional_texts(ObjectReader& reader, const std::string& key, const TextRule& rule);
/// Returns the lines of a script: texts of one line each, in which a line may come again.
std::vector<std::string> optional_lines(ObjectReader& reader, const std::string& key);
/// Returns the Python minor versions ("3.5") of a list with at least one.
std::vector<Version> required_minor_versions(ObjectReader& reader, const std::string& key);
/// Returns the variables that a build sets, name → value, in file order.
std::vector<std::pair<std::string, std::string>> optional_environment(ObjectReader& reader, const std::string& key);
/// Returns a path that may stand in the output (path_rule.h), else (a finding) empty text.
std::string required_path(ObjectReader& reader, const std::string& key);
/// Reads "id" (or "version", "release" …) and reports where it is not what the file's path says.
std::string required_id(ObjectReader& reader, const std::string& key, const std::string& stem);

/// Adds a finding at an element of a list or at a member of a sub-object.
void report_at(ObjectReader& reader, const Json& value, const std::string& key_path, std::string message);

/// Calls `read(item reader)` for every object of a list; unknown keys of each are findings. A required list has at
/// least one.
template <typename Read>
void read_objects(ObjectReader& reader, const std::string& key, Presence presence, Read read) {
  const Json* list = member_of(reader, key, Json::Kind::array, presence);
  if (list && list->items.empty() && presence == Presence::required) reader.report(key, "must not be empty");
  for (std::size_t i = 0; list && i < list->items.size(); ++i) {
    ObjectReader item(list->items[i], reader.file(), concat(reader.key_path(key), '[', i, ']'), reader.findings());
    read(item);
    item.finish();
  }
}

/// Calls `read(reader of it)` for a sub-object where it is there.
template <typename Read>
void read_object(ObjectReader& reader, const std::string& key, Presence presence, Read read) {
  if (const Json* value = member_of(reader, key, Json::Kind::object, presence)) {
    ObjectReader sub(*value, reader.file(), reader.key_path(key), reader.findings());
    read(sub);
    sub.finish();
  }
}

// `sources` of a data file: the evidence for its figures, and whether every figure has some.

/// Returns the notes of "sources", which must be there.
std::vector<SourceNote> read_source_notes(ObjectReader& reader);

/// Adds a finding for every figure of the file that no note covers, and for every key of a note that names nothing in
/// the file. `figures` are patterns of key paths, "*" standing for any name: "images.*.glibc". An element of a list
/// goes by its id. A key covers what lies below it.
void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings);

}  // namespace torchpatch::catalog
