// SPDX-License-Identifier: BSD-3-Clause
/// Keys and signatures of OpenSSH (`ssh-keygen -Y`) and minisign, told apart by what is in the file.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::ops {

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

}  // namespace torchpatch::ops
