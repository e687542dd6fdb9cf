// SPDX-License-Identifier: BSD-3-Clause
/// What the planner says of a build on a host: its own conditions, evaluated with what was read there (internal).
#pragma once

#include <string>
#include <vector>

#include "model/host_facts.h"
#include "ops/doctor.h"
#include "plan/fix_choice.h"

namespace torchpatch::ops {

struct HostPlan {
  Plan plan;  ///< release, board, image (null without a board), python of the target, facts, components
  std::vector<plan::FixChoice> choices;  ///< one for every issue, by id
};

/// Lays what was read over the facts of the board and its image, --set over both. Without a board the host is the
/// target; what cannot be read there (the GPU's figures, which libraries are to be had) stays unknown. Raises usage for
/// an unknown release, board or image and for a wrong --set. The result points into `catalog`.
HostPlan plan_on_host(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host);

}  // namespace torchpatch::ops
