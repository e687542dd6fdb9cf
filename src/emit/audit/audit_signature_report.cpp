// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/audit_signature_report.h"

#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "support/text.h"

namespace torchpatch::emit {

std::string audit_signature_report(const AuditSignatureReport& report, Format format) {
  if (format == Format::json) {
    return report_json({{"schema", 1},
                        {"ok", report.is_good},
                        {"file", report.file},
                        {"digest", report.digest.hex()},
                        {"signer", text_or_null(report.signer)},
                        {"key", text_or_null(report.key)},
                        {"why", text_or_null(report.why)}});
  }
  const std::string verdict = report.is_good
                                  ? concat("signed by ", printable(report.signer), " with ", printable(report.key))
                                  : concat("no good signature: ", printable(report.why));
  return concat(quote(report.file), ": ", verdict, "\n  digest ", report.digest.hex(), "\n");
}

}  // namespace torchpatch::emit
