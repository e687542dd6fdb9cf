// SPDX-License-Identifier: BSD-3-Clause
/// An audit's report as a file that is signed: what the signature is over, and where it stands.
#pragma once

#include <string>
#include <string_view>

#include "support/object_id.h"

namespace torchpatch::emit {

enum class AuditForm { json, markdown, html };

/// The file of a report, apart from its signature.
struct SignedReport {
  AuditForm form = AuditForm::json;
  std::string unsigned_text;  ///< the file as 'audit' wrote it
  Sha256 digest;              ///< of the report: computed of JSON, as it states it of a page
  std::string signature{};    ///< that stands in a page; empty: none, and in JSON, whose signature lies beside it
  std::string why_changed{};  ///< JSON whose digest is not the one it states; empty: it is
};

/// Reads a report that 'audit' wrote as JSON, Markdown or HTML, signed or not; `file` names it. Raises data where it is
/// none, or where the place for the signature in a page holds anything else than a signature.
SignedReport read_signed_report(std::string_view bytes, const std::string& file);

/// Returns what is signed: the digest as 64 hex digits and a newline; of a page also the SHA-256 of the page as it was
/// before it was signed, on a line of its own, so that nothing in it can be changed.
std::string sign_off_statement(const SignedReport& report);

/// Returns the page with `signature` in its place. Raises internal for JSON.
std::string with_signature(const SignedReport& report, const std::string& signature);

}  // namespace torchpatch::emit
