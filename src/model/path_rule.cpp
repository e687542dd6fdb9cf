// SPDX-License-Identifier: BSD-3-Clause
#include "model/path_rule.h"

#include <algorithm>

#include "model/dot_git.h"
#include "support/text.h"
#include "support/utf8.h"

namespace torchpatch {
namespace {

constexpr std::size_t kMaxComponent = 255;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxTarget = 4095;
constexpr std::size_t kMaxDepth = 512;

using Problem = std::optional<std::string>;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

/// What SHA256SUMS and JSON cannot carry plainly.
Problem text_problem(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), is_control)) return "has a control byte";
  if (!is_valid_utf8(text)) return "is not valid UTF-8";
  return std::nullopt;
}

/// Checks where the target leads. After a name, ".." could go anywhere, for that name may be a link itself; with
/// leading ones only, a link that stays inside by its text stays inside on disk.
Problem target_problem(std::string_view path, std::string_view target) {
  auto levels_up = std::count(path.begin(), path.end(), '/') - 1;  // from the link's directory to its component's
  bool has_name = false;
  for (const std::string& part : split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (has_name) return "has '..' after a name";
      if (levels_up == 0) return "leads out of its component";
      --levels_up;
      continue;
    }
    has_name = true;
    if (const Problem problem = component_problem(part)) return "has a component that " + *problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FileMode> parse_file_mode(std::string_view octal) {
  if (octal == "40000" || octal == "040000") return FileMode::directory;
  if (octal == "100644" || octal == "100664") return FileMode::regular;
  if (octal == "100755") return FileMode::executable;
  if (octal == "120000") return FileMode::link;
  if (octal == "160000") return FileMode::gitlink;
  return std::nullopt;
}

const char* file_mode_text(FileMode mode) {
  switch (mode) {
    case FileMode::directory:
      return "40000";
    case FileMode::regular:
      return "100644";
    case FileMode::executable:
      return "100755";
    case FileMode::link:
      return "120000";
    case FileMode::gitlink:
      return "160000";
  }
  return "";
}

Problem component_problem(std::string_view name) {
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
    if (const Problem problem = component_problem(path.substr(begin, end - begin))) {
      return "has a component that " + *problem;
    }
    begin = end + 1;
  }
  return std::nullopt;
}

Problem output_path_problem(std::string_view path) {
  if (Problem problem = path_problem(path)) return problem;
  return text_problem(path);
}

Problem link_name_problem(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const SettingsFile file : {SettingsFile::gitmodules, SettingsFile::gitattributes}) {
    if (reads_as_settings_file(name, file)) return "is a settings file of git, which must not be a link";
  }
  return std::nullopt;
}

Problem link_problem(std::string_view path, std::string_view target) {
  if (Problem problem = link_name_problem(path)) return problem;
  if (path.find('/') == std::string_view::npos) return "lies in no component";
  if (target.empty()) return "has an empty target";
  if (target.size() > kMaxTarget) return concat("has a target longer than ", kMaxTarget, " bytes");
  if (target.front() == '/') return "has an absolute target";
  if (const Problem problem = text_problem(target)) return "has a target that " + *problem;
  if (const Problem problem = target_problem(path, target)) return "has a target that " + *problem;
  return std::nullopt;
}

}  // namespace torchpatch
