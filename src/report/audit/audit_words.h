// SPDX-License-Identifier: BSD-3-Clause
/// What the audit's pages and its SARIF say in the same words (internal).
#pragma once

#include <string>

#include "model/audit.h"

namespace torchpatch::report {

inline constexpr const char* kNoCertificate = "no certificate says what it makes of these pins";
inline constexpr const char* kNotInCatalog = "the catalog has no such patch";

/// Returns "release 1.1.0 for tx2 (jetpack-3.3)", "the prepared tree of …" or "every patch of the catalog".
std::string audit_subject(const AuditReport& report);

/// Returns the name of a patch: "cuda-threads/T2/0001-cap.patch".
std::string patch_name(const AuditPatch& patch);

/// Returns "line 3: the field …".
std::string lint_words(const AuditLint& finding);

}  // namespace torchpatch::report
