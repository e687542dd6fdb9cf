// SPDX-License-Identifier: BSD-3-Clause
#include "source/wire.h"

#include <cstring>

#include "support/error.h"

namespace torchpatch::source {

namespace {

[[noreturn]] void refuse_result() { throw Error(ErrorKind::source, "a worker process sent a damaged result"); }

}  // namespace

std::string_view WireReader::take(std::uint64_t size) {
  if (size > bytes_.size()) refuse_result();
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

std::uint64_t WireReader::number() {
  std::uint64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::uint64_t WireReader::number_below(std::uint64_t end) {
  const std::uint64_t value = number();
  if (value >= end) refuse_result();
  return value;
}

FileMode WireReader::file_mode() {
  const std::uint64_t value = number();
  for (const FileMode mode : {FileMode::regular, FileMode::executable, FileMode::link, FileMode::gitlink}) {
    if (value == static_cast<std::uint64_t>(mode)) return mode;
  }
  refuse_result();
}

std::string WireReader::text() { return std::string(take(number())); }

std::string WireReader::path() {
  std::string path = text();
  if (output_path_problem(path)) refuse_result();
  return path;
}

void WireReader::finish() const {
  if (!bytes_.empty()) refuse_result();
}

std::vector<std::string> WireReader::texts() {
  std::vector<std::string> values;
  for (std::uint64_t count = number(); count > 0; --count) values.push_back(text());
  return values;
}

std::vector<ObjectId> WireReader::ids() {
  std::vector<ObjectId> values;
  for (std::uint64_t count = number(); count > 0; --count) values.push_back(id());
  return values;
}

ObjectId WireReader::id() { return ObjectId::from_bytes(take(sizeof ObjectId::bytes).data()); }

}  // namespace torchpatch::source
