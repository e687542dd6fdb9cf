// SPDX-License-Identifier: BSD-3-Clause
#include "git/loose_object.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "git/mapped_file.h"
#include "git/pack_entry.h"
#include "git/pack_writer.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// "commit 268435456" and a NUL fit well.
constexpr std::size_t kMaxHeaderBytes = 32;

/// Inflates a zlib stream a part at a time; `name` is that of its file.
class Inflater {
 public:
  Inflater(std::string_view compressed, const std::string& name)
      : name_(name), size_(std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max())) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(size_);
    if (inflateInit(&stream_) != Z_OK) fail("zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::source, concat("reading the loose object ", quote(name_), ": ", reason));
  }

  /// Inflates until `size` bytes are written or the stream ends; returns how many were written.
  std::size_t read(char* out, std::size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0 && !is_at_end_) {
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) is_at_end_ = true;
      if (code == Z_BUF_ERROR) fail("it is truncated");
      if (code != Z_OK && code != Z_STREAM_END) fail("it is not a zlib stream");
    }
    stream_.next_out = nullptr;  // `out` may be gone when the next call comes
    return size - stream_.avail_out;
  }

  /// Returns how many bytes of `compressed` the stream has taken; all of it once it has ended.
  std::size_t consumed() const { return size_ - stream_.avail_in; }

 private:
  const std::string& name_;
  std::size_t size_;
  z_stream stream_ = {};
  bool is_at_end_ = false;
};

std::string loose_path(const std::string& object_folder, const ObjectId& id) {
  return concat(object_folder, "/", id.hex().insert(2, 1, '/'));
}

}  // namespace

Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name) {
  Inflater inflater(compressed, name);
  std::array<char, kMaxHeaderBytes> start = {};
  const std::string_view first(start.data(), inflater.read(start.data(), start.size()));
  const std::size_t space = first.find(' ');
  const std::size_t end = first.find('\0');
  if (end == std::string_view::npos || space >= end) inflater.fail("it has no header");
  const auto type = object_type_of(first.substr(0, space));
  const auto size = parse_decimal(first.substr(space + 1, end - space - 1));
  if (!type || !size) inflater.fail("its header is malformed");
  if (*size > kMaxObjectBytes) throw object_too_large(id, *size, name);
  if (*size > compressed.size() * kMaxInflation) inflater.fail("it says that it is larger than it can be");

  const std::string_view content = first.substr(end + 1);
  if (content.size() > *size) inflater.fail("it is longer than it says");
  Object object{*type, std::string(content)};
  object.bytes.resize(*size);
  const std::size_t rest = *size - content.size();
  if (inflater.read(object.bytes.data() + content.size(), rest) != rest) inflater.fail("it is shorter than it says");
  char byte = 0;
  if (inflater.read(&byte, 1) != 0) inflater.fail("it is longer than it says");
  if (inflater.consumed() != compressed.size()) inflater.fail("bytes follow its end");
  return object;
}

bool has_loose_object(const std::string& object_folder, const ObjectId& id) {
  return type_at(loose_path(object_folder, id)) == S_IFREG;
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
