// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diff/compare.h"

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

const IssueDecision* find_decision(const Manifest& manifest, const std::string& issue) {
  return find_where(manifest.issues, [&](const IssueDecision& decision) { return decision.issue == issue; });
}

std::string decided(const IssueDecision& decision) {
  std::string out = issue_status_name(decision.status);
  if (!decision.variant.empty()) out += concat(" as ", decision.variant);
  return out;
}

const ManifestEntryOrigin* find_origin(const Manifest& manifest, const std::string& entry) {
  return find_where(manifest.origins, [&](const ManifestEntryOrigin& origin) { return origin.entry == entry; });
}

auto request_of(const Manifest& manifest) {
  return std::tie(manifest.tool_version, manifest.release, manifest.stand_in, manifest.board, manifest.image,
                  manifest.python, manifest.target, manifest.host, manifest.components, manifest.with_fixes,
                  manifest.without_fixes, manifest.settings, manifest.forced_settings, manifest.build_target,
                  manifest.forced, manifest.unpatched);
}

bool have_same_origins(const Manifest& a, const Manifest& b) {
  return std::ranges::equal(a.origins, b.origins,
                            [](const auto& x, const auto& y) { return x.entry == y.entry && x.digest == y.digest; });
}

bool has_component(const Manifest& manifest, Component component) {
  return std::ranges::count(manifest.components, component) > 0;
}

bool applies(const PatchedFile* file, const ManifestPatch& patch) {
  return file && std::ranges::count(file->patches, patch.sha256, &ManifestPatch::sha256) > 0;
}

/// What the files of torchpatch/ are written from.
std::string described(Manifest manifest) {
  manifest.side_files.clear();
  return record::manifest_json(manifest);
}

std::map<std::string, const ManifestAddedFile*> added_by_path(const Manifest& manifest) {
  std::map<std::string, const ManifestAddedFile*> files;
  for (const ManifestAddedFile& file : manifest.added_files)
    files[concat(repository_directory(file.repository), "/", file.path)] = &file;
  return files;
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

Causes::Causes(const DiffInput& a, const DiffInput& b)
    : a_(a.manifest),
      b_(b.manifest),
      premises_differ_(request_of(a_) != request_of(b_) || !have_same_origins(a_, b_) ||
                       (a.has_sources() && b.has_sources() && a_.allow_uncertified != b_.allow_uncertified)) {
  for (const ManifestRepository& repository : a_.repositories) repositories_a_[repository.path] = &repository;
  for (const ManifestRepository& repository : b_.repositories) repositories_b_[repository.path] = &repository;
}

const ManifestRepository* Causes::in_a(const RepositoryPath& path) const {
  const ManifestRepository* const* const found = find_value(repositories_a_, path);
  return found ? *found : nullptr;
}

const ManifestRepository* Causes::in_b(const RepositoryPath& path) const {
  const ManifestRepository* const* const found = find_value(repositories_b_, path);
  return found ? *found : nullptr;
}

bool Causes::is_repinned(const RepositoryPath& path) const {
  const ManifestRepository* const a = in_a(path);
  const ManifestRepository* const b = in_b(path);
  return !a || !b || a->commit != b->commit;
}

Cause Causes::of_premises() const {
  if (!premises_differ_) return {};
  return {{}, {}, "what was asked for, or the catalog, differs"};
}

Cause Causes::of_entry(const std::string& entry) const {
  const ManifestEntryOrigin* const a = find_origin(a_, entry);
  const ManifestEntryOrigin* const b = find_origin(b_, entry);
  if (a && b && a->digest != b->digest) return {{}, {}, concat("the catalogs have each their own ", entry)};
  return {};
}

Cause Causes::of_issue(const std::string& issue) const {
  const IssueDecision* const a = find_decision(a_, issue);
  const IssueDecision* const b = find_decision(b_, issue);
  if (!a && !b) return {};
  if (!a || !b) return {{issue}, {}, concat("only the catalog of ", a ? "A" : "B", " has issue ", issue)};
  if (a->status == b->status && a->fix == b->fix && a->variant == b->variant) return {};
  return {{issue}, {}, concat("issue ", issue, " is ", decided(*a), " in A, ", decided(*b), " in B")};
}

Cause Causes::of_component(Component component) const {
  if (has_component(a_, component) == has_component(b_, component)) return {};
  return {{}, {}, concat("only ", has_component(a_, component) ? "A" : "B", " has ", component_name(component))};
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
  const ManifestRepository* const a = in_a(path);
  const ManifestRepository* const b = in_b(path);
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
    if (a_.release != b_.release) return {{}, {}, concat("pinned by release ", a_.release, " and by ", b_.release)};
    return of_entry("release " + a_.release);
  }
  RepositoryPath outer = path;
  do {
    const std::size_t slash = outer.path.rfind('/');
    outer.path = slash == std::string::npos ? "" : outer.path.substr(0, slash);
  } while (!in_a(outer) && !in_b(outer) && !outer.path.empty());
  if (!is_repinned(outer)) return {};
  Cause cause = of_repository(outer);
  if (cause && cause.issues.empty()) cause.because = concat("named by the commits of ", outer.text());
  return cause;
}

Cause Causes::of_origin(const std::string& origin) const {
  if (starts_with(origin, "issue ")) {
    const std::string issue = origin.substr(6);
    if (Cause cause = of_issue(issue)) return cause;
  }
  const Cause by_release = {{}, {}, concat("A is release ", a_.release, ", B ", b_.release)};
  const Cause by_board = {
      {}, {}, concat("A is for ", a_.board, " (", a_.image, "), B for ", b_.board, " (", b_.image, ")")};
  if (starts_with(origin, "release ") && a_.release != b_.release) return by_release;
  if (starts_with(origin, "release ") && a_.components != b_.components) return {{}, {}, "the components differ"};
  if (starts_with(origin, "board ") && a_.board != b_.board) return by_board;
  if (starts_with(origin, "host ") && a_.host != b_.host) return {{}, {}, "the machines that build differ"};
  if (starts_with(origin, "host ") && a_.target != b_.target) return by_board;
  if (starts_with(origin, "--build-target ") && a_.build_target != b_.build_target) return {{}, {}, origin};
  if ((origin == "--set" || origin == kForceSet) && a_.settings != b_.settings)
    return {{}, {}, concat("set with ", origin)};
  return of_entry(origin);
}

PatchedFiles patched_files(const Manifest& manifest) {
  PatchedFiles files;
  for (const ManifestPatch& patch : manifest.patches) {
    for (const ManifestEdge& edge : patch.edges) {
      PatchedFile& file = files[repository_directory(patch.repository) + "/" + edge.path];
      file.repository = patch.repository;
      if (file.patches.empty()) file.before = edge.before;
      file.after = edge.after;
      file.patches.push_back(&patch);
    }
  }
  return files;
}

Cause cause_of_patched_file(const PatchedFile* a, const PatchedFile* b, const Causes& causes) {
  Cause cause;
  for (const auto& [side, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!side) continue;
    for (const ManifestPatch* const patch : side->patches) {
      if (applies(other, *patch)) continue;
      cause.add(causes.of_fix(patch->issues, patch->patchset, patch->variant, patch->repository.component));
    }
  }
  const PatchedFile& any = a ? *a : *b;
  if (causes.is_repinned(any.repository)) cause.add(causes.of_repository(any.repository));
  return cause;
}

PathCauses::PathCauses(const DiffInput& a, const DiffInput& b, const Causes& causes)
    : causes_(causes),
      manifests_differ_(described(a.manifest) != described(b.manifest)),
      patched_a_(patched_files(a.manifest)),
      patched_b_(patched_files(b.manifest)),
      added_a_(added_by_path(a.manifest)),
      added_b_(added_by_path(b.manifest)) {
  for (const DiffInput* const side : {&a, &b})
    for (const ManifestRepository& repository : side->manifest.repositories)
      repositories_[repository_directory(repository.path)] = repository.path;
}

const RepositoryPath* PathCauses::owner(const std::string& path) const {
  const auto found = find_at_or_above(repositories_, path);
  return found == repositories_.end() ? nullptr : &found->second;
}

Cause PathCauses::cause_of_added_file(const std::string& path) const {
  const auto in_a = find_value(added_a_, path), in_b = find_value(added_b_, path);
  if (in_a && in_b && (*in_a)->blob == (*in_b)->blob && (*in_a)->mode == (*in_b)->mode) return {};
  Cause cause;
  for (const auto* const found : {in_a, in_b}) {
    if (!found) continue;
    const ManifestAddedFile& file = **found;
    cause.add(causes_.of_fix(file.issues, file.patchset, file.variant, file.repository.component));
  }
  return cause;
}

Cause PathCauses::cause(const std::string& path) const {
  if (starts_with(path, "torchpatch/")) {
    if (!manifests_differ_) return {};
    return {{}, {}, "written from the manifest, which differs"};
  }
  const RepositoryPath* const repository = owner(path);
  if (!repository) return {};
  if (causes_.is_repinned(*repository)) return causes_.of_repository(*repository);
  Cause cause = cause_of_added_file(path);
  const PatchedFile* const in_a = find_value(patched_a_, path);
  const PatchedFile* const in_b = find_value(patched_b_, path);
  if (in_a || in_b) cause.add(cause_of_patched_file(in_a, in_b, causes_));
  return cause;
}

}  // namespace torchpatch::trees
