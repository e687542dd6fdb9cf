// SPDX-License-Identifier: BSD-3-Clause
#include "support/digest.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch {

namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

void check(bool ok) {
  if (!ok) throw Error(ErrorKind::internal, "computing a digest with OpenSSL failed");
}

/// Fetched once: OpenSSL 3 otherwise looks the algorithm up for every digest.
const EVP_MD* sha1_algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  return kAlgorithm;
}

const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kAlgorithm;
}

Context make_context(const EVP_MD* algorithm) {
  Context context(EVP_MD_CTX_new());
  check(context && EVP_DigestInit_ex(context.get(), algorithm, nullptr) == 1);
  return context;
}

void update(const Context& context, std::string_view bytes) {
  check(EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1);
}

template <typename Value>
Value finish(const Context& context) {
  Value value;
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context.get(), value.bytes.data(), &size) == 1 && size == value.bytes.size());
  return value;
}

/// What git hashes in front of an object's content; the closing NUL is part of it.
std::string object_header(std::string_view type, std::uint64_t size) {
  return std::string(type) + ' ' + std::to_string(size) + '\0';
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  const Context context = make_context(sha256_algorithm());
  update(context, bytes);
  return finish<Sha256>(context);
}

std::string sha1_hex(std::string_view bytes) {
  const Context context = make_context(sha1_algorithm());
  update(context, bytes);
  return finish<ObjectId>(context).hex();
}

ObjectId git_object_id(std::string_view type, std::string_view content) {
  const Context context = make_context(sha1_algorithm());
  update(context, object_header(type, content.size()));
  update(context, content);
  return finish<ObjectId>(context);
}

struct Sha256Hasher::State {
  Context sha256 = make_context(sha256_algorithm());
};

Sha256Hasher::Sha256Hasher() : state_(std::make_unique<State>()) {}
Sha256Hasher::~Sha256Hasher() = default;
void Sha256Hasher::update(std::string_view bytes) { torchpatch::update(state_->sha256, bytes); }
Sha256 Sha256Hasher::finish() { return torchpatch::finish<Sha256>(state_->sha256); }

struct FileHasher::State {
  Context sha1 = make_context(sha1_algorithm());
  Context sha256 = make_context(sha256_algorithm());
};

FileHasher::FileHasher(std::uint64_t size) : state_(std::make_unique<State>()) {
  torchpatch::update(state_->sha1, object_header("blob", size));
}

FileHasher::~FileHasher() = default;

void FileHasher::update(std::string_view bytes) {
  torchpatch::update(state_->sha1, bytes);
  torchpatch::update(state_->sha256, bytes);
}

FileHasher::Result FileHasher::finish() {
  return {torchpatch::finish<ObjectId>(state_->sha1), torchpatch::finish<Sha256>(state_->sha256)};
}

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

FileDigest digest_of_file(const UniqueFd& file, const std::string& path) {
  Sha256Hasher hasher;
  std::string buffer(1 << 20, '\0');
  std::uint64_t size = 0;
  for (;;) {
    const ssize_t count = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("reading " + quote(path));
    if (count == 0) return {hasher.finish(), size};
    hasher.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    size += static_cast<std::uint64_t>(count);
  }
}

}  // namespace torchpatch
