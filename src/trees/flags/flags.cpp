// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "plan/variables.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/flags/flags.h"
#include "trees/flags/read_script.h"

namespace torchpatch::trees {

namespace {

/// Returns the mechanism implied by a recorded place (docs/formats.md, "What `flags` says").
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

/// Returns "1" or "0" for the words that CMake and setup.py treat as such, else the value.
std::string plain(const std::string& value) {
  const std::string word = lower_case(value);
  for (const char* const on : {"1", "on", "yes", "true", "y"})
    if (word == on) return "1";
  for (const char* const off : {"0", "off", "no", "false", "n"})
    if (word == off) return "0";
  return value;
}

bool is_switch_value(const ScriptStep& step) {
  const std::string value = plain(step.value);
  return step.is_literal && (value == "1" || value == "0");
}

bool is_switch_name(std::string_view name) {
  return name.starts_with("USE_") || name.starts_with("BUILD_") || name.starts_with("NO_") || name.starts_with("WITH_");
}

/// Returns whether a list such as "5.3;8.7+PTX" or "5.3 8.7" has an entry, with or without PTX.
bool has_entry(std::string list, const std::string& entry) {
  std::ranges::replace(list, ';', ' ');
  return std::ranges::any_of(split(list, ' '),
                             [&](const std::string& each) { return each == entry || each == entry + "+PTX"; });
}

/// Returns whether position `inner` is only reached through `outer`.
bool lies_within(const Branches& inner, const Branches& outer) {
  return inner.size() >= outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

bool sets(const ScriptStep& step) { return step.kind == ScriptStep::Kind::set; }

class Check {
 public:
  Check(const Catalog& catalog, const Release& release, const Plan* plan, const Script& script, FlagCheckReport& report)
      : catalog_(catalog), release_(release), plan_(plan), script_(script), report_(report) {}

  void run() {
    for (std::size_t i = 0; i < script_.steps.size(); ++i) {
      const ScriptStep& step = script_.steps[i];
      if (!sets(step) || !is_ours(step) || !is_read(step)) continue;
      if (script_.kind == ScriptKind::prose)
        compare_with_plan(step);
      else if (!is_overridden(i) && !is_not_exported(i) && !is_lost(i))
        compare_with_plan(step);
    }
    if (plan_ && builds_torch()) list_unset();
  }

 private:
  void add(const ScriptStep& step, FlagProblem problem, std::string why, std::string fix,
           std::vector<std::string> instead = {}) {
    report_.findings.push_back(
        {step.line, step.name, step.value, problem, std::move(why), std::move(fix), std::move(instead)});
  }

  plan::Reading reading_of(const std::string& name) const {
    return plan_ ? plan::reading_of(catalog_, *plan_, name) : plan::reading_of(catalog_, release_, name);
  }

  /// Returns whether a step concerns torch. Another project's cmake definitions do not, unless some are torch's.
  bool is_ours(const ScriptStep& step) const {
    if (step.reach != Reach::definition || step.is_for_torch) return true;
    return std::ranges::any_of(script_.steps, [&](const ScriptStep& other) {
      const bool is_common = other.name == "BUILD_SHARED_LIBS" || !is_switch_name(other.name);
      return other.reach == Reach::definition && other.shell == step.shell && !is_common &&
             release_.flags.contains(other.name);
    });
  }

  /// Reports a name that this release does not read; returns whether it reads it.
  bool is_read(const ScriptStep& step) {
    const plan::Reading reading = reading_of(step.name);
    if (!reading.read_at.empty()) return true;
    if (!reading.unread.empty())
      judge_unread(step, reading.unread);
    else if (!script_.reads.contains(step.name))  // otherwise it is the script's own
      judge_unknown(step);
    return false;
  }

  void judge_unread(const ScriptStep& step, const std::string& why) {
    if (step.is_for_release || may_be_of_others(step)) return;
    std::vector<std::string> others = plan::other_names(catalog_, release_, step.name);
    const auto is_set = [&](const std::string& name) {
      return std::ranges::any_of(script_.steps,
                                 [&](const ScriptStep& each) { return sets(each) && each.name == name; });
    };
    if (std::ranges::any_of(others, is_set)) return;  // for older releases
    const std::string component = component_that_gets(step);
    if (component == "vision" || component == "audio") others.clear();  // torch's names have no effect there
    if (others.empty()) return add(step, FlagProblem::unread, why, "remove it");
    // NO_CUDA=1 is USE_CUDA=0.
    const bool is_opposite = step.name.starts_with("NO_") != others.front().starts_with("NO_");
    std::string value;
    if (is_switch_value(step)) value = (plain(step.value) == "1") == is_opposite ? "=0" : "=1";
    const auto set = [&](const std::string& name) { return quote(name + value); };
    std::string fix = concat("set ", join(collect(others, set), " or "), " instead",
                             is_opposite && value.empty() ? ", with the opposite value" : "");
    add(step, FlagProblem::renamed, why, std::move(fix), std::move(others));
  }

  /// Returns whether something other than torch's build may read it: the script, a sourced script, a program that
  /// builds nothing, or another project. The release's list only contains CMake's switches and variables set from the
  /// environment.
  bool may_be_of_others(const ScriptStep& step) const {
    if (step.component == "other" && plan::is_read_by_companions_alone(catalog_, step.name)) return true;
    const bool is_own = script_.reads.contains(step.name);
    if (is_switch_name(step.name)) return is_own && step.reach == Reach::assigned;
    if (step.reach == Reach::command) return script_.kind != ScriptKind::prose && !is_for_build(step);
    return is_own || step.reach == Reach::definition || runs_others();
  }

  /// Returns whether the command that gets the value builds something.
  bool is_for_build(const ScriptStep& step) const {
    const auto* const end = script_.steps.data() + script_.steps.size();
    const auto* const command =
        std::find_if(&step, end, [](const ScriptStep& each) { return each.kind == ScriptStep::Kind::run; });
    return command != end && command->is_build;
  }

  void judge_unknown(const ScriptStep& step) {
    const bool is_switch = is_switch_value(step);
    std::vector<std::string> near = plan::misspelt_names(catalog_, step.name);
    // A path, such as BUILD_DIR's, is not a switch, and companions have few variables.
    std::erase_if(near, [&](const std::string& name) {
      return (is_switch_name(name) && !is_switch) || plan::is_read_by_companions_alone(catalog_, name);
    });
    if (!near.empty()) {
      std::string fix = concat("did you mean ", join(collect(near, quote), " or "), "?");
      return add(step, FlagProblem::misspelt, "no known release reads it", std::move(fix), std::move(near));
    }
    // Far from any name: only report a switch, if the script surely builds torch and nothing else gets the value.
    const bool is_of_build = step.name.starts_with("USE_") || step.name.starts_with("BUILD_");
    const bool reaches_build = step.reach != Reach::assigned && script_.kind != ScriptKind::prose;
    if (!is_switch || !is_of_build || !reaches_build || runs_others()) return;
    const std::string component = component_that_gets(step);
    if (component != "torch" && (!component.empty() || !sets_switches_of_torch())) return;
    if (plan::knows_every_variable(release_) && !plan::is_known_variable(catalog_, step.name))
      add(step, FlagProblem::unread, "no known release reads it", "remove it");
  }

  /// Returns what is built with a value: in the directory of its command, or, if exported, in any later one.
  std::string component_that_gets(const ScriptStep& step) const {
    if (step.reach != Reach::exported) return step.component;
    std::set<std::string> built;
    for (const ScriptStep& each : script_.steps)
      if (each.is_build && &each > &step && inherits(each.shell, step.shell)) built.insert(each.component);
    if (built.contains("torch")) return "torch";
    return built.empty() ? "" : *built.begin();
  }

  bool builds_torch() const {
    const bool is_of_torch = sets_switches_of_torch();
    return script_.kind != ScriptKind::prose && std::ranges::any_of(script_.steps, [&](const ScriptStep& step) {
             return step.is_build && (step.component == "torch" || (step.component.empty() && is_of_torch));
           });
  }

  /// Variables for a component's own build, and the release's own number, are left out.
  void list_unset() {
    for (const PlannedSetting& setting : plan_->environment) {
      const auto sets_it = [&](const ScriptStep& step) { return sets(step) && step.name == setting.name; };
      if (!is_exported(setting) || setting.component || starts_with(setting.origin, "release ")) continue;
      if (!script_.reads.contains(setting.name) && std::ranges::none_of(script_.steps, sets_it))
        report_.unset.push_back(setting);
    }
  }

  bool sets_switches_of_torch() const {
    return std::ranges::any_of(script_.steps, [&](const ScriptStep& step) {
      const auto known = release_.flags.find(step.name);
      return sets(step) && step.name.starts_with("USE_") && known != release_.flags.end() &&
             known->second.find(':') == known->second.rfind(':');  // not "vision:setup.py:44"
    });
  }

  /// Returns whether a sourced script may read its variables.
  bool runs_others() const {
    return std::ranges::any_of(script_.steps, [](const ScriptStep& step) { return step.is_source; });
  }

  /// Returns whether a later step of the same shell, which always follows this one, sets it again before anything ran.
  bool is_overridden(std::size_t at) {
    const ScriptStep& step = script_.steps[at];
    if (step.reach == Reach::command || !step.is_literal || step.is_default) return false;
    for (std::size_t i = at + 1; i < script_.steps.size(); ++i) {
      const ScriptStep& later = script_.steps[i];
      if (later.kind == ScriptStep::Kind::run && inherits(later.shell, step.shell) && step.reach != Reach::definition)
        return false;
      if (later.shell != step.shell || later.name != step.name || later.reach == Reach::command) continue;
      if (!sets(later) || later.adds_to_itself || !later.is_literal || later.is_default) return false;
      if (!lies_within(step.branches, later.branches)) continue;
      if (plain(later.value) == plain(step.value)) return false;
      add(step, FlagProblem::overridden, concat("line ", later.line, " sets it to ", quote(later.value)),
          "keep one of the two");
      return true;
    }
    return false;
  }

  bool inherits(int shell, int from) const {
    while (shell >= 0 && shell != from) shell = script_.parents[static_cast<std::size_t>(shell)];
    return shell == from;
  }

  /// Returns whether a shell does not export a value that a following build reads.
  bool is_not_exported(std::size_t at) {
    const ScriptStep& step = script_.steps[at];
    if (step.reach != Reach::assigned || script_.kind == ScriptKind::environment || step.adds_to_itself) return false;
    if (script_.exported.contains(step.name) || script_.reads.contains(step.name)) return false;
    const auto exports_it = [&](const ScriptStep& each) {
      return sets(each) && each.name == step.name && each.reach == Reach::exported;
    };
    if (std::ranges::any_of(script_.steps, exports_it)) return false;
    for (std::size_t i = at + 1; i < script_.steps.size(); ++i) {
      const ScriptStep& later = script_.steps[i];
      if (!inherits(later.shell, step.shell)) continue;
      if (later.is_source) return false;
      if (!later.is_build) continue;
      const char* const words = script_.kind == ScriptKind::makefile ? "make" : "the shell";
      add(step, FlagProblem::not_exported,
          concat(words, " does not export it, so the command in line ", later.line, " does not see it"),
          "put 'export' in front of it");
      return true;
    }
    return false;
  }

  /// Returns whether a RUN of a Dockerfile, or a line of a make recipe, exports a value and ends before the build.
  bool is_lost(std::size_t at) {
    const ScriptStep& step = script_.steps[at];
    const bool has_short_shells = script_.kind == ScriptKind::dockerfile || script_.kind == ScriptKind::makefile;
    if (!has_short_shells || step.reach != Reach::exported || step.shell < 0) return false;
    const int parent = script_.parents[static_cast<std::size_t>(step.shell)];
    if (parent < 0) return false;
    for (std::size_t i = at + 1; i < script_.steps.size(); ++i) {
      const ScriptStep& later = script_.steps[i];
      if (!inherits(later.shell, parent)) continue;
      const bool is_same = inherits(later.shell, step.shell);
      if (later.kind == ScriptStep::Kind::run && is_same) return false;
      if (!is_same && later.name == step.name) return false;  // set again
      if (is_same || !later.is_build) continue;
      const bool is_make = script_.kind == ScriptKind::makefile;
      add(step, FlagProblem::lost,
          concat("the shell of this ", is_make ? "recipe's line" : "RUN", " ends there: the build in line ", later.line,
                 " does not see it"),
          is_make ? "export it outside of the rule" : "set it with ENV");
      return true;
    }
    return false;
  }

  void compare_with_plan(const ScriptStep& step) {
    if (!plan_ || !step.is_literal || step.is_default || !step.branches.empty() || step.reach == Reach::assigned)
      return;
    std::string why, fix;
    for (const PlannedSetting& setting : plan_->environment) {
      if (setting.name != step.name || !is_exported(setting)) continue;
      if (plain(setting.value) == plain(step.value)) return;
      // A component's own variable is compared with what is set for that component.
      if (setting.component && step.component != name_of(*setting.component)) continue;
      const bool is_list = ends_with(step.name, "_LIST");
      if (is_list && has_entry(step.value, setting.value)) return;
      why = concat("the plan sets it to ", quote(setting.value), ": ", setting.origin);
      fix = is_list ? concat("add ", quote(setting.value), " to the list")
                    : concat("remove it, or prepare with --set ", step.name, "=", step.value);
    }
    if (!why.empty()) add(step, FlagProblem::overridden, std::move(why), std::move(fix));
  }

  const Catalog& catalog_;
  const Release& release_;
  const Plan* plan_;
  const Script& script_;
  FlagCheckReport& report_;
};

}  // namespace

FlagsReport flags(const Catalog& catalog, const Release& release, const std::vector<std::string>& names) {
  FlagsReport report{release.version.text(), {}};
  for (const std::string& name : names) report.flags.push_back(fact_of(catalog, release, name));
  if (names.empty())
    for (const auto& [name, place] : release.flags) report.flags.push_back(fact_of(catalog, release, name));
  return report;
}

FlagCheckReport check_flags(const Catalog& catalog, const Release& release, const Plan* plan, const std::string& file,
                            std::string_view text) {
  if (text.size() > kMaxScript)
    throw Error(ErrorKind::unsafe, concat("reading ", quote(file), ": has more than ", kMaxScript, " bytes"));
  if (text.find('\0') != std::string_view::npos || !is_valid_utf8(text)) {
    throw Error(ErrorKind::data, concat("reading ", quote(file), ": is not UTF-8 text"),
                "pass a shell script, Dockerfile or env file");
  }
  FlagCheckReport report{release.version.text(), file, plan ? plan->board->id : "", 0, {}, {}};
  const Script script = read_script(file, text);
  report.assignments = static_cast<std::size_t>(std::ranges::count_if(script.steps, sets));
  if (report.assignments > kMaxAssignments) {
    throw Error(ErrorKind::unsafe, concat("reading ", quote(file), ": sets ", report.assignments,
                                          " variables, more than ", kMaxAssignments));
  }
  Check(catalog, release, plan, script, report).run();
  report.skipped = script.skipped;
  std::ranges::stable_sort(report.findings, {}, &FlagFinding::line);
  return report;
}

}  // namespace torchpatch::trees
