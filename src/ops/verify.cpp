// SPDX-License-Identifier: BSD-3-Clause
#include "ops/verify.h"

#include <algorithm>
#include <set>

#include "emit/manifest/manifest_file.h"
#include "emit/manifest/sums.h"
#include "ops/companions.h"
#include "ops/compare_catalog.h"
#include "ops/compare_listing.h"
#include "ops/licences.h"
#include "ops/rebuild_base.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/version.h"
#include "tree/scan.h"

namespace torchpatch::ops {

namespace {

struct Record {
  Manifest manifest;
  Sha256 digest;
  emit::Sums sums;
};

std::string read_record_file(const std::string& root, const std::string& name) {
  const std::string path = root + "/torchpatch/" + name;
  if (!is_directory(root)) throw Error(ErrorKind::environment, concat(quote(root), " is not a directory"));
  if (!file_exists(path)) {
    throw Error(ErrorKind::environment, concat(quote(root), " is not a prepared tree: it has no torchpatch/", name),
                "name the directory that 'torchpatch prepare --output' wrote");
  }
  return read_file(path);
}

Record read_record(const std::string& root) {
  const std::string bytes = read_record_file(root, "manifest.json");
  return {emit::parse_manifest(bytes, root + "/torchpatch/manifest.json"), sha256(bytes),
          emit::parse_sums(read_record_file(root, "SHA256SUMS"), root + "/torchpatch/SHA256SUMS")};
}

/// The manifest vouches for what lies beside it, SHA256SUMS for everything; both must say the same.
void check_side_files(const Record& record, std::vector<emit::Difference>& differences) {
  std::set<std::string> listed = {"torchpatch/manifest.json"};
  for (const ManifestSideFile& side : record.manifest.side_files) {
    const std::string path = "torchpatch/" + side.name;
    listed.insert(path);
    const auto found = record.sums.find(path);
    if (found == record.sums.end() || found->second != side.sha256) {
      differences.push_back({path, "sums", "SHA256SUMS and the manifest differ"});
    }
  }
  for (const std::string& name : emit::companion_names()) {
    const std::string path = "torchpatch/" + name;
    listed.insert(path);
    if (!record.sums.contains(path)) differences.push_back({path, "sums", "SHA256SUMS does not list it"});
  }
  for (auto sum = record.sums.lower_bound("torchpatch/");
       sum != record.sums.end() && starts_with(sum->first, "torchpatch/"); ++sum) {
    if (!listed.contains(sum->first)) differences.push_back({sum->first, "sums", "the manifest does not list it"});
  }
}

/// Only what the lists name belongs to the tree; everything else was reported as extra.
std::vector<tree::ScannedEntry> listed_entries(const std::vector<tree::ScannedEntry>& scanned, const Record& record) {
  std::set<std::string> links;
  for (const auto& [path, target] : record.manifest.links) links.insert(path);
  std::vector<tree::ScannedEntry> listed;
  for (const tree::ScannedEntry& entry : scanned) {
    if (record.sums.contains(entry.path) || links.contains(entry.path)) listed.push_back(entry);
  }
  return listed;
}

void check_expected(const Record& record, const std::string& expect, std::vector<emit::Difference>& differences) {
  if (expect.empty()) return;
  const std::string tree = record.manifest.tree.hex();
  if (expect == tree || expect == "swh:1:dir:" + tree || expect == record.digest.hex()) return;
  differences.push_back(
      {"", "expected-id", concat("tree ", tree, ", manifest ", record.digest.hex(), "; neither is ", quote(expect))});
}

void append(std::vector<emit::Difference>& all, std::vector<emit::Difference> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void count(const std::vector<tree::ScannedEntry>& listed, emit::VerifyReport& report) {
  for (const tree::ScannedEntry& entry : listed) {
    if (entry.type == tree::EntryType::link) ++report.links;
    if (entry.type != tree::EntryType::regular) continue;
    ++report.files;
    report.bytes += entry.size;
  }
}

}  // namespace

emit::VerifyReport verify(const std::string& root, const Catalog& catalog, const VerifyOptions& options,
                          Console& console) {
  const Record record = read_record(root);
  emit::VerifyReport report;
  report.root = root;
  report.manifest = record.manifest;
  if (record.manifest.stand_in) report.notes.push_back(*record.manifest.stand_in);

  const std::vector<tree::ScannedEntry> scanned = tree::scan_tree(root, options.jobs, console);
  ListingComparison listing = compare_listing(scanned, record.manifest, record.sums, {options.strict_modes});
  report.differences = std::move(listing.differences);
  if (options.after_build) {
    report.added_by_build = std::move(listing.extras);
  } else {
    for (std::string& path : listing.extras) report.differences.push_back({std::move(path), "extra", "is in no list"});
  }
  check_side_files(record, report.differences);

  const std::vector<tree::ScannedEntry> listed = listed_entries(scanned, record);
  count(listed, report);
  append(report.differences, check_base_trees(root, listed, record.manifest));
  append(report.differences, check_licences(root, listed, record.manifest));
  if (record.manifest.tool_version == kToolVersion) {
    append(report.differences, check_companions(root, record.manifest, record.digest));
  } else {
    report.notes.push_back("another version of torchpatch prepared it: SBOMs and provenance were not computed again");
  }
  CatalogComparison comparison = compare_with_catalog(record.manifest, catalog);
  append(report.differences, std::move(comparison.differences));
  report.notes.insert(report.notes.end(), comparison.notes.begin(), comparison.notes.end());
  check_expected(record, options.expect, report.differences);

  std::stable_sort(report.differences.begin(), report.differences.end(),
                   [](const auto& a, const auto& b) { return a.path < b.path; });
  return report;
}

std::vector<std::string> manifest_layers(const std::string& root) {
  const Manifest manifest =
      emit::parse_manifest(read_record_file(root, "manifest.json"), root + "/torchpatch/manifest.json");
  std::set<std::string> layers;
  for (const ManifestEntryOrigin& origin : manifest.origins) layers.insert(origin.layer);
  return {layers.begin(), layers.end()};
}

}  // namespace torchpatch::ops
