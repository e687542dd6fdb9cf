// SPDX-License-Identifier: BSD-3-Clause
/// outdated: compares the tags of upstream and of the companions with the pins of the catalog (find_news); and which
/// tags their repositories have, by local copies (tags_of_copies) or by asking upstream (tags_of_upstream).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
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
  std::string name;  ///< the local repository, or the URL that was asked
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

struct OutdatedOptions {
  std::vector<Component> components{};  ///< empty: all
  bool pre_releases = false;            ///< they are news as well
  std::optional<std::int64_t> since{};  ///< hides tags whose commits are known to be older, seconds since 1970
  source::NetworkOptions network{};     ///< with mirrors, or offline, nobody is asked
  int jobs = 1;
};

/// Returns the news of each component and URL that the catalog pins; stand-ins for PyTorch have none. A tag is news
/// where it is called as releases are (v2.13.0), its version is none of the catalog's, and newer than the oldest one
/// there; a pre-release is as long as no release of its first two numbers came after it, and nothing later of them is
/// pinned.
///
/// Offline, the tags are those of the repositories below the mirrors, or in the cache where there are no mirrors, that
/// have a pinned commit of the component and some such tag. Raises usage as UrlMap::find does, environment where there
/// is no git program or a mirror is not a directory, source where a copy is damaged. What could not be asked is a
/// problem of its component.
OutdatedReport find_news(const Catalog& catalog, const OutdatedOptions& options, Console& console);

}  // namespace torchpatch::upkeep
