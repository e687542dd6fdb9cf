// SPDX-License-Identifier: BSD-3-Clause
/// audit: reports for reviewers who sign off the patches of a plan (audit_document and others).
#pragma once

#include <string>
#include <string_view>

#include "document/document.h"
#include "model/audit.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch::report {

std::string audit_json(AuditReport report);

/// Returns the report as a page; every patch, file and hunk has an anchor.
Document audit_document(const AuditReport& report);

/// Returns the document of an audit or a comparison as one self-contained HTML page.
std::string audit_html(const Document& document);

/// Returns the report's items as SARIF 2.1.0, for viewers and code hosts: risks are notes; a proof that is not proven,
/// findings on a header, and a patch that is not in the catalog are warnings; a patch without a certificate is an
/// error.
std::string audit_sarif(const AuditReport& report);

/// Returns the digest to sign off: the SHA-256 of the JSON report without its digest.
Sha256 audit_digest(const AuditReport& report);

// audit --against: how a series of patches changed, patch by patch, like git range-diff.

/// Returns the report as a page, for audit_html() too.
Document series_document(const SeriesReport& report);

// Shared by the forms of a report.

inline constexpr const char* kNoCertificate = "it has no certificate for these pins";
inline constexpr const char* kNotInCatalog = "the catalog has no such patch";
/// Returns "release 1.1.0 for tx2 (jetpack-3.3)", "the prepared tree of …" or "every patch of the catalog".
std::string audit_subject(const AuditReport& report);
/// Returns the name of a patch: "cuda-threads/T2/0001-cap.patch".
std::string patch_name(const AuditPatch& patch);
/// Returns "line 3: the field …".
std::string lint_words(const AuditLint& finding);
/// Returns the meaning of the report's terms.
Terms audit_glossary(const AuditReport& report);

// The style and script of the page, as embedded by cmake/embed.cmake.

extern const std::string_view kAuditCss;
extern const std::string_view kAuditScript;  ///< keyboard shortcuts only: the page is usable without it

}  // namespace torchpatch::report
