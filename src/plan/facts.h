// SPDX-License-Identifier: BSD-3-Clause
/// make_facts(): the facts known about a build (see the table in docs/formats.md); CPU flags derived from them and from
/// cores.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the facts of a build; --set overrides the others. Raises usage for a lower-case setting that is not a fact
/// (with the nearest names), and for an invalid value.
Facts make_facts(const Release& release, const Board& board, const Image& image, const std::string& python,
                 const std::vector<Component>& components, const std::map<std::string, std::string>& settings);

/// Returns the plan's image with its architecture, and the changes of --set; its os is empty with --set os=none.
Image chosen_image(const Plan& plan);

/// Returns whether a setting is a build variable: it begins with a capital letter, optionally after one '_'; facts do
/// not.
bool is_variable(const std::string& setting);

/// Returns the CPU flags for the board: if its file has -mcpu of a core in the table, and the target is aarch64, the
/// table's flags for the plan's gcc; else those in the file. Needs the plan's facts.
std::string board_cpu_flags(const Catalog& catalog, const Plan& plan);

/// The --build-target whose flags are only those of --set CFLAGS and CXXFLAGS.
inline constexpr const char* kCustomTarget = "custom";

/// Returns the flags of --build-target: those of the named core; for `native`, those of the host's core, or of the
/// board if it builds itself. Raises usage: an unknown name, with the nearest; an architecture other than aarch64;
/// `native` with a cross compiler; and, unless options.force, a core with instructions that the board lacks.
std::string build_target_flags(const Catalog& catalog, const Plan& plan);

}  // namespace torchpatch::plan
