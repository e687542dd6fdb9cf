// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/read_variables.h"

#include <regex>

#include "support/text.h"
#include "upkeep/release/line_map.h"

namespace torchpatch::upkeep {

namespace {

bool is_cmake(std::string_view file) { return ends_with(file, ".cmake") || ends_with(file, "CMakeLists.txt"); }

const std::regex& cmake_reads() {
  static const std::regex kReads(
      R"(\$ENV\{([A-Z][A-Z0-9_]+)\}|\bDEFINED\s+ENV\{([A-Z][A-Z0-9_]+)\}|\bENV\s+([A-Z][A-Z0-9_]+)\b|)"
      R"(\b(?:option|OPTION|cmake_dependent_option|CMAKE_DEPENDENT_OPTION)\(\s*((?:USE|BUILD)_[A-Z0-9_]+)\b)");
  return kReads;
}

const std::regex& other_reads() {
  static const std::regex kReads(
      R"((?:getenv|environ\.get|check_env_flag|check_negative_env_flag|_get_build)\(\s*['"]([A-Z][A-Z0-9_]+)['"]|)"
      R"(environ\[['"]([A-Z][A-Z0-9_]+)['"]\](?!\s*=[^=])|['"]([A-Z][A-Z0-9_]+)['"]\s+(?:not\s+)?in\s+os\.environ|)"
      R"(^\s*['"]([A-Z][A-Z0-9_]+)['"]\s*[,)]?\s*$)");
  return kReads;
}

/// Adds what each match has in one of its groups.
void add_matches(const std::string& text, const std::regex& reads, std::size_t line, std::vector<ReadVariable>& found) {
  for (std::sregex_iterator at(text.begin(), text.end(), reads), end; at != end; ++at) {
    std::string name;
    for (std::size_t group = 1; group < at->size(); ++group) name += (*at)[group].str();
    found.push_back({std::move(name), line});
  }
}

}  // namespace

std::vector<ReadVariable> variables_read(const std::vector<std::string>& lines, std::string_view file) {
  static const std::regex kOpenOption(R"(\b(?:option|cmake_dependent_option)\(\s*$)", std::regex::icase);
  const bool cmake = is_cmake(file);
  std::vector<ReadVariable> found;
  std::string open;  // an option( whose name is on the next line
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (trim(lines[i]).empty() || is_comment(lines[i], file)) continue;
    add_matches(open + lines[i], cmake ? cmake_reads() : other_reads(), i + 1, found);
    open = cmake && std::regex_search(lines[i], kOpenOption) ? "option(" : "";
  }
  return found;
}

}  // namespace torchpatch::upkeep
