// SPDX-License-Identifier: BSD-3-Clause
/// sign() and check_signature(): signatures of OpenSSH (`ssh-keygen -Y`) and minisign. Keys are told apart by what is
/// in their files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchpatch::trees {

enum class SignatureKind { ssh, minisign };

/// Returns the ending of a signature's file: ".sig" (what ssh-keygen writes) or ".minisig".
const char* signature_ending(SignatureKind kind);

/// Returns the kind of a key to sign with: an OpenSSH private key, the public key of one that ssh-agent has, or a
/// secret key of minisign. Raises usage where `file` is none of them; a public key of minisign is told so.
SignatureKind signing_key_kind(const std::string& file);

/// Who may have signed.
enum class SignersKind { allowed_signers, ssh_public_key, minisign_public_key };
/// Returns what `file` is. Raises usage where it is none of them; a secret key is told so.
SignersKind signers_kind(const std::string& file);
SignatureKind kind_of(SignersKind signers);

/// Returns the key id that a public key of minisign names, as minisign prints it: "E7620F1842B4E81F"; or empty text.
std::string minisign_key_id(std::string_view public_key_file);

// Signatures by the real `ssh-keygen -Y` and `minisign`, which ask for passphrases and talk to ssh-agent themselves.

/// What a signature is for, so that one for something else does not pass: the name space of an SSH signature
/// (PROTOCOL.sshsig), the trusted comment of a minisign one.
inline constexpr const char* kManifestPurpose = "torchpatch-manifest";
inline constexpr const char* kApprovalPurpose = "torchpatch-approval";

struct SigningKey {
  std::string file;                                              ///< empty: nothing is signed
  std::vector<std::pair<std::string, std::string>> environment;  ///< of the program that signs: HOME, SSH_AUTH_SOCK, …
};

struct Signature {
  SignatureKind kind = SignatureKind::ssh;
  std::string bytes;  ///< of the signature's file
  std::string key;    ///< "ED25519 key SHA256:…", "minisign key E7620F1842B4E81F"
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

}  // namespace torchpatch::trees
