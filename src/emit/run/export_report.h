// SPDX-License-Identifier: BSD-3-Clause
/// export: what went into an archive.
#pragma once

#include <cstdint>
#include <string>

#include "emit/run/reports.h"
#include "model/manifest.h"

namespace torchpatch::emit {

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

/// JSON: {"schema": 1, "output": …, "sha256": …, "tar_sha256": …}.
std::string export_report(const ExportReport& report, Format format);

}  // namespace torchpatch::emit
