// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prepare/prepare.h"

#include <algorithm>
#include <map>

#include "ops/prepare/describe.h"
#include "ops/prepare/patched_tree.h"
#include "ops/prepare/seal.h"
#include "record/manifest_file.h"
#include "source/closure/closure.h"
#include "source/store/archive_match.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// (path, blob) → the releases whose pinned file it is, oldest first.
using Holders = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

Holders holders_of(const Patch& patch, const Patchset& patchset, const Catalog& catalog) {
  Holders holders;
  for (const auto& [version, release] : catalog.releases) {
    const ComponentPin* pin = release.find(patch.repository.component);
    for (const CertificateEdge& edge : patchset.certificates) {
      if (!pin || edge.commit != pin->commit || edge.patch != patch.sha256 || edge.follows || edge.overridden) continue;
      holders[{edge.path, edge.before ? edge.before->hex() : "absent"}].push_back(version.text());
    }
  }
  return holders;
}

/// Compares the computed trees with those recorded for this plan; the recorded ones are whole.
void check_recorded_result(const Plan& plan, const Catalog& catalog, const PinnedTree& pinned,
                           const PatchedTree& patched) {
  if (!pinned.closure().gaps.empty()) return;
  const auto recorded = catalog.results.find(plan.digest);
  if (recorded == catalog.results.end()) return;
  for (const auto& [component, tree] : recorded->second.trees) {
    const auto found = patched.trees.find(component);
    if (found != patched.trees.end() && found->second == tree) continue;
    throw Error(
        ErrorKind::data,
        concat("plan ", plan.digest.hex(), " gave tree ", found == patched.trees.end() ? "none" : found->second.hex(),
               " for ", component_name(component), ", but ", tree.hex(), " is recorded for it"),
        "the recorded result or this build of torchpatch is wrong; do not use the tree");
  }
}

/// Describes the patches as they were applied; returns the copies of them and of the added files.
std::vector<SideFile> describe_applied(const Plan& plan, const PatchedTree& patched, Manifest& manifest) {
  describe_patches(plan, manifest);
  std::vector<SideFile> copies;
  for (std::size_t i = 0; i < plan.patches.size(); ++i) {
    ManifestPatch& entry = manifest.patches[i];
    entry.edges.clear();
    for (const patch::Edge& edge : patched.edges[i]) entry.edges.push_back({edge.path, edge.before, edge.after});
    copies.push_back({entry.file, plan.patches[i].patch->text, false});
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    copies.push_back({added_copy_name(file.repository, file.path), file.bytes, false});
  }
  return copies;
}

std::vector<std::pair<std::string, std::string>> origins_of(const source::Closure& closure,
                                                            const source::ObjectSource& source) {
  std::vector<std::pair<std::string, std::string>> origins;
  for (const source::ClosureRepository& repository : closure.repositories) {
    const auto store = static_cast<std::size_t>(repository.store);
    origins.emplace_back(repository.path.text(), repository.store < 0 ? "" : source.object_folders()[store]);
  }
  return origins;
}

Prepared describe_prepared(const PrepareOptions& options, const Manifest& manifest, const Sha256& digest,
                           const source::Closure& closure, const source::ObjectSource& source,
                           std::vector<std::string> warnings) {
  if (!manifest.gaps.empty()) warnings.push_back(concat("the tree is partial: ", gaps_text(manifest)));
  std::vector<ArchiveComparison> archives = source::compare_archives(closure, source.archives());
  for (const ArchiveComparison& archive : archives) {
    for (std::string& line : source::archive_warnings(archive)) warnings.push_back(std::move(line));
  }
  return {options.output, manifest, digest, origins_of(closure, source), std::move(archives), std::move(warnings)};
}

record::Sums write_sources(const std::string& root, const PatchedTree& patched, const source::ObjectSource& source,
                           const PrepareOptions& options, Manifest& manifest, Console& console) {
  const tree::WriteOptions write{source.object_folders(), manifest.timestamp, options.jobs, options.limits,
                                 options.sync};
  const std::vector<tree::WrittenFile> written = tree::write_files(root, patched.files, write, console);
  describe_licences(root, patched.files, written, manifest);
  return describe_written(patched.files, written, manifest);
}

/// Writes torchpatch/ and renames the whole into its place; returns the manifest's digest.
Sha256 seal(tree::Staging& staging, const Manifest& manifest, std::string bytes, std::vector<SideFile> side_files,
            record::Sums sums, const PrepareOptions& options) {
  const Sha256 digest = sha256(bytes);
  SealedFiles files{std::move(side_files), std::move(bytes), {}};
  if (!options.sign.file.empty()) {
    Signature signature = sign(files.manifest, options.sign, kManifestPurpose);
    files.signature = SideFile{concat("manifest.json", signature_ending(signature.kind)), std::move(signature.bytes)};
  }
  files.companions = make_companions(manifest, digest, files.listed);
  write_side_files(staging.path(), files, std::move(sums), manifest.timestamp, options.sync);
  staging.commit(options.sync);
  return digest;
}

/// A release made of a manifest's pins.
Release pinned_release(const Manifest& manifest) {
  Release release;
  release.version = *Version::parse(manifest.release);
  for (const ManifestRepository& repository : manifest.repositories) {
    if (repository.path.path.empty())
      release.components[repository.path.component] = {repository.url, "", "", repository.commit};
  }
  return release;
}

std::vector<SubmoduleOverride> pinned_overrides(const Manifest& manifest) {
  std::vector<SubmoduleOverride> overrides;
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden) continue;
    overrides.push_back({repository.path, repository.overridden->replaces, repository.commit, repository.url});
  }
  return overrides;
}

/// Reads the files beside a manifest and checks each against it.
std::vector<SideFile> read_side_files(const Manifest& manifest, const std::string& directory) {
  std::vector<SideFile> files;
  for (const ManifestSideFile& side : manifest.side_files) {
    const std::string path = directory + "/" + side.name;
    SideFile file{side.name, read_file(path), side.is_executable};
    if (sha256(file.bytes) != side.sha256) {
      throw Error(ErrorKind::data, concat(quote(path), " is not the file that the manifest names"),
                  "restore torchpatch/ from where it was prepared, or prepare from the catalog");
    }
    files.push_back(std::move(file));
  }
  return files;
}

source::Gaps gaps_of(const PrepareOptions& options) {
  return options.allow_partial ? source::Gaps::allowed : source::Gaps::refused;
}

/// A partial tree is built again only where the same is missing.
void check_locked_gaps(const Manifest& locked, const source::Closure& closure) {
  const bool is_same = std::equal(closure.gaps.begin(), closure.gaps.end(), locked.gaps.begin(), locked.gaps.end(),
                                  [](const source::ClosureGap& a, const ManifestGap& b) {
                                    return a.repository == b.repository && a.entry.path == b.path;
                                  });
  if (is_same) return;
  throw Error(ErrorKind::source,
              concat("the sources lack ", closure.gaps.size(),
                     " files or submodules, but the tree of the manifest lacks ", locked.gaps.size(), ", or others"),
              "use the sources that it was made from, or prepare the release anew");
}

void check_locked_trees(const Manifest& locked, const PatchedTree& patched) {
  if (patched.tree == locked.tree && patched.trees == locked.trees) return;
  throw Error(
      ErrorKind::data,
      concat("pins and patches of the manifest give tree ", patched.tree.hex(), ", but it records ", locked.tree.hex()),
      "the manifest was altered; do not use it");
}

/// Returns a line for each fix that no certificate stands behind; of those alone that have a variant, or have none.
std::vector<std::string> uncertified_fixes(const Plan& plan, bool with_variant) {
  std::vector<std::string> lines;
  for (const IssueDecision& decision : plan.issues) {
    if (decision.status != IssueStatus::uncertified || decision.variant.empty() == with_variant) continue;
    lines.push_back(concat("issue ", quote(decision.issue), ", fix ", quote(decision.fix), ": ", decision.reason));
  }
  return lines;
}

}  // namespace

std::vector<std::string> certified_blobs(const Plan& plan, const Catalog& catalog) {
  std::vector<std::string> lines;
  for (const PlannedPatch& planned : plan.patches) {
    if (!planned.edges.empty()) continue;
    const std::string name = concat(planned.patchset, "/", planned.patch->file);
    for (const auto& [place, releases] : holders_of(*planned.patch, catalog.patchset(planned.patchset), catalog)) {
      lines.push_back(concat(name, " expects ", planned.patch->repository.text(), ": ", place.first, " to be ",
                             place.second, " (", join(releases, ", "), ")"));
    }
  }
  return lines;
}

void require_certificates(const Plan& plan, const Catalog& catalog, bool allow_uncertified) {
  if (const std::vector<std::string> lines = uncertified_fixes(plan, false); !lines.empty()) {
    throw Error(ErrorKind::patch,
                concat("a fix is not made for release ", plan.release->version.text(), ":\n  ", join(lines, "\n  ")),
                "leave it out: --without FIX, or no --with");
  }
  if (allow_uncertified) return;
  std::vector<std::string> lines = uncertified_fixes(plan, true);
  if (lines.empty()) return;
  for (const std::string& line : certified_blobs(plan, catalog)) lines.push_back(line);
  throw Error(ErrorKind::patch,
              concat("no certificate for a patch that release ", plan.release->version.text(), " on ", plan.board->id,
                     " needs:\n  ", join(lines, "\n  ")),
              "leave the fix out with --without FIX, or go on without its certificate with --allow-uncertified");
}

Prepared prepare(const Catalog& catalog, const Plan& plan, source::ObjectSource& source, const PrepareOptions& options,
                 Console& console) {
  require_certificates(plan, catalog, options.allow_uncertified);
  if (!options.sign.file.empty()) require_signing(options.sign);
  tree::Staging staging(options.output, options.if_exists, console);

  PinnedTree pinned(source::read_closure(*plan.release, plan.components, overrides_of(plan), catalog.moved_repositories,
                                         source, options.jobs, console, gaps_of(options)),
                    source);
  std::vector<std::string> warnings = pinned.closure().warnings;
  for (std::string& line : source::check_tags(*plan.release, pinned.closure(), source, options.strict_tags)) {
    warnings.push_back(std::move(line));
  }
  const PatchedTree patched = make_patched_tree(pinned, patch_steps(plan.patches), add_steps(plan.files), console);
  check_recorded_result(plan, catalog, pinned, patched);

  Manifest manifest;
  describe_plan(plan, catalog, manifest);
  manifest.allow_uncertified = options.allow_uncertified;
  describe_trees(pinned, patched, manifest);
  describe_overrides(plan, manifest);
  std::vector<SideFile> side_files = describe_applied(plan, patched, manifest);
  describe_answered_issues(catalog, manifest);
  record::Sums sums = write_sources(staging.path(), patched, source, options, manifest, console);

  for (SideFile& file : generated_files(manifest, plan, catalog)) side_files.push_back(std::move(file));
  describe_side_files(side_files, manifest);
  const Sha256 digest =
      seal(staging, manifest, record::manifest_json(manifest), std::move(side_files), std::move(sums), options);

  warnings.insert(warnings.end(), patched.notes.begin(), patched.notes.end());
  return describe_prepared(options, manifest, digest, pinned.closure(), source, std::move(warnings));
}

Prepared prepare_locked(const std::string& manifest_path, source::ObjectSource& source, const PrepareOptions& options,
                        Console& console) {
  if (!options.sign.file.empty()) require_signing(options.sign);
  const std::string bytes = read_file(manifest_path);
  const Manifest locked = record::parse_manifest(bytes, manifest_path);
  std::vector<SideFile> side_files = read_side_files(locked, parent_path(manifest_path));
  tree::Staging staging(options.output, options.if_exists, console);

  PinnedTree pinned(source::read_closure(pinned_release(locked), locked.components, pinned_overrides(locked), {},
                                         source, options.jobs, console, gaps_of(options)),
                    source);
  check_locked_gaps(locked, pinned.closure());
  std::vector<PatchStep> patches;
  for (const ManifestPatch& entry : locked.patches) {
    PatchStep step{entry.file, entry.repository, &find_side_file(side_files, entry.file).bytes, {}};
    for (const ManifestEdge& edge : entry.edges) step.expected.push_back({edge.path, edge.before, edge.after});
    patches.push_back(std::move(step));
  }
  std::vector<AddStep> added;
  for (const ManifestAddedFile& file : locked.added_files) {
    const std::string name = added_copy_name(file.repository, file.path);
    added.push_back({name, file.repository, file.path, file.mode, &find_side_file(side_files, name).bytes});
  }
  const PatchedTree patched = make_patched_tree(pinned, patches, added, console);
  check_locked_trees(locked, patched);

  Manifest written = locked;
  record::Sums sums = write_sources(staging.path(), patched, source, options, written, console);
  const Sha256 digest = seal(staging, locked, bytes, std::move(side_files), std::move(sums), options);
  return describe_prepared(options, locked, digest, pinned.closure(), source, pinned.closure().warnings);
}

}  // namespace torchpatch::ops
