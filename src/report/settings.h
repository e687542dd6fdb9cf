// SPDX-License-Identifier: BSD-3-Clause
/// What --set takes: facts, and variables that some release reads (internal).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/document.h"
#include "model/catalog.h"
#include "model/flags.h"
#include "support/json_fields.h"

namespace torchpatch::report {

struct Setting {
  std::string name;
  std::string kind;                                    ///< of a fact its kind ("version"), else "variable"
  std::vector<std::string> issues{};                   ///< whose conditions ask for the fact
  std::vector<std::string> fixes{};                    ///< that set the variable
  std::optional<std::vector<std::string>> releases{};  ///< of a variable, those that read it
};
FIELDS(Setting, name, kind, ("releases", self.releases, "that read the variable; null: it is a fact"),
       ("issues", self.issues, "whose conditions ask for the fact"), ("fixes", self.fixes, "that set the variable"))

/// Returns the facts, then the variables, each by name.
std::vector<Setting> settings_of(const Catalog& catalog);

/// Returns which releases read a variable: "1.0.0 to 1.4.1"; of a fact empty text.
std::string readers_of(const Setting& setting, const Catalog& catalog);

/// What 'show setting' and 'flags NAME' say of a setting: `known` is null for a name that nothing reads, `reading`
/// (what one release makes of it) null where no release is named.
Terms setting_terms(const Setting* known, const FlagFact* reading, const std::string& release, const Catalog& catalog);

}  // namespace torchpatch::report
