// SPDX-License-Identifier: BSD-3-Clause
/// Scripts and pages in OUT/torchpatch/: check_script(), build_script(), build_environment(), known_issues_page(). Pure
/// functions of the manifest and the catalog's texts, so equal inputs give equal bytes. None depends on
/// manifest.side_files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/doctor.h"
#include "model/issue.h"
#include "model/manifest.h"

namespace torchpatch::record {

/// A file to write unchanged.
struct GeneratedFile {
  std::string name;  ///< relative to its directory
  std::string bytes;
  bool is_executable = false;
};

/// check.sh: plain POSIX sh that checks OUT without torchpatch: sums, executable bits, links, extra files, and the
/// build's requirements of this host, which count only with --host. Exit 0 fine, 1 differences, 2 wrong usage or a
/// required tool is missing or broken. Uses the manifest's executables, links, components and python; check.sh and
/// build.sh are expected to be executable too. Raises unsafe for a path or link that the path-and-mode rule refuses.
std::string check_script(const Manifest& manifest, const std::vector<HostRequirement>& requirements);

/// build.env: POSIX sh assignments with export, each with a comment on its origin and where this release reads it;
/// first what makes builds repeatable (SOURCE_DATE_EPOCH, PYTHONHASHSEED, …), last MAX_JOBS, computed from processors
/// and memory if unset. Variables for only one component are comments, and so are those that the release is known not
/// to read, with the reason. Raises data for an invalid variable name.
std::string build_environment(const Manifest& manifest);

/// build.sh: the commands of the board's recipe, set -eu. Sources build.env (with TORCHPATCH_KEEP_ENV=1 the caller's
/// variables win); sets GIT_CEILING_DIRECTORIES from its location (setup.py asks git for HEAD and would record another
/// repository's id); refuses a path with a colon, a tree that only stands in for PyTorch, and before building a host
/// that does not meet the requirements. Each component is built in a subshell with that component's variables; wheels
/// and logs are in OUT/dist. `recipe`: the build_steps of the building board, run in OUT/pytorch before the build;
/// `steps`: post-build commands of the plan, run there between build and wheel with PYTHON set to the interpreter.
/// `scikit_build`: components built with `python -m build`; setup.py builds the others.
std::string build_script(const Manifest& manifest, const std::vector<PlannedStep>& steps,
                         const std::vector<std::string>& recipe, const std::vector<HostRequirement>& requirements,
                         const std::set<Component>& scikit_build = {});

/// The part of build.sh and check.sh that checks the host against the build's requirements, as POSIX sh functions.
/// `host_findings` prints a line of tab-separated fields per requirement: OK, WARN or FAIL, name, value found, verdict,
/// value needed, known issue, what to do, what installs it. `host_report GRADES` formats `$findings` in `$width`
/// columns (`set_width`); `install_commands` prints what root and the user run to install what is missing. They set
/// `components` and `default_python`, and read `selected` (components between spaces), `skipped` (names between
/// spaces), `swap_mib`, `probes` (a directory for compiled probes), and the build's environment. They change nothing
/// else, fetch nothing and do not run what they compile.
std::string host_functions(const Manifest& manifest, const std::vector<HostRequirement>& requirements);

/// numerics.py, which checks numerical results of an installed torch, and numerics.txt, the expected values; as
/// embedded.
extern const std::string_view kNumericsScript, kNumericsData;

/// KNOWN_ISSUES.md: warnings and a list of actions first; then issues that the user has to handle, those handled, and
/// those for information, most severe first, with symptoms, fix and check; causes are left to `show issue`. Advice does
/// not count as handled. `issues`: every issue in manifest.issues.
std::string known_issues_page(const Manifest& manifest, const std::vector<Issue>& issues);

/// Returns the sections of an embedded text: name → text, each as one line. "= NAME" begins a section.
std::map<std::string, std::string> sections_of(std::string_view text);

// Text for POSIX sh scripts.

/// Returns "PyTorch 1.1.0 for tx2 (jetpack-3.3)", or its stand-in's name, as comment text.
std::string subject(const Manifest& manifest);
/// Returns "image jetpack-3.3", or "host graviton1 (ubuntu-18.04)" if another machine builds, as comment text.
std::string builder(const Manifest& manifest);

/// Returns a command that exports the variable `name` with exactly `value`.
std::string export_command(const std::string& name, const std::string& value);

/// Parts of scripts, as embedded by cmake/embed.cmake. This one precedes all of them: no variable of the script may
/// come from the environment.
extern const std::string_view kOwnVariablesScript;
/// `take_lock FILE PLACE` locks a place or ends the script through `fail`; `drop_lock` removes FILE.
extern const std::string_view kLockScript;
/// `quoted WORD` prints a word quoted for the shell.
extern const std::string_view kQuotedScript;

/// Returns the paths in OUT missing from a partial tree; submodules that the build reads have a trailing slash.
std::vector<std::string> missing_sources(const Manifest& manifest);

/// Returns a shell function `name` that prints `lines` unchanged. Lines must not contain newlines.
std::string list_function(std::string_view name, const std::vector<std::string>& lines);

}  // namespace torchpatch::record
