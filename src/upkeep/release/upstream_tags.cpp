// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/upstream_tags.h"

#include <algorithm>

#include "model/url.h"
#include "source/closure/object_source.h"
#include "source/store/cache.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

using source::CommitTag;

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

/// Returns whether `later` is newer with the same first two numbers.
bool follows(const Version& later, const Version& version) {
  const std::vector<int>& numbers = version.numbers();
  const auto minor = Version::parse(numbers.size() < 2 ? concat(numbers[0]) : concat(numbers[0], ".", numbers[1]));
  return version < later && later.is_in_family(*minor);
}

/// Returns whether a tag's version is news: not pinned, not older than all pins, and not fixed by a pinned one (vision
/// 0.8.1 after 0.8.0).
bool is_news(const Version& version, const PinnedComponent& pinned, const std::vector<CommitTag>& tags,
             const OutdatedOptions& options) {
  const std::vector<Version>& known = pinned.versions;
  const auto oldest = std::ranges::min_element(known);
  if (std::ranges::count(known, version) > 0 || oldest == known.end() || version < *oldest) return false;
  if (std::ranges::any_of(known, [&](const Version& each) { return follows(each, version); })) return false;
  if (!version.is_pre_release()) return true;
  // A pre-release is not news if a release followed it, possibly under the next number: audio 2.0.1 after 2.0.0-rc7.
  return options.pre_releases && std::ranges::none_of(tags, [&](const CommitTag& tag) {
           const auto other = version_of_tag(tag.name);
           return other && !other->is_pre_release() && follows(*other, version);
         });
}

/// Adds the tags of a copy; a name with another commit in another copy is kept too.
void add_tags(const std::vector<CommitTag>& more, std::vector<CommitTag>& tags) {
  for (const CommitTag& tag : more) {
    const auto is_same = [&](const CommitTag& each) { return each.name == tag.name && each.commit == tag.commit; };
    const auto known = std::ranges::find_if(tags, is_same);
    if (known == tags.end())
      tags.push_back(tag);
    else if (!known->time)
      known->time = tag.time;
  }
}

/// Fetches dates if they are needed, since servers do not list them.
void set_times(const std::string& url, const OutdatedOptions& options, Console& console, std::vector<NewTag>& news) {
  if (!options.since || news.empty()) return;
  std::vector<CommitTag> tags;
  for (const NewTag& each : news) tags.push_back({each.tag, each.commit});
  const std::string reason = source::fetch_tag_times(url, tags, options.network.fetch, console);
  if (!reason.empty())
    console.warning(
        concat("the dates of ", redact_url(url), " are unavailable, so --since does not apply to it: ", reason));
  for (std::size_t i = 0; i < news.size(); ++i) news[i].time = tags[i].time;
}

/// Compares the tags with the pins.
ComponentNews news_of(const PinnedComponent& pinned, const UpstreamTags& found, const OutdatedOptions& options) {
  ComponentNews news{pinned.component, pinned.url, {}, found.problem, {}, {}, {}};
  std::vector<CommitTag> tags;
  for (const TagPlace& place : found.places) {
    news.asked.push_back(place.name);
    add_tags(place.tags, tags);
  }
  if (!news.problem.empty()) return news;
  for (const CommitTag& tag : tags) {
    const auto version = version_of_tag(tag.name);
    if (version && is_news(*version, pinned, tags, options))
      news.news.push_back({*version, tag.name, tag.commit, tag.time});
  }
  std::ranges::stable_sort(news.news, {}, &NewTag::version);
  for (const ComponentPin* pin : pinned.pins) {
    if (pin->is_content()) continue;  // its commit has no tag
    if (pin->tag.empty()) continue;
    bool is_there = false;
    for (const CommitTag& tag : tags) {
      if (tag.name != pin->tag) continue;
      is_there = true;
      if (tag.commit != pin->commit) news.moved.push_back({pin->version, pin->tag, pin->commit, tag.commit});
    }
    if (!is_there) news.missing.push_back({pin->version, pin->tag, pin->commit, {}});
  }
  return news;
}

/// Returns the object folders of the mirrors, or of the cache, for use without the network.
std::vector<std::string> local_copies(const source::NetworkOptions& network, Console& console) {
  std::vector<std::string> folders = network.mirrors;
  if (folders.empty()) {
    const std::string cache = source::Cache(network.cache).repositories();
    if (is_directory(cache)) folders.push_back(cache);
  }
  return source::find_object_folders(folders, console);
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
    queries.push_back({network.url_map.find(pinned.url).value_or(pinned.url), std::move(patterns)});
  }
  std::vector<UpstreamTags> found;
  for (source::RemoteTags& answer : source::list_remote_tags(queries, network.fetch, console))
    found.push_back({{{queries[found.size()].url, std::move(answer.tags)}}, std::move(answer.reason)});
  return found;
}

OutdatedReport find_news(const Catalog& catalog, const OutdatedOptions& options, Console& console) {
  const std::vector<PinnedComponent> components = pinned_components(catalog, options.components);
  const bool is_local = options.network.offline || !options.network.mirrors.empty();
  const std::vector<UpstreamTags> found =
      is_local ? tags_of_copies(components, local_copies(options.network, console), options.jobs)
               : tags_of_upstream(components, options.network, console);
  OutdatedReport report;
  for (std::size_t i = 0; i < components.size(); ++i) {
    ComponentNews news = news_of(components[i], found[i], options);
    if (is_local)
      news.missing.clear();  // a copy may be older than the release
    else
      set_times(news.asked[0], options, console, news.news);
    if (options.since)
      std::erase_if(news.news, [&](const NewTag& each) { return each.time && *each.time < *options.since; });
    report.components.push_back(std::move(news));
  }
  return report;
}

}  // namespace torchpatch::upkeep
