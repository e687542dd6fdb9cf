// SPDX-License-Identifier: BSD-3-Clause
/// Project: torchpatch.json, a file with what to prepare, build or emit jobs for, instead of options on each command
/// line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/shared_options.h"
#include "model/text_rules.h"

namespace torchpatch::cli {

struct ProjectChoices {
  std::string host, build_target;
  std::vector<std::string> components, with_fixes, without_fixes;
  std::map<std::string, std::string> settings;
};
FIELDS(ProjectChoices, ("host", self.host, kOptional, kLineRule),
       ("build_target", self.build_target, kOptional, kLineRule),
       ("components", self.components, kOptional, kLineRule, kUnique),
       ("with", self.with_fixes, kOptional, kIdRule, kUnique),
       ("without", self.without_fixes, kOptional, kIdRule, kUnique),
       ("set", self.settings, kOptional, kLineRule, kMayBeEmpty, "facts and variables, as --set"))

/// A project file. Command line options take precedence: a list replaces the project's, a --set that of the same key.
struct Project {
  std::string version, board, image;
  ProjectChoices options;
  std::vector<std::string> layers, mirrors;
};
FIELDS(Project, ("schema", SchemaVersion{}),
       ("version", self.version, kOptional, kLineRule, "--version; of matrix --versions"),
       ("board", self.board, kOptional, kLineRule, "--board; of matrix --boards"),
       ("image", self.image, kOptional, kLineRule, "--image"),
       ("options", self.options, kOptional, "the options of these names"),
       ("layers", self.layers, kOptional, kLineRule, kUnique,
        "--catalog: directories, relative to that of this file, or bundled layers"),
       ("mirrors", self.mirrors, kOptional, kLineRule, kUnique, "--mirror: directories, relative to that of this file"))

inline constexpr const char* kProjectFile = "torchpatch.json";

void declare_project_option(OptionSet& options, std::string& file);

/// Completes the command line options from a project file: the given one, else torchpatch.json in the working directory
/// if it is the user's and nobody else can write there. Prints its name. `mirrors`: null if the command uses none.
/// Raises data for a malformed file; unsafe for a layer or mirror outside its directory that was never named on a
/// command line with this project.
void add_project(const std::string& file, PlanArgs& plan, std::vector<std::string>* mirrors, Context& context);

}  // namespace torchpatch::cli
