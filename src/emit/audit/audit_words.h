// SPDX-License-Identifier: BSD-3-Clause
/// What all forms of an audit say in the same words (internal).
#pragma once

#include <string>
#include <vector>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

/// Returns "release 1.1.0 for tx2 (jetpack-3.3)", "the prepared tree of …" or "every patch of the catalog".
std::string audit_subject(const AuditReport& report);

/// Returns "3 patches, 1 added file".
std::string audit_counts(const AuditReport& report);

/// Returns the name of a patch: "cuda-threads/T2/0001-cap.patch".
std::string patch_name(const AuditPatch& patch);

/// Returns the lines that a file's change touches, by the file after it: "line 512", "lines 423-430, 512"; of a mere
/// removal the line before which it was. Empty where no line changes.
std::string touched_words(const AuditFile& file);

/// Returns sentences about later releases, without a final period each.
std::vector<std::string> upstream_words(const AuditUpstream& upstream);

/// Returns "1.0.0, 1.1.0: tx1, tx2".
std::string places_words(const AuditPlaces& places);

/// Returns "70a7d05b… becomes a1cd6e2a…", with full ids; "none" for no file; empty where nothing is known.
std::string blob_words(const std::optional<ObjectId>& before, const std::optional<ObjectId>& after);

/// Returns "setup.py:12", or the path alone for the whole file.
std::string risk_place(const AuditRisk& risk);

/// Returns "line 3: the field …".
std::string lint_words(const AuditLint& finding);

/// One step of signing off.
struct SignOffStep {
  std::string what;
  std::string command;
};

/// Returns how the report in `file` is signed, and how the signature is checked.
std::vector<SignOffStep> sign_off_steps(const std::string& file);

/// Mark the place for a signature in Markdown and HTML: what stands between the two is replaced by it.
inline constexpr const char* kSignatureBegin = "<!-- torchpatch:signature -->";
inline constexpr const char* kSignatureEnd = "<!-- /torchpatch:signature -->";

}  // namespace torchpatch::emit
