// SPDX-License-Identifier: BSD-3-Clause
#include "support/delta.h"

#include "support/catch.h"

#include "support/text.h"

using namespace torchpatch;

namespace {

constexpr std::size_t kMost = 64u << 20;

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

}  // namespace

TEST_CASE("apply_delta: copies and inserts", "[support]") {
  const std::string old_bytes = "0123456789";
  CHECK(apply_delta(bytes_of({10, 5, 0x91, 2, 3, 2, 'a', 'b'}), old_bytes, kMost) == "234ab");
  CHECK(apply_delta(bytes_of({10, 0}), old_bytes, kMost) == "");
  const std::string large(0x10000, 'x');
  CHECK(apply_delta(bytes_of({0x80, 0x80, 0x04, 0x80, 0x80, 0x04, 0x80}), large, kMost) == large);
}

TEST_CASE("apply_delta: refuses what leaves the old content or the stated sizes", "[support]") {
  const std::string old_bytes = "0123456789";
  const std::vector<std::string> deltas = {
      "",
      bytes_of({10}),
      bytes_of({9, 1, 1, 'a'}),                // another old size
      bytes_of({10, 2, 1, 'a'}),               // too little
      bytes_of({10, 1, 2, 'a', 'b'}),          // too much
      bytes_of({10, 1, 0}),                    // the reserved instruction
      bytes_of({10, 3, 3, 'a', 'b'}),          // breaks off in an insertion
      bytes_of({10, 3, 0x91, 8, 3}),           // copies over the end
      bytes_of({10, 3, 0x91, 11, 1}),          // begins behind the end
      bytes_of({10, 3, 0x91, 2}),              // breaks off in a copy
      bytes_of({10, 0x81, 0x80, 0x80, 0x20}),  // 64 MiB and one byte
      std::string(12, '\xFF'),                 // a size without end
  };
  for (const std::string& delta : deltas) {
    INFO(to_hex(delta));
    CHECK(!apply_delta(delta, old_bytes, kMost));
  }
}
