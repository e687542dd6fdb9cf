// SPDX-License-Identifier: BSD-3-Clause
#include "record/tree_scripts.h"

#include <algorithm>

#include "model/path_rule.h"
#include "model/version.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

// As embedded by cmake/embed.cmake.
extern const std::string_view kBuildScript, kCheckScript, kHostScript, kMaxJobsScript;

namespace {

using Lines = std::vector<std::string>;

bool sets(const Manifest& manifest, const std::string& name) {
  return std::any_of(manifest.environment.begin(), manifest.environment.end(), [&name](const PlannedSetting& setting) {
    return setting.name == name && !setting.component && is_exported(setting);
  });
}

/// Returns settings that make builds repeatable; PyTorch itself sets none (docs: build.env).
std::string repeatable_settings(const Manifest& manifest) {
  const std::pair<std::string, std::string> settings[] = {{"SOURCE_DATE_EPOCH", std::to_string(manifest.timestamp)},
                                                          {"PYTHONHASHSEED", "0"},
                                                          {"PYTHONDONTWRITEBYTECODE", "1"},
                                                          {"LC_ALL", "C"},
                                                          {"TZ", "UTC"}};
  std::string out =
      "\n# torchpatch: reproducible builds. The time is that of the newest pinned commit.\n"
      "# No byte code next to the sources: Python would run it instead of them.\n";
  for (const auto& [name, value] : settings)
    if (!sets(manifest, name)) out += export_command(name, value) + "\n";
  return out;
}

std::string planned_setting(const PlannedSetting& setting) {
  if (!is_variable_name(setting.name)) {
    throw Error(ErrorKind::data, concat("writing build.env: ", quote(setting.name), " is not the name of a variable (",
                                        setting.origin, ")"));
  }
  std::string out = concat("\n# ", comment_text(setting.origin));
  if (!setting.why.empty()) out += ": " + comment_text(setting.why);
  out += concat("\n# ", comment_text(reading_text(setting)), "\n");
  const std::string command = export_command(setting.name, setting.value);
  if (!is_exported(setting)) return concat(out, "# ", comment_text(command), "\n");
  if (!setting.component) return out + command + "\n";
  // Two components may need different values of one variable, which one environment cannot provide.
  return concat(out, "# for ", name_of(*setting.component), " alone: ", comment_text(command), "\n");
}

/// Returns the lines of a case that exports variables for only the build of `component`, or nothing.
std::string component_case(const Manifest& manifest, Component component) {
  std::string out;
  for (const PlannedSetting& setting : manifest.environment)
    if (setting.component == component && is_exported(setting))
      out += concat("      ", export_command(setting.name, setting.value), "\n");
  return out.empty() ? out : concat("    ", name_of(component), ")\n", out, "      ;;\n");
}

/// Returns the commands unchanged, in a subshell: their settings do not persist.
std::string command_block(const std::string& title, const std::vector<std::string>& commands) {
  if (commands.empty()) return {};
  return concat("  say ", shell_quote(comment_text(title)), "\n  (\n", join(commands, "\n"), "\n  )\n");
}

std::string step_blocks(const std::vector<PlannedStep>& steps, bool after_wheel) {
  std::string out;
  for (const PlannedStep& step : steps) {
    if (step.after_wheel != after_wheel) continue;
    out += command_block(
        concat(after_wheel ? "after the wheel: " : "after the build: ", step.fix, " (issue ", step.issue, ")"),
        step.commands);
  }
  return out;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : comment_text(text); }

/// Returns FAIL or WARN, as in the report's lines.
const char* grade(bool fails) { return fails ? "FAIL" : "WARN"; }

Lines requirement_lines(const std::vector<HostRequirement>& requirements) {
  Lines lines;
  for (const HostRequirement& each : requirements) {
    const std::string component = each.component ? concat(" ", name_of(*each.component), " ") : "-";
    lines.push_back(concat(name_of(each.probe), '\t', comment_text(each.name), '\t', or_dash(each.wanted), '\t',
                           grade(each.fails), '\t', component, '\t', or_dash(each.issue), '\t', or_dash(each.source),
                           '\t', or_dash(each.advice), '\t', or_dash(each.install)));
  }
  return lines;
}

Lines step_lines(const std::vector<HostRequirement>& requirements) {
  Lines lines;
  for (const HostRequirement& each : requirements)
    for (const HostStep& step : each.steps)
      lines.push_back(concat(comment_text(each.name), '\t', step.from, '\t', comment_text(step.verdict), '\t',
                             grade(step.fails), '\t', or_dash(step.issue), '\t', or_dash(step.advice)));
  return lines;
}

Lines executable_lines(const Manifest& manifest) {
  Lines lines;
  for (const std::string& path : manifest.executables) {
    if (const auto problem = output_path_problem(path))
      throw Error(ErrorKind::unsafe, concat("writing check.sh: path ", quote(path), " ", *problem));
    lines.push_back("./" + path);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Lines link_lines(const Manifest& manifest) {
  Lines lines;
  for (const auto& [path, target] : manifest.links) {
    if (const auto problem = output_link_problem(path, target))
      throw Error(ErrorKind::unsafe, concat("writing check.sh: link ", quote(path), " ", *problem));
    lines.push_back(concat("./", path, "\t", target));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Returns lines such as "USE_NCCL 0 KNOWN_ISSUES.md#nccl-device-link": the plan's setting that CMake must have for
/// torch, and where to read more if it does not. On a board with CUDA the release's own default is to use it.
Lines decision_lines(const Manifest& manifest) {
  std::map<std::string, std::pair<bool, std::string>> decisions;
  if (manifest.target.contains("cuda") && manifest.target.contains("compute_capability")) {
    decisions["USE_CUDA"] = {true, "KNOWN_ISSUES.md#cuda-toolkit-not-found"};
    if (manifest.target.contains("cudnn")) decisions["USE_CUDNN"] = {true, "KNOWN_ISSUES.md#cudnn-paths"};
  }
  for (const PlannedSetting& setting : manifest.environment) {
    const bool is_negated = starts_with(setting.name, "NO_"), is_on = setting.value == "1" || setting.value == "ON";
    const bool is_switch = is_on || setting.value == "0" || setting.value == "OFF";
    const bool is_of_torch = setting.component.value_or(Component::torch) == Component::torch;
    if (!is_switch || !is_of_torch || !is_exported(setting) || setting.read_at.empty()) continue;
    if (!is_negated && !starts_with(setting.name, "USE_")) continue;
    const std::string name = is_negated ? "USE_" + setting.name.substr(3) : setting.name;
    const std::string first = setting.origin.substr(0, setting.origin.find(" and "));
    decisions[name] = {is_on != is_negated,
                       starts_with(first, "issue ") ? "KNOWN_ISSUES.md#" + first.substr(6) : "build.env"};
  }
  if (const auto cuda = decisions.find("USE_CUDA"); cuda != decisions.end() && !cuda->second.first)
    decisions.erase("USE_CUDNN");
  Lines lines;
  for (const auto& [name, decision] : decisions)
    lines.push_back(concat(name, decision.first ? " 1 " : " 0 ", decision.second));
  return lines;
}

}  // namespace

std::map<std::string, std::string> sections_of(std::string_view text) {
  std::map<std::string, std::string> sections;
  std::string* section = nullptr;
  for (const std::string& line : split(text, '\n'))
    if (starts_with(line, "= "))
      section = &sections[line.substr(2)];
    else if (section && !line.empty())
      *section += (section->empty() ? "" : " ") + line;
  return sections;
}

std::string export_command(const std::string& name, const std::string& value) {
  return concat("export ", name, "=", shell_quote(value));
}

std::string subject(const Manifest& manifest) {
  const char* what = manifest.stand_in ? "a stand-in for PyTorch " : "PyTorch ";
  return comment_text(concat(what, manifest.release, " for ", manifest.board, " (", manifest.image, ")"));
}

std::string builder(const Manifest& manifest) {
  if (manifest.host.empty()) return comment_text(concat("image ", manifest.image));
  return comment_text(concat("host ", manifest.host.at("board"), " (", manifest.host.at("image"), ")"));
}

namespace {

/// A submodule that a build does not read.
struct UnreadSubmodule {
  std::string_view path, releases;
  std::string_view variable;  ///< unless the plan sets this; empty: never
};
constexpr UnreadSubmodule kUnreadSubmodules[] = {
    // Read by Gradle. setup.py checks a few folders of third_party up to 1.8, and every submodule from 1.9.0 on
    // (setup.py:301 of 1.8.1, :304 of 1.9.0).
    {"pytorch/android/libs/fbjni", "<1.9", ""},
    // torchaudio 0.8: third_party/CMakeLists.txt:31; off by default, build_tools/setup_helpers/extension.py:35.
    {"audio/third_party/transducer/submodule", ">=1.8 <1.9", "BUILD_TRANSDUCER"},
};

bool is_unread(const std::string& path, const Manifest& manifest) {
  const std::optional<Version> release = Version::parse(manifest.release);
  const auto is_it = [&](const UnreadSubmodule& each) {
    return each.path == path && release && VersionRange::parse(each.releases)->contains(*release) &&
           std::ranges::count(manifest.environment, each.variable, &PlannedSetting::name) == 0;
  };
  return std::ranges::any_of(kUnreadSubmodules, is_it);
}

}  // namespace

std::vector<std::string> missing_sources(const Manifest& manifest) {
  std::vector<std::string> paths;
  for (const ManifestGap& gap : manifest.gaps) {
    const std::string path = gap.out_path();
    paths.push_back(concat(path, gap.mode == FileMode::gitlink && !is_unread(path, manifest) ? "/" : ""));
  }
  for (const ManifestRepository& repository : manifest.repositories)
    for (const std::string& path : repository.content ? repository.content->absent : std::vector<std::string>())
      paths.push_back(concat(repository_directory(repository.path), "/", path, "/"));
  return paths;
}

std::string list_function(std::string_view name, const std::vector<std::string>& lines) {
  if (lines.empty()) return concat(name, "() { :; }\n");
  // A here-document ends at the first line equal to its delimiter: choose one that is not a line.
  std::string word = "END";
  while (std::find(lines.begin(), lines.end(), word) != lines.end()) word += "_";
  std::string out = concat(name, "() {\n  cat <<'", word, "'\n");
  for (const std::string& line : lines) out += line + "\n";
  return concat(out, word, "\n}\n");
}

std::string build_environment(const Manifest& manifest) {
  std::string out = concat("# shellcheck shell=sh disable=SC2016\n# The environment to build ", subject(manifest),
                           ". build.sh reads it; for a manual build: . torchpatch/build.env\n");
  out += repeatable_settings(manifest);
  for (const PlannedSetting& setting : manifest.environment) out += planned_setting(setting);
  if (sets(manifest, "MAX_JOBS")) return out;
  const int mib = mib_per_job(Version::parse(manifest.release), manifest.target.count("cuda") > 0);
  return out + fill_template(kMaxJobsScript, {{"MIB", std::to_string(mib)}});
}

std::string build_script(const Manifest& manifest, const std::vector<PlannedStep>& steps,
                         const std::vector<std::string>& recipe, const std::vector<HostRequirement>& requirements,
                         const std::set<Component>& scikit_build) {
  const std::string build_steps = step_blocks(steps, false);
  const std::string host =
      concat("# Runs on ", builder(manifest), "; the result is for the board, whose CPU flags build.env sets.\n");
  std::string cases, scikit_built = " ";
  for (const Component component : manifest.components) {
    cases += component_case(manifest, component);
    if (scikit_build.contains(component)) scikit_built += concat(name_of(component), " ");
  }
  return fill_template(
      kBuildScript,
      {{"SUBJECT", subject(manifest)},
       {"HOST_COMMENT", manifest.host.empty() ? "" : host},
       {"OWN_VARIABLES", std::string(kOwnVariablesScript)},
       {"HOST_FUNCTIONS", host_functions(manifest, requirements)},
       {"LOCK", std::string(kLockScript)},
       {"BOARD_STEPS", command_block("preparing the board", recipe)},
       {"BUILD_STEPS", build_steps},
       {"SKIP_BUILD", build_steps.empty() ? "" : " --skip-build"},  // a second build would undo the steps' changes
       {"WHEEL_STEPS", step_blocks(steps, true)},
       {"SCIKIT_BUILT", shell_quote(scikit_built)},
       {"COMPONENT_CASES", cases},
       {"RELEASE", shell_quote(manifest.release)},
       {"DECISIONS", list_function("decisions", decision_lines(manifest))}});
}

std::string check_script(const Manifest& manifest, const std::vector<HostRequirement>& requirements) {
  return fill_template(kCheckScript, {{"SUBJECT", subject(manifest)},
                                      {"OWN_VARIABLES", std::string(kOwnVariablesScript)},
                                      {"HOST_FUNCTIONS", host_functions(manifest, requirements)},
                                      {"EXECUTABLES", list_function("executables", executable_lines(manifest))},
                                      {"LINKS", list_function("links", link_lines(manifest))}});
}

std::string host_functions(const Manifest& manifest, const std::vector<HostRequirement>& requirements) {
  std::string components = " ";
  for (const Component component : manifest.components) components += concat(name_of(component), " ");
  return fill_template(
      kHostScript,
      {{"COMPONENTS", shell_quote(components)},
       {"PYTHON", starts_with(manifest.python, "2") ? "python2" : "python3"},
       {"QUOTED", std::string(kQuotedScript)},
       {"REQUIREMENTS", list_function("requirements", requirement_lines(requirements))},
       {"HOST_STEPS", list_function("host_steps", step_lines(requirements))},
       {"MISSING_SOURCES", list_function("missing_sources", missing_sources(manifest))},
       {"STAND_IN", list_function("stand_in", manifest.stand_in ? Lines{comment_text(*manifest.stand_in)} : Lines{})}});
}

}  // namespace torchpatch::record
