// SPDX-License-Identifier: BSD-3-Clause
#include "tree/packing.h"

#include <cstring>

#include "support/error.h"

namespace torchpatch::tree {

void pack_number(std::string& out, std::uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void pack_text(std::string& out, std::string_view text) {
  pack_number(out, text.size());
  out.append(text);
}

std::uint64_t Unpacker::number() {
  std::uint64_t number = 0;
  std::memcpy(&number, take(sizeof number).data(), sizeof number);
  return number;
}

std::string Unpacker::text() {
  const std::uint64_t size = number();
  return std::string(take(size));
}

std::string_view Unpacker::take(std::size_t count) {
  if (count > rest_.size()) throw Error(ErrorKind::source, "a worker process sent a damaged message");
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

}  // namespace torchpatch::tree
