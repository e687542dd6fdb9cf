// SPDX-License-Identifier: BSD-3-Clause
#include "git/loose_object.h"

#include <sys/stat.h>

#include <array>

#include "git/mapped_file.h"
#include "git/pack_entry.h"
#include "git/pack_writer.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// "commit 268435456" and a NUL fit well.
constexpr std::size_t kMaxHeaderBytes = 32;

std::string loose_path(const std::string& object_folder, const ObjectId& id) {
  return concat(object_folder, "/", id.hex().insert(2, 1, '/'));
}

/// A loose object's header, and what was inflated behind it.
struct Beginning {
  ObjectType type;
  std::uint64_t size;
  std::string content;
};

std::string action_on(const std::string& name) { return concat("reading the loose object ", quote(name), ": "); }

/// Raises source where it is malformed.
Beginning read_beginning(StreamInflater& inflater) {
  std::array<char, kMaxHeaderBytes> start = {};
  const std::string_view first(start.data(), inflater.read(start.data(), start.size()));
  const std::size_t space = first.find(' ');
  const std::size_t end = first.find('\0');
  inflater.require(end != std::string_view::npos && space < end, "it has no header");
  const auto type = object_type_of(first.substr(0, space));
  const auto size = parse_decimal(first.substr(space + 1, end - space - 1));
  inflater.require(type && size, "its header is malformed");
  return {*type, *size, std::string(first.substr(end + 1))};
}

/// Returns the file of an object, mapped, or nothing where there is none.
std::optional<MappedFile> map_loose_object(const std::string& path, const ObjectId& id) {
  const UniqueFd file = open_foreign_file(path);
  if (!file) return std::nullopt;
  const std::size_t size = file_size(file, path);
  // Deflate adds a few bytes to each block at worst; a file far over the limit cannot be an object under it.
  if (size > kMaxObjectBytes + kMaxObjectBytes / 100) throw object_too_large(id, size, path);
  return std::optional<MappedFile>(std::in_place, file, path);
}

}  // namespace

Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name) {
  StreamInflater inflater(compressed, action_on(name));
  auto [type, size, bytes] = read_beginning(inflater);
  if (size > kMaxObjectBytes) throw object_too_large(id, size, name);
  inflater.require(size <= compressed.size() * kMaxInflation, "it says that it is larger than it can be");
  const std::size_t there = bytes.size();
  inflater.require(there <= size, "it is longer than it says");
  bytes.resize(size);
  inflater.require(inflater.read(bytes.data() + there, size - there) == size - there, "it is shorter than it says");
  char byte = 0;
  inflater.require(inflater.read(&byte, 1) == 0, "it is longer than it says");
  inflater.require(inflater.consumed() == compressed.size(), "bytes follow its end");
  return {type, std::move(bytes)};
}

bool has_loose_object(const std::string& object_folder, const ObjectId& id) {
  return type_at(loose_path(object_folder, id)) == S_IFREG;
}

std::optional<Object> read_loose_object(const std::string& object_folder, const ObjectId& id) {
  const std::string path = loose_path(object_folder, id);
  const std::optional<MappedFile> file = map_loose_object(path, id);
  if (!file) return std::nullopt;
  return inflate_loose_object(file->bytes(), id, path);
}

std::optional<std::uint64_t> loose_object_size(const std::string& object_folder, const ObjectId& id) {
  const std::string path = loose_path(object_folder, id);
  const std::optional<MappedFile> file = map_loose_object(path, id);
  if (!file) return std::nullopt;
  StreamInflater inflater(file->bytes(), action_on(path));
  return read_beginning(inflater).size;
}

void make_repository_folders(const std::string& repository) {
  for (const char* part : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"})
    make_directories(repository + part);
}

RepositoryWriter::RepositoryWriter(const std::string& path) : path_(path) {
  if (::mkdir(path.c_str(), 0777) != 0) throw system_error("creating repository " + quote(path));
  make_repository_folders(path);
  write_file_atomically(path + "/HEAD", "ref: refs/heads/main\n");
  write_file_atomically(path + "/config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n");
}

ObjectId RepositoryWriter::write(ObjectType type, std::string_view bytes) const {
  constexpr int kFastest = 1;
  const char* const name = object_type_name(type);
  const ObjectId id = git_object_id(name, bytes);
  const std::string path = loose_path(path_ + "/objects", id);
  if (file_exists(path)) return id;
  std::string stream;
  append_zlib_stream(stream, concat(name, " ", bytes.size(), '\0', bytes), kFastest);
  make_directories(parent_path(path));
  TemporaryFile file(path);
  write_all(file.fd(), stream, path);
  if (::fchmod(file.fd(), 0444) != 0) throw system_error("writing " + quote(path));  // as git does
  file.rename_to(path);
  return id;
}

void RepositoryWriter::set_ref(const std::string& ref, const ObjectId& commit) const {
  const std::string file = concat(path_, "/", ref);
  make_directories(parent_path(file));
  write_file_atomically(file, commit.hex() + "\n");
}

}  // namespace torchpatch::git
