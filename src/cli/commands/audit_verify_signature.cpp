// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/option_set.h"
#include "emit/audit/audit_signature_report.h"
#include "ops/sign/audit_signature.h"

namespace torchpatch::cli {
namespace {

struct VerifySignatureLine {
  std::string file, signers;
  bool json = false;
};

int verify_signature(const VerifySignatureLine& line, Context& context) {
  const ops::AuditSignatureCheck check = ops::check_audit_signature(line.file, line.signers);
  const ops::SignatureCheck& signature = check.signature;
  const emit::AuditSignatureReport report{line.file,        check.digest,  signature.is_good,
                                          signature.signer, signature.key, signature.why};
  print(context, emit::audit_signature_report(report, line.json ? emit::Format::json : emit::Format::text));
  return signature.is_good ? kDone : kFindings;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<VerifySignatureLine>();
  options.argument("FILE", line->file, "a report that 'audit sign' signed", Need::required);
  options.value("--signer", line->signers, "FILE",
                "who may have signed: an allowed_signers file of OpenSSH, or a public key of OpenSSH or minisign",
                Need::required);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return verify_signature(*line, context); };
}

}  // namespace

Command audit_verify_signature_command() {
  return {
      .name = "audit verify-signature",
      .summary = "check that the report of an audit is what someone signed",
      .details =
          "Computes the digest of a JSON report again, that of a page as it was before it was signed, and checks the "
          "signature over it. Exit code 1 where there is none, where it is not good or not by the signer.",
      .examples = {"torchpatch audit verify-signature audit.html --signer allowed_signers"},
      .declare = declare};
}

}  // namespace torchpatch::cli
