// SPDX-License-Identifier: BSD-3-Clause
/// What was brought where, and what is kept there: mirrors, bundles, the cache, exported archives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/manifest.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch {

struct MirroredRepository {
  std::string url;
  std::string path;  ///< of the repository, or of the pack in a bundle
  std::vector<ObjectId> commits;
  std::uint64_t objects = 0, added = 0;
  std::uint64_t bytes = 0;  ///< of the pack that was added, or 0
};
FIELDS(MirroredRepository, url, path, commits, objects, added, bytes)

struct MirrorTotals {
  std::uint64_t repositories = 0, commits = 0, objects = 0, added = 0, bytes = 0;
};
FIELDS(MirrorTotals, repositories, commits, objects, added, bytes)

struct MirrorReport {
  std::string action;  ///< "mirrored", "unpacked", "bundled"
  std::string output;
  std::vector<std::string> releases;
  std::vector<MirroredRepository> repositories;
  std::string sha256{};    ///< of the bundle's file, or empty
  std::uint64_t size = 0;  ///< of the bundle's file, bytes, or 0
};
inline MirrorTotals totals_of(const MirrorReport& report) {
  MirrorTotals totals{.repositories = report.repositories.size()};
  for (const MirroredRepository& repository : report.repositories) {
    totals.commits += repository.commits.size();
    totals.objects += repository.objects;
    totals.added += repository.added;
    totals.bytes += repository.bytes;
  }
  return totals;
}
FIELDS(MirrorReport, ("schema", SchemaVersion{}), output, releases, ("sha256", self.sha256, kOptional),
       ("size", self.size, kLeftOutIfZero), ("totals", derived([&] { return totals_of(self); })), repositories)

struct BundleReport {
  std::string file;
  std::uint64_t size = 0;  ///< bytes
  std::string sha256;      ///< of the file
  std::vector<std::string> releases;
  std::uint64_t repositories = 0, commits = 0, objects = 0;
  std::vector<std::string> problems;
  std::vector<std::string> notes;  ///< such as a release that this catalog does not know
};
FIELDS(BundleReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.problems.empty(); })), file, size,
       sha256, releases, ("totals", group([&](auto& g) {
                            g("repositories", self.repositories);
                            g("commits", self.commits);
                            g("objects", self.objects);
                          })),
       problems, notes)

struct CachedCommit {
  ObjectId commit;
  std::int64_t last_use = 0;          ///< seconds since 1970
  std::vector<std::string> releases;  ///< of the catalog, that need it
};
FIELDS(CachedCommit, commit, last_use, releases)

struct CachedRepository {
  std::string name;  ///< "github.com/pytorch/pytorch"
  std::string path;
  std::uint64_t bytes = 0;
  std::vector<CachedCommit> commits;
  std::vector<std::string> left_over;  ///< files of dead runs
};
FIELDS(CachedRepository, name, path, bytes, commits, left_over)

/// What was read of a release archive.
struct CachedArchive {
  std::string path;  ///< ".../archives/<SHA-256 of the archive>"
  std::uint64_t bytes = 0;
  std::int64_t last_use = 0;  ///< seconds since 1970
};
FIELDS(CachedArchive, path, bytes, last_use)

struct CacheReport {
  std::string directory;
  std::vector<CachedRepository> repositories;
  std::vector<CachedArchive> archives;
  std::vector<std::string> damage;  ///< commits that cannot be read whole, and why
};
inline std::uint64_t bytes_of(const CacheReport& report) {
  std::uint64_t bytes = 0;
  for (const CachedRepository& repository : report.repositories) bytes += repository.bytes;
  for (const CachedArchive& archive : report.archives) bytes += archive.bytes;
  return bytes;
}
FIELDS(CacheReport, ("schema", SchemaVersion{}), directory, ("bytes", derived([&] { return bytes_of(self); })),
       repositories, archives, damage)

struct CacheProblem {
  std::string repository;  ///< its path
  std::string problem;
};
FIELDS(CacheProblem, repository, problem)

struct CacheCheck {
  std::string directory;
  std::uint64_t repositories = 0, objects = 0, bytes = 0;
  std::vector<CacheProblem> problems{};
};
FIELDS(CacheCheck, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.problems.empty(); })), directory,
       repositories, objects, bytes, problems)

struct CollectedCommit {
  std::string repository;  ///< its name
  ObjectId commit;
  std::string why;
};
FIELDS(CollectedCommit, repository, commit, why)

struct CollectReport {
  std::string directory;
  bool is_dry_run = false;
  std::vector<CollectedCommit> commits{};
  std::vector<std::string> repositories{};  ///< paths of those that went as a whole
  std::vector<std::string> archives{};      ///< paths of what had been read of archives
  std::vector<std::string> left_over{};     ///< files of dead runs
  std::uint64_t freed = 0;                  ///< bytes; of a dry run at least
};
FIELDS(CollectReport, ("schema", SchemaVersion{}), directory, ("dry_run", self.is_dry_run), freed, commits,
       repositories, archives, left_over)

struct ExportReport {
  std::string root, output;
  std::string format;  ///< "tar", "tar.gz" or "tar.zst"
  std::string prefix;  ///< the one directory that everything lies in
  Manifest manifest;
  Sha256 manifest_digest;
  bool is_verified = false;
  std::uint64_t files = 0, links = 0, directories = 0;
  std::uint64_t tar_size = 0, size = 0;  ///< bytes, before and after compression
  Sha256 tar_sha256, sha256;
};
FIELDS(ExportReport, ("schema", SchemaVersion{}), root, output, format, prefix, sha256, size, tar_sha256, tar_size,
       ("verified", self.is_verified), ("release", self.manifest.release),
       ("genuine", derived([&] { return !self.manifest.stand_in; })), ("board", self.manifest.board),
       ("image", self.manifest.image), ("tree", self.manifest.tree), ("manifest", self.manifest_digest),
       ("timestamp", self.manifest.timestamp), ("counts", group([&](auto& g) {
                                                  g("files", self.files);
                                                  g("links", self.links);
                                                  g("directories", self.directories);
                                                })))

}  // namespace torchpatch
