// SPDX-License-Identifier: BSD-3-Clause
#include "emit/keep/cache_report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "emit/format/json_text.h"
#include "emit/format/number_text.h"
#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t bytes_of(const CacheReport& report) {
  std::uint64_t bytes = 0;
  for (const CachedRepository& repository : report.repositories) bytes += repository.bytes;
  for (const CachedArchive& archive : report.archives) bytes += archive.bytes;
  return bytes;
}

std::string list_json(const CacheReport& report) {
  Json repositories = Json::array();
  for (const CachedRepository& repository : report.repositories) {
    Json commits = Json::array();
    for (const CachedCommit& commit : repository.commits) {
      commits.push_back(
          {{"commit", commit.commit.hex()}, {"last_use", commit.last_use}, {"releases", commit.releases}});
    }
    repositories.push_back({{"name", repository.name},
                            {"path", repository.path},
                            {"bytes", repository.bytes},
                            {"commits", commits},
                            {"left_over", repository.left_over}});
  }
  Json archives = Json::array();
  for (const CachedArchive& archive : report.archives) {
    archives.push_back({{"path", archive.path}, {"bytes", archive.bytes}, {"last_use", archive.last_use}});
  }
  return report_json({{"schema", 1},
                      {"directory", report.directory},
                      {"bytes", bytes_of(report)},
                      {"repositories", repositories},
                      {"archives", archives},
                      {"damage", report.damage}});
}

std::string list_text(const CacheReport& report) {
  Rows rows;
  std::size_t commits = 0;
  for (const CachedRepository& repository : report.repositories) {
    commits += repository.commits.size();
    std::string name = repository.name, size = size_text(repository.bytes);
    if (repository.commits.empty()) rows.push_back({name, size, "", "", "no commit"});
    for (const CachedCommit& commit : repository.commits) {
      const std::string releases = commit.releases.empty() ? "no release" : join(commit.releases, ", ");
      rows.push_back({std::exchange(name, ""), std::exchange(size, ""), commit.commit.hex().substr(0, 12),
                      day_text(commit.last_use), releases});
    }
    if (!repository.left_over.empty()) {
      rows.push_back({"", "", "", "", counted(repository.left_over.size(), "file") + " of dead runs"});
    }
  }
  for (const CachedArchive& archive : report.archives) {
    const std::string digest = archive.path.substr(archive.path.rfind('/') + 1);
    rows.push_back({"archive", size_text(archive.bytes), digest.substr(0, 12), day_text(archive.last_use), ""});
  }
  std::string out =
      concat(quote(report.directory), ": ", counted(report.repositories.size(), "repository", "repositories"), ", ",
             counted(commits, "commit"), ", ", size_text(bytes_of(report)), "\n");
  out += text_table(rows, "  ");
  for (const std::string& line : report.damage) out += concat("  damaged: ", plain_line(line), "\n");
  return out;
}

}  // namespace

std::string cache_report(const CacheReport& report, Format format) {
  return format == Format::json ? list_json(report) : list_text(report);
}

std::string cache_check(const CacheCheck& check, Format format) {
  if (format == Format::json) {
    Json problems = Json::array();
    for (const CacheProblem& problem : check.problems) {
      problems.push_back({{"repository", problem.repository}, {"problem", problem.problem}});
    }
    return report_json({{"schema", 1},
                        {"ok", check.problems.empty()},
                        {"directory", check.directory},
                        {"repositories", check.repositories},
                        {"objects", check.objects},
                        {"bytes", check.bytes},
                        {"problems", problems}});
  }
  std::string out = concat(quote(check.directory), ": ",
                           check.problems.empty() ? "no problem" : counted(check.problems.size(), "problem"), "\n");
  for (const CacheProblem& problem : check.problems) {
    out += concat("  ", quote(problem.repository), ": ", plain_line(problem.problem), "\n");
  }
  return out + concat("  ", counted(check.repositories, "repository", "repositories"), ", ", check.objects,
                      " sound objects, ", size_text(check.bytes), "\n");
}

std::string collect_report(const CollectReport& report, Format format) {
  if (format == Format::json) {
    Json commits = Json::array();
    for (const CollectedCommit& commit : report.commits) {
      commits.push_back({{"repository", commit.repository}, {"commit", commit.commit.hex()}, {"why", commit.why}});
    }
    return report_json({{"schema", 1},
                        {"directory", report.directory},
                        {"dry_run", report.is_dry_run},
                        {"freed", report.freed},
                        {"commits", commits},
                        {"repositories", report.repositories},
                        {"archives", report.archives},
                        {"left_over", report.left_over}});
  }
  Rows rows;
  for (const CollectedCommit& commit : report.commits) {
    rows.push_back({commit.repository, commit.commit.hex().substr(0, 12), commit.why});
  }
  return concat(quote(report.directory), ": ", report.is_dry_run ? "would remove " : "removed ",
                counted(report.commits.size(), "commit"), ", ",
                counted(report.repositories.size(), "repository", "repositories"), " as a whole, ",
                report.archives.empty() ? "" : counted(report.archives.size(), "archive") + ", ",
                counted(report.left_over.size(), "file"), " of dead runs; ", size_text(report.freed),
                report.is_dry_run ? " or more would be free\n" : " are free\n") +
         text_table(rows, "  ");
}

}  // namespace torchpatch::emit
