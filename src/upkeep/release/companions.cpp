// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/companions.h"
#include "support/fields.h"

#include <algorithm>
#include <map>
#include <optional>

#include "git/object_store.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::upkeep {

namespace {

/// Where upstream keeps, or kept, its tables.
constexpr const char* kTableFiles[] = {"README.md", "README.rst", "docs/source/installation.rst"};
/// Longest cell that is a version.
constexpr std::size_t kMaxCell = 32;

/// Numbers of a version that names one release: 0.16.0, not 0.16.
constexpr std::size_t kReleaseNumbers = 3;

std::string cell_text(std::string_view cell) {
  std::string text;
  for (const char c : cell)
    if (c != '`') text += c;
  return std::string(trim(text));
}

/// Returns the first two cells of a table's row that begins at line `at`, or nothing where none does.
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

/// Returns whether a line may stand between the rows of a table.
bool is_part_of_table(std::string_view line) {
  const std::string_view text = trim(line);
  return text.empty() || std::string_view("|+-*").find(text[0]) != std::string_view::npos;
}

std::string without_bound(const std::string& torch) { return starts_with(torch, "<=") ? torch.substr(2) : torch; }

/// Returns whether the cell of torch is about that version: "2.1.0", "2.1", "<=1.0.1".
bool speaks_of(const std::string& cell, const Version& torch) {
  const auto version = Version::parse(without_bound(cell));
  if (!version) return false;
  if (cell != version->text()) return torch <= *version;
  return names_one_release(cell) ? torch == *version : torch.is_in_family(*version);
}

/// The rows of a file, and the newest of the commits that have this file.
struct FoundTable {
  std::int64_t time = 0;
  CompanionTable table;
  std::vector<CompanionRow> rows;
};
template <typename Fields>
void fields(Fields& f, FoundTable& found) {
  f("time", found.time);
  f("repository", found.table.repository);
  f("commit", found.table.commit);
  f("file", found.table.file);
  f("rows", found.rows);
}

/// What a copy of the component has.
struct CopyTables {
  bool is_copy = false;
  std::vector<FoundTable> tables;  ///< with a row for torch
};
FIELDS(CopyTables, is_copy, tables)

/// Branches that upstream releases from, and tags of releases: "heads/main", "remotes/origin/release/0.22",
/// "tags/v0.22.0".
bool may_have_table(std::string_view reference) {
  if (starts_with(reference, "tags/")) return version_of_tag(reference.substr(5)).has_value();
  const bool is_remote = starts_with(reference, "remotes/");
  if (!is_remote && !starts_with(reference, "heads/")) return false;
  const std::string_view branch = reference.substr(reference.find('/', is_remote ? 8 : 0) + 1);
  return branch == "main" || branch == "master" || starts_with(branch, "release/");
}

/// Returns the blob at a path below a tree, or nothing where it or a tree on the way is not there.
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

/// Reads the tables of one copy.
class TableReader {
 public:
  TableReader(const PinnedComponent& pinned, const Version& torch, const std::string& object_folder)
      : pinned_(pinned), torch_(torch), repository_(parent_path(object_folder)), store_({object_folder}) {}

  CopyTables read() {
    CopyTables copy;
    for (const ObjectId& commit : pinned_.commits())
      if (store_.find(commit) >= 0) add(commit);
    copy.is_copy = has_commit_;
    if (!copy.is_copy) return copy;
    if (const auto head = source::read_head(repository_)) add(*head);
    for (const auto& [name, id] : source::read_references(repository_, "refs/", may_have_table)) add(id);
    for (auto& [blob, found] : tables_)
      if (!found.rows.empty()) copy.tables.push_back(std::move(found));
    return copy;
  }

 private:
  /// Follows annotated tags; what is not there, or no commit, has no tables.
  void add(ObjectId id) {
    std::optional<git::Object> object = store_.read(id);
    if (object && object->type == git::ObjectType::tag) {
      id = git::parse_tag(object->bytes).id;
      object = store_.read(id);
    }
    if (!object || object->type != git::ObjectType::commit) return;
    has_commit_ = true;
    const git::Commit commit = git::parse_commit(object->bytes);
    for (const char* file : kTableFiles)
      if (const auto blob = blob_at(store_, commit.tree, file)) add_table(*blob, {repository_, id, file}, commit.time);
  }

  void add_table(const ObjectId& blob, const CompanionTable& table, std::int64_t time) {
    const auto [place, is_new] = tables_.try_emplace(blob);
    FoundTable& found = place->second;
    if (is_new) {
      const std::optional<git::Object> object = store_.read(blob);
      if (object && object->type == git::ObjectType::blob)
        found.rows = companion_rows(object->bytes, pinned_.component, torch_);
    }
    if (time < found.time) return;
    found.time = time;
    found.table = table;
  }

  const PinnedComponent& pinned_;
  const Version& torch_;
  std::string repository_;
  git::ObjectStore store_;
  bool has_commit_ = false;
  std::map<ObjectId, FoundTable> tables_;  ///< by blob
};

std::vector<CopyTables> read_tables(const PinnedComponent& pinned, const Version& torch,
                                    const std::vector<std::string>& object_folders, int jobs) {
  std::vector<CopyTables> copies(object_folders.size());
  WorkerJob job;
  job.items = object_folders.size();
  job.workers = jobs;
  job.start = [&]() -> WorkerTask {
    return [&](std::size_t item) { return to_wire(TableReader(pinned, torch, object_folders[item]).read()); };
  };
  job.on_result = [&](std::size_t item, std::string_view bytes) { copies[item] = from_wire<CopyTables>(bytes); };
  job.describe = [&](std::size_t item) {
    return concat("reading the tables of ", quote(parent_path(object_folders[item])));
  };
  run_workers(job);
  return copies;
}

/// Returns what the exact rows say, each once, in order; of others where there is no exact one.
std::vector<CompanionRow> distinct_rows(const FoundTable& found, bool exact) {
  std::vector<CompanionRow> rows;
  for (const CompanionRow& row : found.rows)
    if (is_exact(row) == exact && std::ranges::count(rows, row.companion, &CompanionRow::companion) == 0)
      rows.push_back(row);
  return rows;
}

CompanionAnswer answer_of(const FoundTable& found, bool exact) {
  const std::vector<CompanionRow> rows = distinct_rows(found, exact);
  if (exact && rows.size() == 1) return {rows[0].companion, found.table, {}};
  std::vector<std::string> versions;
  for (const CompanionRow& row : rows) versions.push_back(quote(row.companion));
  return {{},
          found.table,
          concat("for torch ", rows[0].torch, " ", found.table.file, " of commit ", found.table.commit.hex(), " in ",
                 quote(found.table.repository), " has ", join(versions, " and "), ", which is not one release")};
}

}  // namespace

std::vector<CompanionRow> companion_rows(std::string_view text, Component component, const Version& torch) {
  const std::string wanted = concat("torch", component_name(component));
  const std::vector<std::string> lines = split(std::string(text), '\n');
  std::vector<CompanionRow> rows;
  bool is_inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_at(lines, i);
    is_inside = is_inside && is_part_of_table(lines[i]);
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

CompanionAnswer find_companion(const PinnedComponent& pinned, const Version& torch,
                               const std::vector<std::string>& object_folders, int jobs) {
  std::vector<FoundTable> tables;
  bool has_copy = false;
  for (CopyTables& copy : read_tables(pinned, torch, object_folders, jobs)) {
    has_copy = has_copy || copy.is_copy;
    std::ranges::move(copy.tables, std::back_inserter(tables));
  }
  std::ranges::stable_sort(tables, std::ranges::greater(), &FoundTable::time);
  for (const bool exact : {true, false})
    for (const FoundTable& found : tables)
      if (!distinct_rows(found, exact).empty()) return answer_of(found, exact);
  return {{},
          {},
          has_copy ? concat("no table of its copies has a row for torch ", torch.text())
                   : "no repository at hand, whose table could say so, has a commit that the catalog pins"};
}

}  // namespace torchpatch::upkeep
