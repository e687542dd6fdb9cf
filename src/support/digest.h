// SPDX-License-Identifier: BSD-3-Clause
/// SHA-256 and git object ids of bytes (OpenSSL).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "support/file.h"
#include "support/object_id.h"

namespace torchpatch {

/// Returns the SHA-256 of `bytes`.
Sha256 sha256(std::string_view bytes);

/// Returns the SHA-1 of `bytes` in hex, for formats that ask for it; nothing is trusted because of it.
std::string sha1_hex(std::string_view bytes);

/// Returns the git id of an object: SHA-1 of "<type> <size>\0<content>".
ObjectId git_object_id(std::string_view type, std::string_view content);
/// Returns the git id of a blob with this content.
inline ObjectId git_blob_id(std::string_view content) { return git_object_id("blob", content); }

/// SHA-256 of bytes as they come.
class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();
  Sha256Hasher(const Sha256Hasher&) = delete;
  Sha256Hasher& operator=(const Sha256Hasher&) = delete;

  void update(std::string_view bytes);
  /// Returns the digest; the hasher is used up.
  Sha256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Hashes a file's bytes in one pass, both ways, as they come.
class FileHasher {
 public:
  /// `size`: the number of bytes that will follow. Git puts it in front of them, so a file that grows or shrinks while
  /// it is read gets a blob id that no file has.
  explicit FileHasher(std::uint64_t size);
  ~FileHasher();
  FileHasher(const FileHasher&) = delete;
  FileHasher& operator=(const FileHasher&) = delete;

  struct Result {
    ObjectId blob;
    Sha256 sha256;
  };
  void update(std::string_view bytes);
  /// Returns both digests; the hasher is used up.
  Result finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// SHA-1 of bytes as they come, for git's formats that end in one; nothing is trusted because of it.

class Sha1Hasher {
 public:
  Sha1Hasher();
  ~Sha1Hasher();
  Sha1Hasher(const Sha1Hasher&) = delete;
  Sha1Hasher& operator=(const Sha1Hasher&) = delete;

  void update(std::string_view bytes);
  /// Returns the 20 bytes of the digest; the hasher is used up.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// SHA-256 of files.

struct FileDigest {
  Sha256 sha256;
  std::uint64_t size = 0;  ///< bytes
};

/// Reads a file from its beginning to its end, wherever its position is. Raises environment with `path` in the message.
FileDigest digest_of_file(const UniqueFd& file, const std::string& path);

}  // namespace torchpatch
