// SPDX-License-Identifier: BSD-3-Clause
/// cache list, verify, gc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "support/object_id.h"

namespace torchpatch::emit {

struct CachedCommit {
  ObjectId commit;
  std::int64_t last_use = 0;          ///< seconds since 1970
  std::vector<std::string> releases;  ///< of the catalog, that need it
};

struct CachedRepository {
  std::string name;  ///< "github.com/pytorch/pytorch"
  std::string path;
  std::uint64_t bytes = 0;
  std::vector<CachedCommit> commits;
  std::vector<std::string> left_over;  ///< files of dead runs
};

/// What was read of a release archive.
struct CachedArchive {
  std::string path;  ///< ".../archives/<SHA-256 of the archive>"
  std::uint64_t bytes = 0;
  std::int64_t last_use = 0;  ///< seconds since 1970
};

struct CacheReport {
  std::string directory;
  std::vector<CachedRepository> repositories;
  std::vector<CachedArchive> archives;
  std::vector<std::string> damage;  ///< commits that cannot be read whole, and why
};

/// JSON: {"schema": 1, "directory", "bytes", "repositories": [{name, path, bytes, commits: [{commit, last_use,
/// releases}], left_over}], "archives": [{path, bytes, last_use}], "damage"}.
std::string cache_report(const CacheReport& report, Format format);

struct CacheProblem {
  std::string repository;  ///< its path
  std::string problem;
};

struct CacheCheck {
  std::string directory;
  std::uint64_t repositories = 0, objects = 0, bytes = 0;
  std::vector<CacheProblem> problems{};
};

/// JSON: {"schema": 1, "ok", "directory", "repositories", "objects", "bytes", "problems": [{repository, problem}]}.
std::string cache_check(const CacheCheck& check, Format format);

struct CollectedCommit {
  std::string repository;  ///< its name
  ObjectId commit;
  std::string why;
};

struct CollectReport {
  std::string directory;
  bool is_dry_run = false;
  std::vector<CollectedCommit> commits{};
  std::vector<std::string> repositories{};  ///< paths of those that went as a whole
  std::vector<std::string> archives{};      ///< paths of what had been read of archives
  std::vector<std::string> left_over{};     ///< files of dead runs
  std::uint64_t freed = 0;                  ///< bytes; of a dry run at least
};

/// JSON: {"schema": 1, "directory", "dry_run", "freed", "commits": [{repository, commit, why}], "repositories",
/// "archives", "left_over"}.
std::string collect_report(const CollectReport& report, Format format);

}  // namespace torchpatch::emit
