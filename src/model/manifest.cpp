// SPDX-License-Identifier: BSD-3-Clause
#include "model/manifest.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// Reports components without their own repository, and repositories without a component.
void check_components(ObjectReader& root, const Manifest& manifest) {
  const std::vector<Component>& components = manifest.components;
  if (components.empty()) root.report("components", "must name at least one component");
  require_sorted(root, "components", components, std::identity{});
  std::set<Component> with_root;
  for (const ManifestRepository& repository : manifest.repositories) {
    if (repository.path.path.empty()) with_root.insert(repository.path.component);
    if (std::ranges::find(components, repository.path.component) == components.end())
      root.report("repositories",
                  concat(quote(repository.path.text()), " does not belong to a component of this manifest"));
  }
  for (const Component component : components)
    if (!with_root.contains(component))
      root.report("repositories", concat("the repository of ", quote(name_of(component)), " itself is missing"));
}

/// Reports `items`, the list at `key`, of repositories that are not listed.
template <typename Item>
void check_repositories_of(ObjectReader& root, const char* key, const std::vector<Item>& items,
                           const std::set<RepositoryPath>& listed) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (listed.contains(items[i].repository)) continue;
    root.report(concat(key, "[", i, "].repository"),
                concat(quote(items[i].repository.text()), " is not in 'repositories'"));
  }
}

void check_contents(ObjectReader& root, const Manifest& manifest) {
  std::set<RepositoryPath> listed;
  for (const ManifestRepository& repository : manifest.repositories) listed.insert(repository.path);
  check_repositories_of(root, "missing", manifest.gaps, listed);
  check_repositories_of(root, "patches", manifest.patches, listed);
  check_repositories_of(root, "added_files", manifest.added_files, listed);
  for (std::size_t i = 0; i < manifest.advisories.size(); ++i) {
    const RepositoryPath& path = manifest.advisories[i].about.repository;
    if (!listed.contains({path.component, ""}))
      root.report(concat("advisories[", i, "].repository"),
                  concat(quote(path.text()), " does not belong to a component"));
  }
  std::set<std::string> files;
  for (std::size_t i = 0; i < manifest.patches.size(); ++i) {
    const std::string& file = manifest.patches[i].file;
    if (!files.insert(file).second) root.report(concat("patches[", i, "].file"), quote(file) + " is listed twice");
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
    if (const auto problem = output_link_problem(path, target))
      root.refuse(concat("links[", i, "].path"), concat("link ", quote(path), " ", *problem));
  }
  for (std::size_t i = 0; i < manifest.executables.size(); ++i) {
    const std::string& path = manifest.executables[i];
    if (const auto problem = output_path_problem(path))
      root.refuse(concat("executables[", i, "]"), concat(quote(path), " ", *problem));
  }
}

}  // namespace

void check_fields(ObjectReader& object, const LicenceFile& file) {
  if (!is_licence_file_name(file.name) || file.name.find('/') != std::string::npos)
    object.report("file", concat(quote(file.name), " is not the name of a licence file"));
}

void check_fields(ObjectReader& object, const ManifestRepository& repository) {
  require_sorted(object, "licences", repository.licences, &LicenceFile::name);
  if (repository.overridden && repository.path.path.empty())
    object.report("override", "is for a component itself, which only the release pins");
  const auto& content = repository.content;
  if (content && (!repository.path.path.empty() || content->commit != repository.commit ||
                  content->tree != repository.base_tree || content->raw_commit() != repository.raw_commit))
    object.report("content", "is not that of the repository");
}

void check_fields(ObjectReader& object, const ManifestPatch& patch) {
  for (std::size_t i = 0; i < patch.edges.size(); ++i)
    if (const auto problem = output_path_problem(patch.edges[i].path))
      object.refuse(concat("edges[", i, "].path"), concat(quote(patch.edges[i].path), " ", *problem));
}

void check_fields(ObjectReader& object, const ToolBound& bound) {
  const auto range = VersionRange::parse(bound.range);
  if (!range || range->names_pre_release())
    object.report("range", concat(quote(bound.range), " is not a range of versions"));
}

void check_fields(ObjectReader& root, const Manifest& manifest) {
  const Json* const genuine = root.optional("genuine");
  if (genuine && genuine->boolean == manifest.stand_in.has_value())
    root.report("genuine", "must be true without 'stand_in', and false with it");
  if (!manifest.host.empty() && (!manifest.host.contains("board") || !manifest.host.contains("image")))
    root.report("host", "must have a board and an image");
  if (manifest.gaps.empty() && root.optional("missing")) root.report("missing", "is empty; remove it");
  check_components(root, manifest);
  check_contents(root, manifest);
  check_paths(root, manifest);
  constexpr std::size_t kMost = 1000;  // repositories, as in source/closure/closure.h
  const auto bound = [&](const char* key, std::size_t count) {
    if (count > kMost) root.report(key, concat("has ", count, ", more than ", kMost));
  };
  bound("repositories", manifest.repositories.size());
  bound("settings", manifest.settings.size());
  for (const std::string& name : manifest.forced_settings)
    if (!manifest.settings.contains(name)) root.report("forced_settings", concat(quote(name), " is not in 'settings'"));
  bound("environment", manifest.environment.size());
  require_sorted(root, "repositories", manifest.repositories, &ManifestRepository::path);
  require_sorted(root, "missing", manifest.gaps, [](const auto& gap) { return std::pair(gap.repository, gap.path); });
  require_sorted(root, "forced_settings", manifest.forced_settings, std::identity{});
  require_sorted(root, "issues", manifest.issues, &IssueDecision::issue);
  require_sorted(root, "answered_issues", manifest.answered_issues, &ManifestIssue::id);
  require_sorted(root, "advisories", manifest.advisories,
                 [](const AdvisoryDecision& decision) { return decision.about.id; });
  require_sorted(root, "links", manifest.links, &OutLink::path);
  require_sorted(root, "executables", manifest.executables, std::identity{});
  require_sorted(root, "side_files", manifest.side_files, &ManifestSideFile::name);
  require_sorted(root, "origins", manifest.origins, &EntryOrigin::entry);
}

std::vector<std::string> missing_paths(const Manifest& manifest) {
  std::vector<std::string> paths = collect(manifest.gaps, &ManifestGap::out_path);
  for (const ManifestRepository& repository : manifest.repositories)
    for (const std::string& path : repository.content ? repository.content->absent : std::vector<std::string>())
      paths.push_back(concat(repository_directory(repository.path), "/", path));
  return paths;
}

bool is_partial(const Manifest& manifest) { return !missing_paths(manifest).empty(); }

std::string gaps_text(const Manifest& manifest) {
  const std::size_t count = missing_paths(manifest).size();
  if (count == 0) return {};
  const auto is_file = [](const ManifestGap& gap) { return gap.mode != FileMode::gitlink; };
  const auto files = static_cast<std::size_t>(std::ranges::count_if(manifest.gaps, is_file));
  const std::size_t submodules = count - files;
  std::vector<std::string> parts;
  if (files > 0) parts.push_back(concat(files, files == 1 ? " file" : " files"));
  if (submodules > 0) parts.push_back(concat(submodules, submodules == 1 ? " submodule" : " submodules"));
  return concat(join(parts, " and "), " of the pinned commits ", count == 1 ? "is" : "are", " missing");
}

std::vector<std::string> gap_lines(const Manifest& manifest) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> lines = collect(missing_paths(manifest), quote);
  if (lines.size() <= kShown) return lines;
  const std::size_t more = lines.size() - kShown;
  lines.resize(kShown);
  lines.push_back(concat("… and ", more, " more (manifest.json has all)"));
  return lines;
}

std::string newer_cmake(const Manifest& manifest, const std::map<std::string, std::string>& system) {
  const std::string* const text = find_value(system, std::string("cmake"));
  const auto bound = std::ranges::find(manifest.tool_bounds, "cmake", &ToolBound::tool);
  if (!text || bound == manifest.tool_bounds.end()) return {};
  const std::vector<std::string> parts = split(bound->range, ' ');
  const bool is_too_old = std::ranges::any_of(parts, [&](const std::string& part) {
    return starts_with(part, ">") && !VersionRange::parse(part)->contains(*Version::parse(*text));
  });
  return is_too_old ? concat("cmake", join(parts, ",")) : "";
}

std::vector<std::string> chosen_options(const Manifest& manifest) {
  std::vector<std::string> options;
  for (const std::string& fix : manifest.with_fixes) options.push_back("--with " + fix);
  for (const std::string& fix : manifest.without_fixes) options.push_back("--without " + fix);
  for (const auto& [name, value] : manifest.settings) {
    const bool is_forced = std::ranges::count(manifest.forced_settings, name) > 0;
    options.push_back(concat(is_forced ? kForceSet : "--set", " ", name, "=", value));
  }
  if (!manifest.build_target.empty()) options.push_back("--build-target " + manifest.build_target);
  if (manifest.host.contains("board") && manifest.host.contains("image"))
    options.push_back(concat("--host ", manifest.host.at("board"), ":", manifest.host.at("image")));
  if (manifest.forced) options.emplace_back("--force");
  if (manifest.unpatched) options.emplace_back("--unpatched");
  if (manifest.allow_uncertified) options.emplace_back("--allow-uncertified");
  if (is_partial(manifest)) options.emplace_back("--allow-partial");
  for (const ManifestRepository& repository : manifest.repositories)
    if (repository.overridden) options.push_back("the override of " + repository.path.text());
  for (const std::string& layer : foreign_layers(manifest)) options.push_back("the layer " + layer);
  return options;
}

std::vector<std::string> prepare_words(const Manifest& manifest, const std::map<std::string, std::string>& layers) {
  std::vector<std::string> words = {"--version",    manifest.release, "--board",
                                    manifest.board, "--image",        manifest.image};
  if (manifest.components.size() < std::size(kComponents))
    for (const Component component : manifest.components)
      words.insert(words.end(), {"--component", name_of(component)});
  for (const ManifestRepository& repository : manifest.repositories)
    if (repository.content)
      words.insert(words.end(), {"--archive", concat(repository.path.text(), "=", repository.content->archive)});
  const auto release = std::ranges::find(manifest.origins, "release " + manifest.release, &EntryOrigin::entry);
  const std::string stand_in = manifest.stand_in && release != manifest.origins.end() ? release->layer : "";
  for (const std::string& layer : foreign_layers(manifest)) {
    const auto directory = layers.find(layer);
    words.emplace_back(layer == stand_in ? "--source" : "--catalog");
    words.push_back(directory == layers.end() ? layer : directory->second);
  }
  for (const std::string& option : chosen_options(manifest)) {
    if (!starts_with(option, "--")) continue;
    const std::size_t space = std::min(option.find(' '), option.size());
    words.push_back(option.substr(0, space));
    if (space < option.size()) words.push_back(option.substr(space + 1));
  }
  return words;
}

std::set<std::string> foreign_layers(const Manifest& manifest) {
  std::set<std::string> layers;
  for (const EntryOrigin& origin : manifest.origins) layers.insert(origin.layer);
  layers.erase(kShippedLayer);
  return layers;
}

std::set<std::string> answered_issues(const Manifest& manifest) {
  std::set<std::string> ids;
  for (const ManifestPatch& patch : manifest.patches) ids.insert(patch.issues.begin(), patch.issues.end());
  for (const ManifestAddedFile& file : manifest.added_files) ids.insert(file.issues.begin(), file.issues.end());
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden) continue;
    ids.insert(repository.overridden->issues.begin(), repository.overridden->issues.end());
  }
  return ids;
}

}  // namespace torchpatch
