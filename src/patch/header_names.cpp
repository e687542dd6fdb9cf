// SPDX-License-Identifier: BSD-3-Clause
#include "patch/header_names.h"

#include "patch/quoted_name.h"

namespace torchpatch::patch {
namespace {

/// Two paths of 4096 bytes, each byte as an octal escape, and their quotes and prefixes.
constexpr std::size_t kMaxNames = 2 * 4 * 4096 + 512;

/// True where all of `text`, quoted or plain, stands for `name`.
bool is_name(std::string_view text, std::string_view name) {
  if (text.empty() || text[0] != '"') return strip_component(text) == name;
  const std::optional<UnquotedName> unquoted = unquote_name(text);
  return unquoted && unquoted->rest.empty() && strip_component(unquoted->name) == name;
}

struct Halves {
  std::string first;  ///< stripped
  std::string_view second;
};

/// Splits behind a quoted first name.
std::optional<Halves> split_quoted(std::string_view names) {
  const std::optional<UnquotedName> unquoted = unquote_name(names);
  if (!unquoted || unquoted->rest.empty() || unquoted->rest[0] != ' ') return std::nullopt;
  const std::optional<std::string_view> first = strip_component(unquoted->name);
  if (!first) return std::nullopt;
  return Halves{std::string(*first), unquoted->rest.substr(1)};
}

}  // namespace

std::optional<std::string_view> strip_component(std::string_view name) {
  const std::size_t slash = name.find('/');
  const bool has_rest = slash != std::string_view::npos && slash != 0 && slash + 1 < name.size();
  return has_rest ? std::optional(name.substr(slash + 1)) : std::nullopt;
}

std::optional<SideName> parse_side_name(std::string_view text) {
  SideName side;
  std::string spelled;
  if (!text.empty() && text[0] == '"') {
    std::optional<UnquotedName> unquoted = unquote_name(text);
    if (!unquoted || (!unquoted->rest.empty() && unquoted->rest[0] != '\t')) return std::nullopt;
    spelled = std::move(unquoted->name);
    side.after = unquoted->rest.substr(unquoted->rest.empty() ? 0 : 1);
  } else {
    const std::size_t tab = text.find('\t');
    spelled = std::string(text.substr(0, tab));
    side.after = tab == std::string_view::npos ? std::string_view() : text.substr(tab + 1);
    side.is_null = spelled == "/dev/null";
  }
  if (side.is_null) return side;
  const std::optional<std::string_view> name = strip_component(spelled);
  if (!name) return std::nullopt;
  side.name = std::string(*name);
  return side;
}

std::optional<std::string> common_header_name(std::string_view names) {
  if (names.size() > kMaxNames) return std::nullopt;
  if (!names.empty() && names[0] == '"') {
    std::optional<Halves> halves = split_quoted(names);
    if (!halves || !is_name(halves->second, halves->first)) return std::nullopt;
    return std::move(halves->first);
  }
  for (std::size_t space = names.find(' '); space != std::string_view::npos; space = names.find(' ', space + 1)) {
    const std::optional<std::string_view> first = strip_component(names.substr(0, space));
    if (first && is_name(names.substr(space + 1), *first)) return std::string(*first);
  }
  return std::nullopt;
}

bool header_names_are(std::string_view names, std::string_view old_name, std::string_view new_name) {
  if (!names.empty() && names[0] == '"') {
    const std::optional<Halves> halves = split_quoted(names);
    return halves && halves->first == old_name && is_name(halves->second, new_name);
  }
  const std::size_t slash = names.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const std::size_t end = slash + 1 + old_name.size();
  return end < names.size() && names.substr(slash + 1, old_name.size()) == old_name && names[end] == ' ' &&
         is_name(names.substr(end + 1), new_name);
}

}  // namespace torchpatch::patch
