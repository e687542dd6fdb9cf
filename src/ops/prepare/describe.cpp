// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prepare/describe.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>

#include "model/repository_path.h"
#include "patch/header.h"
#include "patch/parse_patch.h"
#include "record/out_files.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
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

/// `read` returns the bytes of a file of torchpatch/.
std::vector<record::Companion> companions_from(const Manifest& manifest, const Sha256& digest,
                                               const std::function<std::string(const std::string& name)>& read) {
  record::CompanionInput input;
  input.manifest = &manifest;
  input.manifest_digest = digest;
  for (const ManifestPatch& entry : manifest.patches) {
    record::PatchCopy copy{read(entry.file), {}};
    const patch::PatchHeader header = patch::parse_header(patch::parse_patch(copy.bytes, entry.file).preamble);
    if (const patch::HeaderField* const origin = header.find("Origin")) copy.origin = origin->value;
    input.patches.push_back(std::move(copy));
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    input.added_files.push_back(read(added_copy_name(file.repository, file.path)));
  }
  return record::companions(input);
}

/// Returns the offset of the first byte that differs.
std::size_t first_difference(const std::string& a, const std::string& b) {
  const auto longest = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + longest, b.begin()).first - a.begin());
}

/// Tells the licence files at the roots of repositories from all other files.
class LicencePlaces {
 public:
  explicit LicencePlaces(const Manifest& manifest) {
    for (std::size_t i = 0; i < manifest.repositories.size(); ++i) {
      index_.emplace(repository_directory(manifest.repositories[i].path), i);
    }
  }

  /// Returns the index of the repository whose licence file `path` of OUT is, or nothing.
  std::optional<std::size_t> repository_of(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || !is_licence_file_name(std::string_view(path).substr(slash + 1))) return {};
    const auto found = index_.find(std::string_view(path).substr(0, slash));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// Finds and reads licence files below a root.
class LicenceReader {
 public:
  LicenceReader(std::string root, const Manifest& manifest)
      : root_(std::move(root)), places_(manifest), found_(manifest.repositories.size()) {}

  /// Looks at a regular file of OUT.
  void add(const std::string& path, const ObjectId& blob, std::uint64_t size) {
    const std::optional<std::size_t> repository = places_.repository_of(path);
    if (!repository) return;
    const auto [id, is_new] = ids_.try_emplace(blob);  // many repositories have the same file
    if (is_new && size <= kMaxLicenceBytes) id->second = identify_licence(read_file(root_ + "/" + path));
    found_[*repository].push_back({base_name(path), id->second});
  }

  /// Returns what was found in each repository of the manifest, by name.
  std::vector<std::vector<LicenceFile>> take() {
    for (std::vector<LicenceFile>& files : found_) {
      std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    }
    return std::move(found_);
  }

 private:
  std::string root_;
  LicencePlaces places_;
  std::map<ObjectId, std::string> ids_;
  std::vector<std::vector<LicenceFile>> found_;
};

std::string stated(const std::vector<LicenceFile>& files) {
  std::vector<std::string> lines;
  for (const LicenceFile& file : files) lines.push_back(concat(file.name, file.id.empty() ? "" : " " + file.id));
  return lines.empty() ? "none" : join(lines, ", ");
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
      {"KNOWN_ISSUES.md", record::known_issues_page(manifest, issues), false},
      {"build.env", record::build_environment(manifest), false},
      {"build.sh", record::build_script(manifest, plan.steps, builder.build_steps), true},
      {"check.sh", record::check_script(manifest), true},
  };
}

std::vector<record::Companion> make_companions(const Manifest& manifest, const Sha256& digest,
                                               const std::vector<SideFile>& copies) {
  return companions_from(manifest, digest,
                         [&copies](const std::string& name) { return find_side_file(copies, name).bytes; });
}

std::vector<Difference> check_companions(const std::string& root, const Manifest& manifest, const Sha256& digest) {
  const auto read = [&root](const std::string& name) { return read_file(concat(root, "/torchpatch/", name)); };
  std::vector<Difference> differences;
  try {
    for (const record::Companion& companion : companions_from(manifest, digest, read)) {
      const std::string path = "torchpatch/" + companion.name;
      if (!file_exists(concat(root, "/", path))) continue;  // reported as missing
      const std::string bytes = read(companion.name);
      if (bytes == companion.bytes) continue;
      differences.push_back({path, "companion",
                             concat("is not what the manifest gives: the first byte that differs is number ",
                                    first_difference(bytes, companion.bytes) + 1)});
    }
  } catch (const Error& error) {
    differences.push_back({"torchpatch", "companion", concat("computing them again: ", error.message())});
  }
  return differences;
}

void describe_licences(const std::string& root, const std::vector<tree::FileToWrite>& files,
                       const std::vector<tree::WrittenFile>& written, Manifest& manifest) {
  LicenceReader reader(root, manifest);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].mode != FileMode::link) reader.add(files[i].path, files[i].blob, written[i].size);
  }
  std::vector<std::vector<LicenceFile>> found = reader.take();
  for (std::size_t i = 0; i < found.size(); ++i) manifest.repositories[i].licences = std::move(found[i]);
}

std::vector<Difference> check_licences(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                       const Manifest& manifest) {
  LicenceReader reader(root, manifest);
  for (const tree::ScannedEntry& entry : scanned) {
    const bool is_readable = entry.type == tree::EntryType::regular && entry.error.empty();
    if (is_readable) reader.add(entry.path, entry.blob, entry.size);
  }
  const std::vector<std::vector<LicenceFile>> found = reader.take();
  std::vector<Difference> differences;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ManifestRepository& repository = manifest.repositories[i];
    if (found[i] == repository.licences) continue;
    differences.push_back(
        {repository.path.text(), "licence",
         concat("the files on disk state: ", stated(found[i]), "; the manifest says: ", stated(repository.licences))});
  }
  return differences;
}

}  // namespace torchpatch::ops
