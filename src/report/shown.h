// SPDX-License-Identifier: BSD-3-Clause
/// What `show --json` prints of entries that have no file of their own, or more than their file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/board.h"
#include "model/issue.h"
#include "model/patchset.h"
#include "report/settings.h"
#include "support/json_fields.h"

namespace torchpatch::report {

struct ShownImage {
  std::string board;
  Image image;
  std::vector<std::string> default_for;  ///< ranges of releases
  std::vector<SourceNote> sources;       ///< of the board's, those for its figures
};
FIELDS(ShownImage, ("schema", SchemaVersion{}), board, (kMembersOf, self.image), default_for, sources)

struct ShownFix {
  std::string issue;
  Fix fix;
};
FIELDS(ShownFix, ("schema", SchemaVersion{}), issue, (kMembersOf, self.fix))

struct ShownSetting {
  Setting setting;
};
FIELDS(ShownSetting, ("schema", SchemaVersion{}), (kMembersOf, self.setting))

/// What was recorded of a proof for a release that it is to hold for.
struct ShownOutcome {
  std::string proof;
  Version release;
  std::string state;
  std::optional<std::string> date;
  std::optional<std::map<std::string, std::string>> tools;
};
FIELDS(ShownOutcome, proof, release, state, ("date", self.date, kOptional), ("tools", self.tools, kOptional))

struct ShownPatchset {
  Patchset patchset;
  std::vector<ShownOutcome> outcomes;
};
FIELDS(ShownPatchset, (kMembersOf, self.patchset), outcomes)

}  // namespace torchpatch::report
