// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diff/diff.h"

#include <algorithm>
#include <set>

#include "model/repository_path.h"
#include "record/manifest_file.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/prepare/manifest.h"

namespace torchpatch::trees {

namespace {

using tree::EntryType;
using tree::ScannedEntry;

/// A tree's differences from its own manifest.
using OwnProblems = std::map<std::string, const Difference*>;

OwnProblems own_problems(const DiffFiles& files) {
  OwnProblems problems;
  for (const Difference& difference : files.differences)
    if (is_about_path(difference)) problems[difference.path] = &difference;
  return problems;
}

std::string entry_text(const ScannedEntry* entry) {
  if (!entry) return {};
  if (!entry->error.empty()) return "unreadable: " + entry->error;
  if (entry->type == EntryType::link) return "link to " + quote(entry->link_target);
  if (entry->type == EntryType::directory) return "directory";
  if (entry->type == EntryType::other) return "special file";
  return concat((entry->mode & 0100) != 0 ? "executable, " : "", "blob ", entry->blob.hex());
}

/// Returns the kind of difference between two entries, or null. As in verify, only the executable bit counts.
const char* entry_change(const ScannedEntry* a, const ScannedEntry* b) {
  if (!a || !b) return a ? "only_in_a" : "only_in_b";
  if (a->type != b->type) return "type";
  if (!a->error.empty() || !b->error.empty()) return "unreadable";
  if (a->type == EntryType::link) return a->link_target == b->link_target ? nullptr : "link";
  if (a->type != EntryType::regular) return nullptr;
  if (a->blob != b->blob) return "changed";
  return (a->mode & 0100) == (b->mode & 0100) ? nullptr : "mode";
}

class FileComparison {
 public:
  FileComparison(const DiffInput& a, const DiffInput& b, const Causes& causes, bool list_all)
      : causes_(causes), own_a_(own_problems(*a.files)), own_b_(own_problems(*b.files)), list_all_(list_all) {}

  DiffEntries compare(const std::vector<ScannedEntry>& a, const std::vector<ScannedEntry>& b) {
    auto in_a = a.begin();
    auto in_b = b.begin();
    while (in_a != a.end() || in_b != b.end()) {
      const bool takes_a = in_b == b.end() || (in_a != a.end() && in_a->path <= in_b->path);
      const bool takes_b = in_a == a.end() || (in_b != b.end() && in_b->path <= in_a->path);
      compare(takes_a ? &*in_a++ : nullptr, takes_b ? &*in_b++ : nullptr);
    }
    for (auto& [directory, entry] : summaries_) entries_.push_back(finished(std::move(entry)));
    return std::move(entries_);
  }

 private:
  void compare(const ScannedEntry* a, const ScannedEntry* b) {
    const char* const change = entry_change(a, b);
    if (!change) return;
    const std::string& path = a ? a->path : b->path;
    const bool is_own =
        find_at_or_above(own_a_, path) != own_a_.end() || find_at_or_above(own_b_, path) != own_b_.end();
    if (find_at_or_above(directories_, path) != directories_.end()) return;
    // git has no directories: they follow from their files, unless neither manifest lists those.
    if ((!a || !b) && (a ? a : b)->type == EntryType::directory) {
      if (!is_own) return;
      directories_.insert(path);
    }
    if (!is_own) return add({DiffLevel::file, path, change, entry_text(a), entry_text(b)});
    entries_.push_back({DiffLevel::file, path, change, own_text(a, own_a_, path), own_text(b, own_b_, path)});
  }

  static std::string own_text(const ScannedEntry* entry, const OwnProblems& own, const std::string& path) {
    const auto found = own.find(path);
    if (found == own.end()) return entry_text(entry);
    if (!entry) return "missing, but listed in its manifest";
    return entry_text(entry) +
           (found->second->reason == "extra" ? ", not in the manifest" : ", differs from its manifest");
  }

  /// Returns the directory whose files all differ for the same reason as this path, or empty text.
  std::string group_of(const std::string& path, const Cause& cause) const {
    if (list_all_) return {};
    const RepositoryPath* const repository = causes_.owner(path);
    if (repository) return causes_.is_repinned(*repository) ? repository_directory(*repository) : "";
    return cause && starts_with(path, "torchpatch/") ? "torchpatch" : "";
  }

  void add(DiffEntry entry) {
    const Cause cause = causes_.of_path(entry.subject);
    const std::string group = group_of(entry.subject, cause);
    if (group.empty()) {
      entries_.push_back(explained(std::move(entry), cause));
      return;
    }
    DiffEntry& summary =
        summaries_.try_emplace(group, explained({DiffLevel::file, group, "changed", "", ""}, cause)).first->second;
    if (!summary.counts) summary.counts.emplace();
    ++(entry.change == "only_in_a"   ? summary.counts->only_in_a
       : entry.change == "only_in_b" ? summary.counts->only_in_b
                                     : summary.counts->changed);
  }

  /// A directory with files on one side only is itself on that side only.
  static DiffEntry finished(DiffEntry summary) {
    const DiffCounts& counts = *summary.counts;
    if (counts.changed + counts.only_in_b == 0) summary.change = "only_in_a";
    if (counts.changed + counts.only_in_a == 0) summary.change = "only_in_b";
    return summary;
  }

  const Causes& causes_;
  OwnProblems own_a_, own_b_;
  bool list_all_;
  std::set<std::string> directories_;  ///< on one side only, and reported as a whole
  DiffEntries entries_;
  std::map<std::string, DiffEntry> summaries_;  ///< by directory of a repository
};

const Difference* find_among(const Difference& difference, const DiffInput& side) {
  if (!side.files) return nullptr;
  const auto found = std::ranges::find_if(side.files->differences, [&](const Difference& other) {
    return difference.path == other.path && difference.reason == other.reason;
  });
  return found == side.files->differences.end() ? nullptr : &*found;
}

/// Adds each tree's own problems, even if the other has them too: what was compared is not what was prepared. Paths
/// that differ were already reported.
void report_own(const DiffInput& a, const DiffInput& b, DiffEntries& entries) {
  std::set<std::string> told;
  for (const DiffEntry& entry : entries) told.insert(entry.subject);
  const auto report = [&](const Difference& own, const std::string& in_a, const std::string& in_b) {
    if (!own.follows.empty() || (is_about_path(own) && told.contains(own.path))) return;
    entries.push_back({DiffLevel::file, own.path.empty() ? "the whole tree" : own.path, own.reason, in_a, in_b});
  };
  if (a.files) {
    for (const Difference& own : a.files->differences) {
      const Difference* const same = find_among(own, b);
      report(own, own.detail, same ? same->detail : "");
    }
  }
  if (b.files) {
    for (const Difference& own : b.files->differences)
      if (!find_among(own, a)) report(own, "", own.detail);
  }
}

std::map<std::string, std::string> special_paths(const Manifest& manifest) {
  std::map<std::string, std::string> paths;
  for (const std::string& path : manifest.executables) paths[path] = "executable";
  for (const auto& [path, target] : manifest.links) paths[path] = "link to " + quote(target);
  return paths;
}

/// For manifests only: compares links and executables of repositories at the same commit.
DiffEntries compare_listed(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  std::map<std::string, std::string> in_a = special_paths(a.manifest), in_b = special_paths(b.manifest);
  for (const auto& [path, text] : in_b) in_a.try_emplace(path);
  DiffEntries entries;
  for (const auto& [path, text] : in_a) {
    const RepositoryPath* const repository = causes.owner(path);
    if (text == in_b[path] || (repository && causes.is_repinned(*repository))) continue;
    entries.push_back(explained({DiffLevel::file, path, "mode", text, in_b[path]}, causes.of_path(path)));
  }
  return entries;
}

DiffSide side_of(const DiffInput& input) {
  const Manifest& manifest = input.manifest;
  DiffSide side{input.name,     input.kind,         manifest.release, manifest.board,
                manifest.image, !manifest.stand_in, manifest.plan,    {}};
  if (input.has_sources()) side.tree = manifest.tree;
  return side;
}

/// Reports differences that no other comparison covers.
void compare_rest(const DiffInput& a, const DiffInput& b, DiffEntries& entries) {
  const auto differs = [&](const std::string& subject, const std::string& in_a, const std::string& in_b) {
    entries.push_back({DiffLevel::manifest, subject, "changed", in_a, in_b});
  };
  const bool have_sources = a.has_sources() && b.has_sources();
  if (have_sources && a.manifest.plan == b.manifest.plan && a.manifest.tree != b.manifest.tree)
    differs("tree of equal plans", a.manifest.tree.hex(), b.manifest.tree.hex());
  if (!entries.empty()) return;
  if (a.manifest.plan != b.manifest.plan)
    differs("plan", a.manifest.plan.hex(), b.manifest.plan.hex());
  else if (have_sources && record::manifest_json(a.manifest) != record::manifest_json(b.manifest))
    differs("manifest", "", "");
}

std::vector<std::string> side_notes(const DiffInput& a, const DiffInput& b) {
  std::vector<std::string> notes;
  if (!a.has_sources() || !b.has_sources())
    notes.emplace_back("a plan has no submodules, trees or files: they were not compared");
  else if (!a.files || !b.files)
    notes.emplace_back("a manifest has no files: files on disk were not compared");
  for (const DiffInput* const side : {&a, &b}) {
    for (const ManifestPatch& patch : side->manifest.patches) {
      if (side->has_sources() || !patch.edges.empty()) continue;
      notes.push_back(concat("no certificate lists the files that ", patch.patchset, " ", patch.variant, " changes in ",
                             side == &a ? "A" : "B"));
    }
  }
  return notes;
}

void append(DiffEntries& all, DiffEntries more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

DiffEntries compare_files(const DiffInput& a, const DiffInput& b, const Causes& causes, bool list_all) {
  DiffEntries entries;
  if (a.files && b.files)
    entries = FileComparison(a, b, causes, list_all).compare(a.files->entries, b.files->entries);
  else if (a.has_sources() && b.has_sources())
    entries = compare_listed(a, b, causes);
  report_own(a, b, entries);
  return entries;
}

DiffInput diff_input_of_tree(const std::string& root, const LoadCatalog& load, int jobs, Console& console) {
  Catalog catalog;
  const auto load_it = [&](const Manifest& manifest) { catalog = load(manifest); };
  ScannedTree tree = scan_prepared_tree(root, jobs, console, load_it, Unlisted::read);
  VerifyReport own = verify(tree, catalog, {}, console);
  return {root, "tree", std::move(tree.manifest), DiffFiles{std::move(tree.scanned), std::move(own.differences)}};
}

DiffInput diff_input_of_manifest(const std::string& path) {
  return {path, "manifest", record::parse_manifest(read_file(path), path)};
}

DiffInput diff_input_of_plan(const std::string& name, const Plan& plan, const Catalog& catalog) {
  Manifest known;
  for (const Component component : plan.components) {
    const ComponentPin& pin = plan.release->components.at(component);
    known.repositories.push_back({{component, ""}, pin.url, pin.commit, {}, {}, {}});
  }
  for (const PlannedOverride& planned : plan.overrides)
    known.repositories.push_back({planned.what->repository, planned.what->url, planned.what->commit, {}, {}, {}});
  return {name, "plan", make_manifest(plan, catalog, std::move(known))};
}

DiffReport diff(const DiffInput& a, const DiffInput& b, bool list_files) {
  const Causes causes(a, b);
  DiffReport report{side_of(a), side_of(b), compare_request(a, b, causes), side_notes(a, b)};
  append(report.entries, compare_pins(a, b, causes));
  append(report.entries, compare_patches(a, b, causes));
  append(report.entries, compare_settings(a, b, causes));
  append(report.entries, compare_files(a, b, causes, list_files));
  compare_rest(a, b, report.entries);
  std::stable_partition(report.entries.begin(), report.entries.end(),
                        [](const DiffEntry& entry) { return entry.because.empty(); });
  return report;
}

}  // namespace torchpatch::trees
