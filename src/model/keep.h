// SPDX-License-Identifier: BSD-3-Clause
/// Copies of sources and trees: mirrors, bundles, the cache, release archives that are read, archives that are
/// exported; reports of their contents and changes.
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
  std::uint64_t bytes = 0;  ///< of the added pack, or 0
};
FIELDS(MirroredRepository, url, path, commits, objects, added, bytes)

struct MirrorReport {
  std::string action;  ///< "mirrored", "unpacked", "bundled"
  std::string output;
  std::vector<std::string> releases;
  std::vector<MirroredRepository> repositories;
  std::string sha256{};    ///< of the bundle's file, or empty
  std::uint64_t size = 0;  ///< of the bundle's file, bytes, or 0

  /// Returns a member's sum over all repositories, such as &MirroredRepository::bytes.
  std::uint64_t total(std::uint64_t MirroredRepository::*number) const {
    std::uint64_t sum = 0;
    for (const MirroredRepository& repository : repositories) sum += repository.*number;
    return sum;
  }
  std::uint64_t commits() const {
    std::uint64_t sum = 0;
    for (const MirroredRepository& repository : repositories) sum += repository.commits.size();
    return sum;
  }
};
FIELDS(MirrorReport, ("schema", SchemaVersion{}), output, releases, ("sha256", self.sha256, kOptional),
       ("size", self.size, kLeftOutIfZero), ("totals", group([&](auto& g) {
                                               g("repositories", self.repositories.size());
                                               g("commits", self.commits());
                                               g("objects", self.total(&MirroredRepository::objects));
                                               g("added", self.total(&MirroredRepository::added));
                                               g("bytes", self.total(&MirroredRepository::bytes));
                                             })),
       repositories)

struct BundleReport {
  std::string file;
  std::uint64_t size = 0;  ///< bytes
  std::string sha256;      ///< of the file; empty if it lacks parts of a bundle
  std::vector<std::string> releases;
  std::uint64_t repositories = 0, commits = 0, objects = 0;
  std::vector<std::string> problems;
  std::vector<std::string> notes;  ///< such as a release unknown to this catalog
};
FIELDS(BundleReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.problems.empty(); })), file, size,
       ("sha256", self.sha256, kOptional), releases, ("totals", group([&](auto& g) {
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

/// The stored contents of a release archive.
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
  std::vector<std::string> damage;  ///< commits that cannot be read completely, and why
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
  std::vector<std::string> repositories{};  ///< paths of those removed completely
  std::vector<std::string> archives{};      ///< paths of removed archive contents
  std::vector<std::string> left_over{};     ///< files of dead runs
  std::uint64_t freed = 0;                  ///< bytes; in a dry run a lower bound
};
FIELDS(CollectReport, ("schema", SchemaVersion{}), directory, ("dry_run", self.is_dry_run), freed, commits,
       repositories, archives, left_over)

struct ExportReport {
  std::string root, output;
  std::string format;  ///< "tar", "tar.gz" or "tar.zst"
  std::string prefix;  ///< the single top-level directory
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

/// One archive compared with the pinned trees of the repository it is named for and of the submodules inside it. Paths
/// are relative to the archive's top directory, sorted.
struct ArchiveComparison {
  std::string repository, file;
  std::string format;                  ///< "tar.gz"
  Sha256 digest;                       ///< of the file
  std::string commit;                  ///< that the archive claims to be made from, or empty
  std::string pinned;                  ///< the repository's commit; empty if the release has no such repository
  std::uint64_t pinned_files = 0;      ///< in the trees it was compared with
  std::vector<std::string> converted;  ///< lines end in CR LF; matches the pinned content after conversion to LF
  std::vector<std::string> differing;  ///< content differs from the pinned content
  std::vector<std::string> modes;      ///< mode differs; the pinned one is used
  std::vector<std::string> absent;     ///< pinned, but not in the archive
  std::vector<std::string> extra;      ///< in the archive, but not pinned; never written
};
FIELDS(ArchiveComparison, repository, file, ("sha256", self.digest), format, commit, ("pinned_commit", self.pinned),
       pinned_files, converted, differing, modes, absent, extra)

}  // namespace torchpatch
