// SPDX-License-Identifier: BSD-3-Clause
/// audit: what a reviewer reads before he signs off the patches of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emit/run/reports.h"
#include "support/object_id.h"

namespace torchpatch::emit {

struct AuditLine {
  char kind = ' ';           ///< ' ' unchanged, '-' removed, '+' added
  std::uint32_t before = 0;  ///< its number in the file before, 1-based; 0 = it is added
  std::uint32_t after = 0;   ///< its number in the file after, 1-based; 0 = it is removed
  std::string text;          ///< without its end
  bool has_newline = true;   ///< false: the file ends without one
  /// Bytes [begin, end) of `text` that changed; none = all of the line, or nothing of it.
  std::vector<std::pair<std::size_t, std::size_t>> changed;
};

using AuditHunk = std::vector<AuditLine>;

struct AuditFile {
  std::string path;                ///< after the patch, or of a removed file
  std::string old_path;            ///< empty where it is the same
  std::string change;              ///< "modify", "create", "remove", "rename", "copy"
  std::string mode;                ///< "100644 to 100755", or empty where it stays
  std::optional<ObjectId> before;  ///< blobs, as certified; absent where uncertified, or where there is none
  std::optional<ObjectId> after;
  bool is_binary = false;
  std::vector<AuditHunk> hunks;
  std::size_t added = 0, removed = 0;  ///< lines
};

/// A place to look at twice (patch/risk.h).
struct AuditRisk {
  std::string kind, path;
  std::uint32_t line = 0;  ///< 0 = the whole file
  std::string why;
};

struct AuditProof {
  std::string id, claim;
  std::string state;  ///< "proven", "not recorded", … (proof_state.h)
  std::string date;   ///< since when, or empty
};

struct AuditPatch {
  std::string patchset, variant;
  std::string file;  ///< of the patch, relative to the patchset
  RepositoryPath repository;
  Sha256 sha256;
  std::vector<std::string> issues;                          ///< that it answers
  std::vector<std::pair<std::string, std::string>> fields;  ///< of its header, in order
  bool is_certified = false;
  std::vector<AuditProof> proofs;
  std::vector<std::string> overlaps;  ///< "names/1.1/0001-a.patch in setup.py": other patches of the plan in its files
  std::vector<AuditRisk> risks;
  std::vector<AuditFile> files;
};

struct AuditAddedFile {
  std::string patchset, variant;
  RepositoryPath repository;
  std::string path;
  bool is_executable = false;
  std::size_t size = 0;  ///< bytes
  Sha256 sha256;
  std::vector<std::string> issues;
};

struct AuditReport {
  std::string release, board, image;
  Sha256 plan;                      ///< its digest
  bool has_sources = false;         ///< hunks stand in the pinned files; false: as the patches have them
  std::vector<AuditPatch> patches;  ///< in the order of application
  std::vector<AuditAddedFile> added_files;
};

/// Returns the report. JSON: {"schema":1, "digest":"<SHA-256 of the report without this>", …}.
std::string audit_report(const AuditReport& report, Format format);

/// Returns the report as CommonMark, the changes as unified diffs.
std::string audit_markdown(const AuditReport& report);

/// Returns what there is to look at as SARIF 2.1.0, for viewers and code hosts: risks are notes, a proof that is not
/// proven is a warning, a patch without a certificate an error.
std::string audit_sarif(const AuditReport& report);

/// Returns what a sign-off is about: the SHA-256 of the JSON report without its digest.
Sha256 audit_digest(const AuditReport& report);

}  // namespace torchpatch::emit
