// SPDX-License-Identifier: BSD-3-Clause
/// Parts of the audit's page (internal).
#pragma once

#include <string>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

/// Returns the id of a patch on the page: "cuda-threads-t2-0001-cap-threads"; that of its nth file (0-based) goes on
/// with "-file-<n + 1>", that of a hunk with "-hunk-<n + 1>".
std::string patch_anchor(const AuditPatch& patch);
std::string file_anchor(const AuditPatch& patch, std::size_t file);
std::string hunk_anchor(const AuditPatch& patch, std::size_t file, std::size_t hunk);

/// Returns a link to an id of the page, to be copied; `what` says what it leads to.
std::string anchor_link(const std::string& id, const std::string& what);

/// Returns what a patch is for in a few words: the first line of its description, else its name.
std::string patch_title(const AuditPatch& patch);

/// Returns "<span class="tag good">certified</span> …": its state at a glance.
std::string patch_tags(const AuditPatch& patch);

/// Returns "+12 −3" of all files of a patch, or of one.
std::string line_counts(std::size_t added, std::size_t removed);

/// Returns the whole section of a patch.
std::string patch_section(const AuditReport& report, std::size_t index);

/// Returns the section with the digest, how to sign it, and the place for the signature.
std::string sign_off_section(const AuditReport& report);

/// Returns the choice between side by side and one column; audit.css does what it says.
std::string view_switch();

}  // namespace torchpatch::emit
