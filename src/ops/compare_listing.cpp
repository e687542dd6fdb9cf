// SPDX-License-Identifier: BSD-3-Clause
#include "ops/compare_listing.h"

#include <map>
#include <set>

#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// What a path of OUT has to be.
struct Expected {
  tree::EntryType type = tree::EntryType::regular;
  const Sha256* sha256 = nullptr;
  const std::string* target = nullptr;
  bool is_executable = false;
};

using ExpectedPaths = std::map<std::string, Expected>;

const std::string kSums = "torchpatch/SHA256SUMS";

/// A signature of the manifest is in no list: it may be added later. Whether it is good, verify --signature says.
bool is_signature(const std::string& path) {
  return path == "torchpatch/manifest.json.sig" || path == "torchpatch/manifest.json.minisig";
}

void expect_directories(ExpectedPaths& expected) {
  std::set<std::string> directories;
  for (const auto& [path, entry] : expected) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      directories.insert(path.substr(0, slash));
    }
  }
  for (const std::string& directory : directories)
    expected.try_emplace(directory, Expected{tree::EntryType::directory});
}

ExpectedPaths expected_paths(const Manifest& manifest, const emit::Sums& sums) {
  ExpectedPaths expected;
  for (const auto& [path, digest] : sums) expected[path].sha256 = &digest;
  for (const auto& [path, target] : manifest.links) expected[path] = {tree::EntryType::link, nullptr, &target};
  for (const std::string& path : manifest.executables) {
    const auto found = expected.find(path);
    if (found != expected.end()) found->second.is_executable = true;
  }
  for (const ManifestSideFile& side : manifest.side_files) {
    const auto found = expected.find("torchpatch/" + side.name);
    if (found != expected.end()) found->second.is_executable = side.is_executable;
  }
  expected.try_emplace(kSums);
  expect_directories(expected);
  return expected;
}

const char* type_name(tree::EntryType type) {
  switch (type) {
    case tree::EntryType::regular:
      return "a file";
    case tree::EntryType::link:
      return "a symbolic link";
    case tree::EntryType::directory:
      return "a directory";
    case tree::EntryType::other:
      break;
  }
  return "a special file";
}

std::string octal(std::uint32_t mode) {
  std::ostringstream out;
  out << '0' << std::oct << mode;
  return out.str();
}

/// Type and executable bit count, other bits only when asked: a tree unpacked under another umask is the same tree.
std::optional<std::string> mode_problem(const tree::ScannedEntry& entry, const Expected& expected, bool strict) {
  const std::uint32_t wanted = expected.is_executable || expected.type == tree::EntryType::directory ? 0755 : 0644;
  if (strict && entry.mode != wanted) return concat("is ", octal(entry.mode), ", must be ", octal(wanted));
  if (expected.type == tree::EntryType::directory) return std::nullopt;
  if (((entry.mode & 0100) != 0) == expected.is_executable) return std::nullopt;
  return concat(expected.is_executable ? "must be executable" : "must not be executable", " (is ", octal(entry.mode),
                ")");
}

void compare_entry(const tree::ScannedEntry& entry, const Expected& expected, const ListingOptions& options,
                   std::vector<emit::Difference>& differences) {
  const bool has_other_type = entry.type != expected.type;
  const bool has_known_type = entry.type != tree::EntryType::other || entry.error.empty();
  if (has_other_type && has_known_type) {
    differences.push_back(
        {entry.path, "type", concat("is ", type_name(entry.type), ", must be ", type_name(expected.type))});
    return;
  }
  if (!entry.error.empty()) {
    differences.push_back({entry.path, "unreadable", entry.error});
    return;
  }
  if (expected.type == tree::EntryType::link) {
    if (entry.link_target != *expected.target) {
      differences.push_back(
          {entry.path, "link",
           concat("points to ", quote(entry.link_target), ", must point to ", quote(*expected.target))});
    }
    return;
  }
  if (expected.sha256 && entry.sha256 != *expected.sha256) {
    differences.push_back(
        {entry.path, "changed", concat("sha256 is ", entry.sha256.hex(), ", must be ", expected.sha256->hex())});
  }
  if (auto problem = mode_problem(entry, expected, options.strict_modes))
    differences.push_back({entry.path, "mode", *problem});
}

bool lies_below(const std::string& path, const std::vector<std::string>& directories) {
  return !directories.empty() && starts_with(path, directories.back() + "/");
}

}  // namespace

ListingComparison compare_listing(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                                  const emit::Sums& sums, const ListingOptions& options) {
  ExpectedPaths expected = expected_paths(manifest, sums);
  ListingComparison result;
  std::vector<std::string> extra_directories;
  for (const tree::ScannedEntry& entry : scanned) {
    if (is_signature(entry.path)) {
      compare_entry(entry, {}, options, result.differences);
      continue;
    }
    const auto found = expected.find(entry.path);
    if (found != expected.end()) {
      compare_entry(entry, found->second, options, result.differences);
      expected.erase(found);
    } else if (!lies_below(entry.path, extra_directories)) {
      result.extras.push_back(entry.path);
      if (entry.type == tree::EntryType::directory) extra_directories.push_back(entry.path);
    }
  }
  for (const auto& [path, entry] : expected) {
    if (entry.type != tree::EntryType::directory)
      result.differences.push_back({path, "missing", concat("must be ", type_name(entry.type))});
  }
  return result;
}

}  // namespace torchpatch::ops
