// SPDX-License-Identifier: BSD-3-Clause
/// Values as bytes, for what a worker process sends to its parent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/path_rule.h"
#include "support/object_id.h"

namespace torchpatch::source {

class WireWriter {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void id(const ObjectId& value) { bytes_.append(value.view()); }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  template <typename Ids>
  void ids(const Ids& values) {
    number(values.size());
    for (const ObjectId& value : values) id(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads values in the order they were written; raises source where the bytes end too early, or mean a value that does
/// not exist: a worker whose memory a hostile object damaged can send anything.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number();
  /// A number below `end`.
  std::uint64_t number_below(std::uint64_t end);
  bool flag() { return number_below(2) == 1; }
  /// The value of an enumeration that counts from 0 to `last`.
  template <typename Enum>
  Enum choice(Enum last) {
    return static_cast<Enum>(number_below(static_cast<std::uint64_t>(last) + 1));
  }
  /// The mode of a file, a link or a gitlink.
  FileMode file_mode();
  std::string text();
  /// A path that may stand in the output.
  std::string path();
  ObjectId id();
  std::vector<std::string> texts();
  std::vector<ObjectId> ids();
  bool at_end() const { return bytes_.empty(); }
  /// Raises where bytes are left.
  void finish() const;

 private:
  std::string_view take(std::uint64_t size);

  std::string_view bytes_;
};

}  // namespace torchpatch::source
