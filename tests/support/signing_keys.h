// SPDX-License-Identifier: BSD-3-Clause
/// Keys to sign with, made anew by the real ssh-keygen and minisign.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/file.h"
#include "support/program.h"

namespace torchpatch::test {

/// A directory with the OpenSSH keys "alice" and "mallory", the minisign keys "mini.key" and "other.key", their public
/// keys (".pub") and "allowed", an allowed_signers file that names alice. No key has a passphrase.
class SigningKeys {
 public:
  SigningKeys();

  std::string path(const std::string& name) const { return temp_.path() + "/" + name; }
  std::vector<std::pair<std::string, std::string>> environment() const;
  ProgramResult run(std::vector<std::string> argv) const;

 private:
  TempDir temp_;
};

}  // namespace torchpatch::test
