// SPDX-License-Identifier: BSD-3-Clause
#include "source/wire.h"

#include <cstring>

#include "support/error.h"

namespace torchpatch::source {

std::string_view WireReader::take(std::uint64_t size) {
  if (size > bytes_.size()) throw Error(ErrorKind::source, "a worker process sent a damaged result");
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

std::uint64_t WireReader::number() {
  std::uint64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::string WireReader::text() { return std::string(take(number())); }

ObjectId WireReader::id() { return ObjectId::from_bytes(take(sizeof ObjectId::bytes).data()); }

}  // namespace torchpatch::source
