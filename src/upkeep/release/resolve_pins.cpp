// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include "git/object_store.h"
#include "model/url.h"
#include "support/fields.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"
#include "upkeep/release/add_release.h"
#include "upkeep/release/upstream_tags.h"

namespace torchpatch::upkeep {

namespace {

/// Present and former locations of upstream's tables.
constexpr const char* kTableFiles[] = {"README.md", "README.rst", "docs/source/installation.rst"};
/// Longest cell parsed as a version.
constexpr std::size_t kMaxCell = 32;

/// Length of a version that identifies one release: 0.16.0, not 0.16.
constexpr std::size_t kReleaseNumbers = 3;

std::string cell_text(std::string_view cell) {
  std::string text;
  for (const char c : cell)
    if (c != '`') text += c;
  return std::string(trim(text));
}

/// Returns the first two cells of the table row that begins at line `at`, or nothing.
std::vector<std::string> cells_at(const std::vector<std::string>& lines, std::size_t at) {
  const std::string line(trim(lines[at]));
  if (starts_with(line, "|")) {
    const std::vector<std::string> parts = split(line, '|');
    return parts.size() < 4 ? std::vector<std::string>{} : std::vector{cell_text(parts[1]), cell_text(parts[2])};
  }
  const std::string next(at + 1 < lines.size() ? trim(lines[at + 1]) : "");
  if (!starts_with(line, "* - ") || !starts_with(next, "- ")) return {};
  return {cell_text(line.substr(4)), cell_text(next.substr(2))};
}

bool names_one_release(const std::string& text) {
  const auto version = Version::parse(text);
  return version && version->numbers().size() >= kReleaseNumbers;
}

std::string without_bound(const std::string& torch) { return starts_with(torch, "<=") ? torch.substr(2) : torch; }

/// Returns whether torch's cell covers that version: "2.1.0", "2.1", "<=1.0.1".
bool speaks_of(const std::string& cell, const Version& torch) {
  const auto version = Version::parse(without_bound(cell));
  if (!version) return false;
  if (cell != version->text()) return torch <= *version;
  return names_one_release(cell) ? torch == *version : torch.is_in_family(*version);
}

/// The rows of a file, and the newest commit that has it.
struct FoundTable {
  std::int64_t time = 0;
  CompanionTable table;
  std::vector<CompanionRow> rows;
};
FIELDS(FoundTable, time, ("repository", self.table.repository), ("commit", self.table.commit),
       ("file", self.table.file), rows)

/// The tables with a row for torch; nothing: not a copy of the component.
using CopyTables = std::optional<std::vector<FoundTable>>;

/// Returns whether a reference is one of upstream's release branches or a release tag: "heads/main",
/// "remotes/origin/release/0.22", "tags/v0.22.0".
bool may_have_table(std::string_view reference) {
  if (starts_with(reference, "tags/")) return version_of_tag(reference.substr(5)).has_value();
  const bool is_remote = starts_with(reference, "remotes/");
  if (!is_remote && !starts_with(reference, "heads/")) return false;
  const std::string_view branch = reference.substr(reference.find('/', is_remote ? 8 : 0) + 1);
  return branch == "main" || branch == "master" || starts_with(branch, "release/");
}

/// Returns the blob at a path below a tree, or nothing if it does not exist or is missing.
std::optional<ObjectId> blob_at(git::ObjectStore& store, ObjectId tree, const std::string& path) {
  for (const std::string& name : split(path, '/')) {
    const std::optional<git::Object> object = store.read(tree);
    if (!object || object->type != git::ObjectType::tree) return std::nullopt;
    const std::vector<git::TreeEntry> entries = git::parse_tree(object->bytes);
    const auto entry = std::ranges::find(entries, name, &git::TreeEntry::name);
    if (entry == entries.end()) return std::nullopt;
    tree = entry->id;
  }
  return tree;
}

/// Reads the tables of one copy, in a worker.
CopyTables read_tables(const PinnedComponent& pinned, const Version& torch, const std::string& object_folder) {
  const std::string repository = parent_path(object_folder);
  git::ObjectStore store({object_folder});
  std::map<ObjectId, FoundTable> tables;  // by blob
  bool is_copy = false;
  const auto add = [&](ObjectId id) {  // follows annotated tags; missing objects and non-commits have no tables
    std::optional<git::Object> object = store.read(id);
    if (object && object->type == git::ObjectType::tag) {
      id = git::parse_tag(object->bytes);
      object = store.read(id);
    }
    if (!object || object->type != git::ObjectType::commit) return;
    is_copy = true;
    const git::Commit commit = git::parse_commit(object->bytes);
    for (const char* file : kTableFiles) {
      const auto blob = blob_at(store, commit.tree, file);
      if (!blob) continue;
      const auto [place, is_new] = tables.try_emplace(*blob);
      FoundTable& found = place->second;
      if (is_new) {
        const std::optional<git::Object> text = store.read(*blob);
        if (text && text->type == git::ObjectType::blob)
          found.rows = companion_rows(text->bytes, pinned.component, torch);
      }
      if (commit.time < found.time) continue;
      found.time = commit.time;
      found.table = {repository, id, file};
    }
  };
  for (const ObjectId& commit : pinned.commits())
    if (store.find(commit) >= 0) add(commit);
  if (!is_copy) return std::nullopt;
  if (const auto head = source::read_head(repository)) add(*head);
  for (const auto& [name, id] : source::read_references(repository, "refs/", may_have_table)) add(id);
  std::vector<FoundTable> with_rows;
  for (auto& [blob, found] : tables)
    if (!found.rows.empty()) with_rows.push_back(std::move(found));
  return with_rows;
}

/// Sets the version and table of the companion for torch. Returns why it could not be determined, or empty text.
std::string find_companion(const PinnedComponent& pinned, const Version& torch,
                           const std::vector<std::string>& object_folders, int jobs, NewPin& pin) {
  std::vector<CopyTables> copies = map_in_workers(
      object_folders.size(), jobs, [&](std::size_t item) { return read_tables(pinned, torch, object_folders[item]); },
      [&](std::size_t item) { return "reading the tables of " + quote(parent_path(object_folders[item])); });

  std::vector<FoundTable> tables;
  for (CopyTables& copy : copies)
    if (copy) std::ranges::move(*copy, std::back_inserter(tables));
  std::ranges::stable_sort(tables, std::ranges::greater(), &FoundTable::time);
  for (const bool exact : {true, false}) {  // inexact ones only if there are no exact ones
    for (const FoundTable& found : tables) {
      std::vector<std::string> versions;  // no duplicates
      std::string row_torch;
      for (const CompanionRow& row : found.rows) {
        if (is_exact(row) != exact || std::ranges::count(versions, row.companion) > 0) continue;
        if (versions.empty()) row_torch = row.torch;
        versions.push_back(row.companion);
      }
      if (versions.empty()) continue;
      pin.table = found.table;
      pin.version = versions[0];
      if (exact && versions.size() == 1) return {};
      return concat("for torch ", row_torch, " ", found.table.file, " of commit ", found.table.commit.hex(), " in ",
                    quote(found.table.repository), " has ", join(collect(versions, quote), " and "),
                    ", which is not a single release");
    }
  }
  return std::ranges::any_of(copies, [](const CopyTables& copy) { return copy.has_value(); })
             ? concat("no version table of its copies has a row for torch ", torch.text())
             : "no available repository with a version table has a commit that the catalog pins";
}

/// A pin whose commit is not determined yet.
struct PendingPin {
  NewPin pin;
  PinnedComponent pinned;  ///< whose copies have the tag
  bool is_asked_for = true;
  bool has_commit = false;
};

/// Returns the catalog's pins of the component with the URL that the new release will have.
PinnedComponent known_pins(const Catalog& catalog, const ComponentPin& before, Component component) {
  PinnedComponent found{.component = component, .url = before.url};
  for (PinnedComponent& pinned : pinned_components(catalog, {component}))
    if (pinned.url == before.url) found = std::move(pinned);
  return found;
}

/// Sets the tag's commit. Returns why there is none, or empty text.
std::string commit_of_tag(const UpstreamTags& found, NewPin& pin) {
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
  return commits.empty() ? concat("not found in ", join(looked_at, ", ")) : "";
}

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

std::vector<CompanionRow> companion_rows(std::string_view text, Component component, const Version& torch) {
  const std::string wanted = concat("torch", name_of(component));
  const std::vector<std::string> lines = split(std::string(text), '\n');
  std::vector<CompanionRow> rows;
  bool is_inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_at(lines, i);
    const std::string_view line = trim(lines[i]);
    is_inside = is_inside && (line.empty() || std::string_view("|+-*").find(line[0]) != std::string_view::npos);
    if (cells.empty()) continue;
    const std::string first = lower_case(cells[0]);
    if (first == "torch" || first == "pytorch")
      is_inside = lower_case(cells[1]) == wanted;
    else if (is_inside && cells[1].size() <= kMaxCell && speaks_of(cells[0], torch))
      rows.push_back({cells[0], cells[1]});
  }
  return rows;
}

bool is_exact(const CompanionRow& row) {
  return names_one_release(without_bound(row.torch)) && names_one_release(row.companion);
}

const ComponentPin* pin_before(const Catalog& catalog, const Release& like, Component component) {
  if (const ComponentPin* const pin = like.find(component)) return pin;
  for (auto release = catalog.releases.rbegin(); release != catalog.releases.rend(); ++release)
    if (const ComponentPin* const pin = release->second.find(component)) return pin;
  return nullptr;
}

void resolve_pins(const Catalog& catalog, const Release& like, const AddReleaseOptions& options,
                  const source::ObjectSource& source, Console& console, ReleaseDraft& draft) {
  const std::string& torch = options.wanted.at(Component::torch).version;
  std::vector<PendingPin> all;
  for (const Component component : kComponents) {
    const WantedPin* const wanted = find_value(options.wanted, component);
    if (wanted && wanted->version.empty()) continue;
    const ComponentPin* const before = pin_before(catalog, like, component);
    if (!before && !wanted) continue;  // a companion that the catalog never had is not mentioned
    if (!before)
      throw Error(ErrorKind::usage,
                  concat("no release of the catalog has ", name_of(component), ", so its repository is unknown"));
    PendingPin pending{.pin = {.component = component}, .pinned = known_pins(catalog, *before, component)};
    pending.is_asked_for = wanted != nullptr;
    if (wanted) {
      pending.pin.version = wanted->version;
      pending.pin.tag = wanted->tag;
      pending.has_commit = wanted->commit.has_value();
      if (wanted->commit) pending.pin.commit = *wanted->commit;
    } else if (std::string reason = find_companion(pending.pinned, *Version::parse(torch), source.object_folders(),
                                                   options.jobs, pending.pin);
               !reason.empty()) {
      draft.open.push_back({component, std::move(reason)});
      continue;
    }
    if (pending.pin.tag.empty()) pending.pin.tag = "v" + pending.pin.version;
    pending.pinned.tags.insert(pending.pin.tag);
    all.push_back(std::move(pending));
  }

  std::vector<PinnedComponent> without;
  for (const PendingPin& each : all)
    if (!each.has_commit) without.push_back(each.pinned);
  std::vector<UpstreamTags> found;
  if (!without.empty())
    found = options.network ? tags_of_upstream(without, *options.network, console)
                            : tags_of_copies(without, source.object_folders(), options.jobs);
  auto next = found.begin();
  for (PendingPin& each : all) {
    NewPin& pin = each.pin;
    const std::string reason = each.has_commit ? "" : commit_of_tag(*next++, pin);
    if (reason.empty()) {
      draft.pins.push_back(std::move(pin));
      continue;
    }
    const std::string what = concat("tag ", quote(pin.tag), " of ", redact_url(each.pinned.url), " is not known: ");
    const std::string name = name_of(pin.component);
    if (each.is_asked_for)
      throw Error(ErrorKind::source, concat("adding release ", torch, ": ", name, ": ", what, reason),
                  concat(pin.component == Component::torch ? "--commit ID" : concat("--", name, " VERSION=ID"),
                         " gives the commit; git ls-remote --tags lists those of upstream's tags"));
    draft.open.push_back({pin.component, concat(pin.version, " belongs to it, but ", what, reason)});
  }
}

}  // namespace torchpatch::upkeep
