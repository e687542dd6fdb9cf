// SPDX-License-Identifier: BSD-3-Clause
/// Scripts and pages of OUT/torchpatch/: check.sh, build.sh, build.env, KNOWN_ISSUES.md. All are pure functions of the
/// manifest and the catalog's texts, so equal inputs give equal bytes. None depends on manifest.side_files.
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

/// A file that is written as it is.
struct GeneratedFile {
  std::string name;  ///< relative to the directory that it lies in
  std::string bytes;
  bool is_executable = false;
};

/// check.sh: plain POSIX sh that checks OUT without torchpatch: sums, executable bits, links, extras, and what the
/// build asks of this host, which counts with --host only. Exit 0 fine, 1 differences, 2 wrong usage or a needed tool
/// is missing or broken. Of the manifest it needs executables, links, components and python; besides those paths it
/// expects check.sh and build.sh to be executable. Raises unsafe for a path or link that the path-and-mode rule
/// refuses.
std::string check_script(const Manifest& manifest, const std::vector<HostRequirement>& requirements);

/// build.env: POSIX sh assignments with export, each with its origin and where this release reads it as a comment;
/// first what makes builds repeatable (SOURCE_DATE_EPOCH, PYTHONHASHSEED, …), last MAX_JOBS, which is computed
/// from processors and memory where it is not set. What only one component's build gets is a comment, and what the
/// release is known not to read, with the reason. Raises data for a name that is not a variable's.
std::string build_environment(const Manifest& manifest);

/// build.sh: the commands of the board's recipe, set -eu; sources build.env (with TORCHPATCH_KEEP_ENV=1 the caller's
/// variables win); sets GIT_CEILING_DIRECTORIES from its own place (setup.py asks git for HEAD and would record a
/// foreign repository's id) and refuses a place whose path has a colon, and a tree that only stands in for PyTorch.
/// Refuses a host that does not meet the requirements before anything is built. Each component is built in a subshell,
/// which alone gets that component's variables; wheels and logs lie in OUT/dist. `recipe`: the build_steps of the
/// board that builds, run in OUT/pytorch before the build; `steps`: post-build commands of the plan, run there between
/// build and wheel with PYTHON set to the interpreter.
/// `scikit_build`: the components that `python -m build` builds; setup.py builds the others.
std::string build_script(const Manifest& manifest, const std::vector<PlannedStep>& steps,
                         const std::vector<std::string>& recipe, const std::vector<HostRequirement>& requirements,
                         const std::set<Component>& scikit_build = {});

/// The part of build.sh and check.sh that compares a host with what the build requires, as POSIX sh functions:
/// `host_findings` prints a line per requirement, of fields between tabs: OK, WARN or FAIL, name, what was found,
/// verdict, what is needed, the known issue, what to do, what installs it. `host_report GRADES` makes text of
/// `$findings`, `$width` columns wide (`set_width`); `install_commands` prints what root and the user run to install
/// what is missing. They set `components` and `default_python`, and read `selected` (components between spaces),
/// `skipped` (names between spaces), `swap_mib`, `probes` (a directory for what they compile), and the environment of
/// the build. They change nothing else, fetch nothing and run nothing that they compile.
std::string host_functions(const Manifest& manifest, const std::vector<HostRequirement>& requirements);

/// numerics.py, which checks the numbers of an installed torch, and numerics.txt, the values that it expects; as
/// embedded.
extern const std::string_view kNumericsScript, kNumericsData;

/// KNOWN_ISSUES.md: warnings and a list of what is to be done on top; then what is the builder's to do, what was done,
/// and what is good to know, the gravest first, with symptoms, fix and check; causes are left to `show issue`. Advice
/// counts as nothing done. `issues`: every issue that manifest.issues names.
std::string known_issues_page(const Manifest& manifest, const std::vector<Issue>& issues);

/// Returns the sections of an embedded text: name → text, each on one line. "= NAME" begins a section.
std::map<std::string, std::string> sections_of(std::string_view text);

// Text that becomes part of a POSIX sh script.

/// Returns "PyTorch 1.1.0 for tx2 (jetpack-3.3)", or what stands in for it, as comment text.
std::string subject(const Manifest& manifest);
/// Returns "image jetpack-3.3", or "host graviton1 (ubuntu-18.04)" where another machine builds, as comment text.
std::string builder(const Manifest& manifest);

/// Returns the command that exports the variable `name` with `value` as it is.
std::string export_command(const std::string& name, const std::string& value);

/// Parts of scripts, as embedded by cmake/embed.cmake. No variable of the script comes from the environment: it stands
/// before all of them.
extern const std::string_view kOwnVariablesScript;
/// `take_lock FILE PLACE` holds the lock of a place or ends the script by `fail`; `drop_lock` removes FILE.
extern const std::string_view kLockScript;
/// `quoted WORD` prints a word as the shell reads it again.
extern const std::string_view kQuotedScript;

/// Returns the paths in OUT that a partial tree lacks; of submodules that the build reads with a slash at their end.
std::vector<std::string> missing_sources(const Manifest& manifest);

/// Returns the lines of a shell function `name` that prints `lines`, each as it is. Lines hold no newline.
std::string list_function(std::string_view name, const std::vector<std::string>& lines);

}  // namespace torchpatch::record
