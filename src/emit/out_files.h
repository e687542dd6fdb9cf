// SPDX-License-Identifier: BSD-3-Clause
/// The files of OUT/torchpatch/ that people and boards read. All are pure functions of the manifest and the catalog's
/// texts, so equal inputs give equal bytes.
#pragma once

#include <string>
#include <vector>

#include "model/issue.h"
#include "model/manifest.h"

namespace torchpatch::emit {

/// check.sh: plain POSIX sh that checks OUT without torchpatch: sums, executable bits, links, extras, and the bounds of this
/// host (arch, glibc, gcc, python, cmake); exit 0 fine, 1 differences, 2 a needed tool is missing. Depends only on what is known before side files are written:
/// manifest.executables, links, target, tool_bounds.
std::string check_script(const Manifest& manifest);

/// build.env: POSIX sh assignments with export, each with its origin and where this release reads it as a comment.
std::string build_environment(const Manifest& manifest);

/// build.sh: the commands of the board's recipe; set -eu, shellcheck-clean; sources build.env; sets
/// GIT_CEILING_DIRECTORIES from its own place (setup.py asks git for HEAD and would record a foreign repository's id), refuses a place whose path has a colon;
/// `steps`: post-build commands of the plan; `recipe`: the board's build_steps.
std::string build_script(const Manifest& manifest, const std::vector<PlannedStep>& steps,
                         const std::vector<std::string>& recipe);

/// KNOWN_ISSUES.md: each issue of the plan, applied ones with symptom, cause, fix and check; undecided ones with a warning; the others with the reason.
/// `issues`: every issue that manifest.issues names.
std::string known_issues_page(const Manifest& manifest, const std::vector<Issue>& issues);

}  // namespace torchpatch::emit
