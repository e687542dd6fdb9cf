// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/outdated.h"

#include <algorithm>

#include "model/url.h"
#include "source/closure/object_source.h"
#include "source/store/cache.h"
#include "source/store/tags.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/release/upstream_tags.h"

namespace torchpatch::upkeep {

namespace {

using source::CommitTag;

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
    if (std::ranges::any_of(pinned_.versions, [&](const Version& each) { return follows(each, version); }))
      return false;  // mended by what is pinned: vision 0.8.1 after 0.8.0
    return !version.is_pre_release() || (options_.pre_releases && is_open(version));
  }

  /// Whether a pre-release has not been followed by a release. What it was for may have come under the next number:
  /// audio 2.0.1 after 2.0.0-rc7.
  bool is_open(const Version& version) const {
    const auto is_release_after = [&](const CommitTag& tag) {
      const auto other = version_of_tag(tag.name);
      return other && !other->is_pre_release() && follows(*other, version);
    };
    return std::ranges::none_of(tags_, is_release_after);
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

/// What the tags say of the pins.
ComponentNews news_of(const PinnedComponent& pinned, const UpstreamTags& found, const OutdatedOptions& options) {
  ComponentNews news{pinned.component, pinned.url, {}, found.problem, {}, {}, {}};
  std::vector<CommitTag> tags;
  for (const TagPlace& place : found.places) {
    news.asked.push_back(place.name);
    add_tags(place.tags, tags);
  }
  if (!news.problem.empty()) return news;
  const Comparison comparison(pinned, tags, options);
  news.news = comparison.news();
  comparison.add_stray_pins(news);
  return news;
}

std::vector<std::string> copies_at_hand(const source::NetworkOptions& network, Console& console) {
  source::FoundFolders found = source::find_object_folders(local_folders(network));
  for (const std::string& warning : found.warnings) console.warning(warning);
  return std::move(found.object_folders);
}

}  // namespace

OutdatedReport find_news(const Catalog& catalog, const OutdatedOptions& options, Console& console) {
  const std::vector<PinnedComponent> components = pinned_components(catalog, options.components);
  const bool is_local = options.network.offline || !options.network.mirrors.empty();
  const std::vector<UpstreamTags> found =
      is_local ? tags_of_copies(components, copies_at_hand(options.network, console), options.jobs)
               : tags_of_upstream(components, options.network, console);
  OutdatedReport report;
  for (std::size_t i = 0; i < components.size(); ++i) {
    ComponentNews news = news_of(components[i], found[i], options);
    if (is_local)
      news.missing.clear();  // a copy may be older than the release
    else
      set_times(news.asked[0], options, console, news.news);
    hide_older(options.since, news.news);
    report.components.push_back(std::move(news));
  }
  return report;
}

}  // namespace torchpatch::upkeep
