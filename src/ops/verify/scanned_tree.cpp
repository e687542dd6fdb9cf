// SPDX-License-Identifier: BSD-3-Clause
#include "ops/verify/scanned_tree.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "ops/prepare/manifest.h"
#include "ops/prepare/side_files.h"
#include "ops/verify/rebuild_base.h"
#include "record/manifest_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::ops {

namespace {

std::string read_record_file(const std::string& root, const std::string& name) {
  const std::string path = root + "/torchpatch/" + name;
  if (!is_directory(root)) throw Error(ErrorKind::environment, concat(quote(root), " is not a directory"));
  if (!file_exists(path)) {
    throw Error(ErrorKind::environment, concat(quote(root), " is not a prepared tree: it has no torchpatch/", name),
                "name the directory that 'torchpatch prepare --output' wrote");
  }
  return read_file(path);
}

/// The manifest vouches for what lies beside it, SHA256SUMS for everything; both must say the same.
void check_side_files(const ScannedTree& tree, std::vector<Difference>& differences) {
  std::set<std::string> listed = {"torchpatch/manifest.json"};
  for (const ManifestSideFile& side : tree.manifest.side_files) {
    const std::string path = "torchpatch/" + side.name;
    listed.insert(path);
    const auto found = tree.sums.find(path);
    if (found == tree.sums.end() || found->second != side.sha256) {
      differences.push_back({path, "sums", "SHA256SUMS and the manifest differ"});
    }
  }
  for (const std::string& name : record::companion_names()) {
    const std::string path = "torchpatch/" + name;
    listed.insert(path);
    if (!tree.sums.contains(path)) differences.push_back({path, "sums", "SHA256SUMS does not list it"});
  }
  for (auto sum = tree.sums.lower_bound("torchpatch/");
       sum != tree.sums.end() && starts_with(sum->first, "torchpatch/"); ++sum) {
    if (!listed.contains(sum->first)) differences.push_back({sum->first, "sums", "the manifest does not list it"});
  }
}

std::string stated(const std::vector<LicenceFile>& files) {
  std::vector<std::string> lines;
  for (const LicenceFile& file : files) lines.push_back(concat(file.name, file.id.empty() ? "" : " " + file.id));
  return lines.empty() ? "none" : join(lines, ", ");
}

/// Compares what the licence files among `listed` state with what the manifest says of them.
void check_licences(const ScannedTree& tree, const std::vector<tree::ScannedEntry>& listed,
                    std::vector<Difference>& differences) {
  std::vector<OutFile> files;
  for (const tree::ScannedEntry& entry : listed) {
    const bool is_readable = entry.type == tree::EntryType::regular && entry.error.empty();
    if (is_readable) files.push_back({entry.path, entry.blob, entry.size});
  }
  const std::vector<ManifestRepository>& repositories = tree.manifest.repositories;
  const std::vector<std::vector<LicenceFile>> found = find_licences(tree.root, repositories, files);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == repositories[i].licences) continue;
    differences.push_back({repositories[i].path.text(), "licence",
                           concat("the files on disk state: ", stated(found[i]),
                                  "; the manifest says: ", stated(repositories[i].licences))});
  }
}

/// Computes the companions again from the manifest and the copies beside it, and compares them byte by byte.
void check_companions(const ScannedTree& tree, std::vector<Difference>& differences) {
  const auto read = [&](const std::string& name) { return read_file(concat(tree.root, "/torchpatch/", name)); };
  try {
    for (const record::Companion& companion : make_companions(tree.manifest, tree.digest, read)) {
      const std::string path = "torchpatch/" + companion.name;
      if (!file_exists(concat(tree.root, "/", path))) continue;  // reported as missing
      const std::string bytes = read(companion.name);
      if (bytes == companion.bytes) continue;
      const auto first = std::ranges::mismatch(bytes, companion.bytes).in1 - bytes.begin();
      differences.push_back(
          {path, "companion",
           concat("is not what the manifest gives: the first byte that differs is number ", first + 1)});
    }
  } catch (const Error& error) {
    differences.push_back({"torchpatch", "companion", concat("computing them again: ", error.message())});
  }
}

}  // namespace

void append(std::vector<Difference>& all, std::vector<Difference> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

ScannedTree scan_prepared_tree(const std::string& root, int jobs, Console& console, const UseManifest& meanwhile) {
  ScannedTree tree;
  tree.root = root;
  tree.manifest_bytes = read_record_file(root, "manifest.json");
  tree.digest = sha256(tree.manifest_bytes);
  tree.scanned = tree::scan_tree(root, jobs, console, [&] {
    tree.manifest = record::parse_manifest(tree.manifest_bytes, root + "/torchpatch/manifest.json");
    tree.sums = record::parse_sums(read_record_file(root, "SHA256SUMS"), root + "/torchpatch/SHA256SUMS");
    if (meanwhile) meanwhile(tree.manifest);
  });
  return tree;
}

Manifest read_manifest_of(const std::string& root) {
  return record::parse_manifest(read_record_file(root, "manifest.json"), root + "/torchpatch/manifest.json");
}

TreeComparison compare_with_record(const ScannedTree& tree, const ListingOptions& options) {
  TreeComparison result;
  ListingComparison listing = compare_listing(tree.scanned, tree.manifest, tree.sums, options);
  result.differences = std::move(listing.differences);
  result.extras = std::move(listing.extras);
  check_side_files(tree, result.differences);
  result.listed = std::move(listing.listed);
  append(result.differences, check_base_trees(tree.root, result.listed, tree.manifest));
  check_licences(tree, result.listed, result.differences);
  if (tree.manifest.tool_version == kToolVersion) {
    check_companions(tree, result.differences);
  } else {
    result.notes.push_back("another version of torchpatch prepared it: SBOMs and provenance were not computed again");
  }
  return result;
}

}  // namespace torchpatch::ops
