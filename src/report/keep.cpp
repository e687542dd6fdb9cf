// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "record/json.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

struct Totals {
  std::uint64_t commits = 0, objects = 0, added = 0, bytes = 0;
};

Totals totals_of(const MirrorReport& report) {
  Totals totals;
  for (const MirroredRepository& repository : report.repositories) {
    totals.commits += repository.commits.size();
    totals.objects += repository.objects;
    totals.added += repository.added;
    totals.bytes += repository.bytes;
  }
  return totals;
}

Json mirrored_json(const MirroredRepository& repository) {
  return {{"url", repository.url},
          {"path", repository.path},
          {"commits", texts_of(repository.commits, &ObjectId::hex)},
          {"objects", repository.objects},
          {"added", repository.added},
          {"bytes", repository.bytes}};
}

std::string contents_text(std::uint64_t repositories, std::uint64_t commits, std::uint64_t objects) {
  return concat(counted(repositories, "repository", "repositories"), ", ", counted(commits, "commit"), ", ",
                counted(objects, "object"));
}

std::string digest_text(std::uint64_t size, const std::string& sha256) {
  return concat(size, " bytes, sha256 ", sha256);
}

std::uint64_t bytes_of(const CacheReport& report) {
  std::uint64_t bytes = 0;
  for (const CachedRepository& repository : report.repositories) bytes += repository.bytes;
  for (const CachedArchive& archive : report.archives) bytes += archive.bytes;
  return bytes;
}

Json cached_commit_json(const CachedCommit& commit) {
  return {{"commit", commit.commit.hex()}, {"last_use", commit.last_use}, {"releases", commit.releases}};
}

Json cached_repository_json(const CachedRepository& repository) {
  return {{"name", repository.name},
          {"path", repository.path},
          {"bytes", repository.bytes},
          {"commits", record::array_of(repository.commits, cached_commit_json)},
          {"left_over", repository.left_over}};
}

Json archive_json(const CachedArchive& archive) {
  return {{"path", archive.path}, {"bytes", archive.bytes}, {"last_use", archive.last_use}};
}

Json problem_json(const CacheProblem& problem) {
  return {{"repository", problem.repository}, {"problem", problem.problem}};
}

Json collected_json(const CollectedCommit& commit) {
  return {{"repository", commit.repository}, {"commit", commit.commit.hex()}, {"why", commit.why}};
}

/// Name and size stand in the first row of a repository.
void add_cached(const CachedRepository& repository, Rows& rows) {
  std::string name = repository.name, size = size_text(repository.bytes);
  if (repository.commits.empty()) rows.push_back({name, size, "", "", "no commit"});
  for (const CachedCommit& commit : repository.commits) {
    const std::string releases = commit.releases.empty() ? "no release" : join(commit.releases, ", ");
    rows.push_back({std::exchange(name, ""), std::exchange(size, ""), short_id(commit.commit),
                    day_text(commit.last_use), releases});
  }
  if (!repository.left_over.empty())
    rows.push_back({"", "", "", "", counted(repository.left_over.size(), "file") + " of dead runs"});
}

}  // namespace

Json mirror_json(const MirrorReport& report) {
  const Totals totals = totals_of(report);
  Json root = {{"schema", 1}, {"output", report.output}, {"releases", report.releases}};
  if (!report.sha256.empty()) {
    root["sha256"] = report.sha256;
    root["size"] = report.size;
  }
  root["totals"] = {{"repositories", report.repositories.size()},
                    {"commits", totals.commits},
                    {"objects", totals.objects},
                    {"added", totals.added},
                    {"bytes", totals.bytes}};
  root["repositories"] = record::array_of(report.repositories, mirrored_json);
  return root;
}

Document mirror_document(const MirrorReport& report) {
  const Totals totals = totals_of(report);
  std::vector<std::string> lines = {concat(
      contents_text(report.repositories.size(), totals.commits, totals.objects),
      totals.added == totals.objects ? "" : concat(", ", totals.added, " of them new"), ", ", size_text(totals.bytes))};
  if (!report.sha256.empty()) lines.push_back(digest_text(report.size, report.sha256));
  return {.title = concat(report.action, " ", join(report.releases, ", "), " to ", shell_quote(report.output)),
          .blocks = {plain_items(lines)}};
}

Json bundle_json(const BundleReport& report) {
  return {{"schema", 1},
          {"ok", report.problems.empty()},
          {"file", report.file},
          {"size", report.size},
          {"sha256", report.sha256},
          {"releases", report.releases},
          {"totals", {{"repositories", report.repositories}, {"commits", report.commits}, {"objects", report.objects}}},
          {"problems", report.problems},
          {"notes", report.notes}};
}

Document bundle_document(const BundleReport& report) {
  const std::string verdict = report.problems.empty() ? "whole" : counted(report.problems.size(), "problem");
  std::vector<std::string> lines = report.problems;
  for (const std::string& note : report.notes) lines.push_back("note: " + note);
  if (!report.releases.empty()) {
    lines.push_back(
        concat(join(report.releases, ", "), ": ", contents_text(report.repositories, report.commits, report.objects)));
  }
  lines.push_back(digest_text(report.size, report.sha256));
  return {.title = concat(quote(report.file), ": ", verdict), .blocks = {plain_items(lines)}};
}

Json cache_json(const CacheReport& report) {
  return {{"schema", 1},
          {"directory", report.directory},
          {"bytes", bytes_of(report)},
          {"repositories", record::array_of(report.repositories, cached_repository_json)},
          {"archives", record::array_of(report.archives, archive_json)},
          {"damage", report.damage}};
}

Document cache_document(const CacheReport& report) {
  Rows rows;
  std::size_t commits = 0;
  for (const CachedRepository& repository : report.repositories) {
    commits += repository.commits.size();
    add_cached(repository, rows);
  }
  for (const CachedArchive& archive : report.archives) {
    const std::string digest = archive.path.substr(archive.path.rfind('/') + 1);
    rows.push_back({"archive", size_text(archive.bytes), digest.substr(0, 12), day_text(archive.last_use), ""});
  }
  std::vector<std::string> damage;
  for (const std::string& line : report.damage) damage.push_back("damaged: " + line);
  return {
      .title = concat(quote(report.directory), ": ", counted(report.repositories.size(), "repository", "repositories"),
                      ", ", counted(commits, "commit"), ", ", size_text(bytes_of(report))),
      .blocks = {plain_table(rows), plain_items(damage)}};
}

Json cache_check_json(const CacheCheck& check) {
  return {{"schema", 1},
          {"ok", check.problems.empty()},
          {"directory", check.directory},
          {"repositories", check.repositories},
          {"objects", check.objects},
          {"bytes", check.bytes},
          {"problems", record::array_of(check.problems, problem_json)}};
}

Document cache_check_document(const CacheCheck& check) {
  const std::string verdict = check.problems.empty() ? "no problem" : counted(check.problems.size(), "problem");
  std::vector<std::string> lines;
  for (const CacheProblem& problem : check.problems)
    lines.push_back(concat(quote(problem.repository), ": ", problem.problem));
  lines.push_back(concat(counted(check.repositories, "repository", "repositories"), ", ",
                         counted(check.objects, "sound object"), ", ", size_text(check.bytes)));
  return {.title = concat(quote(check.directory), ": ", verdict), .blocks = {plain_items(lines)}};
}

Json collect_json(const CollectReport& report) {
  return {{"schema", 1},
          {"directory", report.directory},
          {"dry_run", report.is_dry_run},
          {"freed", report.freed},
          {"commits", record::array_of(report.commits, collected_json)},
          {"repositories", report.repositories},
          {"archives", report.archives},
          {"left_over", report.left_over}};
}

Document collect_document(const CollectReport& report) {
  Rows rows;
  for (const CollectedCommit& commit : report.commits)
    rows.push_back({commit.repository, short_id(commit.commit), commit.why});
  return {.title = concat(quote(report.directory), ": ", report.is_dry_run ? "would remove " : "removed ",
                          counted(report.commits.size(), "commit"), ", ",
                          counted(report.repositories.size(), "repository", "repositories"), " as a whole, ",
                          report.archives.empty() ? "" : counted(report.archives.size(), "archive") + ", ",
                          counted(report.left_over.size(), "file"), " of dead runs; ", size_text(report.freed),
                          report.is_dry_run ? " or more would be free" : " are free"),
          .blocks = {plain_table(rows)}};
}

Json export_json(const ExportReport& report) {
  const Manifest& manifest = report.manifest;
  return {{"schema", 1},
          {"root", report.root},
          {"output", report.output},
          {"format", report.format},
          {"prefix", report.prefix},
          {"sha256", report.sha256.hex()},
          {"size", report.size},
          {"tar_sha256", report.tar_sha256.hex()},
          {"tar_size", report.tar_size},
          {"verified", report.is_verified},
          {"release", manifest.release},
          {"genuine", !manifest.stand_in.has_value()},
          {"board", manifest.board},
          {"image", manifest.image},
          {"tree", manifest.tree.hex()},
          {"manifest", report.manifest_digest.hex()},
          {"timestamp", manifest.timestamp},
          {"counts", {{"files", report.files}, {"links", report.links}, {"directories", report.directories}}}};
}

Document export_document(const ExportReport& report) {
  const Manifest& manifest = report.manifest;
  const bool is_compressed = report.format != "tar";
  return {
      .title = concat("exported ", target_text(manifest.release, manifest.board, manifest.image), " to ",
                      shell_quote(report.output), report.is_verified ? "" : ", NOT VERIFIED"),
      .blocks = {Terms{{{"note", said(manifest.stand_in ? stand_in_text(*manifest.stand_in) : "")},
                        {"files", said(concat(report.files, ", links ", report.links, ", directories ",
                                              report.directories, ", below ", shell_quote(report.prefix), "/"))},
                        {"tree", said("swh:1:dir:" + manifest.tree.hex())},
                        {"tar", said(digest_text(report.tar_size, report.tar_sha256.hex()))},
                        {report.format, said(is_compressed ? digest_text(report.size, report.sha256.hex()) : "")}}}}};
}

}  // namespace torchpatch::report
