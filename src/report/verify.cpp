// SPDX-License-Identifier: BSD-3-Clause

#include "document/document.h"
#include "document/text.h"
#include "record/json.h"
#include "report/show.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

Json differences_json(const VerifyReport& report) {
  Json array = Json::array();
  for (const Difference& difference : report.differences) {
    array.push_back({{"path", difference.path}, {"reason", difference.reason}, {"detail", difference.detail}});
  }
  return array;
}

Json signature_json(const VerifyReport& report) {
  if (!report.signature) return nullptr;
  return {{"file", report.signature->file}, {"signer", report.signature->signer}, {"key", report.signature->key}};
}

std::string verify_json(const VerifyReport& report) {
  const Manifest& manifest = report.manifest;
  Json root = {{"schema", 1},
               {"ok", report.differences.empty()},
               {"root", report.root},
               {"release", manifest.release},
               {"genuine", !manifest.stand_in.has_value()},
               {"partial", !manifest.gaps.empty()},
               {"board", manifest.board},
               {"image", manifest.image},
               {"plan", manifest.plan.hex()},
               {"tree", manifest.tree.hex()}};
  root["counts"] = {{"repositories", manifest.repositories.size()},
                    {"patches", manifest.patches.size()},
                    {"files", report.files},
                    {"links", report.links},
                    {"bytes", report.bytes},
                    {"missing", manifest.gaps.size()},
                    {"differences", report.differences.size()}};
  root["differences"] = differences_json(report);
  root["added_by_build"] = report.added_by_build;
  root["signature"] = signature_json(report);
  root["notes"] = report.notes;
  return report_json(root);
}

std::string verdict(const VerifyReport& report) {
  if (!report.differences.empty()) return counted(report.differences.size(), "difference");
  return report.added_by_build.empty() ? "no difference" : "no difference but what a build added";
}

std::string verify_text(const VerifyReport& report) {
  const Manifest& manifest = report.manifest;
  std::string out;
  for (const Difference& difference : report.differences) {
    // A difference of the whole has no path.
    const std::string path = difference.path.empty() ? "" : " " + quote(difference.path);
    out += concat(difference.reason, path, difference.detail.empty() ? "" : ": ", plain_line(difference.detail), "\n");
  }
  for (const std::string& path : report.added_by_build) out += concat("added by build ", quote(path), "\n");
  for (const std::string& note : report.notes) out += concat("note: ", plain_line(note), "\n");
  if (report.signature) {
    out += concat("signed by ", printable(report.signature->signer), " with ", printable(report.signature->key), "\n");
  }
  return concat(out, quote(report.root), ": ", verdict(report), "\n  ", manifest.release, " for ", manifest.board, " (",
                manifest.image, "), tree ", manifest.tree.hex(), "\n  ",
                counted(manifest.repositories.size(), "repository", "repositories"), ", ",
                counted(manifest.patches.size(), "patch", "patches"), ", ", counted(report.files, "file"), ", ",
                counted(report.links, "link"), ", ", counted(report.bytes, "byte"), "\n");
}

}  // namespace

std::string verify_report(const VerifyReport& report, Format format) {
  return format == Format::json ? verify_json(report) : verify_text(report);
}

std::string docs_report(const DocsReport& report) {
  const Json root = {{"schema", 1},
                     {"output", report.output},
                     {"first", report.first},
                     {"files", report.files},
                     {"bytes", report.bytes}};
  return report_json(root);
}

}  // namespace torchpatch::report
