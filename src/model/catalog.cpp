// SPDX-License-Identifier: BSD-3-Clause
#include "model/catalog.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {
namespace {

/// Returns "there is 1.1.0" or "there are 1.10.0, 1.10.1".
std::string there_are(const std::vector<std::string>& names) {
  return (names.size() == 1 ? "there is " : "there are ") + join(names, ", ");
}

template <typename Entry>
std::vector<std::string> ids_of(const std::map<std::string, Entry>& entries) {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries) ids.push_back(id);
  return ids;
}

template <typename Entry>
const Entry& look_up(const std::map<std::string, Entry>& entries, const std::string& kind, const std::string& id) {
  const auto found = entries.find(id);
  if (found == entries.end()) throw unknown_entry(kind, id, ids_of(entries));
  return found->second;
}

/// Returns the ids that share the letters before the first number of `name`: "zcu102" and "zcu104" for "zcu106". Hints
/// never suggest that one number was meant to be another.
std::vector<std::string> same_letters(const std::string& name, const std::vector<std::string>& ids) {
  const std::size_t letters = name.find_first_of("0123456789");
  std::vector<std::string> found;
  if (letters == std::string::npos || letters < 2) return found;
  for (const std::string& id : ids)
    if (starts_with(id, name.substr(0, letters)) && id.find_first_of("0123456789") == letters) found.push_back(id);
  return found;
}

using Releases = std::map<Version, Release>;

std::vector<std::string> family_members(const Releases& releases, const Version& family) {
  std::vector<std::string> names;
  for (const auto& [version, release] : releases) {
    const bool is_longer = version.numbers().size() > family.numbers().size();
    if (is_longer && version.is_in_family(family)) names.push_back(version.text());
  }
  return names;
}

/// Returns the version without its last number: the family of a mistyped release.
std::optional<Version> family_of(const Version& version) {
  return Version::parse(version.text().substr(0, version.text().rfind('.')));
}

Error no_such_release(const Releases& releases, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [version, release] : releases) known.push_back(version.text());
  const std::optional<Version> version = Version::parse(name);
  if (!version) return unknown_entry("release", name, known);
  const std::vector<std::string> members = family_members(releases, *version);
  if (!members.empty()) {
    return Error(ErrorKind::usage,
                 quote(name) + " is not one release; of the " + name + " family " + there_are(members));
  }
  const std::optional<Version> family = family_of(*version);
  const bool has_family = family && version->numbers().size() > 2;
  const std::vector<std::string> siblings = has_family ? family_members(releases, *family) : std::vector<std::string>();
  if (siblings.empty()) return unknown_entry("release", name, known);
  return Error(ErrorKind::usage, "unknown release " + quote(name),
               "of the " + family->text() + " family " + there_are(siblings));
}

}  // namespace

const Release& Catalog::release(const std::string& typed) const {
  const std::string name = starts_with(typed, "v") ? typed.substr(1) : typed;  // as in tags
  // Compare the text too: 1.10 equals 1.10.0, but names a family.
  const std::optional<Version> version = Version::parse(name);
  const auto found = version ? releases.find(*version) : releases.end();
  if (found == releases.end() || found->first.text() != name) throw no_such_release(releases, version ? name : typed);
  return found->second;
}

const Board& Catalog::board(const std::string& typed) const {
  const std::string name = lower_case(typed);
  if (const auto found = boards.find(name); found != boards.end()) return found->second;
  std::vector<std::string> known = ids_of(boards), family;
  for (const auto& [id, board] : boards) {
    bool is_member = starts_with(id, name + "-");
    for (const std::string& alias : board.aliases) {
      if (alias == name) return board;
      is_member = is_member || starts_with(alias, name + "-");
      known.push_back(alias);
    }
    if (is_member) family.push_back(id);
  }
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos && boards.contains(name.substr(0, colon)))
    throw Error(ErrorKind::usage, "unknown board " + quote(typed),
                concat("--board ", name.substr(0, colon), " --image ", name.substr(colon + 1)));
  if (family.size() > 1) throw Error(ErrorKind::usage, quote(typed) + " is not one board: " + there_are(family));
  const std::vector<std::string> similar = same_letters(name, ids_of(boards));
  if (similar.empty()) throw unknown_entry("board", typed, known);
  throw Error(ErrorKind::usage, "unknown board " + quote(typed),
              concat("similar: ", join(similar, ", "), "; 'torchpatch list boards' lists all"));
}

const Issue& Catalog::issue(const std::string& id) const { return look_up(issues, "issue", id); }

const Patchset& Catalog::patchset(const std::string& id) const { return look_up(patchsets, "patchset", id); }

void take_contents(
    Catalog& catalog,
    const std::function<bool(const Version& release, Component component, const ContentPin& content)>& is_chosen) {
  for (auto& [version, release] : catalog.releases)
    for (auto& [component, pin] : release.components)
      if (pin.content && is_chosen(version, component, *pin.content)) pin.take_content();
}

std::vector<const Release*> nearest_releases(const Catalog& catalog, const Version& version) {
  std::vector<const Release*> releases, newer;
  for (const auto& [other, release] : catalog.releases)
    if (other != version) (other < version ? releases : newer).push_back(&release);
  std::ranges::reverse(releases);
  releases.insert(releases.end(), newer.begin(), newer.end());
  return releases;
}

std::vector<std::string> Catalog::releases_at(Component component, const ObjectId& commit) const {
  std::vector<std::string> versions;
  for (const auto& [version, release] : releases) {
    const ComponentPin* pin = release.find(component);
    if (pin && pin->is_at(commit)) versions.push_back(version.text());
  }
  return versions;
}

Error unknown_entry(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
  const std::string suggestion = did_you_mean(name, known);
  const std::string list = "'torchpatch list " + kind + (kind == "fix" ? "es" : "s") + "' lists them";
  return Error(ErrorKind::usage, "unknown " + kind + " " + quote(name), suggestion.empty() ? list : suggestion);
}

std::string releases_where(const Catalog& catalog, const std::function<bool(const Release&)>& holds) {
  std::vector<std::string> runs;
  const Version* first = nullptr;
  const Version* last = nullptr;
  const auto end_run = [&] {
    if (first) runs.push_back(first == last ? first->text() : concat(first->text(), " to ", last->text()));
    first = nullptr;
  };
  for (const auto& [version, release] : catalog.releases) {
    if (!holds(release)) {
      end_run();
      continue;
    }
    if (!first) first = &version;
    last = &version;
  }
  end_run();
  if (runs.size() < 2) return join(runs, "");
  const std::string tail = runs.back();
  runs.pop_back();
  return concat(join(runs, ", "), " and ", tail);
}

void check_fields(ObjectReader& object, const Approval& approval) {
  if (approval.signature.empty()) object.report("signature", "is missing");
}

}  // namespace torchpatch
