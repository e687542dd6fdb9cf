// SPDX-License-Identifier: BSD-3-Clause
/// Which tags the repositories of torch and its companions have: by the copies at hand, or by asking upstream.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "source/fetch/network.h"
#include "source/store/tags.h"
#include "support/console.h"

namespace torchpatch::upkeep {

/// The pins of a component that come from one URL.
struct PinnedComponent {
  Component component = Component::torch;
  std::string url{};
  std::vector<const ComponentPin*> pins{};  ///< of each version the first
  std::vector<Version> versions{};          ///< of the pins
  std::set<std::string> tags{};             ///< names that are wanted, besides those that releases have

  std::set<ObjectId> commits() const;
};

/// Returns the pins of the components (of all, where none is named); those of stand-ins for PyTorch are left out.
/// Points into `catalog`.
std::vector<PinnedComponent> pinned_components(const Catalog& catalog, const std::vector<Component>& wanted);

/// Returns the version of a tag that is called as releases are: v1.10.2.
std::optional<Version> version_of_tag(std::string_view tag);

/// The tags that one repository has.
struct TagPlace {
  std::string name;  ///< the repository at hand, or the URL that was asked
  std::vector<source::CommitTag> tags;
};

/// The tags of a component: those that releases have, and those that are wanted by name.
struct UpstreamTags {
  std::vector<TagPlace> places{};  ///< that have tags, or that were asked
  std::string problem{};           ///< why nothing is known, or empty
};

/// Looks at the copies below the object folders: a component's are those that have one of its pinned commits. Returns
/// what each component's say, in order. Raises as source::read_tagged_copies.
std::vector<UpstreamTags> tags_of_copies(const std::vector<PinnedComponent>& components,
                                         const std::vector<std::string>& object_folders, int jobs);

/// Asks the recorded URLs, as `network` maps them. Returns what each component's says, in order; times are not known.
/// Raises as source::list_remote_tags, and usage as UrlMap::find.
std::vector<UpstreamTags> tags_of_upstream(const std::vector<PinnedComponent>& components,
                                           const source::NetworkOptions& network, Console& console);

}  // namespace torchpatch::upkeep
