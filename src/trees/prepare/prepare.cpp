// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/prepare.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <map>

#include "patch/patch_file.h"
#include "record/manifest_file.h"
#include "source/closure/closure.h"
#include "source/store/archive_source.h"
#include "support/digest.h"
#include "support/text.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/patched_tree.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

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
                           const WholeTrees& whole) {
  if (!pinned.closure().gaps.empty()) return;
  const auto recorded = catalog.results.find(plan.digest);
  if (recorded == catalog.results.end()) return;
  for (const auto& [component, tree] : recorded->second.trees) {
    const auto found = whole.trees.find(component);
    if (found != whole.trees.end() && found->second == tree) continue;
    throw Error(
        ErrorKind::data,
        concat("plan ", plan.digest.hex(), " gave tree ", found == whole.trees.end() ? "none" : found->second.hex(),
               " for ", name_of(component), ", but ", tree.hex(), " is recorded for it"),
        "the recorded result or this build of torchpatch is wrong; do not use the tree");
  }
}

/// The object folder that each repository's commit was read from.
std::vector<std::pair<std::string, std::string>> folders_of(const source::Closure& closure,
                                                            const source::ObjectSource& source) {
  std::vector<std::pair<std::string, std::string>> folders;
  for (const source::ClosureRepository& repository : closure.repositories) {
    const auto store = static_cast<std::size_t>(repository.store);
    folders.emplace_back(repository.path.text(), repository.store < 0 ? "" : source.object_folders()[store]);
  }
  return folders;
}

tree::WriteOptions write_options(std::vector<std::string> object_folders, std::int64_t mtime,
                                 const PrepareOptions& options) {
  return {std::move(object_folders), mtime, options.jobs, options.limits, options.sync, options.max_bytes};
}

/// Looks, before the first file is written, whether the pinned files are as small as they may be, and whether there is
/// room for them. Patches add little; who writes counts again.
void require_room(const source::Closure& closure, const PrepareOptions& options, const tree::Staging& staging) {
  if (closure.bytes > options.max_bytes)
    throw tree::tree_too_large(quote(options.output), closure.bytes, options.max_bytes);
  struct statvfs system = {};
  if (::statvfs(staging.path().c_str(), &system) != 0) throw system_error("examining " + quote(options.output));
  const std::uint64_t free = std::uint64_t{system.f_bavail} * system.f_frsize;
  if (system.f_blocks == 0 || closure.bytes <= free) return;  // some file systems tell nothing
  throw Error(ErrorKind::environment,
              concat("writing ", quote(options.output), ": its files have about ", closure.bytes,
                     " bytes, but its file system has ", free, " free"),
              "free some space, or choose a directory on another file system");
}

WrittenTree write_sources(const tree::Staging& staging, const PinnedTree& pinned, const PatchedTree& patched,
                          std::int64_t mtime, const source::ObjectSource& source, const PrepareOptions& options,
                          Console& console) {
  const tree::WriteOptions write = write_options(source.object_folders(), mtime, options);
  return {staging.path(), pinned.closure(), patched, tree::write_files(staging.path(), patched.files, write, console)};
}

record::Sums sums_of(const WrittenTree& tree) {
  record::Sums sums;
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const tree::FileToWrite& file = tree.patched.files[i];
    if (file.mode != FileMode::link) sums.emplace_hint(sums.end(), file.path, tree.files[i].sha256);  // in order
  }
  return sums;
}

/// Writes torchpatch/ and renames the whole into its place.
Prepared finish(tree::Staging& staging, TreeRecord record, const WrittenTree& tree, const source::ObjectSource& source,
                const PrepareOptions& options, std::vector<std::string> warnings, const PatchedTree& patched) {
  const Signature signature =
      options.sign.file.empty() ? Signature{} : sign(record.bytes, options.sign, kManifestPurpose);
  const Sha256 digest = write_record(staging.path(), record, sums_of(tree), signature,
                                     write_options({}, record.manifest.timestamp, options));
  staging.commit(options.sync);
  for (const ManifestRepository& repository : record.manifest.repositories)
    if (repository.content)
      warnings.push_back(concat(repository.path.text(), " is pinned by content, not by commit: ",
                                source::describe_content(*repository.content, source)));
  if (is_partial(record.manifest)) warnings.push_back(concat("the tree is partial: ", gaps_text(record.manifest)));
  std::vector<ArchiveComparison> archives = source::compare_archives(tree.closure, source.archives());
  const auto is_pin = [&](const ArchiveComparison& archive) {  // what its files are compared with is made of them
    return std::ranges::any_of(record.manifest.repositories, [&](const ManifestRepository& each) {
      return each.content && each.content->sha256 == archive.digest;
    });
  };
  for (const ArchiveComparison& archive : archives)
    for (std::string& line : is_pin(archive) ? std::vector<std::string>() : source::archive_warnings(archive))
      warnings.push_back(std::move(line));
  const bool is_certified = std::ranges::all_of(record.manifest.patches, &ManifestPatch::is_certified);
  if (!is_certified) warnings.insert(warnings.end(), patched.moved.begin(), patched.moved.end());
  return {.output = options.output,
          .manifest = std::move(record.manifest),
          .manifest_digest = digest,
          .signature = signature,
          .origins = folders_of(tree.closure, source),
          .archives = std::move(archives),
          .warnings = std::move(warnings),
          .notes = tree.closure.notes,
          .moved = is_certified ? patched.moved : std::vector<std::string>()};
}

/// What a directory holds that prepare wrote, and nothing else: what lies beside it would go with it.
tree::OutputRecord tree_record() {
  tree::OutputRecord record;
  record.names = {"torchpatch"};
  for (const Component component : kComponents) record.names.push_back(component_directory(component));
  return record;
}

/// A release made of a manifest's pins.
Release pinned_release(const Manifest& manifest) {
  Release release;
  release.version = *Version::parse(manifest.release);
  for (const ManifestRepository& repository : manifest.repositories) {
    ComponentPin& pin = release.components[repository.path.component];
    if (repository.path.path.empty()) {
      pin.url = repository.url;
      pin.commit = repository.commit;
      pin.content = repository.content;
    } else {
      pin.submodules.insert({repository.commit, repository.url});
    }
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

std::vector<patch::PatchStep> locked_patches(const TreeRecord& record) {
  std::vector<patch::PatchStep> steps;
  for (const ManifestPatch& entry : record.manifest.patches) {
    const std::string& text = find_side_file(record.side_files, entry.file).bytes;
    steps.push_back({entry.file, entry.repository, patch::parse_patch(text, entry.file), entry.edges});
  }
  return steps;
}

std::vector<AddedFile> locked_files(const TreeRecord& record) {
  std::vector<AddedFile> files;
  for (const ManifestAddedFile& file : record.manifest.added_files) {
    const std::string name = added_copy_name(file.repository, file.path);
    files.push_back({name, file.repository, file.path, file.mode == FileMode::executable, file.sha256,
                     find_side_file(record.side_files, name).bytes});
  }
  return files;
}

source::Gaps gaps_of(const PrepareOptions& options) {
  return options.allow_partial ? source::Gaps::allowed : source::Gaps::refused;
}

/// What the archives of content pins lack is missing as what no source has is.
void require_contents(const Release& release, const std::vector<Component>& components, const PrepareOptions& options) {
  for (const Component component : components) {
    const ComponentPin& pin = release.components.at(component);
    if (!pin.is_content() || pin.content->absent.empty() || options.allow_partial) continue;
    throw Error(ErrorKind::source,
                concat("the archive ", quote(pin.content->archive), " of ", name_of(component), " lacks\n  ",
                       join(pin.content->absent, "\n  "), "\nand no commit is known for ",
                       pin.content->absent.size() == 1 ? "it" : "them"),
                "continue without them (--allow-partial)");
  }
}

/// A partial tree is built again only where the same is missing.
void check_locked_gaps(const Manifest& locked, const source::Closure& closure) {
  const bool is_same = std::equal(closure.gaps.begin(), closure.gaps.end(), locked.gaps.begin(), locked.gaps.end(),
                                  [](const source::ClosureGap& a, const ManifestGap& b) {
                                    return a.repository == b.repository && a.entry.path == b.path;
                                  });
  if (is_same) return;
  throw Error(ErrorKind::source,
              concat("the sources lack ", closure.gaps.size(), " files or submodules; the tree of the manifest lacks ",
                     locked.gaps.size(), ", and they are not the same"),
              "use the sources that it was made from, or prepare the release again");
}

/// Derives again all that pins, sources, the copies beside the manifest and the written files determine: whoever
/// altered any of it has another manifest.
void check_locked_record(const TreeRecord& record, const WrittenTree& tree) {
  Manifest again = with_found(record.manifest, found_in(tree));
  const auto digest_of = [&](const std::string& name) { return sha256(find_side_file(record.side_files, name).bytes); };
  for (std::size_t i = 0; i < again.patches.size(); ++i) {
    ManifestPatch& patch = again.patches[i];
    patch.file = patch_copy_name(i, patch.patchset);
    patch.sha256 = digest_of(patch.file);
  }
  for (ManifestAddedFile& file : again.added_files) {
    const std::string& bytes = find_side_file(record.side_files, added_copy_name(file.repository, file.path)).bytes;
    file.blob = git_blob_id(bytes);
    file.sha256 = sha256(bytes);
  }
  again.side_files.clear();
  for (const auto& [name, file] : known_side_files(again))
    again.side_files.push_back({name, digest_of(name), file.is_executable});
  if (record::manifest_json(again) == record.bytes) return;
  const std::vector<std::string> fields = record::differing_fields(again, record.manifest);
  throw Error(ErrorKind::data,
              concat("the manifest does not match the tree that its pins and patches produce: ",
                     fields.empty() ? "its format is not torchpatch's" : join(fields, ", ")),
              "it was modified: do not use it");
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
                "drop it: --without FIX, or remove --with");
  }
  if (allow_uncertified) return;
  std::vector<std::string> lines = uncertified_fixes(plan, true);
  if (lines.empty()) return;
  for (const std::string& line : certified_blobs(plan, catalog)) lines.push_back(line);
  std::vector<std::string> ways;
  for (const Component component : plan.components) {
    const ComponentPin& pin = plan.release->components.at(component);
    if (!pin.is_content()) continue;
    ways.push_back(concat("certify this content (patch certify --version ", plan.release->version.text(), " --archive ",
                          name_of(component), "=", shell_quote(pin.content->archive), " --into DIR)"));
  }
  ways.emplace_back("drop the fix with --without FIX, or continue without its certificate with --allow-uncertified");
  throw Error(ErrorKind::patch,
              concat("no certificate for a patch needed by release ", plan.release->version.text(), " on ",
                     plan.board->id, ":\n  ", join(lines, "\n  ")),
              join(ways, "; or "));
}

Prepared prepare(const Catalog& catalog, const Plan& plan, source::ObjectSource& source, const PrepareOptions& options,
                 Console& console) {
  require_certificates(plan, catalog, options.allow_uncertified);
  require_contents(*plan.release, plan.components, options);
  if (!options.sign.file.empty()) require_signing(options.sign);
  if (options.if_exists == tree::IfExists::replace) require_own_files(options.output);
  tree::Staging staging(options.output, options.if_exists, console, tree_record());

  PinnedTree pinned(source::read_closure(*plan.release, plan.components, overrides_of(plan), catalog.moved_repositories,
                                         source, options.jobs, console, gaps_of(options)),
                    source);
  require_room(pinned.closure(), options, staging);
  std::vector<std::string> warnings = source::check_tags(*plan.release, pinned.closure(), source, options.strict_tags);
  const PatchedTree patched = make_patched_tree(pinned, patch_steps(plan.patches), files_to_add(plan.files), console);
  check_recorded_result(plan, catalog, pinned, patched.whole);
  warnings.insert(warnings.end(), patched.notes.begin(), patched.notes.end());

  const std::int64_t mtime = newest_time(pinned.closure());
  const WrittenTree tree = write_sources(staging, pinned, patched, mtime, source, options, console);
  Manifest found = found_in(tree);
  found.allow_uncertified = options.allow_uncertified;
  TreeRecord record = make_record(make_manifest(plan, catalog, std::move(found)), plan, catalog);
  return finish(staging, std::move(record), tree, source, options, std::move(warnings), patched);
}

std::vector<std::string> missing_sources(const Catalog& catalog, const Plan& plan, const source::ObjectSource& source,
                                         const PrepareOptions& options, Console& console) {
  std::vector<std::string> lines;
  const source::ClosureSurvey survey =
      source::survey_closures({plan.release}, catalog.moved_repositories, source, options.jobs, console);
  for (const source::IncompleteCommit& lack : survey.incomplete) {
    const RepositoryPath& path = lack.pin.repository.path;
    const bool is_planned = std::ranges::count(plan.components, path.component) > 0;
    const bool is_replaced = std::ranges::any_of(
        overrides_of(plan), [&](const SubmoduleOverride& each) { return lies_in(path, each.repository); });
    const bool is_accepted = options.allow_partial && (lack.has_commit || !path.path.empty());
    if (is_planned && !is_replaced && !is_accepted) lines.push_back(source::missing_text(lack.pin));
  }
  return lines;
}

Prepared prepare_locked(const std::string& manifest_path, source::ObjectSource& source, const PrepareOptions& options,
                        Console& console) {
  if (!options.sign.file.empty()) require_signing(options.sign);
  TreeRecord record = read_record(manifest_path);
  const Manifest& locked = record.manifest;
  if (options.if_exists == tree::IfExists::replace) require_own_files(options.output);
  tree::Staging staging(options.output, options.if_exists, console, tree_record());

  PinnedTree pinned(source::read_closure(pinned_release(locked), locked.components, pinned_overrides(locked), {},
                                         source, options.jobs, console, gaps_of(options)),
                    source);
  require_room(pinned.closure(), options, staging);
  check_locked_gaps(locked, pinned.closure());
  const PatchedTree patched = make_patched_tree(pinned, locked_patches(record), locked_files(record), console);

  const std::int64_t mtime = newest_time(pinned.closure());
  const WrittenTree tree = write_sources(staging, pinned, patched, mtime, source, options, console);
  check_locked_record(record, tree);
  return finish(staging, std::move(record), tree, source, options, patched.notes, patched);
}

}  // namespace torchpatch::trees
