// SPDX-License-Identifier: BSD-3-Clause
/// A CPU core of ARM's 64-bit architecture, and what each gcc is told of it. Data: cores.json.
#pragma once

#include <string>
#include <vector>

#include "model/release.h"
#include "model/version.h"

namespace torchpatch {

struct CoreFlags {
  VersionRange gcc;
  std::string flags;
};

struct Core {
  std::string id;                    ///< as -mcpu has it: "neoverse-n1"
  std::vector<std::string> aliases;  ///< "n1"
  std::string arch;                  ///< as -march has it: "armv8.2-a"
  std::vector<CoreFlags> flags;      ///< the first that holds the gcc is taken; the last is for any
};

/// The table of cores.
struct CoreTable {
  std::vector<Core> cores;
  std::vector<SourceNote> sources;

  /// Returns the core of that id or alias, or null.
  const Core* find(std::string_view name) const;
};

}  // namespace torchpatch
