// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string contents_text(std::uint64_t repositories, std::uint64_t commits, std::uint64_t objects) {
  return concat(counted(repositories, "repository", "repositories"), ", ", counted(commits, "commit"), ", ",
                counted(objects, "object"));
}

std::string digest_text(std::uint64_t size, const std::string& sha256) {
  return concat(size, " bytes", sha256.empty() ? "" : ", sha256 ", sha256);
}

/// Name and size are in the first row of a repository.
void add_cached(const CachedRepository& repository, Rows& rows) {
  std::string name = repository.name, size = size_text(repository.bytes);
  if (repository.commits.empty()) rows.push_back({name, size, "", "", "no commit"});
  for (const CachedCommit& commit : repository.commits) {
    const std::string releases = commit.releases.empty() ? "no release" : join(commit.releases, ", ");
    rows.push_back({std::exchange(name, ""), std::exchange(size, ""), short_id(commit.commit),
                    day_text(commit.last_use), releases});
  }
  if (!repository.left_over.empty())
    rows.push_back({"", "", "", "", counted(repository.left_over.size(), "file") + " left by interrupted runs"});
}

}  // namespace

Document mirror_document(const MirrorReport& report) {
  const std::uint64_t objects = report.total(&MirroredRepository::objects);
  const std::uint64_t added = report.total(&MirroredRepository::added);
  std::vector<std::string> lines = {concat(contents_text(report.repositories.size(), report.commits(), objects),
                                           added == objects ? "" : concat(", ", added, " new"), ", ",
                                           size_text(report.total(&MirroredRepository::bytes)))};
  if (!report.sha256.empty()) lines.push_back(digest_text(report.size, report.sha256));
  return {.title = concat(report.action, " ", join(report.releases, ", "), " to ", shell_quote(report.output)),
          .blocks = {plain_items(lines)}};
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

Document cache_check_document(const CacheCheck& check) {
  const std::string verdict = check.problems.empty() ? "no problem" : counted(check.problems.size(), "problem");
  std::vector<std::string> lines;
  for (const CacheProblem& problem : check.problems)
    lines.push_back(concat(quote(problem.repository), ": ", problem.problem));
  lines.push_back(concat(counted(check.repositories, "repository", "repositories"), ", ",
                         counted(check.objects, "sound object"), ", ", size_text(check.bytes)));
  return {.title = concat(quote(check.directory), ": ", verdict), .blocks = {plain_items(lines)}};
}

Document collect_document(const CollectReport& report) {
  Rows rows;
  for (const CollectedCommit& commit : report.commits)
    rows.push_back({commit.repository, short_id(commit.commit), commit.why});
  return {.title = concat(quote(report.directory), ": ", report.is_dry_run ? "would remove " : "removed ",
                          counted(report.commits.size(), "commit"), ", ",
                          counted(report.repositories.size(), "repository", "repositories"), " completely, ",
                          report.archives.empty() ? "" : counted(report.archives.size(), "archive") + ", ",
                          counted(report.left_over.size(), "file"), " left by interrupted runs; ",
                          size_text(report.freed), report.is_dry_run ? " or more would be freed" : " freed"),
          .blocks = {plain_table(rows)}};
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
