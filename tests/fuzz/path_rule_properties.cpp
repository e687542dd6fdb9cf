// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "model/path_rule.h"

namespace torchpatch::fuzz {
namespace {

/// Octal text with this many digits at most is tried as a mode.
constexpr std::size_t kMostDigits = 12;

void check_mode(std::string_view text) {
  const std::optional<FileMode> mode = parse_file_mode(text);
  if (!mode) return;
  require(parse_file_mode(name_of(*mode)) == mode, "a mode is written and read to the same");
  const std::string kept = text == "100664" ? "100644" : text == "040000" ? "40000" : std::string(text);
  require(name_of(*mode) == kept, "a mode is what its text says");
}

}  // namespace

void check_path_rule(std::string_view input) {
  const std::size_t end = input.find('\0');
  const std::string_view path = input.substr(0, end);
  require(path_problem(path).has_value() != may_be_path(path), "both implementations agree on a path");
  require(output_path_problem(path).has_value() != may_be_in_output(path), "both agree on a path in OUT");
  require(link_name_problem(path).has_value() != may_be_link_name(path), "both agree on the name of a link");
  require(reads_as_dot_git(path) == names_dot_git(path), "both agree on what reads as .git");
  if (path.size() <= kMostDigits) check_mode(path);

  // What follows the NUL byte may hold others.
  if (end == std::string_view::npos) return;
  const std::string_view target = input.substr(end + 1);
  require(link_problem(path, target).has_value() != may_be_link(path, target), "both agree on the target of a link");
  require(path_problem(input).has_value(), "no path has a NUL byte");
}

}  // namespace torchpatch::fuzz
