// SPDX-License-Identifier: BSD-3-Clause
/// Signatures by the real `ssh-keygen -Y` and `minisign`, which ask for passphrases and talk to ssh-agent themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/sign/signature_kind.h"

namespace torchpatch::ops {

/// What a signature is for, so that one for something else does not pass: the name space of an SSH signature
/// (PROTOCOL.sshsig), the trusted comment of a minisign one.
inline constexpr const char* kManifestPurpose = "torchpatch-manifest";
inline constexpr const char* kAuditPurpose = "torchpatch-audit";

struct SigningKey {
  std::string file;                                              ///< empty: nothing is signed
  std::vector<std::pair<std::string, std::string>> environment;  ///< of the program that signs: HOME, SSH_AUTH_SOCK, …
};

struct Signature {
  SignatureKind kind = SignatureKind::ssh;
  std::string bytes;  ///< of the signature's file
};

/// Asks what can be asked before there is anything to sign: that the key is one and that its program is there. Raises
/// as sign() does.
void require_signing(const SigningKey& key);

/// Signs `bytes`. The program may ask the user on the terminal. Raises usage where the key is of neither kind,
/// environment where the program is missing or fails.
Signature sign(std::string_view bytes, const SigningKey& key, const std::string& purpose);

/// Whether a signature is good, and whose it is.
struct SignatureCheck {
  bool is_good = false;
  std::string signer;  ///< principal, or the public key's file
  std::string key;     ///< "ED25519 key SHA256:…", "minisign key E7620F1842B4E81F"
  std::string why;     ///< where it is not good
};

/// Checks the signature in `signature` over `bytes` against those whom `signers`, a file, allows. Raises usage where
/// that file says nobody, environment where the program is missing.
SignatureCheck check_signature(std::string_view bytes, const std::string& signature, const std::string& signers,
                               const std::string& purpose);

}  // namespace torchpatch::ops
