// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/causes.h"

#include <algorithm>
#include <tuple>

#include "support/text.h"

namespace torchpatch::ops {

namespace {

void add_missing(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
}

const IssueDecision* find_decision(const Manifest& manifest, const std::string& issue) {
  const auto found = std::find_if(manifest.issues.begin(), manifest.issues.end(),
                                  [&](const IssueDecision& decision) { return decision.issue == issue; });
  return found == manifest.issues.end() ? nullptr : &*found;
}

std::string decided(const IssueDecision& decision) {
  std::string out = issue_status_name(decision.status);
  if (!decision.variant.empty()) out += concat(" as ", decision.variant);
  return out;
}

const Sha256* find_origin(const Manifest& manifest, const std::string& entry) {
  const auto found = std::find_if(manifest.origins.begin(), manifest.origins.end(),
                                  [&](const ManifestEntryOrigin& origin) { return origin.entry == entry; });
  return found == manifest.origins.end() ? nullptr : &found->digest;
}

auto request_of(const Manifest& manifest) {
  return std::tie(manifest.tool_version, manifest.release, manifest.stand_in, manifest.board, manifest.image,
                  manifest.python, manifest.target, manifest.host, manifest.components, manifest.with_fixes,
                  manifest.without_fixes, manifest.settings, manifest.forced, manifest.unpatched);
}

bool have_same_origins(const Manifest& a, const Manifest& b) {
  return std::equal(a.origins.begin(), a.origins.end(), b.origins.begin(), b.origins.end(),
                    [](const auto& x, const auto& y) { return x.entry == y.entry && x.digest == y.digest; });
}

bool has(const Manifest& manifest, Component component) {
  return std::find(manifest.components.begin(), manifest.components.end(), component) != manifest.components.end();
}

template <typename Map, typename Key>
const ManifestRepository* find_in(const Map& map, const Key& key) {
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

Causes::Causes(const DiffInput& a, const DiffInput& b)
    : a_(a.manifest),
      b_(b.manifest),
      premises_differ_(request_of(a_) != request_of(b_) || !have_same_origins(a_, b_) ||
                       (a.has_sources() && b.has_sources() && a_.allow_uncertified != b_.allow_uncertified)) {
  for (const ManifestRepository& repository : a_.repositories) repositories_a_[repository.path] = &repository;
  for (const ManifestRepository& repository : b_.repositories) repositories_b_[repository.path] = &repository;
}

const ManifestRepository* Causes::in_a(const RepositoryPath& path) const { return find_in(repositories_a_, path); }
const ManifestRepository* Causes::in_b(const RepositoryPath& path) const { return find_in(repositories_b_, path); }

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
  const Sha256* const a = find_origin(a_, entry);
  const Sha256* const b = find_origin(b_, entry);
  if (a && b && *a != *b) return {{}, {}, concat("the catalogs have each their own ", entry)};
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
  if (has(a_, component) == has(b_, component)) return {};
  return {{}, {}, concat("only ", has(a_, component) ? "A" : "B", " has ", component_name(component))};
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
  if (origin == "--set" && a_.settings != b_.settings) return {{}, {}, "set with --set"};
  return of_entry(origin);
}

}  // namespace torchpatch::ops
