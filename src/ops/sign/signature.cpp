// SPDX-License-Identifier: BSD-3-Clause
#include "ops/sign/signature.h"

#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

constexpr const char* kSshProgram = "ssh-keygen";
constexpr const char* kMinisignProgram = "minisign";
constexpr std::chrono::seconds kTimeout{60};
constexpr std::uint64_t kMaxSignatureBytes = 1 << 20;

/// A name that an allowed_signers file made of one key gives its owner.
constexpr const char* kOwner = "owner";

void require_program(const char* program) {
  if (!find_program(program).empty()) return;
  throw Error(ErrorKind::environment, concat("the program ", quote(program), " is not there"),
              program == std::string_view(kSshProgram) ? "it is part of OpenSSH (Debian: openssh-client)"
                                                       : "install it (Debian: minisign)");
}

/// The first line of what a program says, without its end.
std::string first_line(const ProgramResult& result) {
  for (const std::string* text : {&result.err, &result.out}) {
    const std::string_view trimmed = trim(*text);
    if (!trimmed.empty()) return std::string(trim(trimmed.substr(0, trimmed.find('\n'))));
  }
  return concat("exit code ", result.exit_code);
}

/// Runs a program that checks; nothing in the environment has a say.
ProgramResult run_check(std::vector<std::string> argv, const std::string& input = {}) {
  ProgramRun run;
  run.argv = std::move(argv);
  run.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C"}};
  run.timeout = kTimeout;
  run.input = input;
  return run_program(run);
}

/// The part of `Good "…" signature for PRINCIPAL with KEY` behind " with ".
std::string key_of(const std::string& verdict) {
  const std::string_view line = trim(std::string_view(verdict).substr(0, verdict.find('\n')));
  const std::size_t with = line.rfind(" with ");
  return with == std::string_view::npos ? std::string() : std::string(line.substr(with + 6));
}

/// Checks against an allowed_signers file: first whose key it is, then the signature.
SignatureCheck check_ssh(const std::string& data, const std::string& signature, const std::string& allowed,
                         const std::string& purpose) {
  const ProgramResult found = run_check({kSshProgram, "-Y", "find-principals", "-f", allowed, "-s", signature});
  if (found.exit_code != 0) return {false, {}, {}, "it is by none of those who may sign: " + first_line(found)};
  const std::string principal(trim(std::string_view(found.out).substr(0, found.out.find('\n'))));
  const ProgramResult result =
      run_check({kSshProgram, "-Y", "verify", "-f", allowed, "-I", principal, "-n", purpose, "-s", signature}, data);
  if (result.exit_code != 0) return {false, {}, {}, first_line(result)};
  return {true, principal, key_of(result.out), {}};
}

SignatureCheck check_minisign(const std::string& data, const std::string& signature, const std::string& public_key,
                              const std::string& purpose) {
  const std::string key = read_file(public_key);
  const std::string_view line = trim(key).substr(trim(key).rfind('\n') + 1);
  const ProgramResult result =
      run_check({kMinisignProgram, "-V", "-Q", "-P", std::string(line), "-m", data, "-x", signature});
  if (result.exit_code != 0) return {false, {}, {}, first_line(result)};
  if (trim(result.out) != purpose) {
    return {false, {}, {}, concat("it is for ", quote(trim(result.out)), ", not for ", quote(purpose))};
  }
  return {true, public_key, "minisign key " + minisign_key_id(key), {}};
}

}  // namespace

void require_signing(const SigningKey& key) {
  require_program(signing_key_kind(key.file) == SignatureKind::ssh ? kSshProgram : kMinisignProgram);
}

Signature sign(std::string_view bytes, const SigningKey& key, const std::string& purpose) {
  const SignatureKind kind = signing_key_kind(key.file);
  const TempDir temp;
  const std::string data = temp.path() + "/data";
  const std::string signature = data + signature_ending(kind);
  write_file_atomically(data, bytes);
  ProgramRun run;
  run.environment = key.environment;
  run.at_terminal = true;
  if (kind == SignatureKind::ssh) {
    run.argv = {kSshProgram, "-q", "-Y", "sign", "-f", absolute_path(key.file), "-n", purpose, data};
  } else {
    run.argv = {kMinisignProgram,
                "-S",
                "-s",
                absolute_path(key.file),
                "-m",
                data,
                "-x",
                signature,
                "-t",
                purpose,
                "-c",
                "signature for " + purpose};
  }
  require_signing(key);
  const ProgramResult result = run_program(run);
  if (result.exit_code != 0 || !file_exists(signature)) {
    throw Error(
        ErrorKind::environment,
        concat("signing with ", quote(key.file), ": ", run.argv.front(), " ended with exit code ", result.exit_code),
        "what it says of it stands above");
  }
  return {kind, read_file(signature, kMaxSignatureBytes)};
}

SignatureCheck check_signature(std::string_view bytes, const std::string& signature, const std::string& signers,
                               const std::string& purpose) {
  const SignersKind kind = signers_kind(signers);
  require_program(kind_of(kind) == SignatureKind::ssh ? kSshProgram : kMinisignProgram);
  const TempDir temp;
  const std::string data = temp.path() + "/data";
  const std::string copy = temp.path() + "/signature";
  write_file_atomically(data, bytes);
  write_file_atomically(copy, signature);
  if (kind == SignersKind::minisign_public_key) return check_minisign(data, copy, signers, purpose);
  if (kind == SignersKind::allowed_signers) return check_ssh(data, copy, absolute_path(signers), purpose);
  const std::string allowed = temp.path() + "/allowed_signers";
  write_file_atomically(allowed, concat(kOwner, " ", trim(read_file(signers)), "\n"));
  SignatureCheck check = check_ssh(data, copy, allowed, purpose);
  if (check.is_good) check.signer = signers;
  return check;
}

}  // namespace torchpatch::ops
