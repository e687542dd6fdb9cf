// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/resolve_pins.h"

#include <algorithm>
#include <set>

#include "model/url.h"
#include "support/text.h"
#include "upkeep/release/companions.h"
#include "upkeep/release/upstream_tags.h"

namespace torchpatch::upkeep {

namespace {

/// A pin on its way to its commit.
struct PendingPin {
  NewPin pin;
  PinnedComponent pinned;  ///< whose copies have the tag
  bool is_asked_for = true;
  bool has_commit = false;
};

/// Returns the pins that the catalog has of the component from the URL that the new release will have.
PinnedComponent known_pins(const Catalog& catalog, const ComponentPin& before, Component component) {
  PinnedComponent found{.component = component, .url = before.url};
  for (PinnedComponent& pinned : pinned_components(catalog, {component}))
    if (pinned.url == before.url) found = std::move(pinned);
  return found;
}

PendingPin pending_pin(PinnedComponent pinned, const WantedPin& wanted) {
  PendingPin pending{.pin = {.component = pinned.component, .version = wanted.version}, .pinned = std::move(pinned)};
  pending.pin.tag = wanted.tag.empty() ? "v" + wanted.version : wanted.tag;
  if (wanted.commit) pending.pin.commit = *wanted.commit;
  pending.has_commit = wanted.commit.has_value();
  pending.pinned.tags.insert(pending.pin.tag);
  return pending;
}

/// Sets the commit of the tag. Returns why there is none, or empty text.
std::string settle_tag(const UpstreamTags& found, NewPin& pin) {
  if (!found.problem.empty()) return found.problem;
  std::vector<std::string> looked_at, claims;
  std::set<ObjectId> commits;
  for (const TagPlace& place : found.places) {
    const std::string name = redact_url(place.name);
    looked_at.push_back(name);
    const auto tag = std::ranges::find(place.tags, pin.tag, &source::CommitTag::name);
    if (tag == place.tags.end()) continue;
    commits.insert(tag->commit);
    claims.push_back(concat(tag->commit.hex(), " in ", name));
    pin.asked.push_back(place.name);
    pin.commit = tag->commit;
  }
  if (commits.size() > 1) return concat("it is ", join(claims, ", but "));
  return commits.empty() ? concat("there is none in ", join(looked_at, ", ")) : "";
}

std::string option_of(Component component) {
  return component == Component::torch ? "--commit ID" : concat("--", component_name(component), " VERSION=ID");
}

class PinResolver {
 public:
  PinResolver(const Catalog& catalog, const Release& like, const WantedPins& wanted, const source::ObjectSource& source,
              int jobs, Console& console)
      : catalog_(catalog), like_(like), wanted_(wanted), source_(source), jobs_(jobs), console_(console) {}

  ResolvedPins resolve() {
    for (const Component component : kComponents) {
      const auto wanted = wanted_.components.find(component);
      if (wanted == wanted_.components.end())
        look_up(component);
      else if (!wanted->second.version.empty())
        add(component, wanted->second);
    }
    settle_tags();
    for (PendingPin& each : pending_)
      if (each.has_commit) result_.pins.push_back(std::move(each.pin));
    return std::move(result_);
  }

 private:
  void add(Component component, const WantedPin& wanted) {
    const ComponentPin* const before = pin_before(catalog_, like_, component);
    if (!before) {
      throw Error(ErrorKind::usage,
                  concat("no release of the catalog has ", component_name(component), ", so nothing says where it is"));
    }
    pending_.push_back(pending_pin(known_pins(catalog_, *before, component), wanted));
  }

  /// Goes by the companion's tables. Of one that the catalog never had nothing is said.
  void look_up(Component component) {
    const ComponentPin* const before = pin_before(catalog_, like_, component);
    if (!before) return;
    const PinnedComponent pinned = known_pins(catalog_, *before, component);
    const Version torch = *Version::parse(wanted_.components.at(Component::torch).version);
    const CompanionAnswer answer = find_companion(pinned, torch, source_.object_folders(), jobs_);
    if (answer.version.empty()) {
      result_.open.push_back({component, answer.reason});
      return;
    }
    pending_.push_back(pending_pin(pinned, {.version = answer.version}));
    pending_.back().pin.table = answer.table;
    pending_.back().is_asked_for = false;
  }

  void settle_tags() {
    std::vector<PinnedComponent> without;
    for (const PendingPin& each : pending_)
      if (!each.has_commit) without.push_back(each.pinned);
    if (without.empty()) return;
    const std::vector<UpstreamTags> found = wanted_.network ? tags_of_upstream(without, *wanted_.network, console_)
                                                            : tags_of_copies(without, source_.object_folders(), jobs_);
    auto next = found.begin();
    for (PendingPin& each : pending_)
      if (!each.has_commit) settle(*next++, each);
  }

  void settle(const UpstreamTags& found, PendingPin& pending) {
    NewPin& pin = pending.pin;
    const std::string reason = settle_tag(found, pin);
    pending.has_commit = reason.empty();
    if (pending.has_commit) return;
    const std::string what = concat("tag ", quote(pin.tag), " of ", redact_url(pending.pinned.url), " is not known: ");
    if (!pending.is_asked_for) {
      result_.open.push_back({pin.component, concat(pin.version, " goes with it, but ", what, reason)});
      return;
    }
    throw Error(
        ErrorKind::source,
        concat("adding release ", wanted_.components.at(Component::torch).version, ": ", component_name(pin.component),
               ": ", what, reason),
        concat(option_of(pin.component), " names the commit; git ls-remote --tags tells those of upstream's tags"));
  }

  const Catalog& catalog_;
  const Release& like_;
  const WantedPins& wanted_;
  const source::ObjectSource& source_;
  int jobs_;
  Console& console_;
  std::vector<PendingPin> pending_;
  ResolvedPins result_;
};

}  // namespace

std::optional<WantedPin> WantedPin::parse(const std::string& text) {
  if (text == "none") return WantedPin{};
  const std::size_t equals = text.find('=');
  WantedPin pin{.version = text.substr(0, equals)};
  if (!Version::parse(pin.version)) return std::nullopt;
  if (equals == std::string::npos) return pin;
  pin.commit = ObjectId::parse(text.substr(equals + 1));
  return pin.commit ? std::optional(pin) : std::nullopt;
}

const ComponentPin* pin_before(const Catalog& catalog, const Release& like, Component component) {
  if (const ComponentPin* const pin = like.find(component)) return pin;
  for (auto release = catalog.releases.rbegin(); release != catalog.releases.rend(); ++release)
    if (const ComponentPin* const pin = release->second.find(component)) return pin;
  return nullptr;
}

ResolvedPins resolve_pins(const Catalog& catalog, const Release& like, const WantedPins& wanted,
                          const source::ObjectSource& source, int jobs, Console& console) {
  return PinResolver(catalog, like, wanted, source, jobs, console).resolve();
}

}  // namespace torchpatch::upkeep
