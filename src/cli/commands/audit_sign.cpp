// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/option_set.h"
#include "ops/sign/audit_signature.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

struct SignLine {
  std::string file;
  ops::SigningKey key;
};

int sign(const SignLine& line, Context& context) {
  ops::SigningKey key = line.key;
  key.environment.assign(context.environment.variables.begin(), context.environment.variables.end());
  const std::string signed_file = ops::sign_audit(line.file, key);
  print(context, concat("signed ", quote(line.file), "; the signature is in ", quote(signed_file), "\n"));
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<SignLine>();
  options.argument("FILE", line->file, "a report that 'audit' wrote as HTML, Markdown or JSON", Need::required);
  options.value("--key", line->key.file, "KEY",
                "an OpenSSH key, the .pub of a key in ssh-agent, or a minisign secret key", Need::required);
  return [line](Context& context) { return sign(*line, context); };
}

}  // namespace

Command audit_sign_command() {
  return {
      .name = "audit sign",
      .summary = "sign the report of an audit",
      .details =
          "Signs the digest of the report, by ssh-keygen or minisign, which ask for a passphrase themselves. In a page "
          "the signature goes into the sign-off at its end, and covers the page as it was before; that of JSON is "
          "written to FILE.sig or FILE.minisig. The name space (trusted comment) is torchpatch-audit.",
      .examples = {"torchpatch audit sign audit.html --key ~/.ssh/id_ed25519",
                   "torchpatch audit sign audit.json --key ~/.minisign/minisign.key"},
      .declare = declare};
}

}  // namespace torchpatch::cli
