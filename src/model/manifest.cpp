// SPDX-License-Identifier: BSD-3-Clause
#include "model/manifest.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {

std::string gaps_text(const Manifest& manifest) {
  if (manifest.gaps.empty()) return {};
  const auto is_submodule = [](const ManifestGap& gap) { return gap.mode == FileMode::gitlink; };
  const auto submodules = std::count_if(manifest.gaps.begin(), manifest.gaps.end(), is_submodule);
  const auto files = static_cast<std::ptrdiff_t>(manifest.gaps.size()) - submodules;
  std::vector<std::string> parts;
  if (files > 0) parts.push_back(concat(files, files == 1 ? " file" : " files"));
  if (submodules > 0) parts.push_back(concat(submodules, submodules == 1 ? " submodule" : " submodules"));
  return concat(join(parts, " and "), " of the pinned commits ", manifest.gaps.size() == 1 ? "is" : "are", " missing");
}

std::vector<std::string> gap_lines(const Manifest& manifest) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> lines;
  for (const ManifestGap& gap : manifest.gaps) {
    if (lines.size() == kShown) {
      lines.push_back(concat("… and ", manifest.gaps.size() - kShown, " more (manifest.json has all)"));
      break;
    }
    lines.push_back(quote(gap.out_path()));
  }
  return lines;
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
  if (manifest.host.contains("board")) options.push_back("--host " + manifest.host.at("board"));
  if (manifest.forced) options.emplace_back("--force");
  if (manifest.unpatched) options.emplace_back("--unpatched");
  if (manifest.allow_uncertified) options.emplace_back("--allow-uncertified");
  if (!manifest.gaps.empty()) options.emplace_back("--allow-partial");
  for (const ManifestRepository& repository : manifest.repositories)
    if (repository.overridden) options.push_back("the override of " + repository.path.text());
  for (const std::string& layer : foreign_layers(manifest)) options.push_back("the layer " + layer);
  return options;
}

std::vector<std::string> prepare_words(const Manifest& manifest) {
  std::vector<std::string> words = {"--version",    manifest.release, "--board",
                                    manifest.board, "--image",        manifest.image};
  if (manifest.components.size() < std::size(kComponents))
    for (const Component component : manifest.components)
      words.insert(words.end(), {"--component", component_name(component)});
  for (const std::string& layer : foreign_layers(manifest))
    words.insert(words.end(), {manifest.stand_in ? "--source" : "--catalog", layer});
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
  for (const ManifestEntryOrigin& origin : manifest.origins) layers.insert(origin.layer);
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
