// SPDX-License-Identifier: BSD-3-Clause
/// SHA-1 of bytes as they come, for git's formats that end in one; nothing is trusted because of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace torchpatch {

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

}  // namespace torchpatch
