// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/upstream_tags.h"

#include <algorithm>

#include "source/store/tags.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

void add_pin(const ComponentPin& pin, Component component, std::vector<PinnedComponent>& components) {
  auto pinned = std::ranges::find_if(
      components, [&](const PinnedComponent& each) { return each.component == component && each.url == pin.url; });
  if (pinned == components.end())
    pinned = components.insert(components.end(), {.component = component, .url = pin.url});
  const auto is_same = [&](const ComponentPin* each) { return each->tag == pin.tag && each->commit == pin.commit; };
  if (std::ranges::any_of(pinned->pins, is_same)) return;
  pinned->pins.push_back(&pin);
  if (!pin.tag.empty() && !version_of_tag(pin.tag)) pinned->tags.insert(pin.tag);
  if (const auto version = Version::parse(pin.version)) pinned->versions.push_back(*version);
}

/// Where the recorded URL is asked.
std::string url_to_ask(const PinnedComponent& pinned, const source::NetworkOptions& network) {
  return network.url_map.find(pinned.url).value_or(pinned.url);
}

}  // namespace

std::set<ObjectId> PinnedComponent::commits() const {
  std::set<ObjectId> found;
  for (const ComponentPin* pin : pins) found.insert(pin->commit);
  return found;
}

std::vector<PinnedComponent> pinned_components(const Catalog& catalog, const std::vector<Component>& wanted) {
  std::vector<PinnedComponent> components;
  for (const Component component : kComponents) {
    if (!wanted.empty() && std::ranges::find(wanted, component) == wanted.end()) continue;
    for (const auto& [version, release] : catalog.releases)
      if (const ComponentPin* pin = release.find(component); pin && !release.stand_in)
        add_pin(*pin, component, components);
  }
  return components;
}

std::optional<Version> version_of_tag(std::string_view tag) {
  return starts_with(tag, "v") ? Version::parse(tag.substr(1)) : std::nullopt;
}

std::vector<UpstreamTags> tags_of_copies(const std::vector<PinnedComponent>& components,
                                         const std::vector<std::string>& object_folders, int jobs) {
  std::set<ObjectId> commits;
  std::set<std::string, std::less<>> names;
  for (const PinnedComponent& pinned : components) {
    commits.merge(pinned.commits());
    names.insert(pinned.tags.begin(), pinned.tags.end());
  }
  const auto is_wanted = [&](std::string_view name) { return names.contains(name) || version_of_tag(name); };
  const std::vector<source::TaggedCopy> copies =
      source::read_tagged_copies(object_folders, {commits.begin(), commits.end()}, is_wanted, jobs);

  std::vector<UpstreamTags> found;
  for (const PinnedComponent& pinned : components) {
    const std::set<ObjectId> own = pinned.commits();
    UpstreamTags tags;
    bool has_copy = false;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (std::ranges::none_of(copies[i].held, [&](const ObjectId& commit) { return own.contains(commit); })) continue;
      has_copy = true;
      if (!copies[i].tags.empty()) tags.places.push_back({parent_path(object_folders[i]), copies[i].tags});
    }
    if (tags.places.empty())
      tags.problem = has_copy ? "no copy of it has tags" : "no repository has a commit that the catalog pins";
    found.push_back(std::move(tags));
  }
  return found;
}

std::vector<UpstreamTags> tags_of_upstream(const std::vector<PinnedComponent>& components,
                                           const source::NetworkOptions& network, Console& console) {
  if (components.empty()) return {};
  std::vector<source::TagQuery> queries;
  for (const PinnedComponent& pinned : components) {
    std::vector<std::string> patterns(pinned.tags.begin(), pinned.tags.end());
    patterns.push_back("v[0-9]*");
    queries.push_back({url_to_ask(pinned, network), std::move(patterns)});
  }
  std::vector<UpstreamTags> found;
  for (source::RemoteTags& answer : source::list_remote_tags(queries, network.fetch, console))
    found.push_back({{{queries[found.size()].url, std::move(answer.tags)}}, std::move(answer.reason)});
  return found;
}

}  // namespace torchpatch::upkeep
