// SPDX-License-Identifier: BSD-3-Clause
/// make_facts(): what is known of a build (the table of facts in docs/formats.md); and the flags of the CPU that follow
/// from the facts and cores.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the facts of a build, those of --set over the others. Raises usage for a lower-case setting that is no fact,
/// with the nearest names, and for a value that its fact cannot have.
Facts make_facts(const Release& release, const Board& board, const Image& image, const std::string& python,
                 const std::vector<Component>& components, const std::map<std::string, std::string>& settings);

/// Returns the image that the plan is for, with its architecture, and what --set says of it over the rest; its os is
/// empty with --set os=none.
Image chosen_image(const Plan& plan);

/// Returns true for the name of a variable of the build: it begins with a capital letter, perhaps
/// behind one '_'; facts do not.
bool is_variable(const std::string& setting);

/// Returns the flags for the board's CPU: where they are -mcpu of a core in the table, for aarch64, those that the
/// table has for the plan's gcc; else as the board's file has them. Needs the facts in the plan.
std::string board_cpu_flags(const Catalog& catalog, const Plan& plan);

/// The --build-target whose flags are those of --set CFLAGS and CXXFLAGS alone.
inline constexpr const char* kCustomTarget = "custom";

/// Returns the flags of --build-target: of the core of that name; of `native`, those of the host's core, or the board's
/// where it builds itself. Raises usage: an unknown name, with the nearest; another instruction set than aarch64;
/// `native` of a cross compiler; and, unless options.force, a core whose instructions the board lacks.
std::string build_target_flags(const Catalog& catalog, const Plan& plan);

}  // namespace torchpatch::plan
