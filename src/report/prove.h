// SPDX-License-Identifier: BSD-3-Clause
/// What prove found.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/proof.h"
#include "model/prove.h"
#include "report/show.h"

namespace torchpatch::report {

/// JSON: {"schema":1, "proofs":[{patch, proof, release, variant, before_exit, after_exit, verdict, …}],
/// "unproven":[…]}.
std::string prove_report(const ProveReport& report, Format format);

}  // namespace torchpatch::report
