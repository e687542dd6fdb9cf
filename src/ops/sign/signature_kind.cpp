// SPDX-License-Identifier: BSD-3-Clause
#include "ops/sign/signature_kind.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

constexpr std::uint64_t kMaxKeyBytes = 1 << 20;

/// Lines that say something.
std::vector<std::string> lines_of(std::string_view text) {
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

constexpr const char* kSigningKeys =
    "a key to sign with is an OpenSSH private key, the .pub of a key that ssh-agent has, or a minisign secret key";
constexpr const char* kSigners =
    "who may sign is said by an allowed_signers file of OpenSSH, an OpenSSH public key or a minisign public key";

}  // namespace

const char* signature_ending(SignatureKind kind) { return kind == SignatureKind::ssh ? ".sig" : ".minisig"; }

SignatureKind signing_key_kind(const std::string& file) {
  const std::vector<std::string> lines = lines_of(read_file(file, kMaxKeyBytes));
  if (is_ssh_private_key(lines) || is_ssh_public_key(lines)) return SignatureKind::ssh;
  const std::optional<std::string> bytes = minisign_bytes(lines);
  if (is_minisign_secret_key(bytes)) return SignatureKind::minisign;
  if (is_minisign_public_key(bytes)) {
    throw Error(ErrorKind::usage, concat(quote(file), " is the public key of minisign; signing takes the secret one"),
                kSigningKeys);
  }
  throw Error(ErrorKind::usage, concat(quote(file), " is neither a key of OpenSSH nor one of minisign"), kSigningKeys);
}

SignersKind signers_kind(const std::string& file) {
  const std::vector<std::string> lines = lines_of(read_file(file, kMaxKeyBytes));
  if (is_ssh_public_key(lines)) return SignersKind::ssh_public_key;
  if (is_allowed_signers(lines)) return SignersKind::allowed_signers;
  const std::optional<std::string> bytes = minisign_bytes(lines);
  if (is_minisign_public_key(bytes)) return SignersKind::minisign_public_key;
  if (is_ssh_private_key(lines) || is_minisign_secret_key(bytes)) {
    throw Error(ErrorKind::usage, concat(quote(file), " is a secret key; checking a signature takes the public one"),
                kSigners);
  }
  throw Error(ErrorKind::usage, concat(quote(file), " does not say who may sign"), kSigners);
}

SignatureKind kind_of(SignersKind signers) {
  return signers == SignersKind::minisign_public_key ? SignatureKind::minisign : SignatureKind::ssh;
}

std::string minisign_key_id(std::string_view public_key_file) {
  const std::optional<std::string> bytes = minisign_bytes(lines_of(public_key_file));
  if (!is_minisign_public_key(bytes)) return {};
  std::string id;
  for (std::size_t i = 9; i >= 2; --i) {  // a number of eight bytes, the lowest first
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(static_cast<unsigned char>((*bytes)[i])));
    id += digits;
  }
  id.erase(0, std::min(id.find_first_not_of('0'), id.size() - 1));  // as minisign prints a number
  return id;
}

}  // namespace torchpatch::ops
