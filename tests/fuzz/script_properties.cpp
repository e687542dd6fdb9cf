// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "model/release.h"
#include "trees/flags/read_script.h"

namespace torchpatch::fuzz {

void check_script(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string file(input.substr(0, end));
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const trees::Script script = trees::read_script(file, text);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  const auto shells = static_cast<int>(script.parents.size());
  for (const trees::ScriptStep& step : script.steps) {
    require(step.line >= 1 && step.line <= lines, "a step is of a line that is there");
    require(step.shell < shells, "a step is of a shell that is there");
    require(step.kind != trees::ScriptStep::Kind::set || is_variable_name(step.name), "a name is a variable's");
  }
  for (int i = 0; i < shells; ++i)
    require(script.parents[static_cast<std::size_t>(i)] < i, "a shell inherits from one before it");
  for (const SkippedPart& part : script.skipped)
    require(part.line >= 1 && part.line <= lines && !part.what.empty(), "what was skipped has a line");
}

}  // namespace torchpatch::fuzz
