// SPDX-License-Identifier: BSD-3-Clause
/// Digests: git object ids (ObjectId, SHA-1) and SHA-256, computed from bytes (sha256, git_object_id, Hasher) and from
/// files (FileHasher, digest_of_file) with OpenSSL.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "support/file.h"
#include "support/text.h"

struct evp_md_ctx_st;

namespace torchpatch {

/// A digest of `N` bytes, compared bytewise. `Tag` makes the kinds distinct types.
template <std::size_t N, typename Tag>
struct Digest {
  std::array<std::uint8_t, N> bytes{};

  /// Parses exactly 2·N lower-case hex digits.
  static std::optional<Digest> parse(std::string_view hex) {
    const std::optional<std::string> raw = hex.size() == 2 * N ? from_hex(hex) : std::nullopt;
    return raw ? std::optional(from_bytes(raw->data())) : std::nullopt;
  }
  /// Returns the digest of the N raw bytes at `raw`.
  static Digest from_bytes(const void* raw) {
    Digest digest;
    std::memcpy(digest.bytes.data(), raw, N);
    return digest;
  }
  std::string hex() const { return to_hex(view()); }
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), N}; }
  bool is_null() const { return *this == Digest{}; }
  auto operator<=>(const Digest&) const = default;
};

/// The id of a git object: SHA-1 of "type size NUL content".
using ObjectId = Digest<20, struct ObjectIdTag>;
using Sha256 = Digest<32, struct Sha256Tag>;

/// Hash for unordered containers.
struct DigestHash {
  template <std::size_t N, typename Tag>
  std::size_t operator()(const Digest<N, Tag>& digest) const {
    std::size_t value;
    std::memcpy(&value, digest.bytes.data(), sizeof value);
    return value;
  }
};

Sha256 sha256(std::string_view bytes);

/// Returns the SHA-1 of `bytes`, for formats that require it; nothing is trusted because of it.
ObjectId sha1(std::string_view bytes);

/// Returns the git id of an object: SHA-1 of "<type> <size>\0<content>".
ObjectId git_object_id(std::string_view type, std::string_view content);
/// Returns the git id of a blob with this content.
inline ObjectId git_blob_id(std::string_view content) { return git_object_id("blob", content); }

/// Hashes bytes incrementally, without copying them.
template <typename Value>
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::string_view bytes);
  /// Returns the digest; call reset() before further use.
  Value finish();
  /// Starts over.
  void reset();

 private:
  evp_md_ctx_st* context_;
};
using Sha256Hasher = Hasher<Sha256>;
/// For git formats that end with a SHA-1; nothing is trusted because of it.
using Sha1Hasher = Hasher<ObjectId>;

/// Computes both digests of files, one file after another, in one pass.
class FileHasher {
 public:
  /// Begins a file of `size` bytes. Git hashes the size first, so if a file grows or shrinks while it is read, its blob
  /// id is not that of any file.
  void begin(std::uint64_t size);

  struct Result {
    ObjectId blob;
    Sha256 sha256;
  };
  void update(std::string_view bytes);
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

/// Reads a file from its start, whatever its current offset. Raises environment with `path` in the message.
FileDigest digest_of_file(const UniqueFd& file, const std::string& path);

}  // namespace torchpatch
