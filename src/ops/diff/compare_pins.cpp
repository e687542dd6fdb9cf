// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <set>

#include "git/tree_object.h"
#include "ops/diff/compare.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using emit::DiffLevel;

/// "2019-04-30", in UTC.
std::string date_text(std::int64_t seconds) {
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(std::chrono::seconds(seconds)));
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

/// "<commit> of 2019-04-30"; a raw commit that cannot be read has no date, and verify says so.
std::string pin_text(const ManifestRepository* repository) {
  if (!repository) return {};
  std::string out = repository->commit.hex();
  if (repository->raw_commit.empty()) return out;
  try {
    return concat(out, " of ", date_text(git::parse_commit(repository->raw_commit).time));
  } catch (const Error&) {
    return out;
  }
}

std::string override_text(const ManifestRepository* repository) {
  if (!repository || !repository->overridden) return {};
  return concat(repository->commit.hex(), " in place of ", repository->overridden->replaces.hex());
}

const char* change_of(const void* a, const void* b) { return !b ? "only_in_a" : !a ? "only_in_b" : "changed"; }

std::set<RepositoryPath> all_repositories(const DiffInput& a, const DiffInput& b) {
  std::set<RepositoryPath> paths;
  for (const ManifestRepository& repository : a.manifest.repositories) paths.insert(repository.path);
  for (const ManifestRepository& repository : b.manifest.repositories) paths.insert(repository.path);
  return paths;
}

/// What changes the tree of a repository besides its commit.
std::string changes_in(const Manifest& manifest, const RepositoryPath& path) {
  std::string out;
  for (const ManifestPatch& patch : manifest.patches) {
    if (patch.repository == path) out += patch.sha256.hex();
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    if (file.repository == path) out += concat(file.path, " ", file_mode_text(file.mode), " ", file.blob.hex());
  }
  return out;
}

/// Equal commits with equal patches must give equal trees, and come from one place.
void compare_same_pin(const DiffInput& a, const DiffInput& b, const ManifestRepository& in_a,
                      const ManifestRepository& in_b, const Causes& causes, DiffEntries& entries) {
  if (in_a.url != in_b.url) {
    const Cause cause = causes.of_premises();
    entries.push_back(explained({DiffLevel::pin, in_a.path.text(), "changed", in_a.url, in_b.url}, cause));
  }
  if (!a.has_sources() || !b.has_sources() || in_a.patched_tree == in_b.patched_tree ||
      changes_in(a.manifest, in_a.path) != changes_in(b.manifest, in_a.path)) {
    return;
  }
  entries.push_back({DiffLevel::pin, in_a.path.text(), "changed", "patched tree " + in_a.patched_tree.hex(),
                     "patched tree " + in_b.patched_tree.hex()});
}

}  // namespace

DiffEntries compare_pins(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries pins, overrides;
  for (const RepositoryPath& path : all_repositories(a, b)) {
    const ManifestRepository* const in_a = causes.in_a(path);
    const ManifestRepository* const in_b = causes.in_b(path);
    const std::string text_a = override_text(in_a), text_b = override_text(in_b);
    if (text_a != text_b) {
      const char* const change = text_b.empty() ? "only_in_a" : text_a.empty() ? "only_in_b" : "changed";
      overrides.push_back(
          explained({DiffLevel::replacement, path.text(), change, text_a, text_b}, causes.of_repository(path)));
    }
    if (!path.path.empty() && !(a.has_sources() && b.has_sources())) continue;
    if (causes.is_repinned(path)) {
      pins.push_back(explained({DiffLevel::pin, path.text(), change_of(in_a, in_b), pin_text(in_a), pin_text(in_b)},
                               causes.of_repository(path)));
    } else {
      compare_same_pin(a, b, *in_a, *in_b, causes, pins);
    }
  }
  pins.insert(pins.end(), overrides.begin(), overrides.end());
  return pins;
}

}  // namespace torchpatch::ops
