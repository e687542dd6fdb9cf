// SPDX-License-Identifier: BSD-3-Clause
#include "report/keep.h"

#include <utility>

#include "document/document.h"
#include "document/text.h"
#include "record/json.h"
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

std::string mirror_json(const MirrorReport& report) {
  Json repositories = Json::array();
  for (const MirroredRepository& repository : report.repositories) {
    Json commits = Json::array();
    for (const ObjectId& commit : repository.commits) commits.push_back(commit.hex());
    repositories.push_back({{"url", repository.url},
                            {"path", repository.path},
                            {"commits", commits},
                            {"objects", repository.objects},
                            {"added", repository.added},
                            {"bytes", repository.bytes}});
  }
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
  root["repositories"] = repositories;
  return report_json(root);
}

std::string mirror_text(const MirrorReport& report) {
  const Totals totals = totals_of(report);
  std::string out =
      concat(report.action, " ", join(report.releases, ", "), " to ", shell_quote(report.output), "\n  ",
             report.repositories.size(), " repositories, ", totals.commits, " commits, ", totals.objects, " objects");
  if (totals.added != totals.objects) out += concat(", ", totals.added, " of them new");
  out += concat(", ", size_text(totals.bytes), "\n");
  if (!report.sha256.empty()) out += concat("  ", report.size, " bytes, sha256 ", report.sha256, "\n");
  return out;
}

std::string bundle_json(const BundleReport& report) {
  return report_json(
      {{"schema", 1},
       {"ok", report.problems.empty()},
       {"file", report.file},
       {"size", report.size},
       {"sha256", report.sha256},
       {"releases", report.releases},
       {"totals", {{"repositories", report.repositories}, {"commits", report.commits}, {"objects", report.objects}}},
       {"problems", report.problems},
       {"notes", report.notes}});
}

std::string bundle_text(const BundleReport& report) {
  const std::size_t count = report.problems.size();
  std::string out = concat(quote(report.file), ": ",
                           count == 0 ? "whole" : concat(count, count == 1 ? " problem" : " problems"), "\n");
  for (const std::string& problem : report.problems) out += concat("  ", problem, "\n");
  for (const std::string& note : report.notes) out += concat("  note: ", note, "\n");
  if (!report.releases.empty()) {
    out += concat("  ", join(report.releases, ", "), ": ", report.repositories, " repositories, ", report.commits,
                  " commits, ", report.objects, " objects\n");
  }
  return out + concat("  ", report.size, " bytes, sha256 ", report.sha256, "\n");
}

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

std::string export_json(const ExportReport& report) {
  const Manifest& manifest = report.manifest;
  return report_json(
      {{"schema", 1},
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
       {"counts", {{"files", report.files}, {"links", report.links}, {"directories", report.directories}}}});
}

std::string export_text(const ExportReport& report) {
  const Manifest& manifest = report.manifest;
  std::string out = concat("exported ", manifest.release, " for ", manifest.board, " (", manifest.image, ") to ",
                           shell_quote(report.output), report.is_verified ? "" : ", NOT VERIFIED", "\n");
  if (manifest.stand_in) out += concat("  note    ", plain_line(*manifest.stand_in), "\n");
  out += concat("  files   ", report.files, ", links ", report.links, ", directories ", report.directories, ", below ",
                shell_quote(report.prefix), "/\n  tree    swh:1:dir:", manifest.tree.hex(), "\n  tar     ",
                report.tar_size, " bytes, sha256 ", report.tar_sha256.hex(), "\n");
  if (report.format != "tar") {
    out += concat("  ", report.format, std::string(8 - report.format.size(), ' '), report.size, " bytes, sha256 ",
                  report.sha256.hex(), "\n");
  }
  return out;
}

}  // namespace

std::string mirror_report(const MirrorReport& report, Format format) {
  return format == Format::json ? mirror_json(report) : mirror_text(report);
}

std::string bundle_report(const BundleReport& report, Format format) {
  return format == Format::json ? bundle_json(report) : bundle_text(report);
}

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

std::string export_report(const ExportReport& report, Format format) {
  return format == Format::json ? export_json(report) : export_text(report);
}

}  // namespace torchpatch::report
