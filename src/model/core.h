// SPDX-License-Identifier: BSD-3-Clause
/// A CPU core of ARM's 64-bit architecture, and what each gcc is told of it. Data: cores.json.
#pragma once

#include <string>
#include <vector>

#include "model/release.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/json_fields.h"

namespace torchpatch {

struct CoreFlags {
  VersionRange gcc;
  std::string flags;
};
FIELDS(CoreFlags, ("gcc", self.gcc, kNoPreRelease), ("flags", self.flags, kLineRule))

struct Core {
  std::string id;                    ///< as -mcpu has it: "neoverse-n1"
  std::vector<std::string> aliases;  ///< "n1"
  std::string arch;                  ///< as -march has it: "armv8.2-a"
  std::vector<CoreFlags> flags;      ///< the first that holds the gcc is taken; the last is for any
};
FIELDS(Core, ("id", self.id, kIdRule, "as -mcpu spells it"), ("aliases", self.aliases, kOptional, kIdRule, kUnique),
       ("arch", self.arch, kArchitectureRule, "as -march spells it"),
       ("flags", self.flags, kNotEmpty, "the first whose gcc matches; the last is for any gcc"))
/// Reports flags that do not end with those for any gcc.
void check_fields(ObjectReader& object, const Core& core);

/// The table of cores.
struct CoreTable {
  std::vector<Core> cores;
  std::vector<SourceNote> sources;

  /// Returns the core of that id or alias, or null.
  const Core* find(std::string_view name) const;
};
FIELDS(CoreTable, ("schema", SchemaVersion{}), ("cores", self.cores, kNotEmpty), ("sources", self.sources, kNotEmpty))
/// Reports cores of one name.
void check_fields(ObjectReader& object, const CoreTable& table);

}  // namespace torchpatch
