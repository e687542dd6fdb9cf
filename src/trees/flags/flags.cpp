// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/flags.h"

#include <algorithm>
#include <map>
#include <optional>

#include "plan/variables.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// The rule by which a recorded place says how the variable gets there (docs/formats.md, "What `flags` says").
FlagMechanism mechanism_of(const Release& release, const std::string& name, const std::string& read_at) {
  if (starts_with(read_at, "vision:")) return FlagMechanism::vision;
  if (starts_with(read_at, "audio:")) return FlagMechanism::audio;
  const std::string file = read_at.substr(0, read_at.rfind(':'));
  const bool is_read_by_itself = name == "MAX_JOBS" || name == "USE_NINJA";
  const FrontEnd front_end = release.components.at(Component::torch).front_end.value_or(FrontEnd());
  const std::string forwards = front_end.forwards.empty() ? "tools/setup_helpers/cmake.py" : front_end.forwards;
  if (file == forwards && !is_read_by_itself) return FlagMechanism::forwarded;
  if (ends_with(file, ".py") || ends_with(file, ".sh")) return FlagMechanism::environment;
  static const Version kForwards = *Version::parse("1.2");
  const bool is_option = starts_with(name, "USE_") || starts_with(name, "BUILD_") || starts_with(name, "CMAKE_");
  return is_option && release.version >= kForwards ? FlagMechanism::forwarded : FlagMechanism::cmake;
}

FlagFact fact_of(const Catalog& catalog, const Release& release, const std::string& name) {
  FlagFact fact;
  fact.name = name;
  plan::Reading reading = plan::reading_of(catalog, release, name);
  fact.read_at = std::move(reading.read_at);
  fact.unread = std::move(reading.unread);
  if (!fact.read_at.empty()) fact.mechanism = mechanism_of(release, name, fact.read_at);
  fact.releases = plan::releases_reading(catalog, name);
  for (const auto& [version, each] : catalog.releases) {
    if (!each.flags.contains(name)) continue;
    if (fact.since.empty()) fact.since = version.text();
    fact.until = version.text();
  }
  if (!fact.unread.empty()) fact.instead = plan::other_names(catalog, release, name);
  if (fact.read_at.empty()) fact.near = plan::misspelt_names(catalog, name);
  return fact;
}

bool ends_word(char c) { return std::string_view(" \t\r;&|()`<>").find(c) != std::string_view::npos; }

/// Takes the next word off a line, without its quotes; nothing at the end, or before a comment.
std::optional<std::string> take_word(std::string_view& line) {
  while (!line.empty() && ends_word(line.front())) line.remove_prefix(1);
  if (line.empty() || line.front() == '#') return std::nullopt;
  std::string word;
  while (!line.empty() && !ends_word(line.front())) {
    const char c = line.front();
    line.remove_prefix(1);
    // Inside a word an apostrophe is one: notes say "don't".
    const bool opens = (c == '"' || c == '\'') && (word.empty() || word.back() == '=');
    if (!opens) {
      word += c;
      continue;
    }
    const std::size_t end = line.find(c);
    word += line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return word;
}

/// Returns NAME and VALUE of NAME=VALUE, -DNAME=VALUE and -DNAME:TYPE=VALUE.
std::optional<Assignment> parse_assignment(std::string_view word) {
  const bool is_definition = word.starts_with("-D");
  if (is_definition) word.remove_prefix(2);
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view name = word.substr(0, equals);
  if (is_definition) name = name.substr(0, name.find(':'));
  if (!is_variable_name(name)) return std::nullopt;
  return Assignment{0, std::string(name), std::string(word.substr(equals + 1))};
}

void read_line(std::string_view line, std::size_t number, std::vector<Assignment>& found) {
  std::string_view rest = line;
  bool is_first = true, is_env = false;
  while (const std::optional<std::string> word = take_word(rest)) {
    std::optional<Assignment> assignment = parse_assignment(*word);
    if (!assignment && is_env && is_variable_name(*word)) {
      assignment = Assignment{0, *word, std::string(trim(rest))};
      rest = {};
    }
    if (assignment) {
      assignment->line = number;
      found.push_back(std::move(*assignment));
    }
    is_env = is_first && *word == "ENV";
    is_first = false;
  }
}

class Check {
 public:
  Check(const Catalog& catalog, const Release& release, const Plan* plan, FlagCheckReport& report)
      : catalog_(catalog), release_(release), plan_(plan), report_(report) {}

  void look_at(const Assignment& each) {
    const plan::Reading reading = plan::reading_of(catalog_, release_, each.name);
    if (!reading.unread.empty()) {
      std::vector<std::string> others = plan::other_names(catalog_, release_, each.name);
      const FlagProblem problem = others.empty() ? FlagProblem::unread : FlagProblem::renamed;
      add(each, problem, reading.unread, std::move(others));
    } else if (reading.read_at.empty()) {
      if (std::vector<std::string> near = plan::misspelt_names(catalog_, each.name); !near.empty())
        add(each, FlagProblem::misspelt, "no release is known to read it", std::move(near));
      return;
    }
    if (reading.read_at.empty()) return;
    set_again(each);
    compare_with_plan(each);
  }

 private:
  void add(const Assignment& each, FlagProblem problem, std::string why, std::vector<std::string> instead = {}) {
    report_.findings.push_back({each.line, each.name, each.value, problem, std::move(why), std::move(instead)});
  }

  void set_again(const Assignment& each) {
    const auto [earlier, is_new] = last_.try_emplace(each.name, each);
    if (is_new) return;
    if (earlier->second.value != each.value)
      add(earlier->second, FlagProblem::overridden, concat("line ", each.line, " sets it to ", quote(each.value)));
    earlier->second = each;
  }

  void compare_with_plan(const Assignment& each) {
    if (!plan_) return;
    for (const PlannedSetting& setting : plan_->environment) {
      if (setting.name != each.name || !is_exported(setting) || setting.value == each.value) continue;
      add(each, FlagProblem::overridden, concat("the plan sets it to ", quote(setting.value), ": ", setting.origin));
    }
  }

  const Catalog& catalog_;
  const Release& release_;
  const Plan* plan_;
  FlagCheckReport& report_;
  std::map<std::string, Assignment> last_;
};

}  // namespace

FlagsReport flags(const Catalog& catalog, const Release& release, const std::vector<std::string>& names) {
  FlagsReport report{release.version.text(), {}};
  for (const std::string& name : names) report.flags.push_back(fact_of(catalog, release, name));
  if (names.empty())
    for (const auto& [name, place] : release.flags) report.flags.push_back(fact_of(catalog, release, name));
  return report;
}

std::vector<Assignment> find_assignments(std::string_view text) {
  std::vector<Assignment> found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    read_line(text.substr(0, end), number, found);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return found;
}

FlagCheckReport check_flags(const Catalog& catalog, const Release& release, const Plan* plan, const std::string& file,
                            std::string_view text) {
  if (text.size() > kMaxScript)
    throw Error(ErrorKind::unsafe, concat("reading ", quote(file), ": has more than ", kMaxScript, " bytes"));
  if (text.find('\0') != std::string_view::npos || !is_valid_utf8(text)) {
    throw Error(ErrorKind::data, concat("reading ", quote(file), ": is no text in UTF-8"),
                "name a shell script, a Dockerfile or an env file");
  }
  FlagCheckReport report{release.version.text(), file, plan ? plan->board->id : "", 0, {}};
  const std::vector<Assignment> assignments = find_assignments(text);
  report.assignments = assignments.size();
  if (report.assignments > kMaxAssignments) {
    throw Error(ErrorKind::unsafe, concat("reading ", quote(file), ": sets ", report.assignments,
                                          " variables, more than ", kMaxAssignments));
  }
  Check check(catalog, release, plan, report);
  for (const Assignment& each : assignments) check.look_at(each);
  std::ranges::stable_sort(report.findings, {}, &FlagFinding::line);
  return report;
}

}  // namespace torchpatch::trees
