// SPDX-License-Identifier: BSD-3-Clause
/// outdated: compares the tags of upstream and of the companions with the catalog's pins (find_news); lists the tags of
/// local copies (tags_of_copies) or of upstream (tags_of_upstream).
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

/// The pins of a component with the same URL.
struct PinnedComponent {
  Component component = Component::torch;
  std::string url{};
  std::vector<const ComponentPin*> pins{};  ///< the first of each version
  std::vector<Version> versions{};          ///< of the pins
  std::set<std::string> tags{};             ///< requested names, besides those of releases

  std::set<ObjectId> commits() const;
};

/// Returns the pins of the components (of all, if none is given), except those of stand-ins for PyTorch. Points into
/// `catalog`.
std::vector<PinnedComponent> pinned_components(const Catalog& catalog, const std::vector<Component>& wanted);

/// Returns the version of a tag named like releases: v1.10.2.
std::optional<Version> version_of_tag(std::string_view tag);

/// The tags of one repository.
struct TagPlace {
  std::string name;  ///< the local repository, or the URL queried
  std::vector<source::CommitTag> tags;
};

/// The tags of a component: those named like releases, and those requested by name.
struct UpstreamTags {
  std::vector<TagPlace> places{};  ///< with tags, or queried
  std::string problem{};           ///< why nothing is known, or empty
};

/// Reads the copies below the object folders: a component's are those with one of its pinned commits. Returns the tags
/// of each component, in order. Raises as source::read_tagged_copies.
std::vector<UpstreamTags> tags_of_copies(const std::vector<PinnedComponent>& components,
                                         const std::vector<std::string>& object_folders, int jobs);

/// Queries the recorded URLs, as mapped by `network`. Returns the tags of each component, in order, without times.
/// Raises as source::list_remote_tags, and usage as UrlMap::find.
std::vector<UpstreamTags> tags_of_upstream(const std::vector<PinnedComponent>& components,
                                           const source::NetworkOptions& network, Console& console);

struct OutdatedOptions {
  std::vector<Component> components{};  ///< empty: all
  bool pre_releases = false;            ///< report them too
  std::optional<std::int64_t> since{};  ///< hides tags whose commits are known to be older; seconds since 1970
  source::NetworkOptions network{};     ///< with mirrors, or offline, nothing is queried
  int jobs = 1;
};

/// Returns the news for each component and URL that the catalog pins, except stand-ins for PyTorch. A tag is news if it
/// is named like a release (v2.13.0), and its version is not in the catalog, and newer than the oldest there; a
/// pre-release only until a release with the same first two numbers exists, and if nothing later of these is pinned.
///
/// Offline, the tags are those of repositories below the mirrors (or in the cache, if there are no mirrors) that have a
/// pinned commit of the component and such a tag. Raises usage as UrlMap::find, environment if there is no git program
/// or a mirror is not a directory, source if a copy is damaged. A failed query is a problem of its component.
OutdatedReport find_news(const Catalog& catalog, const OutdatedOptions& options, Console& console);

}  // namespace torchpatch::upkeep
