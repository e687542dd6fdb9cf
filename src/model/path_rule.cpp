// SPDX-License-Identifier: BSD-3-Clause
#include "model/path_rule.h"

#include <algorithm>
#include <cstddef>

#include "support/text.h"

namespace torchpatch {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

/// Returns whether NTFS ignores this end of a name: trailing dots and spaces, or a stream after a colon
/// (CVE-2019-1352).
bool is_dropped_by_ntfs(std::string_view rest) {
  const std::size_t end = rest.find_first_not_of(". ");
  return end == std::string_view::npos || rest[end] == ':';
}

/// Returns whether NTFS reads `name` as ".git" or its short name.
bool is_ntfs_dot_git(std::string_view name) {
  for (const std::string_view form : {".git", "git~1"})
    if (starts_with_ignoring_case(name, form) && is_dropped_by_ntfs(name.substr(form.size()))) return true;
  return false;
}

/// Code points that HFS+ ignores in names (CVE-2014-9390).
bool is_ignored_by_hfs(char32_t value) {
  return (value >= 0x200C && value <= 0x200F) || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x206A && value <= 0x206F) || value == 0xFEFF;
}

/// git treats these two as malformed although they are not (utf8.c: pick_one_utf8_char).
bool is_malformed_to_git(char32_t value) { return value == 0xFFFE || value == 0xFFFF; }

/// Returns whether HFS+ reads `name` as `wanted`. As in git, malformed UTF-8 ends the name.
bool is_hfs_name(std::string_view name, std::string_view wanted) {
  std::size_t matched = 0;
  for (std::size_t position = 0; position < name.size();) {
    const std::optional<CodePoint> point = decode_utf8(name, position);
    if (!point || is_malformed_to_git(point->value)) break;
    position += point->length;
    if (is_ignored_by_hfs(point->value)) continue;
    if (matched == wanted.size() || point->value > 0x7F) return false;
    if (lower(static_cast<char>(point->value)) != wanted[matched]) return false;
    ++matched;
  }
  return matched == wanted.size();
}

/// A file with git's settings; it must not be a symbolic link.
struct SettingsFile {
  std::string_view name;
  std::string_view short_prefix;   ///< NTFS: six letters of the name, then ~1 to ~4
  std::string_view hashed_prefix;  ///< NTFS, if those four are taken: letters and a hash, then ~ and a number
};

constexpr SettingsFile kModules = {".gitmodules", "gitmod", "gi7eba"};
constexpr SettingsFile kAttributes = {".gitattributes", "gitatt", "gi7d29"};

bool is_digit_from(char c, char first) { return c >= first && c <= '9'; }

/// Returns whether the first eight bytes are a prefix of `prefix`, "~" and a number without leading zero.
bool has_hashed_short_name(std::string_view name, std::string_view prefix) {
  const std::size_t tilde = name.find('~');
  if (name.size() < 8 || tilde == std::string_view::npos || tilde > prefix.size()) return false;
  if (!starts_with_ignoring_case(name, prefix.substr(0, tilde)) || !is_digit_from(name[tilde + 1], '1')) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(tilde) + 2, name.begin() + 8,
                     [](char c) { return is_digit_from(c, '0'); });
}

bool is_ntfs_settings_file(std::string_view name, const SettingsFile& file) {
  if (starts_with_ignoring_case(name, file.name) && is_dropped_by_ntfs(name.substr(file.name.size()))) return true;
  const bool is_short = name.size() >= 8 && starts_with_ignoring_case(name, file.short_prefix) && name[6] == '~' &&
                        name[7] >= '1' && name[7] <= '4';
  return (is_short || has_hashed_short_name(name, file.hashed_prefix)) && is_dropped_by_ntfs(name.substr(8));
}

bool reads_as(std::string_view component, const SettingsFile& file) {
  return is_hfs_name(component, file.name) || is_ntfs_settings_file(component, file);
}

constexpr std::size_t kMaxComponent = 255;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxTarget = 4095;
constexpr std::size_t kMaxDepth = 512;

using Problem = std::optional<std::string>;

/// Returns what SHA256SUMS and JSON cannot represent in a text.
Problem text_problem(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), is_control)) return "has a control byte";
  if (!is_valid_utf8(text)) return "is not valid UTF-8";
  return std::nullopt;
}

/// Returns whether no rule can apply to a path, which is so for nearly all. A fast path: trees are checked every time.
bool is_plain(std::string_view path) {
  char before = '/';
  for (const char c : path) {
    const bool is_word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!is_word && (before == '/' || (c != '.' && c != '/'))) return false;
    before = c;
  }
  return before != '/' && path.size() <= kMaxComponent;
}

/// Checks where the target leads. ".." after a name could lead anywhere, since that name may be a link itself; if only
/// leading components are "..", a link that stays inside by its text also stays inside on disk.
Problem target_problem(std::string_view path, std::string_view target) {
  auto levels_up = std::count(path.begin(), path.end(), '/') - 1;  // from the link's directory to its component's
  bool has_name = false;
  for (const std::string& part : split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (has_name) return "has '..' after a name";
      if (levels_up == 0) return "points out of its component";
      --levels_up;
      continue;
    }
    has_name = true;
    if (const Problem problem = component_problem(part)) return "has a component that " + *problem;
  }
  return std::nullopt;
}

}  // namespace

bool reads_as_dot_git(std::string_view component) {
  if (is_hfs_name(component, ".git")) return true;
  for (;;) {
    // Windows treats a backslash as a slash (CVE-2019-1353).
    const std::size_t backslash = component.find('\\');
    if (is_ntfs_dot_git(component.substr(0, backslash))) return true;
    if (backslash == std::string_view::npos) return false;
    component.remove_prefix(backslash + 1);
  }
}

bool reads_as_gitmodules(std::string_view component) { return reads_as(component, kModules); }

std::optional<FileMode> parse_file_mode(std::string_view octal) {
  if (octal == "040000") return FileMode::directory;
  return octal == "100664" ? FileMode::regular : parse_name<FileMode>(octal);
}

Problem component_problem(std::string_view name) {
  if (is_plain(name) && name.find('/') == std::string_view::npos) return std::nullopt;
  if (name.empty()) return "is empty";
  if (name == "." || name == "..") return "is " + quote(name);
  if (name.size() > kMaxComponent) return concat("is longer than ", kMaxComponent, " bytes");
  if (name.find('/') != std::string_view::npos) return "has a slash";
  if (name.find('\0') != std::string_view::npos) return "has a NUL byte";
  if (name.find('\r') != std::string_view::npos) return "has a carriage return";
  if (reads_as_dot_git(name)) return "can be read as '.git'";
  return std::nullopt;
}

Problem path_problem(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.size() > kMaxPath) return concat("is longer than ", kMaxPath, " bytes");
  if (path.front() == '/') return "is absolute";
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= path.size(); ++depth) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (depth == kMaxDepth) return concat("is deeper than ", kMaxDepth, " components");
    if (const Problem problem = component_problem(path.substr(begin, end - begin)))
      return "has a component that " + *problem;
    begin = end + 1;
  }
  return std::nullopt;
}

Problem output_path_problem(std::string_view path) {
  if (is_plain(path)) return std::nullopt;
  if (Problem problem = path_problem(path)) return problem;
  return text_problem(path);
}

Problem link_name_problem(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (reads_as(name, kModules) || reads_as(name, kAttributes))
    return "is a git configuration file, which must not be a link";
  return std::nullopt;
}

Problem link_problem(std::string_view path, std::string_view target) {
  if (Problem problem = link_name_problem(path)) return problem;
  if (path.find('/') == std::string_view::npos) return "is not in a component";
  if (target.empty()) return "has an empty target";
  if (target.size() > kMaxTarget) return concat("has a target longer than ", kMaxTarget, " bytes");
  if (target.front() == '/') return "has an absolute target";
  if (const Problem problem = text_problem(target)) return "has a target that " + *problem;
  if (const Problem problem = target_problem(path, target)) return "has a target that " + *problem;
  return std::nullopt;
}

std::optional<std::string> output_link_problem(std::string_view path, std::string_view target) {
  if (auto problem = output_path_problem(path)) return problem;
  return link_problem(path, target);
}

}  // namespace torchpatch
