// SPDX-License-Identifier: BSD-3-Clause
#include "trees/sign/signature.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

constexpr std::uint64_t kMaxKeyBytes = 1 << 20;

/// Lines of a key's file that say something.
std::vector<std::string> said_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view trimmed = trim(line);
    if (!trimmed.empty() && !starts_with(trimmed, "#")) lines.emplace_back(trimmed);
  }
  return lines;
}

/// Whether `word` names the type of an OpenSSH key: "ssh-ed25519", "ecdsa-sha2-nistp256", "sk-ssh-ed25519@openssh.com".
bool is_key_type(const std::string& word) {
  return starts_with(word, "ssh-") || starts_with(word, "ecdsa-sha2-") || starts_with(word, "sk-ssh-") ||
         starts_with(word, "sk-ecdsa-");
}

bool is_ssh_public_key(const std::vector<std::string>& lines) {
  return lines.size() == 1 && is_key_type(lines.front().substr(0, lines.front().find(' ')));
}

bool is_ssh_private_key(const std::vector<std::string>& lines) {
  return !lines.empty() && starts_with(lines.front(), "-----BEGIN ") && ends_with(lines.front(), "PRIVATE KEY-----");
}

/// Each line: principals, options, type of the key, key (ssh-keygen(1), ALLOWED SIGNERS).
bool is_allowed_signers(const std::vector<std::string>& lines) {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](const std::string& line) {
    const std::vector<std::string> words = split(line, ' ');
    return std::any_of(words.begin() + 1, words.end(), is_key_type) && !is_key_type(words.front());
  });
}

/// The bytes of a minisign key, which stand below a comment (https://jedisct1.github.io/minisign/#format).
std::optional<std::string> minisign_bytes(const std::vector<std::string>& lines) {
  if (lines.size() == 1) return base64_decode(lines[0]);  // a public key is often handed on as this line alone
  if (lines.size() != 2 || !starts_with(lines[0], "untrusted comment:")) return std::nullopt;
  return base64_decode(lines[1]);
}

constexpr std::size_t kMinisignPublicKeySize = 42;  // algorithm, key id, key

bool is_minisign_public_key(const std::optional<std::string>& bytes) {
  return bytes && bytes->size() == kMinisignPublicKeySize && starts_with(*bytes, "Ed");
}
bool is_minisign_secret_key(const std::optional<std::string>& bytes) {
  return bytes && bytes->size() > kMinisignPublicKeySize && starts_with(*bytes, "Ed");
}

/// Returns the id of the key in a public key or in a signature, which both begin with two letters and the id.
std::string minisign_id(std::string_view bytes) {
  std::string id;
  for (std::size_t i = 9; i >= 2; --i) {  // a number of eight bytes, the lowest first
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    id += digits;
  }
  id.erase(0, std::min(id.find_first_not_of('0'), id.size() - 1));  // as minisign prints a number
  return id;
}

constexpr const char* kSigningKeys =
    "sign with an OpenSSH private key, the .pub of a key in ssh-agent, or a minisign secret key";
constexpr const char* kSigners = "pass an OpenSSH allowed_signers file, an OpenSSH public key or a minisign public key";

constexpr const char* kSshProgram = "ssh-keygen";
constexpr const char* kMinisignProgram = "minisign";
constexpr std::chrono::seconds kTimeout{60};
constexpr std::uint64_t kMaxSignatureBytes = 1 << 20;

/// A name that an allowed_signers file made of one key gives its owner.
constexpr const char* kOwner = "owner";

void require_program_for(SignatureKind kind) {
  const char* const program = kind == SignatureKind::ssh ? kSshProgram : kMinisignProgram;
  if (!find_program(program).empty()) return;
  throw Error(
      ErrorKind::environment, concat("the program ", quote(program), " was not found"),
      kind == SignatureKind::ssh ? "it is part of OpenSSH (Debian: openssh-client)" : "install it (Debian: minisign)");
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
std::string signing_key(const std::string& verdict) {
  const std::string_view line = trim(std::string_view(verdict).substr(0, verdict.find('\n')));
  const std::size_t with = line.rfind(" with ");
  return with == std::string_view::npos ? std::string() : std::string(line.substr(with + 6));
}

/// Returns the key of a signature: "ED25519 key SHA256:…", "minisign key E7620F1842B4E81F"; empty if it is not known.
std::string key_in_signature(SignatureKind kind, const std::string& data, const std::string& signature,
                             const std::string& purpose) {
  if (kind == SignatureKind::ssh) {
    const ProgramResult result =
        run_check({kSshProgram, "-Y", "check-novalidate", "-n", purpose, "-s", signature}, data);
    return result.exit_code == 0 ? signing_key(result.out) : "";
  }
  const std::vector<std::string> lines = said_lines(read_file(signature, kMaxSignatureBytes));
  const std::optional<std::string> bytes = lines.size() > 1 ? base64_decode(lines[1]) : std::nullopt;
  return bytes && bytes->size() > 9 ? "minisign key " + minisign_id(*bytes) : "";
}

/// Returns why ssh-keygen found no signer: the key that signed, if the signature is good, and how to list those
/// allowed.
std::string unknown_signer(const ProgramResult& found, const std::string& data, const std::string& signature,
                           const std::string& signers, const std::string& purpose) {
  const std::string key = key_in_signature(SignatureKind::ssh, data, signature, purpose);
  const bool is_other_key = first_line(found) == "No principal matched.";
  if (key.empty() || !is_other_key) return "the signer is not allowed: " + first_line(found);
  return concat("the signer is not allowed: signed with ", key, "; to list the keys that are: ", kSshProgram, " -l -f ",
                shell_quote(signers));
}

/// Checks against `allowed`, made of the file `signers`: first whose key it is, then the signature.
SignatureCheck check_ssh(const std::string& data, const std::string& signature, const std::string& allowed,
                         const std::string& signers, const std::string& purpose) {
  const ProgramResult found = run_check({kSshProgram, "-Y", "find-principals", "-f", allowed, "-s", signature});
  if (found.exit_code != 0) return {false, {}, {}, unknown_signer(found, data, signature, signers, purpose)};
  const std::string principal(trim(std::string_view(found.out).substr(0, found.out.find('\n'))));
  const ProgramResult result =
      run_check({kSshProgram, "-Y", "verify", "-f", allowed, "-I", principal, "-n", purpose, "-s", signature}, data);
  if (result.exit_code != 0) return {false, {}, {}, first_line(result)};
  return {true, principal, signing_key(result.out), {}};
}

SignatureCheck check_minisign(const std::string& data, const std::string& signature, const std::string& public_key,
                              const std::string& purpose) {
  const std::string key = read_file(public_key);
  const std::string_view line = trim(key).substr(trim(key).rfind('\n') + 1);
  const ProgramResult result =
      run_check({kMinisignProgram, "-V", "-Q", "-P", std::string(line), "-m", data, "-x", signature});
  if (result.exit_code != 0) return {false, {}, {}, joined_lines(std::string(trim(result.err)))};
  if (trim(result.out) != purpose)
    return {false, {}, {}, concat("it is for ", quote(trim(result.out)), ", not for ", quote(purpose))};
  return {true, public_key, "minisign key " + minisign_key_id(key), {}};
}

}  // namespace

const char* signature_ending(SignatureKind kind) { return kind == SignatureKind::ssh ? ".sig" : ".minisig"; }

SignatureKind signing_key_kind(const std::string& file) {
  const std::vector<std::string> lines = said_lines(read_file(file, kMaxKeyBytes));
  if (is_ssh_private_key(lines) || is_ssh_public_key(lines)) return SignatureKind::ssh;
  const std::optional<std::string> bytes = minisign_bytes(lines);
  if (is_minisign_secret_key(bytes)) return SignatureKind::minisign;
  if (is_minisign_public_key(bytes)) {
    throw Error(ErrorKind::usage, concat(quote(file), " is a minisign public key; signing needs the secret key"),
                kSigningKeys);
  }
  throw Error(ErrorKind::usage, concat(quote(file), " is neither an OpenSSH nor a minisign key"), kSigningKeys);
}

SignersKind signers_kind(const std::string& file) {
  const std::vector<std::string> lines = said_lines(read_file(file, kMaxKeyBytes));
  if (is_ssh_public_key(lines)) return SignersKind::ssh_public_key;
  if (is_allowed_signers(lines)) return SignersKind::allowed_signers;
  const std::optional<std::string> bytes = minisign_bytes(lines);
  if (is_minisign_public_key(bytes)) return SignersKind::minisign_public_key;
  if (is_ssh_private_key(lines) || is_minisign_secret_key(bytes)) {
    throw Error(ErrorKind::usage, concat(quote(file), " is a secret key; checking a signature needs the public key"),
                kSigners);
  }
  throw Error(ErrorKind::usage, concat(quote(file), " lists no signers"), kSigners);
}

SignatureKind kind_of(SignersKind signers) {
  return signers == SignersKind::minisign_public_key ? SignatureKind::minisign : SignatureKind::ssh;
}

std::string minisign_key_id(std::string_view public_key_file) {
  const std::optional<std::string> bytes = minisign_bytes(said_lines(public_key_file));
  return is_minisign_public_key(bytes) ? minisign_id(*bytes) : "";
}

void require_signing(const SigningKey& key) { require_program_for(signing_key_kind(key.file)); }

Signature sign(std::string_view bytes, const SigningKey& key, const std::string& purpose) {
  const SignatureKind kind = signing_key_kind(key.file);
  require_program_for(kind);
  const TempDir temp;
  const std::string data = temp.path() + "/data";
  const std::string signature = data + signature_ending(kind);
  write_file_atomically(data, bytes);
  ProgramRun run;
  run.environment = key.environment;
  run.at_terminal = true;
  const std::string secret = absolute_path(key.file);
  if (kind == SignatureKind::ssh) {
    run.argv = {kSshProgram, "-q", "-Y", "sign", "-f", secret, "-n", purpose, data};
  } else {
    const std::string comment = "signature for " + purpose;
    run.argv = {kMinisignProgram, "-S", "-s", secret, "-m", data, "-x", signature, "-t", purpose, "-c", comment};
  }
  const ProgramResult result = run_program(run);
  if (result.exit_code != 0 || !file_exists(signature)) {
    throw Error(
        ErrorKind::environment,
        concat("signing with ", quote(key.file), ": ", run.argv.front(), " ended with exit code ", result.exit_code),
        "see its messages above");
  }
  return {kind, read_file(signature, kMaxSignatureBytes), key_in_signature(kind, data, signature, purpose)};
}

SignatureCheck check_signature(std::string_view bytes, const std::string& signature, const std::string& signers,
                               const std::string& purpose) {
  const SignersKind kind = signers_kind(signers);
  require_program_for(kind_of(kind));
  const TempDir temp;
  const std::string data = temp.path() + "/data";
  const std::string copy = temp.path() + "/signature";
  write_file_atomically(data, bytes);
  write_file_atomically(copy, signature);
  // ssh-keygen reads up to the end of the signature, and what follows would be anybody's.
  constexpr std::string_view kEndOfSsh = "-----END SSH SIGNATURE-----";
  if (kind != SignersKind::minisign_public_key && !ends_with(trim(signature), kEndOfSsh))
    return {false, {}, {}, "there is text after the signature"};
  const bool is_ssh_key = kind == SignersKind::ssh_public_key;
  const std::string allowed = is_ssh_key ? temp.path() + "/allowed_signers" : absolute_path(signers);
  if (is_ssh_key) write_file_atomically(allowed, concat(kOwner, " ", trim(read_file(signers)), "\n"));
  SignatureCheck check = kind == SignersKind::minisign_public_key ? check_minisign(data, copy, signers, purpose)
                                                                  : check_ssh(data, copy, allowed, signers, purpose);
  if (check.is_good && is_ssh_key) check.signer = signers;
  replace_all(check.why, temp.path() + "/", "");  // reports are equal from run to run
  return check;
}

}  // namespace torchpatch::trees
