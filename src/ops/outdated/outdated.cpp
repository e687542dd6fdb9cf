// SPDX-License-Identifier: BSD-3-Clause
#include "ops/outdated/outdated.h"

#include <algorithm>
#include <set>

#include "model/url.h"
#include "source/fetch/remote_tags.h"
#include "source/store/cache.h"
#include "source/store/mirror.h"
#include "source/store/tags.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using source::CommitTag;

/// The pins of a component that come from one URL.
struct PinnedComponent {
  Component component;
  std::string url;
  std::vector<const ComponentPin*> pins;  ///< of each version the first
  std::vector<Version> versions;          ///< of the pins

  std::set<ObjectId> commits() const {
    std::set<ObjectId> found;
    for (const ComponentPin* pin : pins) found.insert(pin->commit);
    return found;
  }
};

void add_pin(const ComponentPin& pin, Component component, std::vector<PinnedComponent>& components) {
  auto pinned = std::ranges::find_if(
      components, [&](const PinnedComponent& each) { return each.component == component && each.url == pin.url; });
  if (pinned == components.end()) pinned = components.insert(components.end(), {component, pin.url, {}, {}});
  const auto is_same = [&](const ComponentPin* each) { return each->tag == pin.tag && each->commit == pin.commit; };
  if (std::ranges::any_of(pinned->pins, is_same)) return;
  pinned->pins.push_back(&pin);
  if (const auto version = Version::parse(pin.version)) pinned->versions.push_back(*version);
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

/// Returns the version of a tag that is called as releases are: v1.10.2.
std::optional<Version> version_of_tag(std::string_view tag) {
  return starts_with(tag, "v") ? Version::parse(tag.substr(1)) : std::nullopt;
}

/// Returns whether `later` is newer and has the same first two numbers.
bool follows(const Version& later, const Version& version) {
  const std::vector<int>& numbers = version.numbers();
  const auto minor = Version::parse(numbers.size() < 2 ? concat(numbers[0]) : concat(numbers[0], ".", numbers[1]));
  return version < later && later.is_in_family(*minor);
}

/// Compares one repository's tags with the pins.
class Comparison {
 public:
  Comparison(const PinnedComponent& pinned, const std::vector<CommitTag>& tags, const OutdatedOptions& options)
      : pinned_(pinned), tags_(tags), options_(options) {}

  std::vector<NewTag> news() const {
    std::vector<NewTag> news;
    for (const CommitTag& tag : tags_) {
      const auto version = version_of_tag(tag.name);
      if (version && is_news(*version)) news.push_back({*version, tag.name, tag.commit, tag.time});
    }
    std::ranges::stable_sort(news, {}, &NewTag::version);
    return news;
  }

  /// Adds the pins whose tags name another commit, and those whose tags are not there.
  void add_stray_pins(ComponentNews& news) const {
    for (const ComponentPin* pin : pinned_.pins) {
      if (pin->tag.empty()) continue;
      bool is_there = false;
      for (const CommitTag& tag : tags_) {
        if (tag.name != pin->tag) continue;
        is_there = true;
        if (tag.commit != pin->commit) news.moved.push_back({pin->version, pin->tag, pin->commit, tag.commit});
      }
      if (!is_there) news.missing.push_back({pin->version, pin->tag, pin->commit, {}});
    }
  }

 private:
  bool is_pinned(const Version& version) const { return std::ranges::count(pinned_.versions, version) > 0; }

  bool is_news(const Version& version) const {
    const auto oldest = std::ranges::min_element(pinned_.versions);
    if (is_pinned(version) || oldest == pinned_.versions.end() || version < *oldest) return false;
    return !version.is_pre_release() || (options_.pre_releases && is_open(version));
  }

  /// Whether a pre-release has not been followed by a release, nor by anything that is pinned. What it was for may have
  /// come under the next number: audio 2.0.1 after 2.0.0-rc7.
  bool is_open(const Version& version) const {
    const auto is_release_after = [&](const CommitTag& tag) {
      const auto other = version_of_tag(tag.name);
      return other && !other->is_pre_release() && follows(*other, version);
    };
    return std::ranges::none_of(pinned_.versions, [&](const Version& each) { return follows(each, version); }) &&
           std::ranges::none_of(tags_, is_release_after);
  }

  const PinnedComponent& pinned_;
  const std::vector<CommitTag>& tags_;
  const OutdatedOptions& options_;
};

void hide_older(std::optional<std::int64_t> since, std::vector<NewTag>& news) {
  if (since) std::erase_if(news, [&](const NewTag& each) { return each.time && *each.time < *since; });
}

/// The folders whose repositories are looked at where nobody is asked.
std::vector<std::string> local_folders(const source::NetworkOptions& network) {
  if (!network.mirrors.empty()) return network.mirrors;
  const std::string cache = source::Cache(network.cache).repositories();
  return is_directory(cache) ? std::vector<std::string>{cache} : std::vector<std::string>{};
}

/// Adds the tags of a copy; a name that has another commit in another copy stays beside it.
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

/// Looks at copies.
class LocalNews {
 public:
  LocalNews(const std::vector<PinnedComponent>& components, const OutdatedOptions& options, Console& console)
      : options_(options) {
    source::FoundFolders found = source::find_object_folders(local_folders(options.network));
    for (const std::string& warning : found.warnings) console.warning(warning);
    folders_ = std::move(found.object_folders);
    std::set<ObjectId> commits;
    std::set<std::string, std::less<>> names;
    for (const PinnedComponent& pinned : components) {
      commits.merge(pinned.commits());
      for (const ComponentPin* pin : pinned.pins) names.insert(pin->tag);
    }
    const auto is_wanted = [&](std::string_view name) { return names.contains(name) || version_of_tag(name); };
    copies_ = source::read_tagged_copies(folders_, {commits.begin(), commits.end()}, is_wanted, options.jobs);
  }

  ComponentNews look(const PinnedComponent& pinned) const {
    ComponentNews news{pinned.component, pinned.url, {}, {}, {}, {}, {}};
    const std::set<ObjectId> commits = pinned.commits();
    std::vector<CommitTag> tags;
    bool has_copy = false;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const auto is_own = [&](const ObjectId& commit) { return commits.contains(commit); };
      if (std::ranges::none_of(copies_[i].held, is_own)) continue;
      has_copy = true;
      if (copies_[i].tags.empty()) continue;
      news.asked.push_back(parent_path(folders_[i]));
      add_tags(copies_[i].tags, tags);
    }
    if (news.asked.empty())
      news.problem = has_copy ? "no copy of it has tags" : "no repository has a commit that the catalog pins";
    const Comparison comparison(pinned, tags, options_);
    news.news = comparison.news();
    comparison.add_stray_pins(news);
    news.missing.clear();  // a copy may be older than the release
    hide_older(options_.since, news.news);
    return news;
  }

 private:
  const OutdatedOptions& options_;
  std::vector<std::string> folders_;
  std::vector<source::TaggedCopy> copies_;
};

/// Where the recorded URL is asked.
std::string url_to_ask(const PinnedComponent& pinned, const source::NetworkOptions& network) {
  return network.url_map.find(pinned.url).value_or(pinned.url);
}

/// A server says nothing of dates: they are fetched where they are wanted.
void set_times(const std::string& url, const OutdatedOptions& options, Console& console, std::vector<NewTag>& news) {
  if (!options.since || news.empty()) return;
  std::vector<CommitTag> tags;
  for (const NewTag& each : news) tags.push_back({each.tag, each.commit});
  const std::string reason = source::fetch_tag_times(url, tags, options.network.fetch, console);
  if (!reason.empty()) {
    console.warning(
        concat("the dates of ", redact_url(url), " could not be had, so --since hides nothing of it: ", reason));
  }
  for (std::size_t i = 0; i < news.size(); ++i) news[i].time = tags[i].time;
}

std::vector<ComponentNews> ask_all(const std::vector<PinnedComponent>& components, const OutdatedOptions& options,
                                   Console& console) {
  std::vector<source::TagQuery> queries;
  for (const PinnedComponent& pinned : components) {
    std::set<std::string> patterns = {"v[0-9]*"};
    for (const ComponentPin* pin : pinned.pins)
      if (!pin->tag.empty() && !version_of_tag(pin->tag)) patterns.insert(pin->tag);
    queries.push_back({url_to_ask(pinned, options.network), {patterns.begin(), patterns.end()}});
  }
  const std::vector<source::RemoteTags> answers = source::list_remote_tags(queries, options.network.fetch, console);
  std::vector<ComponentNews> all;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string& url = queries[i].url;
    ComponentNews news{components[i].component, components[i].url, {url}, answers[i].reason, {}, {}, {}};
    if (news.problem.empty()) {
      const Comparison comparison(components[i], answers[i].tags, options);
      news.news = comparison.news();
      comparison.add_stray_pins(news);
      set_times(url, options, console, news.news);
      hide_older(options.since, news.news);
    }
    all.push_back(std::move(news));
  }
  return all;
}

}  // namespace

OutdatedReport find_news(const Catalog& catalog, const OutdatedOptions& options, Console& console) {
  const std::vector<PinnedComponent> components = pinned_components(catalog, options.components);
  if (!options.network.offline && options.network.mirrors.empty()) return {ask_all(components, options, console)};
  const LocalNews local(components, options, console);
  OutdatedReport report;
  for (const PinnedComponent& pinned : components) report.components.push_back(local.look(pinned));
  return report;
}

}  // namespace torchpatch::ops
