// SPDX-License-Identifier: BSD-3-Clause
/// A machine that builds for the board, and whether what it builds will run there.
#pragma once

#include "model/plan.h"

namespace torchpatch::plan {

/// Where options.host names one, sets plan.host (the named image, else the first that can build for the board), lets it
/// decide the facts of the build (gcc, cmake, memory_mib; glibc unless `cross` is true), and warns of what differs.
/// Needs the board's image, Python and facts in the plan.
///
/// Raises usage: an unknown board or image, with the nearest names; no image (or not the one named) that can build for
/// the board, unless options.force: another instruction set without `cross`, a glibc newer than the board's without
/// `cross` (its symbols are not there: GNU libc is compatible upwards only), without the Python or the CUDA of the
/// board's image.
void plan_host(const Catalog& catalog, Plan& plan);

}  // namespace torchpatch::plan
