// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/manifest.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "model/repository_path.h"
#include "patch/patch_file.h"
#include "patch/review.h"
#include "plan/facts.h"
#include "record/sbom.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"

namespace torchpatch::trees {

namespace {

/// What is generated of a plan: name, and whether it is executable.
constexpr std::array<std::pair<const char*, bool>, 6> kGenerated = {{{"KNOWN_ISSUES.md", false},
                                                                     {"build.env", false},
                                                                     {"build.sh", true},
                                                                     {"check.sh", true},
                                                                     {"numerics.py", false},
                                                                     {"numerics.txt", false}}};

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

std::vector<ManifestPatch> manifest_patches(const Plan& plan, const std::vector<ManifestPatch>& known) {
  std::vector<ManifestPatch> patches;
  for (std::size_t i = 0; i < plan.patches.size(); ++i) {
    const PlannedPatch& planned = plan.patches[i];
    ManifestPatch& entry =
        patches.emplace_back(ManifestPatch{.patchset = planned.patchset,
                                           .variant = planned.variant,
                                           .file = patch_copy_name(i, planned.patchset),
                                           .sha256 = planned.patch->sha256,
                                           .repository = planned.patch->repository,
                                           .issues = planned.issues,
                                           .is_certified = !planned.edges.empty(),
                                           .edges = i < known.size() ? known[i].edges : planned.edges});
    std::ranges::sort(entry.edges, {}, &PatchEdge::path);
  }
  return patches;
}

/// The entries that decide the plan: every issue has a say in it.
std::vector<EntryOrigin> origins_of(const Plan& plan, const Catalog& catalog) {
  std::set<std::string> entries = {"board " + plan.board->id, "release " + plan.release->version.text()};
  if (plan.host) entries.insert("board " + plan.host->board->id);
  for (const IssueDecision& decision : plan.issues) entries.insert("issue " + decision.issue);
  if (!plan.advisories.empty()) entries.insert(kAdvisoriesEntry);
  for (const PlannedOverride& planned : plan.overrides) entries.insert("patchset " + planned.patchset);
  for (const PlannedPatch& planned : plan.patches) entries.insert("patchset " + planned.patchset);
  for (const PlannedFile& planned : plan.files) entries.insert("patchset " + planned.patchset);
  std::vector<EntryOrigin> origins;
  for (const std::string& entry : entries)
    if (const auto found = catalog.origins.find(entry); found != catalog.origins.end())
      origins.push_back(found->second);
  return origins;
}

}  // namespace

std::string patch_copy_name(std::size_t index, const std::string& patchset) {
  char number[16];
  std::snprintf(number, sizeof number, "%04zu", index + 1);
  return concat("patches/", number, "-", patchset, ".patch");
}

std::string added_copy_name(const RepositoryPath& repository, const std::string& path) {
  return concat("files/", repository_directory(repository), "/", path);
}

std::vector<SideFile> generated_files(const Manifest& manifest, const Plan& plan, const Catalog& catalog) {
  const Board& builder = plan.host ? *plan.host->board : *plan.board;
  std::vector<Issue> issues;
  for (const IssueDecision& decision : plan.issues) issues.push_back(catalog.issue(decision.issue));
  const std::vector<HostRequirement> requirements = host_requirements(catalog, manifest, plan);
  const std::array<std::string, kGenerated.size()> texts = {
      record::known_issues_page(manifest, issues),
      record::build_environment(manifest),
      record::build_script(manifest, plan.steps, builder.build_steps, requirements,
                           built_by(*plan.release, FrontEndKind::scikit_build_core)),
      record::check_script(manifest, requirements),
      std::string(record::kNumericsScript),
      std::string(record::kNumericsData)};
  std::vector<SideFile> files;
  for (std::size_t i = 0; i < texts.size(); ++i) files.push_back({kGenerated[i].first, texts[i], kGenerated[i].second});
  return files;
}

std::map<std::string, KnownSideFile> known_side_files(const Manifest& manifest) {
  std::map<std::string, KnownSideFile> known;
  for (const auto& [name, is_executable] : kGenerated) known[name] = {is_executable, {}};
  for (std::size_t i = 0; i < manifest.patches.size(); ++i)
    known[patch_copy_name(i, manifest.patches[i].patchset)] = {false, manifest.patches[i].sha256};
  for (const ManifestAddedFile& file : manifest.added_files)
    known[added_copy_name(file.repository, file.path)] = {false, file.sha256};
  return known;
}

const SideFile& find_side_file(const std::vector<SideFile>& files, const std::string& name) {
  const auto found = std::ranges::find(files, name, &SideFile::name);
  if (found != files.end()) return *found;
  throw Error(ErrorKind::data, concat("the manifest lists no file ", quote(name), " next to it"));
}

std::vector<record::GeneratedFile> make_companions(const Manifest& manifest, const Sha256& digest,
                                                   const std::function<std::string(const std::string& name)>& read) {
  record::CompanionInput input{&manifest, digest, {}, {}};
  for (const ManifestPatch& entry : manifest.patches) {
    record::PatchCopy copy{read(entry.file), {}};
    const patch::PatchHeader header = patch::parse_header(patch::parse_patch(copy.bytes, entry.file).preamble);
    if (const patch::HeaderField* const origin = header.find("Origin")) copy.origin = origin->value;
    input.patches.push_back(std::move(copy));
  }
  for (const ManifestAddedFile& file : manifest.added_files)
    input.added_files.push_back(read(added_copy_name(file.repository, file.path)));
  return record::companions(input);
}

TreeRecord make_record(Manifest manifest, const Plan& plan, const Catalog& catalog) {
  std::vector<SideFile> files = generated_files(manifest, plan, catalog);
  for (std::size_t i = 0; i < plan.patches.size(); ++i)
    files.push_back({manifest.patches[i].file, plan.patches[i].patch->text});
  for (const PlannedFile& planned : plan.files)
    files.push_back({added_copy_name(planned.file->repository, planned.file->path), planned.file->bytes});
  for (const SideFile& file : files) manifest.side_files.push_back({file.name, sha256(file.bytes), file.is_executable});
  std::ranges::sort(manifest.side_files, {}, &ManifestSideFile::name);
  std::string bytes = record::manifest_json(manifest);
  return {std::move(manifest), std::move(bytes), std::move(files)};
}

TreeRecord read_record(const std::string& manifest_path) {
  TreeRecord record;
  record.bytes = read_file(manifest_path);
  record.manifest = record::parse_manifest(record.bytes, manifest_path);
  const std::map<std::string, KnownSideFile> known = known_side_files(record.manifest);
  for (const ManifestSideFile& side : record.manifest.side_files) {
    const std::string path = concat(parent_path(manifest_path), "/", side.name);
    if (!known.contains(side.name)) {
      throw Error(ErrorKind::data,
                  concat(quote(manifest_path), " lists ", quote(side.name), ", which is not a known file of a tree"),
                  "get the manifest from whoever prepared the tree, or prepare from the catalog");
    }
    record.side_files.push_back({side.name, read_file(path), side.is_executable});
    if (sha256(record.side_files.back().bytes) == side.sha256) continue;
    throw Error(ErrorKind::data, concat(quote(path), " is not the file listed in the manifest"),
                "restore torchpatch/ from the original tree, or prepare from the catalog");
  }
  return record;
}

Sha256 write_record(const std::string& root, const TreeRecord& record, record::Sums sums, const Signature& signature,
                    const tree::WriteOptions& options) {
  const Sha256 digest = sha256(record.bytes);
  std::vector<tree::FileToWrite> files;
  const auto add = [&](const std::string& name, const std::string& bytes, bool is_executable = false) {
    files.push_back({"torchpatch/" + name, is_executable ? FileMode::executable : FileMode::regular, git_blob_id(bytes),
                     -1, bytes});
  };
  const auto read = [&](const std::string& name) { return find_side_file(record.side_files, name).bytes; };
  for (const SideFile& file : record.side_files) add(file.name, file.bytes, file.is_executable);
  for (const record::GeneratedFile& file : make_companions(record.manifest, digest, read)) add(file.name, file.bytes);
  add("manifest.json", record.bytes);
  for (const tree::FileToWrite& file : files) sums[file.path] = sha256(*file.bytes);
  add("SHA256SUMS", record::sums_text(sums));
  if (!signature.bytes.empty()) add(concat("manifest.json", signature_ending(signature.kind)), signature.bytes);
  NullConsole quiet;
  tree::write_files(root, files, options, quiet);
  return digest;
}

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
                    .versions = {},
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
                    .repositories = std::move(known.repositories),
                    .gaps = std::move(known.gaps),
                    .patches = manifest_patches(plan, known.patches),
                    .added_files = {},
                    .issues = plan.issues,
                    .answered_issues = {},
                    .advisories = plan.advisories,
                    .environment = plan.environment,
                    .tool_bounds = {},
                    .warnings = plan.warnings,
                    .executables = std::move(known.executables),
                    .links = std::move(known.links),
                    .side_files = std::move(known.side_files),
                    .origins = origins_of(plan, catalog)};
  for (const Component component : plan.components)
    manifest.versions[component] = plan.release->components.at(component).version;
  for (const auto& [tool, range] : plan.release->build_tools) manifest.tool_bounds.push_back({tool, range.text()});
  for (ManifestRepository& repository : manifest.repositories) {
    repository.overridden.reset();
    for (const PlannedOverride& planned : plan.overrides)
      if (planned.what->repository == repository.path)
        repository.overridden = {planned.what->replaces, planned.patchset, planned.variant, planned.issues};
    const ComponentPin* const pin =
        repository.path.path.empty() ? plan.release->find(repository.path.component) : nullptr;
    repository.content = pin && pin->is_content() ? pin->content : std::nullopt;
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    manifest.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path, file.mode(),
                                    git_blob_id(file.bytes), file.sha256, planned.issues});
  }
  for (const std::string& id : answered_issues(manifest)) {
    const Issue& issue = catalog.issue(id);
    manifest.answered_issues.push_back({id, issue.title, issue.severity, issue.links});
  }
  for (const ManifestRepository& repository : manifest.repositories)
    if (repository.content)
      manifest.warnings.push_back(
          concat(repository.path.text(), " is pinned by content, not by commit: ", repository.content->text()));
  if (is_partial(manifest)) manifest.warnings.push_back(concat("the tree is partial: ", gaps_text(manifest)));
  return manifest;
}

Manifest found_in(const WrittenTree& tree) {
  Manifest found;
  found.trees = tree.patched.whole.trees;
  found.tree = tree.patched.whole.tree;
  found.timestamp = newest_time(tree.closure);
  for (std::size_t i = 0; i < tree.closure.repositories.size(); ++i) {
    const source::ClosureRepository& repository = tree.closure.repositories[i];
    found.repositories.push_back({repository.path, repository.url, repository.commit, repository.raw_commit,
                                  repository.tree, tree.patched.repository_trees[i]});
  }
  for (const source::ClosureGap& gap : tree.closure.gaps)
    found.gaps.push_back({gap.repository, gap.entry.path, gap.entry.mode, gap.entry.id});
  for (const std::vector<PatchEdge>& edges : tree.patched.edges) found.patches.emplace_back().edges = edges;
  std::vector<OutFile> regular;
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const tree::FileToWrite& file = tree.patched.files[i];
    if (file.mode == FileMode::link) {
      found.links.push_back({file.path, tree.files[i].link_target});
      continue;
    }
    regular.push_back({file.path, file.blob, tree.files[i].size});
    if (file.mode == FileMode::executable) found.executables.push_back(file.path);
    found.byte_count += tree.files[i].size;
  }
  found.file_count = regular.size();
  found.link_count = found.links.size();
  std::vector<std::vector<LicenceFile>> licences = find_licences(tree.root, found.repositories, regular);
  for (std::size_t i = 0; i < licences.size(); ++i) found.repositories[i].licences = std::move(licences[i]);
  return found;
}

Manifest with_found(Manifest manifest, Manifest found) {
  for (ManifestRepository& repository : found.repositories) {
    const auto said = std::ranges::find(manifest.repositories, repository.path, &ManifestRepository::path);
    if (said == manifest.repositories.end()) continue;
    repository.overridden = std::move(said->overridden);
    repository.content = std::move(said->content);
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
