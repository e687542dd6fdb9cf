// SPDX-License-Identifier: BSD-3-Clause
/// The whole matrix: every release, board and image, and what becomes of each issue there.
#pragma once

#include <string>
#include <vector>

#include "emit/check/check_report.h"
#include "model/catalog.h"
#include "source/object_source.h"
#include "support/console.h"

namespace torchpatch::ops {

struct CheckOptions {
  std::vector<std::string> releases;  ///< empty = all of the catalog
  std::vector<std::string> boards;    ///< ids or aliases; empty = all
  int jobs = 1;
};

/// Checks the form of every patch, and release by release, in worker processes, what check_release says. `source`:
/// where the pinned files come from; null: the plans alone. Raises usage for a name that the catalog does not know;
/// source where objects are damaged.
emit::CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options,
                        Console& console);

}  // namespace torchpatch::ops
