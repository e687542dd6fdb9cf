// SPDX-License-Identifier: BSD-3-Clause
#include "git/loose_object.h"

#include <sys/stat.h>

#include <array>

#include "git/inflater.h"
#include "git/mapped_file.h"
#include "git/pack_layout.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// "commit 268435456" and a NUL fit well.
constexpr std::size_t kMaxHeaderBytes = 32;
std::string action_on(const std::string& name) { return concat("reading the loose object ", quote(name)); }

[[noreturn]] void fail_loose(const std::string& name, const std::string& reason) {
  throw Error(ErrorKind::source, concat(action_on(name), ": ", reason));
}

std::string loose_path(const std::string& object_folder, const ObjectId& id) {
  const std::string hex = id.hex();
  return object_folder + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

std::optional<ObjectType> parse_type(std::string_view name) {
  for (const ObjectType type : {ObjectType::commit, ObjectType::tree, ObjectType::blob, ObjectType::tag}) {
    if (name == object_type_name(type)) return type;
  }
  return std::nullopt;
}

}  // namespace

Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name) {
  Inflater inflater(compressed, action_on(name));
  std::array<char, kMaxHeaderBytes> start = {};
  const std::string_view first(start.data(), inflater.read(start.data(), start.size()));
  const std::size_t space = first.find(' ');
  const std::size_t end = first.find('\0');
  if (end == std::string_view::npos || space >= end) fail_loose(name, "it has no header");
  const auto type = parse_type(first.substr(0, space));
  const auto size = parse_decimal(first.substr(space + 1, end - space - 1));
  if (!type || !size) fail_loose(name, "its header is malformed");
  if (*size > kMaxObjectBytes) throw object_too_large(id, *size, name);
  if (*size > compressed.size() * kMaxInflation) fail_loose(name, "it says that it is larger than it can be");

  const std::string_view content = first.substr(end + 1);
  if (content.size() > *size) fail_loose(name, "it is longer than it says");
  Object object{*type, std::string(content)};
  object.bytes.resize(*size);
  const std::size_t rest = *size - content.size();
  if (inflater.read(object.bytes.data() + content.size(), rest) != rest) fail_loose(name, "it is shorter than it says");
  inflater.finish();
  if (inflater.consumed() != compressed.size()) fail_loose(name, "bytes follow its end");
  return object;
}

bool has_loose_object(const std::string& object_folder, const ObjectId& id) {
  struct stat status = {};
  return lstat(loose_path(object_folder, id).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::optional<Object> read_loose_object(const std::string& object_folder, const ObjectId& id) {
  const std::string path = loose_path(object_folder, id);
  const UniqueFd file = open_foreign_file(path);
  if (!file) return std::nullopt;
  const std::size_t size = file_size(file, path);
  // Deflate adds a few bytes to each block at worst; a file far over the limit cannot be an object under it.
  if (size > kMaxObjectBytes + kMaxObjectBytes / 100) throw object_too_large(id, size, path);
  const MappedFile mapped(file, path);
  return inflate_loose_object(mapped.bytes(), id, path);
}

}  // namespace torchpatch::git
