// SPDX-License-Identifier: BSD-3-Clause
#include "ops/sign/audit_signature.h"

#include "emit/audit/sign_off.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

emit::SignedReport read_report(const std::string& file) { return emit::read_signed_report(read_file(file), file); }

}  // namespace

std::string sign_audit(const std::string& file, const SigningKey& key) {
  require_signing(key);
  const emit::SignedReport report = read_report(file);
  if (!report.why_changed.empty()) {
    throw Error(ErrorKind::data, concat("signing ", quote(file), ": ", report.why_changed), "audit again");
  }
  const Signature signature = sign(emit::sign_off_statement(report), key, kAuditPurpose);
  const bool is_beside = report.form == emit::AuditForm::json;
  std::string target = is_beside ? concat(file, signature_ending(signature.kind)) : file;
  write_file_atomically(target, is_beside ? signature.bytes : emit::with_signature(report, signature.bytes));
  return target;
}

AuditSignatureCheck check_audit_signature(const std::string& file, const std::string& signers) {
  const emit::SignedReport report = read_report(file);
  AuditSignatureCheck check;
  check.digest = report.digest;
  std::string signature = report.signature;
  if (report.form == emit::AuditForm::json) {
    const std::string beside = concat(file, signature_ending(kind_of(signers_kind(signers))));
    if (file_exists(beside)) signature = read_file(beside);
  }
  if (!report.why_changed.empty()) {
    check.signature.why = report.why_changed;
  } else if (signature.empty()) {
    check.signature.why = "it is not signed";
  } else {
    check.signature = check_signature(emit::sign_off_statement(report), signature, signers, kAuditPurpose);
  }
  return check;
}

}  // namespace torchpatch::ops
