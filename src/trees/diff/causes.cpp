// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diff/diff.h"

#include <algorithm>
#include <tuple>

#include "model/repository_path.h"
#include "record/manifest_file.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

void add_missing(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& text : more)
    if (std::ranges::count(all, text) == 0) all.push_back(text);
}

/// Returns the request to prepare, and the version of torchpatch.
auto request_of(const Manifest& manifest) {
  return std::tie(manifest.tool_version, manifest.release, manifest.stand_in, manifest.board, manifest.image,
                  manifest.python, manifest.target, manifest.host, manifest.components, manifest.with_fixes,
                  manifest.without_fixes, manifest.settings, manifest.forced_settings, manifest.build_target,
                  manifest.forced, manifest.unpatched);
}

/// Returns the data from which the files of torchpatch/ are written.
std::string described(Manifest manifest) {
  manifest.side_files.clear();
  return record::manifest_json(manifest);
}

/// Returns "applied by fix cap (variant V1)": both sides may have a fix, one a patch and one advice.
std::string decided(const IssueDecision& decision) {
  std::string out = name_of(decision.status);
  if (!decision.fix.empty()) out += concat(" by fix ", decision.fix);
  if (!decision.variant.empty()) out += concat(" (variant ", decision.variant, ")");
  return out;
}

bool has_component(const Manifest& manifest, Component component) {
  return std::ranges::count(manifest.components, component) > 0;
}

template <typename Map>
auto value_or_null(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

void Cause::add(const Cause& other) {
  if (!other) return;
  add_missing(issues, other.issues);
  add_missing(patchsets, other.patchsets);
  if (because.find(other.because) == std::string::npos) because += (because.empty() ? "" : "; ") + other.because;
}

DiffEntry explained(DiffEntry entry, const Cause& cause) {
  entry.issues = cause.issues;
  entry.patchsets = cause.patchsets;
  entry.because = cause.because;
  return entry;
}

PatchedFiles patched_files(const Manifest& manifest) {
  PatchedFiles files;
  for (const ManifestPatch& patch : manifest.patches) {
    for (const PatchEdge& edge : patch.edges) {
      PatchedFile& file = files[repository_directory(patch.repository) + "/" + edge.path];
      file.repository = patch.repository;
      if (file.patches.empty()) file.before = edge.before;
      file.after = edge.after;
      file.patches.push_back(&patch);
    }
  }
  return files;
}

Causes::Side::Side(const Manifest& of) : manifest(of), patched(patched_files(of)) {
  for (const ManifestRepository& repository : of.repositories) repositories[repository.path] = &repository;
  for (const ManifestAddedFile& file : of.added_files)
    added[concat(repository_directory(file.repository), "/", file.path)] = &file;
}

const ManifestRepository* Causes::Side::repository(const RepositoryPath& path) const {
  return value_or_null(repositories, path);
}

Causes::Causes(const DiffInput& a, const DiffInput& b)
    : a_(a.manifest), b_(b.manifest), manifests_differ_(described(a.manifest) != described(b.manifest)) {
  const bool have_same_entries =
      std::ranges::equal(a.manifest.origins, b.manifest.origins,
                         [](const auto& x, const auto& y) { return x.entry == y.entry && x.digest == y.digest; });
  const bool are_both_prepared = a.has_sources() && b.has_sources();
  premises_differ_ = request_of(a.manifest) != request_of(b.manifest) || !have_same_entries ||
                     (are_both_prepared && a.manifest.allow_uncertified != b.manifest.allow_uncertified);
  for (const Side* const side : {&a_, &b_})
    for (const auto& [path, repository] : side->repositories) directories_[repository_directory(path)] = path;
}

bool Causes::is_repinned(const RepositoryPath& path) const {
  const ManifestRepository* const a = a_.repository(path);
  const ManifestRepository* const b = b_.repository(path);
  return !a || !b || a->commit != b->commit;
}

const RepositoryPath* Causes::owner(const std::string& path) const {
  const auto found = find_at_or_above(directories_, path);
  return found == directories_.end() ? nullptr : &found->second;
}

Cause Causes::of_premises() const {
  if (!premises_differ_) return {};
  return {{}, {}, "the options or the catalog differ"};
}

Cause Causes::of_entry(const std::string& entry) const {
  const auto is_it = [&](const EntryOrigin& origin) { return origin.entry == entry; };
  const EntryOrigin* const a = find_where(a_.manifest.origins, is_it);
  const EntryOrigin* const b = find_where(b_.manifest.origins, is_it);
  if (a && b && a->digest != b->digest) return {{}, {}, concat("the catalogs have different versions of ", entry)};
  return {};
}

Cause Causes::of_issue(const std::string& issue) const {
  const auto is_it = [&](const IssueDecision& decision) { return decision.issue == issue; };
  const IssueDecision* const a = find_where(a_.manifest.issues, is_it);
  const IssueDecision* const b = find_where(b_.manifest.issues, is_it);
  if (!a && !b) return {};
  if (!a || !b) return {{issue}, {}, concat("only the catalog of ", a ? "A" : "B", " has issue ", issue)};
  if (a->status == b->status && a->fix == b->fix && a->variant == b->variant) return {};
  return {{issue}, {}, concat("issue ", issue, " is ", decided(*a), " in A, ", decided(*b), " in B")};
}

Cause Causes::of_component(Component component) const {
  const bool is_in_a = has_component(a_.manifest, component);
  if (is_in_a == has_component(b_.manifest, component)) return {};
  return {{}, {}, concat("only ", is_in_a ? "A" : "B", " has ", name_of(component))};
}

Cause Causes::of_fix(const std::vector<std::string>& issues, const std::string& patchset, const std::string& variant,
                     Component component) const {
  Cause cause;
  for (const std::string& issue : issues) cause.add(of_issue(issue));
  if (cause) cause.patchsets = {concat(patchset, " ", variant)};
  if (!cause) cause = of_component(component);
  if (!cause) cause = of_entry("patchset " + patchset);
  return cause;
}

Cause Causes::of_override(const RepositoryPath& path) const {
  const ManifestRepository* const a = a_.repository(path);
  const ManifestRepository* const b = b_.repository(path);
  const auto is_overridden = [](const ManifestRepository* side) { return side && side->overridden; };
  if (is_overridden(a) && is_overridden(b) && a->commit == b->commit) return {};
  Cause cause;
  for (const ManifestRepository* const side : {a, b}) {
    if (!is_overridden(side)) continue;
    const ManifestOverride& what = *side->overridden;
    cause.add(of_fix(what.issues, what.patchset, what.variant, path.component));
  }
  return cause;
}

Cause Causes::of_repository(const RepositoryPath& path) const {
  if (Cause cause = of_override(path)) return cause;
  if (path.path.empty()) {
    if (Cause cause = of_component(path.component)) return cause;
    const std::string &release_a = a_.manifest.release, &release_b = b_.manifest.release;
    if (release_a != release_b) return {{}, {}, concat("pinned by release ", release_a, " and by ", release_b)};
    return of_entry("release " + release_a);
  }
  RepositoryPath outer = path;
  do {
    const std::size_t slash = outer.path.rfind('/');
    outer.path = slash == std::string::npos ? "" : outer.path.substr(0, slash);
  } while (!a_.repository(outer) && !b_.repository(outer) && !outer.path.empty());
  if (!is_repinned(outer)) return {};
  Cause cause = of_repository(outer);
  if (cause && cause.issues.empty()) cause.because = concat("pinned by the commits of ", outer.text());
  return cause;
}

Cause Causes::of_origin(const std::string& origin) const {
  const Manifest &a = a_.manifest, &b = b_.manifest;
  const std::string kind = origin.substr(0, origin.find(' '));
  const std::string boards = concat("A is for ", a.board, " (", a.image, "), B for ", b.board, " (", b.image, ")");
  if (kind == "issue") {
    if (Cause cause = of_issue(origin.substr(std::string_view("issue ").size()))) return cause;
  } else if (kind == "release") {
    if (a.release != b.release) return {{}, {}, concat("A is release ", a.release, ", B ", b.release)};
    if (a.components != b.components) return {{}, {}, "the components differ"};
  } else if (kind == "board") {
    if (a.board != b.board) return {{}, {}, boards};
  } else if (kind == "host") {
    if (a.host != b.host) return {{}, {}, "the build machines differ"};
    if (a.target != b.target) return {{}, {}, boards};
  } else if (kind == "--build-target") {
    if (a.build_target != b.build_target) return {{}, {}, origin};
  } else if (origin == "--set" || origin == kForceSet) {
    if (a.settings != b.settings) return {{}, {}, concat("set with ", origin)};
  }
  return of_entry(origin);
}

Cause Causes::of_patched_file(const PatchedFile* a, const PatchedFile* b) const {
  const auto has_patch = [](const PatchedFile* file, const ManifestPatch& patch) {
    return file && std::ranges::count(file->patches, patch.sha256, &ManifestPatch::sha256) > 0;
  };
  Cause cause;
  for (const auto& [side, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!side) continue;
    for (const ManifestPatch* const patch : side->patches)
      if (!has_patch(other, *patch))
        cause.add(of_fix(patch->issues, patch->patchset, patch->variant, patch->repository.component));
  }
  const RepositoryPath& repository = a ? a->repository : b->repository;
  if (is_repinned(repository)) cause.add(of_repository(repository));
  return cause;
}

Cause Causes::of_path(const std::string& path) const {
  if (starts_with(path, "torchpatch/")) {
    if (!manifests_differ_) return {};
    return {{}, {}, "generated from the manifest, which differs"};
  }
  const RepositoryPath* const repository = owner(path);
  if (!repository) return {};
  if (is_repinned(*repository)) return of_repository(*repository);
  Cause cause;
  const ManifestAddedFile* const added_a = value_or_null(a_.added, path);
  const ManifestAddedFile* const added_b = value_or_null(b_.added, path);
  const bool is_same = added_a && added_b && added_a->blob == added_b->blob && added_a->mode == added_b->mode;
  for (const ManifestAddedFile* const file : {added_a, added_b})
    if (file && !is_same) cause.add(of_fix(file->issues, file->patchset, file->variant, file->repository.component));
  const PatchedFile* const patched_a = find_value(a_.patched, path);
  const PatchedFile* const patched_b = find_value(b_.patched, path);
  if (patched_a || patched_b) cause.add(of_patched_file(patched_a, patched_b));
  return cause;
}

}  // namespace torchpatch::trees
