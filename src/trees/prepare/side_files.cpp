// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/side_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "model/repository_path.h"
#include "patch/header.h"
#include "patch/parse_patch.h"
#include "record/manifest_file.h"
#include "record/tree_scripts.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/doctor/host_requirements.h"

namespace torchpatch::trees {

namespace {

/// What is generated of a plan: name, and whether it is executable.
constexpr std::array<std::pair<const char*, bool>, 4> kGenerated = {
    {{"KNOWN_ISSUES.md", false}, {"build.env", false}, {"build.sh", true}, {"check.sh", true}}};

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
      record::known_issues_page(manifest, issues), record::build_environment(manifest),
      record::build_script(manifest, plan.steps, builder.build_steps, requirements),
      record::check_script(manifest, requirements)};
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
  throw Error(ErrorKind::data, concat("the manifest lists no file ", quote(name), " beside it"));
}

std::vector<record::Companion> make_companions(const Manifest& manifest, const Sha256& digest,
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
                  concat(quote(manifest_path), " lists ", quote(side.name), ", which no tree's record has"),
                  "take the manifest from who prepared the tree, or prepare from the catalog");
    }
    record.side_files.push_back({side.name, read_file(path), side.is_executable});
    if (sha256(record.side_files.back().bytes) == side.sha256) continue;
    throw Error(ErrorKind::data, concat(quote(path), " is not the file that the manifest names"),
                "restore torchpatch/ from where it was prepared, or prepare from the catalog");
  }
  return record;
}

Sha256 write_record(const std::string& root, const TreeRecord& record, record::Sums sums, const SigningKey& key,
                    const tree::WriteOptions& options) {
  const Sha256 digest = sha256(record.bytes);
  std::vector<tree::FileToWrite> files;
  const auto add = [&](const std::string& name, const std::string& bytes, bool is_executable = false) {
    files.push_back({"torchpatch/" + name, is_executable ? FileMode::executable : FileMode::regular, git_blob_id(bytes),
                     -1, bytes});
  };
  const auto read = [&](const std::string& name) { return find_side_file(record.side_files, name).bytes; };
  for (const SideFile& file : record.side_files) add(file.name, file.bytes, file.is_executable);
  for (const record::Companion& file : make_companions(record.manifest, digest, read)) add(file.name, file.bytes);
  add("manifest.json", record.bytes);
  for (const tree::FileToWrite& file : files) sums[file.path] = sha256(*file.bytes);
  add("SHA256SUMS", record::sums_text(sums));
  if (!key.file.empty()) {
    const Signature signature = sign(record.bytes, key, kManifestPurpose);
    add(concat("manifest.json", signature_ending(signature.kind)), signature.bytes);
  }
  NullConsole quiet;
  tree::write_files(root, files, options, quiet);
  return digest;
}

}  // namespace torchpatch::trees
