// SPDX-License-Identifier: BSD-3-Clause
/// audit: what a reviewer reads before he signs off the patches of a plan.
#pragma once

#include <string>
#include <string_view>

#include "document/document.h"
#include "model/audit.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch::report {

/// Returns the report as JSON, with its digest.
std::string audit_json(AuditReport report);

/// Returns the report as a page; every patch, file and hunk of it has an anchor.
Document audit_document(const AuditReport& report);

/// Returns an audit's document, or that of a comparison, as one HTML page that needs nothing else.
std::string audit_html(const Document& document);

/// Returns what there is to look at as SARIF 2.1.0, for viewers and code hosts: risks are notes; a proof that is not
/// proven, what is wrong with a header and a patch that the catalog has not are warnings, a patch without a certificate
/// is an error.
std::string audit_sarif(const AuditReport& report);

/// Returns what a sign-off is about: the SHA-256 of the JSON report without its digest.
Sha256 audit_digest(const AuditReport& report);

// audit --against: how a series of patches changed, patch by patch, as git range-diff shows it.

/// Returns the report as a page, which audit_html() renders as well.
Document series_document(const SeriesReport& report);

// What the forms of a report share.

inline constexpr const char* kNoCertificate = "it has no certificate for these pins";
inline constexpr const char* kNotInCatalog = "the catalog has no such patch";
/// Returns "release 1.1.0 for tx2 (jetpack-3.3)", "the prepared tree of …" or "every patch of the catalog".
std::string audit_subject(const AuditReport& report);
/// Returns the name of a patch: "cuda-threads/T2/0001-cap.patch".
std::string patch_name(const AuditPatch& patch);
/// Returns "line 3: the field …".
std::string lint_words(const AuditLint& finding);
/// Returns what the words of this report mean.
Terms audit_glossary(const AuditReport& report);

// The style and script of the page, as embedded by cmake/embed.cmake.

extern const std::string_view kAuditCss;
extern const std::string_view kAuditScript;  ///< keys only: everything can be read and used without it

}  // namespace torchpatch::report
