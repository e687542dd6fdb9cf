// SPDX-License-Identifier: BSD-3-Clause
#include "ops/verify/verify.h"

#include <algorithm>
#include <set>

#include "ops/sign/signature.h"
#include "ops/verify/comparisons.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

void check_expected(const ScannedTree& tree, const std::string& expect, std::vector<Difference>& differences) {
  if (expect.empty()) return;
  const std::string id = tree.manifest.tree.hex();
  if (expect == id || expect == "swh:1:dir:" + id || expect == tree.digest.hex()) return;
  differences.push_back(
      {"", "expected-id", concat("tree ", id, ", manifest ", tree.digest.hex(), "; neither is ", quote(expect))});
}

/// A signature that is missing, altered or by someone else is a difference.
void check_manifest_signature(const ScannedTree& tree, const std::string& signers, VerifyReport& report) {
  if (signers.empty()) return;
  const std::string name = concat("torchpatch/manifest.json", signature_ending(kind_of(signers_kind(signers))));
  const std::string path = concat(tree.root, "/", name);
  if (!file_exists(path)) {
    report.differences.push_back({name, "signature", "is missing"});
    return;
  }
  const SignatureCheck check = check_signature(tree.manifest_bytes, read_file(path), signers, kManifestPurpose);
  if (check.is_good) {
    report.signature = {name, check.signer, check.key};
  } else {
    report.differences.push_back({name, "signature", check.why});
  }
}

void count(const std::vector<tree::ScannedEntry>& listed, VerifyReport& report) {
  for (const tree::ScannedEntry& entry : listed) {
    if (entry.type == tree::EntryType::link) ++report.links;
    if (entry.type != tree::EntryType::regular) continue;
    ++report.files;
    report.bytes += entry.size;
  }
}

}  // namespace

VerifyReport verify(const std::string& root, const LoadCatalog& load, const VerifyOptions& options, Console& console) {
  Catalog catalog;
  const auto load_it = [&](const Manifest& manifest) { catalog = load(layers_of(manifest)); };
  return verify(scan_prepared_tree(root, options.jobs, console, load_it), catalog, options);
}

VerifyReport verify(const ScannedTree& tree, const Catalog& catalog, const VerifyOptions& options) {
  VerifyReport report;
  report.root = tree.root;
  report.manifest = tree.manifest;
  if (tree.manifest.stand_in) report.notes.push_back(*tree.manifest.stand_in);
  if (!tree.manifest.gaps.empty()) report.notes.push_back(concat("the tree is partial: ", gaps_text(tree.manifest)));

  TreeComparison comparison = compare_with_record(tree, {options.strict_modes});
  report.differences = std::move(comparison.differences);
  if (options.after_build) {
    report.added_by_build = std::move(comparison.extras);
  } else {
    for (std::string& path : comparison.extras)
      report.differences.push_back({std::move(path), "extra", "is in no list"});
  }
  report.notes.insert(report.notes.end(), comparison.notes.begin(), comparison.notes.end());
  count(comparison.listed, report);
  CatalogComparison with_catalog = compare_with_catalog(tree.manifest, catalog);
  append(report.differences, std::move(with_catalog.differences));
  report.notes.insert(report.notes.end(), with_catalog.notes.begin(), with_catalog.notes.end());
  check_expected(tree, options.expect, report.differences);
  check_manifest_signature(tree, options.signers, report);

  std::stable_sort(report.differences.begin(), report.differences.end(),
                   [](const auto& a, const auto& b) { return a.path < b.path; });
  return report;
}

std::vector<std::string> layers_of(const Manifest& manifest) {
  std::set<std::string> layers;
  for (const ManifestEntryOrigin& origin : manifest.origins) layers.insert(origin.layer);
  return {layers.begin(), layers.end()};
}

}  // namespace torchpatch::ops
