// SPDX-License-Identifier: BSD-3-Clause
#include "support/digest.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <type_traits>

#include "support/error.h"
#include "support/program.h"
#include "support/worker_pool.h"

namespace torchpatch {

namespace {

void check(bool ok) {
  if (!ok) throw Error(ErrorKind::environment, "computing a digest: OpenSSL failed", "give it more memory (ulimit -v)");
}

/// Fetched once: OpenSSL 3 otherwise looks up the algorithm for every digest.
template <typename Value>
const EVP_MD* algorithm() {
  static const EVP_MD* const kAlgorithm =
      EVP_MD_fetch(nullptr, std::is_same_v<Value, Sha256> ? "SHA256" : "SHA1", nullptr);
  return kAlgorithm;
}

/// The bytes that git hashes before an object's content, including the final NUL.
std::string object_header(std::string_view type, std::uint64_t size) { return concat(type, " ", size, '\0'); }

}  // namespace

template <typename Value>
Hasher<Value>::Hasher() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr);
  reset();
}

template <typename Value>
Hasher<Value>::~Hasher() {
  EVP_MD_CTX_free(context_);
}

template <typename Value>
void Hasher<Value>::update(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, ByteSteps::kBytes);
    check(EVP_DigestUpdate(context_, piece.data(), piece.size()) == 1);
    bytes.remove_prefix(piece.size());
    if (!bytes.empty()) note_step();
  }
}

template <typename Value>
Value Hasher<Value>::finish() {
  Value value;
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context_, value.bytes.data(), &size) == 1 && size == value.bytes.size());
  return value;
}

template <typename Value>
void Hasher<Value>::reset() {
  check(EVP_DigestInit_ex(context_, algorithm<Value>(), nullptr) == 1);
}

template class Hasher<Sha256>;
template class Hasher<ObjectId>;

Sha256 sha256(std::string_view bytes) {
  Sha256Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

ObjectId sha1(std::string_view bytes) {
  Sha1Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

ObjectId git_object_id(std::string_view type, std::string_view content) {
  Sha1Hasher hasher;
  hasher.update(object_header(type, content.size()));
  hasher.update(content);
  return hasher.finish();
}

void FileHasher::begin(std::uint64_t size) {
  blob_.reset();
  sha256_.reset();
  blob_.update(object_header("blob", size));
}

void FileHasher::update(std::string_view bytes) {
  blob_.update(bytes);
  sha256_.update(bytes);
}

FileDigest digest_of_file(const UniqueFd& file, const std::string& path) {
  Sha256Hasher hasher;
  std::string buffer(1 << 20, '\0');
  std::uint64_t size = 0;
  for (;;) {
    check_interrupted();
    const ssize_t count = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("reading " + quote(path));
    if (count == 0) return {hasher.finish(), size};
    hasher.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    size += static_cast<std::uint64_t>(count);
  }
}

}  // namespace torchpatch
