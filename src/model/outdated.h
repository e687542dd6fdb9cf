// SPDX-License-Identifier: BSD-3-Clause
/// What upstream's tags say that the catalog does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/repository_path.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch {

/// A tag that no release of the catalog pins.
struct NewTag {
  Version version;
  std::string tag;
  ObjectId commit;
  std::optional<std::int64_t> time;  ///< of the commit, seconds since 1970, where it is known
};
FIELDS(NewTag, version, tag, commit, ("pre", derived([&] { return self.version.is_pre_release(); })),
       ("date", derived([&] { return self.time ? std::optional(day_text(*self.time)) : std::nullopt; })))

/// A pin whose tag names another commit, or is not there any more.
struct StrayPin {
  std::string version;  ///< of the component
  std::string tag;
  ObjectId pinned;
  std::optional<ObjectId> found;
};
FIELDS(StrayPin, version, tag, pinned, ("found", self.found, kOptional))

struct ComponentNews {
  Component component = Component::torch;
  std::string url;                 ///< as the catalog has it
  std::vector<std::string> asked;  ///< the URL that was asked, or the repositories that were looked at
  std::string problem;             ///< why nothing is known, or empty
  std::vector<NewTag> news;        ///< by version
  std::vector<StrayPin> moved;
  std::vector<StrayPin> missing;  ///< their tags are not there; of copies nothing is said

  bool has_news() const { return !news.empty() || !moved.empty() || !missing.empty(); }
};
FIELDS(ComponentNews, component, url, asked, ("problem", self.problem, kNullIfNothing), ("new", self.news), moved,
       ("missing_tags", self.missing))

struct OutdatedReport {
  std::vector<ComponentNews> components;
};
FIELDS(OutdatedReport, ("schema", SchemaVersion{}), components)

}  // namespace torchpatch
