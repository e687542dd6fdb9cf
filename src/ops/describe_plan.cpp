// SPDX-License-Identifier: BSD-3-Clause
#include "ops/describe_plan.h"

#include <cstdio>

#include "emit/manifest/out_files.h"
#include "model/submodule_layout.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::ops {

namespace {

void add_fact(std::map<std::string, std::string>& target, const std::string& name,
              const std::optional<Version>& version) {
  if (version) target[name] = version->text();
}

void add_image(std::map<std::string, std::string>& facts, const Image& image) {
  facts["os"] = image.os;
  add_fact(facts, "glibc", image.glibc);
  add_fact(facts, "gcc", image.gcc);
  add_fact(facts, "cmake", image.cmake);
  add_fact(facts, "cuda", image.cuda);
  add_fact(facts, "cudnn", image.cudnn);
}

std::map<std::string, std::string> describe_target(const Plan& plan) {
  const Image& image = *plan.image;
  std::map<std::string, std::string> target;
  target["arch"] = image.arch.value_or(plan.board->arch);
  target["cpu_flags"] = image.cpu_flags.value_or(plan.board->cpu_flags);
  target["python"] = plan.python;
  add_image(target, image);
  if (plan.board->gpu) target["compute_capability"] = plan.board->gpu->compute_capability.text();
  return target;
}

std::map<std::string, std::string> describe_host(const Plan& plan) {
  if (!plan.host) return {};
  std::map<std::string, std::string> host = {
      {"board", plan.host->board->id}, {"image", plan.host->image->id}, {"arch", plan.host->arch()}};
  add_image(host, *plan.host->image);
  return host;
}

void add_origin(const Catalog& catalog, const std::string& entry, Manifest& manifest) {
  const auto found = catalog.origins.find(entry);
  if (found != catalog.origins.end()) manifest.origins.push_back({entry, found->second.layer, found->second.digest});
}

/// The entries that decide the plan: every issue has a say in it.
void describe_origins(const Plan& plan, const Catalog& catalog, Manifest& manifest) {
  manifest.origins.clear();
  std::set<std::string> boards = {plan.board->id};
  if (plan.host) boards.insert(plan.host->board->id);
  for (const std::string& id : boards) add_origin(catalog, "board " + id, manifest);
  for (const IssueDecision& decision : plan.issues) add_origin(catalog, "issue " + decision.issue, manifest);
  std::set<std::string> patchsets;
  for (const PlannedOverride& planned : plan.overrides) patchsets.insert(planned.patchset);
  for (const PlannedPatch& patch : plan.patches) patchsets.insert(patch.patchset);
  for (const PlannedFile& file : plan.files) patchsets.insert(file.patchset);
  for (const std::string& id : patchsets) add_origin(catalog, "patchset " + id, manifest);
  add_origin(catalog, "release " + plan.release->version.text(), manifest);
}

}  // namespace

void describe_plan(const Plan& plan, const Catalog& catalog, Manifest& manifest) {
  manifest.tool_version = kToolVersion;
  manifest.release = plan.release->version.text();
  manifest.stand_in = plan.release->stand_in;
  manifest.board = plan.board->id;
  manifest.image = plan.image->id;
  manifest.python = plan.python;
  manifest.target = describe_target(plan);
  manifest.host = describe_host(plan);
  manifest.components = plan.components;
  manifest.versions.clear();
  for (const Component component : plan.components) {
    manifest.versions[component] = plan.release->components.at(component).version;
  }
  manifest.with_fixes.assign(plan.options.with_fixes.begin(), plan.options.with_fixes.end());
  manifest.without_fixes.assign(plan.options.without_fixes.begin(), plan.options.without_fixes.end());
  manifest.settings = plan.options.settings;
  manifest.forced = plan.options.force;
  manifest.unpatched = plan.options.unpatched;
  manifest.plan = plan.digest;
  manifest.issues = plan.issues;
  manifest.environment = plan.environment;
  manifest.warnings = plan.warnings;
  manifest.tool_bounds.clear();
  for (const auto& [tool, range] : plan.release->build_tools) manifest.tool_bounds.emplace_back(tool, range.text());
  describe_origins(plan, catalog, manifest);
}

void describe_gaps(Manifest& manifest) {
  if (!manifest.gaps.empty()) manifest.warnings.push_back(concat("the tree is partial: ", gaps_text(manifest)));
}

void describe_overrides(const Plan& plan, Manifest& manifest) {
  for (ManifestRepository& repository : manifest.repositories) {
    repository.overridden.reset();
    for (const PlannedOverride& planned : plan.overrides) {
      if (planned.what->repository != repository.path) continue;
      repository.overridden = {planned.what->replaces, planned.patchset, planned.variant, planned.issues};
    }
  }
}

void describe_patches(const Plan& plan, Manifest& manifest) {
  for (std::size_t i = 0; i < plan.patches.size(); ++i) {
    const PlannedPatch& planned = plan.patches[i];
    ManifestPatch entry{planned.patchset,
                        planned.variant,
                        patch_copy_name(i, planned.patchset),
                        planned.patch->sha256,
                        planned.patch->repository,
                        planned.issues,
                        !planned.edges.empty(),
                        {}};
    for (const CertificateEdge& edge : planned.edges) entry.edges.push_back({edge.path, edge.before, edge.after});
    manifest.patches.push_back(std::move(entry));
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    manifest.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path,
                                    file.is_executable ? FileMode::executable : FileMode::regular,
                                    git_blob_id(file.bytes), file.sha256, planned.issues});
  }
}

void describe_answered_issues(const Catalog& catalog, Manifest& manifest) {
  manifest.answered_issues.clear();
  for (const std::string& id : answered_issues(manifest)) {
    const Issue& issue = catalog.issue(id);
    manifest.answered_issues.push_back({id, issue.title, issue.severity, issue.links});
  }
}

std::string patch_copy_name(std::size_t index, const std::string& patchset) {
  char number[16];
  std::snprintf(number, sizeof number, "%04zu", index + 1);
  return concat("patches/", number, "-", patchset, ".patch");
}

std::string added_copy_name(const RepositoryPath& repository, const std::string& path) {
  return concat("files/", repository_directory(repository), "/", path);
}

const SideFile& find_side_file(const std::vector<SideFile>& files, const std::string& name) {
  for (const SideFile& file : files) {
    if (file.name == name) return file;
  }
  throw Error(ErrorKind::data, concat("the manifest lists no file ", quote(name), " beside it"));
}

std::vector<SideFile> generated_files(const Manifest& manifest, const Plan& plan, const Catalog& catalog) {
  const Board& builder = plan.host ? *plan.host->board : *plan.board;
  std::vector<Issue> issues;
  for (const IssueDecision& decision : plan.issues) issues.push_back(catalog.issue(decision.issue));
  return {
      {"KNOWN_ISSUES.md", emit::known_issues_page(manifest, issues), false},
      {"build.env", emit::build_environment(manifest), false},
      {"build.sh", emit::build_script(manifest, plan.steps, builder.build_steps), true},
      {"check.sh", emit::check_script(manifest), true},
  };
}

}  // namespace torchpatch::ops
