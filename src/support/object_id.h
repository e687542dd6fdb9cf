// SPDX-License-Identifier: BSD-3-Clause
/// Ids: git object ids (SHA-1) and SHA-256 digests, as values.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "support/text.h"

namespace torchpatch {

/// A digest of `N` bytes, compared bytewise. `Tag` keeps the kinds apart.
template <std::size_t N, typename Tag>
struct Digest {
  std::array<std::uint8_t, N> bytes{};

  /// Returns the digest that exactly 2·N lower-case hex digits stand for, or nothing.
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
/// A SHA-256 digest.
using Sha256 = Digest<32, struct Sha256Tag>;

/// For unordered containers.
struct DigestHash {
  template <std::size_t N, typename Tag>
  std::size_t operator()(const Digest<N, Tag>& digest) const {
    std::size_t value;
    std::memcpy(&value, digest.bytes.data(), sizeof value);
    return value;
  }
};

}  // namespace torchpatch
