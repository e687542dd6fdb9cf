// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_file.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>

#include "model/path_rule.h"
#include "record/json.h"
#include "record/tree_scripts.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/text.h"

namespace torchpatch {

// The fields of manifest.json, in its order (docs/formats.md).

FIELDS(ManifestOverride, replaces, patchset, variant, issues)

template <typename Fields>
void fields(Fields& f, LicenceFile& file) {
  f("file", record::OutputPath{file.name});
  f("id", record::TextOrNull{file.id});
  f.check([&](ObjectReader& item) {
    if (!is_licence_file_name(file.name) || file.name.find('/') != std::string::npos)
      item.report("file", concat(quote(file.name), " is not the name of a licence file"));
  });
}

template <typename Fields>
void fields(Fields& f, ManifestRepository& repository) {
  f("path", record::NamedRepository{repository.path});
  f("url", repository.url);
  f("commit", repository.commit);
  f.optional("override", repository.overridden);
  f("base_tree", repository.base_tree);
  f("patched_tree", repository.patched_tree);
  f("licences", repository.licences);
  f("raw_commit", record::Base64{repository.raw_commit});
  f.check([&](ObjectReader& item) {
    record::require_sorted(item, "licences", repository.licences, &LicenceFile::name);
    if (repository.overridden && repository.path.path.empty())
      item.report("override", "is of a component itself, which only the release pins");
  });
}

template <typename Fields>
void fields(Fields& f, ManifestGap& gap) {
  f("repository", record::NamedRepository{gap.repository});
  f("path", record::OutputPath{gap.path});
  f("mode", record::ModeOutOf{gap.mode, {FileMode::regular, FileMode::executable, FileMode::link, FileMode::gitlink}});
  f("id", gap.id);
}

template <typename Fields>
void fields(Fields& f, ManifestEdge& edge) {
  f("path", record::OutputPath{edge.path});
  f("before", edge.before);
  f("after", edge.after);
}

template <typename Fields>
void fields(Fields& f, ManifestPatch& patch) {
  f("patchset", patch.patchset);
  f("variant", patch.variant);
  f("file", record::OutputPath{patch.file});
  f("sha256", patch.sha256);
  f("repository", record::NamedRepository{patch.repository});
  f("issues", patch.issues);
  f("is_certified", patch.is_certified);
  f("edges", patch.edges);
}

template <typename Fields>
void fields(Fields& f, ManifestAddedFile& file) {
  f("patchset", file.patchset);
  f("variant", file.variant);
  f("repository", record::NamedRepository{file.repository});
  f("path", record::OutputPath{file.path});
  f("mode", record::ModeOutOf{file.mode, {FileMode::regular, FileMode::executable}});
  f("blob", file.blob);
  f("sha256", file.sha256);
  f("issues", file.issues);
}

template <typename Fields>
void fields(Fields& f, IssueDecision& decision) {
  f("id", decision.issue);
  f("status", decision.status);
  f("reason", decision.reason);
  f.optional("fix", decision.fix);
  if (decision.fix.empty()) return;
  f("kind", decision.kind);
  f("variant", decision.variant);
}

FIELDS(ManifestIssue, id, title, severity, links)

template <typename Fields>
void fields(Fields& f, PlannedSetting& setting) {
  f("name", setting.name);
  f("value", setting.value);
  f("origin", setting.origin);
  f("why", setting.why);
  f("read_at", setting.read_at);
  f.optional("component", setting.component);
  f.optional("unread", setting.unread);
  f.check([&](ObjectReader& item) {
    if (!is_variable_name(setting.name))
      item.report("name", concat(quote(setting.name), " is not the name of a variable"));
  });
}

template <typename Fields>
void fields(Fields& f, ManifestSideFile& file) {
  f("name", record::OutputPath{file.name});
  f("sha256", file.sha256);
  f("is_executable", file.is_executable);
}

FIELDS(ManifestEntryOrigin, entry, layer, digest)

/// Every component has its own repository, and every repository belongs to a component.
void check_components(ObjectReader& root, const Manifest& manifest) {
  const std::vector<Component>& components = manifest.components;
  if (components.empty()) root.report("components", "must name at least one component");
  record::require_sorted(root, "components", components, std::identity{});
  std::set<Component> with_root;
  for (const ManifestRepository& repository : manifest.repositories) {
    if (repository.path.path.empty()) with_root.insert(repository.path.component);
    if (std::ranges::find(components, repository.path.component) == components.end())
      root.report("repositories", concat(quote(repository.path.text()), " belongs to no component of this manifest"));
  }
  for (const Component component : components)
    if (!with_root.contains(component))
      root.report("repositories", concat("the repository of ", quote(component_name(component)), " itself is missing"));
}

/// Each of `items`, the list at `key`, is in a repository that is listed.
template <typename Item>
void check_repositories_of(ObjectReader& root, const char* key, const std::vector<Item>& items,
                           const std::set<RepositoryPath>& listed) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (listed.contains(items[i].repository)) continue;
    root.report(concat(key, "[", i, "].repository"),
                concat(quote(items[i].repository.text()), " does not stand in 'repositories'"));
  }
}

void check_contents(ObjectReader& root, const Manifest& manifest) {
  std::set<RepositoryPath> listed;
  for (const ManifestRepository& repository : manifest.repositories) listed.insert(repository.path);
  check_repositories_of(root, "missing", manifest.gaps, listed);
  check_repositories_of(root, "patches", manifest.patches, listed);
  check_repositories_of(root, "added_files", manifest.added_files, listed);
  std::set<std::string> files;
  for (std::size_t i = 0; i < manifest.patches.size(); ++i) {
    const std::string& file = manifest.patches[i].file;
    if (!files.insert(file).second) root.report(concat("patches[", i, "].file"), quote(file) + " stands twice");
  }
  std::set<std::pair<RepositoryPath, std::string>> places;
  for (std::size_t i = 0; i < manifest.added_files.size(); ++i) {
    const auto& [repository, path] = std::tie(manifest.added_files[i].repository, manifest.added_files[i].path);
    if (!places.emplace(repository, path).second)
      root.report(concat("added_files[", i, "].path"), quote(path) + " is added twice");
  }
}

void check_paths(ObjectReader& root, const Manifest& manifest) {
  for (std::size_t i = 0; i < manifest.links.size(); ++i) {
    const auto& [path, target] = manifest.links[i];
    if (const auto problem = record::output_link_problem(path, target))
      root.refuse(concat("links[", i, "].path"), concat("link ", quote(path), " ", *problem));
  }
  for (std::size_t i = 0; i < manifest.executables.size(); ++i) {
    const std::string& path = manifest.executables[i];
    if (const auto problem = output_path_problem(path))
      root.refuse(concat("executables[", i, "]"), concat(quote(path), " ", *problem));
  }
}

void check_manifest(ObjectReader& root, const Manifest& manifest) {
  if (!manifest.host.empty() && (!manifest.host.contains("board") || !manifest.host.contains("image")))
    root.report("host", "must have a board and an image");
  if (manifest.gaps.empty() && root.optional("missing")) root.report("missing", "is empty; leave it out");
  check_components(root, manifest);
  check_contents(root, manifest);
  check_paths(root, manifest);
  constexpr std::size_t kMost = 1000;  // repositories: as source/closure/closure.h has it
  const auto bound = [&](const char* key, std::size_t count) {
    if (count > kMost) root.report(key, concat("has ", count, ", more than ", kMost));
  };
  bound("repositories", manifest.repositories.size());
  bound("settings", manifest.settings.size());
  for (const std::string& name : manifest.forced_settings)
    if (!manifest.settings.contains(name)) root.report("forced_settings", concat(quote(name), " is not in 'settings'"));
  bound("environment", manifest.environment.size());
  record::require_sorted(root, "repositories", manifest.repositories, &ManifestRepository::path);
  record::require_sorted(root, "missing", manifest.gaps,
                         [](const auto& gap) { return std::pair(gap.repository, gap.path); });
  record::require_sorted(root, "forced_settings", manifest.forced_settings, std::identity{});
  record::require_sorted(root, "issues", manifest.issues, &IssueDecision::issue);
  record::require_sorted(root, "answered_issues", manifest.answered_issues, &ManifestIssue::id);
  record::require_sorted(root, "links", manifest.links, [](const auto& link) { return link.first; });
  record::require_sorted(root, "executables", manifest.executables, std::identity{});
  record::require_sorted(root, "side_files", manifest.side_files, &ManifestSideFile::name);
  record::require_sorted(root, "origins", manifest.origins, &ManifestEntryOrigin::entry);
}

template <typename Fields>
void fields(Fields& f, Manifest& manifest) {
  f.schema(1);
  f("tool_version", manifest.tool_version);
  f("release", record::VersionText{manifest.release});
  bool is_genuine = !manifest.stand_in;
  f("genuine", is_genuine);
  f.optional("stand_in", manifest.stand_in);
  f.check([&](ObjectReader& root) {
    if (is_genuine != manifest.stand_in.has_value()) return;
    root.report("genuine", "must be true without 'stand_in', and false with it");
  });
  f("board", manifest.board);
  f("image", manifest.image);
  f("python", record::VersionText{manifest.python, "none"});  // --set python=none
  f("target", manifest.target);
  f.optional("host", manifest.host);
  f("components", manifest.components);
  f("versions", record::OfComponents{manifest.components, manifest.versions});
  f("with_fixes", manifest.with_fixes);
  f("without_fixes", manifest.without_fixes);
  f("settings", manifest.settings);
  f.optional("forced_settings", manifest.forced_settings);
  f.optional("build_target", manifest.build_target);
  f("forced", manifest.forced);
  f("unpatched", manifest.unpatched);
  f("allow_uncertified", manifest.allow_uncertified);
  f("plan", manifest.plan);
  f("tree", manifest.tree);
  f("trees", record::OfComponents{manifest.components, manifest.trees});
  f("timestamp", InRange{manifest.timestamp, 0, kLastTimestamp});
  f("file_count", manifest.file_count);
  f("link_count", manifest.link_count);
  f("byte_count", manifest.byte_count);
  f("repositories", manifest.repositories);
  f.optional("missing", manifest.gaps);
  f("patches", manifest.patches);
  f("added_files", manifest.added_files);
  f("issues", manifest.issues);
  f("answered_issues", manifest.answered_issues);
  f("environment", manifest.environment);
  f.each("tool_bounds", manifest.tool_bounds, [](auto& each, std::pair<std::string, std::string>& bound) {
    each("tool", bound.first);
    each("range", bound.second);
    each.check([&](ObjectReader& item) {
      const auto range = VersionRange::parse(bound.second);
      if (range && !range->names_pre_release()) return;
      item.report("range", concat(quote(bound.second), " is not a range of versions"));
    });
  });
  f("warnings", manifest.warnings);
  f.each("links", manifest.links, [](auto& each, std::pair<std::string, std::string>& link) {
    each("path", link.first);
    each("target", link.second);
  });
  f("executables", manifest.executables);
  f("side_files", manifest.side_files);
  f("origins", manifest.origins);
  f.check([&](ObjectReader& root) { check_manifest(root, manifest); });
}

}  // namespace torchpatch

namespace torchpatch::record {

Json setting_json(const PlannedSetting& setting) { return to_json(setting); }

namespace {

Json sorted_json(Manifest sorted) {
  std::ranges::sort(sorted.repositories, {}, &ManifestRepository::path);
  std::ranges::sort(sorted.links, {}, &std::pair<std::string, std::string>::first);
  std::ranges::sort(sorted.executables);
  std::ranges::sort(sorted.side_files, {}, &ManifestSideFile::name);
  std::ranges::sort(sorted.origins, {}, &ManifestEntryOrigin::entry);
  return to_json(sorted);
}

}  // namespace

std::string manifest_json(const Manifest& manifest) { return canonical_json(sorted_json(manifest), "manifest.json"); }

std::vector<std::string> differing_fields(const Manifest& left, const Manifest& right) {
  const auto values_of = [](const Manifest& manifest) {
    std::set<std::pair<std::string, std::string>> values;
    for (const JsonMember& member : sorted_json(manifest).members)
      values.emplace(member.name, canonical_json(member.value, member.name));
    return values;
  };
  std::set<std::pair<std::string, std::string>> differing;
  std::ranges::set_symmetric_difference(values_of(left), values_of(right), std::inserter(differing, differing.end()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : differing)
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  return keys;
}

Manifest parse_manifest(std::string_view bytes, const std::string& file) {
  Findings findings;
  auto manifest = read_json<Manifest>(bytes, file, findings);
  if (!ends_with(bytes, "\n")) findings.add(file, 0, "", "the file is cut off: it does not end with a newline");
  findings.raise_if_any("reading the manifest", findings.has_refusal() ? ErrorKind::unsafe : ErrorKind::data,
                        "torchpatch writes this file; prepare the tree again instead of editing it");
  return manifest;
}

}  // namespace torchpatch::record
