// SPDX-License-Identifier: BSD-3-Clause
/// What the compiler is told of the CPU, by the core and by what that compiler knows (cores.json).
#pragma once

#include <string>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the flags for the board's CPU: where they are -mcpu of a core in the table, for aarch64, those that the
/// table has for the plan's gcc; else as the board's file has them. Needs the facts in the plan.
std::string board_cpu_flags(const Catalog& catalog, const Plan& plan);

/// Returns the flags of --build-target: of the core of that name; of `native`, those of the host's core, or the board's
/// where it builds itself. Raises usage: an unknown name, with the nearest; another instruction set than aarch64;
/// `native` of a cross compiler; and, unless options.force, a core whose instructions the board lacks.
std::string build_target_flags(const Catalog& catalog, const Plan& plan);

}  // namespace torchpatch::plan
