// SPDX-License-Identifier: BSD-3-Clause
/// What 'audit verify-signature' prints.
#pragma once

#include <string>

#include "emit/run/reports.h"
#include "support/object_id.h"

namespace torchpatch::emit {

struct AuditSignatureReport {
  std::string file;
  Sha256 digest;  ///< of the report
  bool is_good = false;
  std::string signer, key;  ///< where it is good
  std::string why;          ///< where it is not
};

/// JSON: {"schema":1, "ok", "file", "digest", "signer", "key", "why"}, the last three null where they say nothing.
std::string audit_signature_report(const AuditSignatureReport& report, Format format);

}  // namespace torchpatch::emit
