// SPDX-License-Identifier: BSD-3-Clause
#include "record/out_files.h"

#include <algorithm>

#include "model/doctor.h"
#include "model/path_rule.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

bool sets(const Manifest& manifest, const std::string& name) {
  return std::any_of(manifest.environment.begin(), manifest.environment.end(),
                     [&name](const PlannedSetting& setting) { return setting.name == name && !setting.component; });
}

/// What makes two builds of one tree alike; PyTorch itself sets none of it (docs: build.env).
std::string repeatable_settings(const Manifest& manifest) {
  const std::pair<std::string, std::string> settings[] = {{"SOURCE_DATE_EPOCH", std::to_string(manifest.timestamp)},
                                                          {"PYTHONHASHSEED", "0"},
                                                          {"PYTHONDONTWRITEBYTECODE", "1"},
                                                          {"LC_ALL", "C"},
                                                          {"TZ", "UTC"}};
  std::string out =
      "\n# torchpatch: the same tree and tools give the same build. The time is the newest pinned commit's.\n"
      "# Python leaves no byte code beside the sources, which it would run in their place.\n";
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
  out += setting.read_at.empty() ? "\n# no place is known where this release reads it\n"
                                 : concat("\n# read at ", comment_text(setting.read_at), "\n");
  const std::string command = export_command(setting.name, setting.value);
  if (!setting.component) return out + command + "\n";
  // Two components may read one variable and need two values, which one environment cannot hold.
  return concat(out, "# for ", component_name(*setting.component), " alone: ", comment_text(command), "\n");
}

std::string job_limit(const Manifest& manifest) {
  const int mib = mib_per_job(Version::parse(manifest.release), manifest.target.count("cuda") > 0);
  return concat("\n# torchpatch: one compile job for every ", mib,
                " MiB of memory and swap, at most one a processor; fewer if the compiler\n"
                "# is killed ('fatal error: Killed signal terminated program cc1plus').\n"
                "if [ -z \"${MAX_JOBS:-}\" ]; then\n"
                "  MAX_JOBS=$(awk -v processors=\"$(getconf _NPROCESSORS_ONLN)\" '\n"
                "    /^(MemTotal|SwapTotal):/ { mib += $2 / 1024 }\n"
                "    END {\n"
                "      jobs = int(mib / ",
                mib,
                ")\n"
                "      if (jobs > processors + 0) jobs = processors + 0\n"
                "      print jobs < 1 ? 1 : jobs\n"
                "    }' /proc/meminfo)\n"
                "  export MAX_JOBS\n"
                "fi\n");
}

constexpr const char* kUsage = R"sh(set -eu
CDPATH=''

usage() {
  cat <<'END'
Usage: build.sh [--install] [torch|vision|audio]...

Builds the wheel of each component named (all by default) into its dist/. torchvision and torchaudio are compiled
against the torch that is installed: with --install each wheel is installed by pip as soon as it is built (the wheel
alone, not what it requires). Without it, install the torch wheel yourself, then build the others.

Variables:
  PYTHON                    the Python to build with
  MAX_JOBS                  number of compile jobs (default: by processors and memory, see build.env)
  TORCHPATCH_KEEP_ENV=1     variables that are set already win over build.env
  TORCHPATCH_ANY_PYTHON=1   build with another Python version than the one the tree was prepared for
END
}

say() {
  printf 'build.sh: %s\n' "$1" >&2
}

fail() {
  printf 'build.sh: error: %s\n' "$1" >&2
  exit 1
}

read_options() {
  install=0
  selected=''
  for argument in "$@"; do
    case $argument in
      -h | --help)
        usage
        exit 0
        ;;
      --install) install=1 ;;
      torch | vision | audio)
        case $components in
          *" $argument "*) selected="$selected $argument " ;;
          *) fail "this tree does not hold $argument, only:$components" ;;
        esac
        ;;
      *)
        usage >&2
        exit 2
        ;;
    esac
  done
  selected=${selected:-$components}
}

enter_tree() {
  case ${PYTHON:-} in
    /*) ;;
    */*) PYTHON=$PWD/$PYTHON ;;
  esac
  case $0 in
    */*) cd -P -- "${0%/*}/.." ;;
    *) cd -P .. ;;
  esac
  root=$PWD
  [ -f "$root/torchpatch/build.env" ] || fail "run this script where torchpatch wrote it"
}

# setup.py asks git for HEAD and records the answer. A repository that happens to lie around this tree must not answer.
hide_git() {
  case $root in
    *:*) fail "the path '$root' has a colon, which GIT_CEILING_DIRECTORIES cannot hold: move the tree" ;;
  esac
  GIT_CEILING_DIRECTORIES=$root
  export GIT_CEILING_DIRECTORIES
  unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE
}

load_environment() {
  kept=''
  # bash outside of its POSIX mode prints "declare", which in a function sets what ends with it.
  if [ "${TORCHPATCH_KEEP_ENV:-0}" = 1 ]; then kept=$(POSIXLY_CORRECT=1 && export -p); fi
  # shellcheck source=/dev/null
  . "$root/torchpatch/build.env"
  eval "$kept"
}
)sh";

constexpr const char* kSteps = R"sh(
check_python() {
  PYTHON=${PYTHON:-$default_python}
  export PYTHON
  command -v "$PYTHON" >/dev/null || fail "there is no '$PYTHON' here: set PYTHON to a Python $python_version"
  [ "${TORCHPATCH_ANY_PYTHON:-0}" = 1 ] && return
  "$PYTHON" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' "$python_version" ||
    fail "'$PYTHON' is not Python $python_version, for which this is prepared: set PYTHON, or TORCHPATCH_ANY_PYTHON=1"
}

# Python runs in / so that it does not find the sources here.
check_torch() {
  (cd / && "$PYTHON" -c 'import sys, torch
have, want = torch.__version__, sys.argv[1]
if have[:len(want)] != want or have[len(want):len(want) + 1].isdigit():
    sys.exit("torch %s is installed, %s is needed" % (have, want))' "$release") ||
    fail "$1 needs torch installed: '$PYTHON' -m pip install '$root'/pytorch/dist/torch-*.whl; then build.sh $1"
}

finish_wheel() {
  set -- "$1"/dist/*.whl
  if [ "$#" != 1 ] || [ ! -f "$1" ]; then fail "there must be one wheel, not: $*"; fi
  say "built $1"
  [ "$install" = 0 ] || "$PYTHON" -m pip install --no-deps --force-reinstall "$1"
}

build_companion() {
  check_torch "$1"
  say "building $1"
  cd "$root/$1"
  "$PYTHON" setup.py bdist_wheel
  finish_wheel "$root/$1"
}
)sh";

constexpr const char* kMain = R"sh(
main() {
  read_options "$@"
  enter_tree
  [ -z "$(stand_in)" ] || fail "nothing to build, this is not PyTorch: $(stand_in)"
  hide_git
  load_environment
  check_python
  for component in torch vision audio; do
    case $selected in
      *" $component "*) ;;
      *) continue ;;
    esac
    # In a subshell, so that no component gets what is for another one.
    (
      load_component_environment "$component"
      if [ "$component" = torch ]; then build_torch; else build_companion "$component"; fi
    )
  done
}

main "$@"
)sh";

/// The lines of a case that exports what only the build of `component` gets, or nothing.
std::string component_case(const Manifest& manifest, Component component) {
  std::string out;
  for (const PlannedSetting& setting : manifest.environment)
    if (setting.component == component) out += concat("      ", export_command(setting.name, setting.value), "\n");
  return out.empty() ? out : concat("    ", component_name(component), ")\n", out, "      ;;\n");
}

std::string component_environment_function(const Manifest& manifest) {
  std::string cases;
  for (const Component component : manifest.components) cases += component_case(manifest, component);
  return concat("\nload_component_environment() {\n  case $1 in\n", cases, "    *) ;;\n  esac\n  eval \"$kept\"\n}\n");
}

std::string facts(const Manifest& manifest) {
  std::string components = " ";
  for (const Component component : manifest.components) components += concat(component_name(component), " ");
  const std::string python = manifest.python.substr(0, 1) == "2" ? "python2" : "python3";
  return concat("\ncomponents=", shell_quote(components), "\nrelease=", shell_quote(manifest.release),
                "\npython_version=", shell_quote(manifest.python), "\ndefault_python=", python, "\n");
}

/// What stands in for PyTorch, or nothing, as a function that prints it.
std::string stand_in_function(const Manifest& manifest) {
  if (!manifest.stand_in) return "\n" + list_function("stand_in", {});
  return "\n" + list_function("stand_in", {comment_text(*manifest.stand_in)});
}

/// Commands in a subshell, as they are: what they set does not last.
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

std::string torch_function(const std::vector<PlannedStep>& steps, const std::vector<std::string>& recipe) {
  std::string out = "\nbuild_torch() {\n  cd \"$root/pytorch\"\n";
  out += "  [ ! -d build ] || say 'going on in pytorch/build; remove it if the environment has changed since'\n";
  out += command_block("preparing the board", recipe);
  out += "  say \"building torch with $MAX_JOBS jobs\"\n  \"$PYTHON\" setup.py build\n";
  const std::string post_build = step_blocks(steps, false);
  // A second build would undo what the steps did to its files.
  out += post_build + "  \"$PYTHON\" setup.py bdist_wheel" + (post_build.empty() ? "\n" : " --skip-build\n");
  return out + "  finish_wheel \"$root/pytorch\"\n" + step_blocks(steps, true) + "}\n";
}

/// Another machine builds than the one that runs the result.
std::string host_comment(const Manifest& manifest) {
  if (manifest.host.empty()) return {};
  return concat("# Made to run on ", builder(manifest),
                "; what it builds is for the board, whose CPU flags build.env sets.\n");
}

}  // namespace

std::string export_command(const std::string& name, const std::string& value) {
  return concat("export ", name, "=", shell_quote(value));
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string subject(const Manifest& manifest) {
  const char* what = manifest.stand_in ? "a stand-in for PyTorch " : "PyTorch ";
  return comment_text(concat(what, manifest.release, " for ", manifest.board, " (", manifest.image, ")"));
}

std::string builder(const Manifest& manifest) {
  if (manifest.host.empty()) return comment_text(concat("image ", manifest.image));
  return comment_text(concat("host ", manifest.host.at("board"), " (", manifest.host.at("image"), ")"));
}

std::string list_function(std::string_view name, const std::vector<std::string>& lines) {
  if (lines.empty()) return concat(name, "() { :; }\n");
  // A here-document ends at the first line that is its word: take one that is none of the lines.
  std::string word = "END";
  while (std::find(lines.begin(), lines.end(), word) != lines.end()) word += "_";
  std::string out = concat(name, "() {\n  cat <<'", word, "'\n");
  for (const std::string& line : lines) out += line + "\n";
  return concat(out, word, "\n}\n");
}

std::optional<std::string> output_link_problem(std::string_view path, std::string_view target) {
  if (auto problem = output_path_problem(path)) return problem;
  return link_problem(path, target);
}

std::string build_environment(const Manifest& manifest) {
  std::string out = concat("# shellcheck shell=sh disable=SC2016\n# The environment that builds ", subject(manifest),
                           ". build.sh reads it; for a build by hand: . torchpatch/build.env\n");
  out += repeatable_settings(manifest);
  for (const PlannedSetting& setting : manifest.environment) out += planned_setting(setting);
  if (!sets(manifest, "MAX_JOBS")) out += job_limit(manifest);
  return out;
}

std::string build_script(const Manifest& manifest, const std::vector<PlannedStep>& steps,
                         const std::vector<std::string>& recipe) {
  return concat("#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n# Builds ", subject(manifest),
                ". Written by torchpatch; what it does is in manifest.json, too.\n", host_comment(manifest), kUsage,
                kSteps, torch_function(steps, recipe), component_environment_function(manifest),
                stand_in_function(manifest), facts(manifest), kMain);
}

}  // namespace torchpatch::record
