// SPDX-License-Identifier: BSD-3-Clause
/// What a worker sends to its parent: numbers, digests and texts, one after the other. Never leaves the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/object_id.h"

namespace torchpatch::tree {

void pack_number(std::string& out, std::uint64_t number);
void pack_text(std::string& out, std::string_view text);
template <std::size_t N, typename Tag>
void pack_digest(std::string& out, const Digest<N, Tag>& digest) {
  out.append(digest.view());
}

/// Reads a message in the order in which it was packed. Raises source where it is too short: a worker
/// whose memory is damaged can send anything.
class Unpacker {
 public:
  explicit Unpacker(std::string_view message) : rest_(message) {}
  bool at_end() const { return rest_.empty(); }
  std::uint64_t number();
  std::string text();
  template <typename DigestType>
  DigestType digest() {
    return DigestType::from_bytes(take(sizeof(DigestType)).data());
  }

 private:
  std::string_view take(std::size_t count);

  std::string_view rest_;
};

}  // namespace torchpatch::tree
