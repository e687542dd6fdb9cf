// SPDX-License-Identifier: BSD-3-Clause
/// SHA-256 and git object ids of bytes (OpenSSL).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/file.h"
#include "support/object_id.h"

struct evp_md_ctx_st;

namespace torchpatch {

/// Returns the SHA-256 of `bytes`.
Sha256 sha256(std::string_view bytes);

/// Returns the SHA-1 of `bytes`, for formats that ask for it; nothing is trusted because of it.
ObjectId sha1(std::string_view bytes);

/// Returns the git id of an object: SHA-1 of "<type> <size>\0<content>".
ObjectId git_object_id(std::string_view type, std::string_view content);
/// Returns the git id of a blob with this content.
inline ObjectId git_blob_id(std::string_view content) { return git_object_id("blob", content); }

/// Hashes bytes as they come; no copies.
template <typename Value>
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::string_view bytes);
  /// Returns the digest; the hasher is used up until it is reset.
  Value finish();
  /// Begins anew.
  void reset();

 private:
  evp_md_ctx_st* context_;
};
using Sha256Hasher = Hasher<Sha256>;
/// For git's formats that end in one; nothing is trusted because of it.
using Sha1Hasher = Hasher<ObjectId>;

/// Hashes the bytes of one file after the other in one pass, both ways, as they come.
class FileHasher {
 public:
  /// Begins a file. `size`: the number of bytes that will follow. Git puts it in front of them, so a file that grows or
  /// shrinks while it is read gets a blob id that no file has.
  void begin(std::uint64_t size);

  struct Result {
    ObjectId blob;
    Sha256 sha256;
  };
  void update(std::string_view bytes);
  /// Returns both digests.
  Result finish() { return {blob_.finish(), sha256_.finish()}; }

 private:
  Sha1Hasher blob_;
  Sha256Hasher sha256_;
};

// SHA-256 of files.

struct FileDigest {
  Sha256 sha256;
  std::uint64_t size = 0;  ///< bytes
};

/// Reads a file from its beginning to its end, wherever its position is. Raises environment with `path` in the message.
FileDigest digest_of_file(const UniqueFd& file, const std::string& path);

}  // namespace torchpatch
