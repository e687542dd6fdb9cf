// SPDX-License-Identifier: BSD-3-Clause
#include "support/sha1_hasher.h"

#include <openssl/evp.h>

#include "support/error.h"

namespace torchpatch {

namespace {

void check(bool ok) {
  if (!ok) throw Error(ErrorKind::internal, "computing a SHA-1 with OpenSSL failed");
}

}  // namespace

struct Sha1Hasher::State {
  State() : context(EVP_MD_CTX_new()) {
    check(context != nullptr && EVP_DigestInit_ex(context, EVP_sha1(), nullptr) == 1);
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  EVP_MD_CTX* context;
};

Sha1Hasher::Sha1Hasher() : state_(std::make_unique<State>()) {}
Sha1Hasher::~Sha1Hasher() = default;

void Sha1Hasher::update(std::string_view bytes) {
  check(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha1Hasher::finish() {
  std::string digest(20, '\0');
  check(EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1);
  return digest;
}

}  // namespace torchpatch
