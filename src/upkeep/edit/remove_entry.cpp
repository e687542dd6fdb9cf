// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "catalog/patchset_file.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/scan.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/certify/certify.h"
#include "upkeep/check/check.h"
#include "upkeep/edit/entries.h"

namespace torchpatch::upkeep {

namespace {

std::string results_path(const std::string& release) { return concat("results/", release, ".json"); }

void require_in_directory(const std::string& path, const std::string& entry, const RemoveOptions& options) {
  if (catalog::is_present(concat(options.directory, "/", path))) return;
  throw Error(ErrorKind::usage, concat("the ", entry, " is not in ", quote(options.directory)),
              concat("no ", quote(path), " there: pass the catalog directory that contains it"));
}

/// Returns the removal of the entry's own files; sets its name in the report.
tree::FileChanges own_changes(const RemoveOptions& options, const Catalog& catalog, RemovalReport& report) {
  if (options.patchset.empty()) {
    const std::string version = catalog.release(options.release).version.text();
    const std::string path = concat("releases/", version, ".json");
    report.entry = "release " + version;
    require_in_directory(path, report.entry, options);
    return {{path, std::nullopt}};
  }
  const Patchset& patchset = catalog.patchset(options.patchset);
  const std::string folder = patchset_path(patchset.id), path = folder + "/patchset.json";
  report.entry = "patchset " + patchset.id;
  require_in_directory(path, report.entry, options);
  if (!options.variant.empty()) variant_named(patchset, options.variant);
  if (options.variant.empty() || patchset.variants.size() == 1) return {{folder, std::nullopt}};

  report.entry = concat("variant ", options.variant, " of ", patchset.id);
  tree::FileChanges changes;
  std::set<std::string> files, others;  // files shared with other variants are kept
  for (const Variant& variant : patchset.variants) {
    std::set<std::string>& of_it = variant.id == options.variant ? files : others;
    for (const Patch& patch : variant.patches) of_it.insert(patch.file);
    for (const AddedFile& file : variant.files) of_it.insert(file.file);
  }
  for (const std::string& file : files)
    if (!others.contains(file)) changes[concat(folder, "/", file)] = std::nullopt;
  Findings findings;
  const std::string described = concat(options.directory, "/", path);
  const auto file = catalog::read_json_file(described, findings);
  findings.raise_if_any("reading " + quote(described));
  auto rest = catalog::read_value<Patchset>(*file, findings);
  std::erase_if(rest.variants, [&](const Variant& variant) { return variant.id == options.variant; });
  changes[path] = file_bytes(rest, described);
  return changes;
}

/// Raises environment if a patchset's folder, which is removed as a whole, contains a foreign file.
void require_parts_alone(const Patchset& patchset, const std::string& directory) {
  static const std::set<std::string> kOwn = {"patchset.json", "proof.json", "proof", "tests", "certificates", "proofs"};
  std::set<std::string> named;
  for (const Variant& variant : patchset.variants) {
    for (const Patch& patch : variant.patches) named.insert(patch.file);
    for (const AddedFile& file : variant.files) named.insert(file.file);
  }
  const std::string folder = patchset_folder(directory, patchset.id);
  for (const tree::ScannedEntry& entry : tree::list_tree(folder)) {
    if (entry.type == tree::EntryType::directory || named.contains(entry.path)) continue;
    if (kOwn.contains(entry.path.substr(0, entry.path.find('/')))) continue;
    throw Error(ErrorKind::environment,
                concat("removing the patchset ", quote(patchset.id), ": ", quote(concat(folder, "/", entry.path)),
                       " is not part of it"),
                "move that away or remove it");
  }
}

/// Copies a catalog directory and applies changes to the copy.
void copy_catalog(const std::string& directory, const std::string& copy, const tree::FileChanges& changes,
                  Console& console) {
  namespace fs = std::filesystem;
  for (const std::string& part : catalog::catalog_parts()) {
    const std::string from = concat(directory, "/", part);
    std::error_code failed;
    if (catalog::is_present(from))
      fs::copy(from, concat(copy, "/", part), fs::copy_options::recursive | fs::copy_options::copy_symlinks, failed);
    if (failed) throw Error(ErrorKind::environment, concat("copying ", quote(from), ": ", failed.message()));
  }
  tree::change_catalog(copy, changes, console);
}

/// Loads the layers with the copy instead of the original; stale records are not findings.
catalog::CatalogToCertify load_with_copy(std::vector<catalog::Layer> layers, const std::string& directory,
                                         const std::string& copy, const Catalog& before) {
  for (catalog::Layer& layer : layers)
    if (real_path(layer.directory) == real_path(directory)) layer.directory = copy;
  std::set<std::string> patchsets;
  for (const auto& [id, patchset] : before.patchsets) patchsets.insert(id);
  catalog::CatalogToCertify loaded = catalog::load_catalog_with_findings(layers, patchsets);
  for (Finding& finding : loaded.findings)
    if (starts_with(finding.file, copy)) finding.file = directory + finding.file.substr(copy.size());
  return loaded;
}

/// Removes the results of plans that could be reached before the change, but not after it.
void drop_results(const Catalog& before, const Catalog& after, const std::string& directory,
                  tree::FileChanges& changes) {
  for (const auto& [version, release] : after.releases) {
    const std::string path = results_path(version.text()), file = concat(directory, "/", path);
    if (!catalog::is_present(file)) continue;
    std::set<Sha256> old_plans, plans;
    for (const Plan& plan : trees::reachable_plans(before, before.releases.at(version))) old_plans.insert(plan.digest);
    for (const Plan& plan : trees::reachable_plans(after, release)) plans.insert(plan.digest);
    Findings findings;
    const auto read = catalog::read_json_file(file, findings);
    auto rest = catalog::read_value<ResultFile>(*read, findings);
    const auto gone = std::erase_if(rest.results, [&](const RecordedResult& result) {
      return old_plans.contains(result.plan) && !plans.contains(result.plan);
    });
    if (gone > 0) changes[path] = rest.results.empty() ? std::nullopt : std::optional(file_bytes(rest, "results"));
  }
}

bool has_variant_for(const Catalog& catalog, const Issue& issue, const std::string& patchset) {
  const auto found = catalog.patchsets.find(patchset);
  if (found == catalog.patchsets.end()) return false;
  return std::ranges::any_of(catalog.releases, [&](const auto& entry) {
    const Version& version = entry.first;
    const auto holds = [&](const VersionRange& range) { return range.contains(version); };
    return std::ranges::any_of(issue.releases, holds) &&
           std::ranges::any_of(found->second.variants, holds, &Variant::releases);
  });
}

/// Returns what check would report, and issues whose fix no longer has an effect.
std::vector<std::string> to_look_at(const Catalog& before, const Catalog& after) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const Finding& finding : find_unexplained_ends(before)) known.insert(finding.text());
  for (const Finding& finding : find_unexplained_ends(after))
    if (!known.contains(finding.text())) texts.push_back(finding.text());
  for (const auto& [id, issue] : after.issues)
    for (const Fix& fix : issue.fixes)
      if (!fix.patchset.empty() && has_variant_for(before, issue, fix.patchset) &&
          !has_variant_for(after, issue, fix.patchset))
        texts.push_back(concat("known_issues/", id, ".md: the fix ", quote(fix.id), " names ", quote(fix.patchset),
                               ", which has no variant for any of the issue's releases"));
  return texts;
}

}  // namespace

RemovalReport remove_entry(const RemoveOptions& options, const std::vector<catalog::Layer>& layers, Console& console) {
  const catalog::CatalogToCertify before = catalog::load_catalog_to_certify(layers, {});
  RemovalReport report;
  const tree::FileChanges own = own_changes(options, before.catalog, report);
  for (const auto& [path, bytes] : own)
    report.files.push_back(is_directory(concat(options.directory, "/", path)) ? path + "/" : path);

  tree::FileChanges hanging;
  const std::string results = results_path(options.release);
  if (options.patchset.empty() && catalog::is_present(concat(options.directory, "/", results)))
    hanging[results] = std::nullopt;
  tree::FileChanges tried = own;
  tried.insert(hanging.begin(), hanging.end());
  const TempDir copy;  // the directory's copy, to try the changes on
  copy_catalog(options.directory, copy.path(), tried, console);
  const catalog::CatalogToCertify after = load_with_copy(layers, options.directory, copy.path(), before.catalog);
  std::ranges::unique_copy(after.findings, std::back_inserter(report.by_hand), {}, &Finding::text);
  const StaleFiles stale = drop_stale(after, copy.path(), {});
  hanging.insert(stale.changes.begin(), stale.changes.end());
  for (const std::string& path : stale.elsewhere)
    report.by_hand.push_back({path, 0, "", concat("depends on the ", report.entry, ", in another catalog")});
  if (own.contains(patchset_path(options.patchset))) {  // completely, with its records
    require_parts_alone(before.catalog.patchset(options.patchset), options.directory);
    const std::string root = real_path(options.directory) + "/";
    for (const catalog::RecordedFile& file : before.recorded)
      if (file.patchset == options.patchset && starts_with(real_path(file.path), root))
        hanging[real_path(file.path).substr(root.size())] = std::nullopt;
  }
  if (report.by_hand.empty()) {
    if (!options.patchset.empty()) drop_results(before.catalog, after.catalog, options.directory, hanging);
    report.afterwards = to_look_at(before.catalog, after.catalog);
  }
  for (const auto& [path, bytes] : hanging) report.hanging.push_back({path, !bytes});
  if (!report.by_hand.empty() || (!hanging.empty() && !options.cascade)) return report;
  tree::FileChanges changes = own;
  changes.insert(hanging.begin(), hanging.end());
  tree::change_catalog(options.directory, changes, console);
  report.is_done = true;
  return report;
}

}  // namespace torchpatch::upkeep
