// SPDX-License-Identifier: BSD-3-Clause
#include "emit/run/export_report.h"

#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

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

std::string export_report(const ExportReport& report, Format format) {
  return format == Format::json ? export_json(report) : export_text(report);
}

}  // namespace torchpatch::emit
