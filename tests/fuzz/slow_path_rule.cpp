// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/slow_path_rule.h"

#include <algorithm>

#include "fuzz/harmless_text.h"

namespace torchpatch::fuzz {
namespace {

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

/// What NTFS keeps of a name: nothing from a colon on, no dots and spaces at its end, no letter case.
std::string ntfs_name(std::string_view name) {
  std::string kept = lower(name.substr(0, name.find(':')));
  while (!kept.empty() && (kept.back() == '.' || kept.back() == ' ')) kept.pop_back();
  return kept;
}

/// What HFS+ keeps of a name, as git sees it: malformed text ends it, and U+FFFE and U+FFFF count as such.
std::string hfs_name(std::string_view name) {
  const std::vector<char32_t> ignored = {0x200C, 0x200D, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D,
                                         0x202E, 0x206A, 0x206B, 0x206C, 0x206D, 0x206E, 0x206F, 0xFEFF};
  std::string kept;
  while (!name.empty()) {
    std::size_t length = 1;
    while (length <= std::min<std::size_t>(4, name.size()) && !code_points(name.substr(0, length))) ++length;
    if (length > std::min<std::size_t>(4, name.size())) break;
    const char32_t point = code_points(name.substr(0, length))->front();
    if (point == 0xFFFE || point == 0xFFFF) break;
    if (std::find(ignored.begin(), ignored.end(), point) == ignored.end()) kept += lower(name.substr(0, length));
    name.remove_prefix(length);
  }
  return kept;
}

/// The short names that NTFS may give a long one: six letters and ~1 to ~4, else fewer letters of the name and a hash.
std::vector<std::string> short_names(const std::string& six, const std::string& hashed) {
  std::vector<std::string> names = {six + "~1", six + "~2", six + "~3", six + "~4"};
  for (std::size_t letters = 0; letters <= 6; ++letters) names.push_back(hashed.substr(0, letters) + "~");
  return names;
}

bool is_short_name(const std::string& name, const std::vector<std::string>& shorts) {
  for (const std::string& each : shorts) {
    if (each.back() != '~' && name == each) return true;
    if (each.back() != '~' || name.size() != 8 || name.substr(0, each.size()) != each) continue;
    const std::string digits = name.substr(each.size());
    if (digits[0] != '0' && digits.find_first_not_of("0123456789") == std::string::npos) return true;
  }
  return false;
}

bool names_settings_file(std::string_view name, const std::string& file, const std::string& six,
                         const std::string& hashed) {
  const std::string on_ntfs = ntfs_name(name);
  return hfs_name(name) == file || on_ntfs == file || is_short_name(on_ntfs, short_names(six, hashed));
}

bool may_be_component(std::string_view name) {
  const bool is_special = name.empty() || name == "." || name == "..";
  const bool has_bad_byte = name.find_first_of(std::string("/\0\r", 3)) != std::string_view::npos;
  return !is_special && name.size() <= 255 && !has_bad_byte && !names_dot_git(name);
}

bool is_plain_text(std::string_view text) {
  return code_points(text) &&
         std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 32) || c == 127; });
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool names_dot_git(std::string_view name) {
  if (hfs_name(name) == ".git") return true;
  for (const std::string& part : parts_of(name, '\\'))
    if (ntfs_name(part) == ".git" || ntfs_name(part) == "git~1") return true;
  return false;
}

bool may_be_path(std::string_view path) {
  const std::vector<std::string> parts = parts_of(path, '/');
  return path.size() <= 4096 && parts.size() <= 512 && std::all_of(parts.begin(), parts.end(), may_be_component);
}

bool may_be_in_output(std::string_view path) { return may_be_path(path) && is_plain_text(path); }

bool may_be_link_name(std::string_view path) {
  const std::string name = parts_of(path, '/').back();
  return !names_settings_file(name, ".gitmodules", "gitmod", "gi7eba") &&
         !names_settings_file(name, ".gitattributes", "gitatt", "gi7d29");
}

bool may_be_link(std::string_view path, std::string_view target) {
  std::vector<std::string> directory = parts_of(path, '/');
  directory.pop_back();
  if (!may_be_link_name(path) || directory.empty()) return false;
  if (target.empty() || target.size() > 4095 || target[0] == '/' || !is_plain_text(target)) return false;
  bool has_name = false;
  for (const std::string& part : parts_of(target, '/')) {
    if (part == "..") {
      if (has_name) return false;
      directory.pop_back();
      if (directory.empty()) return false;  // what is left is OUT itself
    } else if (!part.empty() && part != ".") {
      has_name = true;
      if (!may_be_component(part)) return false;
    }
  }
  return true;
}

}  // namespace torchpatch::fuzz
