// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/manifest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "model/repository_path.h"
#include "plan/facts.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/version.h"
#include "trees/prepare/side_files.h"

namespace torchpatch::trees {

namespace {

using Facts = std::map<std::string, std::string>;

Facts image_facts(const Image& image) {
  Facts facts;
  if (!image.os.empty()) facts["os"] = image.os;
  const auto add = [&](const char* name, const std::optional<Version>& version) {
    if (version) facts[name] = version->text();
  };
  add("glibc", image.glibc);
  add("gcc", image.gcc);
  add("cmake", image.cmake);
  add("cuda", image.cuda);
  add("cudnn", image.cudnn);
  return facts;
}

Facts target_facts(const Plan& plan) {
  const Image image = plan::chosen_image(plan);
  Facts target = image_facts(image);
  target["arch"] = *image.arch;
  target["cpu_flags"] = plan.cpu_flags;
  target["python"] = plan.python;
  if (plan.board->gpu) target["compute_capability"] = plan.board->gpu->compute_capability.text();
  if (const std::string* const set = find_value(plan.options.settings, "compute_capability")) {
    target["compute_capability"] = *set;
    if (*set == kKnownAbsent) target.erase("compute_capability");
  }
  return target;
}

Facts host_facts(const Plan& plan) {
  if (!plan.host) return {};
  Facts host = image_facts(*plan.host->image);
  host["board"] = plan.host->board->id;
  host["image"] = plan.host->image->id;
  host["arch"] = plan.host->arch();
  return host;
}

std::map<Component, std::string> versions_of(const Plan& plan) {
  std::map<Component, std::string> versions;
  for (const Component component : plan.components)
    versions[component] = plan.release->components.at(component).version;
  return versions;
}

std::vector<ToolBound> tool_bounds(const Release& release) {
  std::vector<ToolBound> bounds;
  for (const auto& [tool, range] : release.build_tools) bounds.push_back({tool, range.text()});
  return bounds;
}

std::vector<ManifestRepository> with_overrides(std::vector<ManifestRepository> repositories, const Plan& plan) {
  for (ManifestRepository& repository : repositories) {
    repository.overridden.reset();
    for (const PlannedOverride& planned : plan.overrides) {
      if (planned.what->repository != repository.path) continue;
      repository.overridden = {planned.what->replaces, planned.patchset, planned.variant, planned.issues};
    }
  }
  return repositories;
}

std::vector<ManifestPatch> manifest_patches(const Plan& plan, const std::vector<ManifestPatch>& known) {
  std::vector<ManifestPatch> patches;
  for (std::size_t i = 0; i < plan.patches.size(); ++i) {
    const PlannedPatch& planned = plan.patches[i];
    ManifestPatch& entry = patches.emplace_back(ManifestPatch{.patchset = planned.patchset,
                                                              .variant = planned.variant,
                                                              .file = patch_copy_name(i, planned.patchset),
                                                              .sha256 = planned.patch->sha256,
                                                              .repository = planned.patch->repository,
                                                              .issues = planned.issues,
                                                              .is_certified = !planned.edges.empty(),
                                                              .edges = {}});
    if (i < known.size())
      entry.edges = known[i].edges;
    else
      for (const CertificateEdge& edge : planned.edges) entry.edges.push_back({edge.path, edge.before, edge.after});
    std::ranges::sort(entry.edges, {}, &PatchEdge::path);
  }
  return patches;
}

std::vector<ManifestAddedFile> added_files_of(const Plan& plan) {
  std::vector<ManifestAddedFile> added;
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    added.push_back({planned.patchset, planned.variant, file.repository, file.path, file.mode(),
                     git_blob_id(file.bytes), file.sha256, planned.issues});
  }
  return added;
}

std::vector<ManifestIssue> describe_issues(const std::set<std::string>& ids, const Catalog& catalog) {
  std::vector<ManifestIssue> issues;
  for (const std::string& id : ids) {
    const Issue& issue = catalog.issue(id);
    issues.push_back({id, issue.title, issue.severity, issue.links});
  }
  return issues;
}

/// The entries that decide the plan: every issue has a say in it.
std::vector<ManifestEntryOrigin> origins_of(const Plan& plan, const Catalog& catalog) {
  std::set<std::string> entries = {"board " + plan.board->id, "release " + plan.release->version.text()};
  if (plan.host) entries.insert("board " + plan.host->board->id);
  for (const IssueDecision& decision : plan.issues) entries.insert("issue " + decision.issue);
  for (const PlannedOverride& planned : plan.overrides) entries.insert("patchset " + planned.patchset);
  for (const PlannedPatch& planned : plan.patches) entries.insert("patchset " + planned.patchset);
  for (const PlannedFile& planned : plan.files) entries.insert("patchset " + planned.patchset);
  std::vector<ManifestEntryOrigin> origins;
  for (const std::string& entry : entries) {
    const auto found = catalog.origins.find(entry);
    if (found != catalog.origins.end()) origins.push_back({entry, found->second.layer, found->second.digest});
  }
  return origins;
}

void add_pins(const source::Closure& closure, const PatchedTree& patched, Manifest& manifest) {
  for (std::size_t i = 0; i < closure.repositories.size(); ++i) {
    const source::ClosureRepository& repository = closure.repositories[i];
    manifest.repositories.push_back({repository.path, repository.url, repository.commit, repository.raw_commit,
                                     repository.tree, patched.repository_trees[i]});
  }
  for (const source::ClosureGap& gap : closure.gaps)
    manifest.gaps.push_back({gap.repository, gap.entry.path, gap.entry.mode, gap.entry.id});
  for (const std::vector<PatchEdge>& edges : patched.edges) manifest.patches.emplace_back().edges = edges;
}

void add_written_files(const WrittenTree& tree, Manifest& manifest) {
  std::vector<OutFile> regular;
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const tree::FileToWrite& file = tree.patched.files[i];
    if (file.mode == FileMode::link) {
      manifest.links.push_back({file.path, tree.files[i].link_target});
      continue;
    }
    regular.push_back({file.path, file.blob, tree.files[i].size});
    if (file.mode == FileMode::executable) manifest.executables.push_back(file.path);
    manifest.byte_count += tree.files[i].size;
  }
  manifest.file_count = regular.size();
  manifest.link_count = manifest.links.size();
  std::vector<std::vector<LicenceFile>> licences = find_licences(tree.root, manifest.repositories, regular);
  for (std::size_t i = 0; i < licences.size(); ++i) manifest.repositories[i].licences = std::move(licences[i]);
}

}  // namespace

Manifest make_manifest(const Plan& plan, const Catalog& catalog, Manifest known) {
  Manifest manifest{.tool_version = kToolVersion,
                    .release = plan.release->version.text(),
                    .stand_in = plan.release->stand_in,
                    .board = plan.board->id,
                    .image = plan.image->id,
                    .python = plan.python,
                    .target = target_facts(plan),
                    .host = host_facts(plan),
                    .components = plan.components,
                    .versions = versions_of(plan),
                    .with_fixes = {plan.options.with_fixes.begin(), plan.options.with_fixes.end()},
                    .without_fixes = {plan.options.without_fixes.begin(), plan.options.without_fixes.end()},
                    .settings = plan.options.settings,
                    .forced_settings = {plan.options.forced_settings.begin(), plan.options.forced_settings.end()},
                    .build_target = plan.options.build_target,
                    .forced = plan.options.force,
                    .unpatched = plan.options.unpatched,
                    .allow_uncertified = known.allow_uncertified,
                    .plan = plan.digest,
                    .trees = std::move(known.trees),
                    .tree = known.tree,
                    .timestamp = known.timestamp,
                    .file_count = known.file_count,
                    .link_count = known.link_count,
                    .byte_count = known.byte_count,
                    .repositories = with_overrides(std::move(known.repositories), plan),
                    .gaps = std::move(known.gaps),
                    .patches = manifest_patches(plan, known.patches),
                    .added_files = added_files_of(plan),
                    .issues = plan.issues,
                    .answered_issues = {},
                    .environment = plan.environment,
                    .tool_bounds = tool_bounds(*plan.release),
                    .warnings = plan.warnings,
                    .executables = std::move(known.executables),
                    .links = std::move(known.links),
                    .side_files = std::move(known.side_files),
                    .origins = origins_of(plan, catalog)};
  manifest.answered_issues = describe_issues(answered_issues(manifest), catalog);
  if (!manifest.gaps.empty()) manifest.warnings.push_back(concat("the tree is partial: ", gaps_text(manifest)));
  return manifest;
}

Manifest found_in(const WrittenTree& tree) {
  Manifest found;
  found.trees = tree.patched.whole.trees;
  found.tree = tree.patched.whole.tree;
  found.timestamp = newest_time(tree.closure);
  add_pins(tree.closure, tree.patched, found);
  add_written_files(tree, found);
  return found;
}

Manifest with_found(Manifest manifest, Manifest found) {
  for (ManifestRepository& repository : found.repositories) {
    const auto said = std::ranges::find(manifest.repositories, repository.path, &ManifestRepository::path);
    if (said != manifest.repositories.end()) repository.overridden = std::move(said->overridden);
  }
  for (std::size_t i = 0; i < manifest.patches.size(); ++i) manifest.patches[i].edges = found.patches.at(i).edges;
  manifest.trees = std::move(found.trees);
  manifest.tree = found.tree;
  manifest.timestamp = found.timestamp;
  manifest.file_count = found.file_count;
  manifest.link_count = found.link_count;
  manifest.byte_count = found.byte_count;
  manifest.repositories = std::move(found.repositories);
  manifest.gaps = std::move(found.gaps);
  manifest.executables = std::move(found.executables);
  manifest.links = std::move(found.links);
  return manifest;
}

std::vector<std::vector<LicenceFile>> find_licences(const std::string& root,
                                                    const std::vector<ManifestRepository>& repositories,
                                                    const std::vector<OutFile>& files) {
  std::map<std::string, std::size_t, std::less<>> directories;
  for (std::size_t i = 0; i < repositories.size(); ++i)
    directories.emplace(repository_directory(repositories[i].path), i);
  std::map<ObjectId, std::string> ids;  // many repositories have the same file
  std::vector<std::vector<LicenceFile>> found(repositories.size());
  for (const OutFile& file : files) {
    const std::size_t slash = file.path.rfind('/');
    if (slash == std::string_view::npos || !is_licence_file_name(file.path.substr(slash + 1))) continue;
    const auto repository = directories.find(file.path.substr(0, slash));
    if (repository == directories.end()) continue;
    const auto [id, is_new] = ids.try_emplace(file.blob);
    if (is_new && file.size <= kMaxLicenceBytes) id->second = identify_licence(read_file(concat(root, "/", file.path)));
    found[repository->second].push_back({std::string(file.path.substr(slash + 1)), id->second});
  }
  for (std::vector<LicenceFile>& licences : found) std::ranges::sort(licences, {}, &LicenceFile::name);
  return found;
}

}  // namespace torchpatch::trees
