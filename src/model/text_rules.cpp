// SPDX-License-Identifier: BSD-3-Clause
#include "model/text_rules.h"

#include <algorithm>
#include <vector>

#include "model/path_rule.h"
#include "model/release.h"
#include "model/url.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// Returns the version, unless it is a pre-release.
std::optional<Version> parse_release_version(std::string_view text) {
  const std::optional<Version> version = Version::parse(text);
  return version && version->is_pre_release() ? std::nullopt : version;
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool consists_of(std::string_view text, bool (*holds)(char)) { return std::all_of(text.begin(), text.end(), holds); }

bool is_id(std::string_view text) {
  return !text.empty() && (is_lower(text.front()) || is_digit(text.front())) &&
         consists_of(text, [](char c) { return is_lower(c) || is_digit(c) || is_one_of(c, ".-"); });
}

bool is_variable_pattern(std::string_view text) {
  return is_variable_name(text.ends_with('*') ? text.substr(0, text.size() - 1) : text);
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const std::string digits = concat(text.substr(0, 4), text.substr(5, 2), text.substr(8, 2));
  const std::string_view month = text.substr(5, 2), day = text.substr(8, 2);
  return consists_of(digits, is_digit) && month >= "01" && month <= "12" && day >= "01" && day <= "31";
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
  return !text.empty() && text.front() != '-' &&  // programs would read it as an option
         consists_of(text, [](char c) { return is_lower(c) || is_upper(c) || is_digit(c) || is_one_of(c, "_+.-"); });
}

bool is_architecture(std::string_view text) {
  constexpr std::string_view kArm = "armv", kProfile = "-a";
  return text.starts_with(kArm) && text.ends_with(kProfile) && text.size() > kArm.size() + kProfile.size() &&
         parse_release_version(text.substr(kArm.size(), text.size() - kArm.size() - kProfile.size())).has_value();
}

bool is_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return is_line(text) && colon != std::string_view::npos && colon > 0 && parse_decimal(text.substr(colon + 1));
}

bool is_version_text(std::string_view text) { return Version::parse(text).has_value(); }

bool is_python(std::string_view text) { return text == "none" || parse_release_version(text); }

bool is_safe_path(std::string_view text) { return !output_path_problem(text); }

std::string path_finding(std::string_view text) { return concat(quote(text), " ", *output_path_problem(text)); }

bool is_safe_repository(std::string_view text) {
  const std::optional<RepositoryPath> repository = RepositoryPath::parse(text);
  return repository && (repository->path.empty() || is_safe_path(repository->path));
}

std::string repository_finding(std::string_view text) {
  if (const std::optional<RepositoryPath> repository = RepositoryPath::parse(text))
    return path_finding(repository->path);
  return concat(quote(text), " is not ", kSafeRepositoryRule.description);
}

bool is_minor_version(std::string_view text) {
  const auto version = parse_release_version(text);
  return version && version->numbers().size() == 2;
}

}  // namespace

const TextRule kIdRule{"an id: lower-case letters, digits, '.' and '-', the first a letter or digit", is_id,
                       "^[a-z0-9][a-z0-9.-]*$"};
const TextRule kVariableNameRule{
    "a variable name: capital letters, digits and '_', beginning with a letter, or '_' and a letter", is_variable_name,
    "^_?[A-Z][A-Z0-9_]*$"};
const TextRule kVariablePatternRule{"a variable name, or a prefix and '*'", is_variable_pattern,
                                    "^_?[A-Z][A-Z0-9_]*\\*?$"};
const TextRule kDateRule{"a date such as 2019-04-30", is_date, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"};
const TextRule kUrlRule{"the URL of a repository: https, http, ssh, git or file, without user name or password", is_url,
                        "^(https|http|ssh|git|file)://[^\\s\\\\]+$", redact_url};
const TextRule kWebLinkRule{"a link that begins with https:// or http://", is_web_link, "^https?://[^\\s\\\\]+$"};
const TextRule kLineRule{"one line of text", is_line, "\\S"};
const TextRule kNameRule{"a name of letters, digits, '_', '+', '.' and '-', not beginning with '-'", is_name,
                         "^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$"};
const TextRule kArchitectureRule{"an architecture such as armv8-a or armv8.2-a", is_architecture,
                                 "^armv[0-9]+(\\.[0-9]+)*-a$"};
const TextRule kPlaceRule{"a place such as setup.py:12", is_place, "^.+:[0-9]+$"};
const TextRule kVersionRule{kFormOf<Version>.description, is_version_text, kFormOf<Version>.pattern};
const TextRule kMinorVersionRule{"a minor version such as 3.5", is_minor_version,
                                 "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$"};

const TextRule kPythonRule{kFormOf<Version>.description, is_python, ""};
const TextRule kOutputPathRule{"a relative path", is_safe_path, "^[^/]", quote, [](std::string_view text) {
                                 return concat("the path ", quote(text), " is refused: ", *output_path_problem(text));
                               }};
const TextRule kSafePathRule{"a relative path", is_safe_path, "", quote, path_finding, true};
const TextRule kSafeRepositoryRule{"the path of a repository, such as 'torch:third_party/onnx'",
                                   is_safe_repository,
                                   kFormOf<RepositoryPath>.pattern,
                                   quote,
                                   repository_finding,
                                   true};

}  // namespace torchpatch
