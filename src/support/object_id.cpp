// SPDX-License-Identifier: BSD-3-Clause
#include "support/object_id.h"

#include "support/text.h"

namespace torchpatch {

template <std::size_t N, typename Tag>
std::optional<Digest<N, Tag>> Digest<N, Tag>::parse(std::string_view hex) {
  if (hex.size() != 2 * N) return std::nullopt;
  const std::optional<std::string> raw = from_hex(hex);
  if (!raw) return std::nullopt;
  return from_bytes(raw->data());
}

template <std::size_t N, typename Tag>
std::string Digest<N, Tag>::hex() const {
  return to_hex(view());
}

template struct Digest<20, ObjectIdTag>;
template struct Digest<32, Sha256Tag>;

}  // namespace torchpatch
