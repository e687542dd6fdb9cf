// SPDX-License-Identifier: BSD-3-Clause
/// Signs the report of an audit, and checks such a signature.
#pragma once

#include <string>

#include "ops/sign/signature.h"
#include "support/object_id.h"

namespace torchpatch::ops {

/// Signs the report in `file`: a page gets the signature into its sign-off, the signature of JSON is written beside it.
/// Returns the file that now holds the signature. Raises as read_signed_report() and sign() do, and data for JSON
/// that was changed.
std::string sign_audit(const std::string& file, const SigningKey& key);

struct AuditSignatureCheck {
  Sha256 digest;
  SignatureCheck signature;
};
/// Checks that the report in `file` is what one of `signers` signed.
AuditSignatureCheck check_audit_signature(const std::string& file, const std::string& signers);

}  // namespace torchpatch::ops
