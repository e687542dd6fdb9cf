// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include <git2/sys/odb_backend.h>
#include <unistd.h>

#include "git/big_endian.h"
#include "git/handles.h"
#include "git/library.h"
#include "git/mapped_file.h"

namespace torchpatch::git {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChecksumBytes = 20;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::source, concat("reading the pack ", quote(path), ": ", reason));
}

std::string read_at(const UniqueFd& file, std::size_t offset, std::size_t size, const std::string& path) {
  std::string bytes(size, '\0');
  if (pread(file.get(), bytes.data(), size, static_cast<off_t>(offset)) != static_cast<ssize_t>(size)) {
    fail(path, "it is truncated");
  }
  return bytes;
}

std::string pack_path(const std::string& index_path) {
  return index_path.substr(0, index_path.size() - std::string_view(".idx").size()) + ".pack";
}

ObjectType object_type(git_object_t type, const std::string& path) {
  switch (type) {
    case GIT_OBJECT_COMMIT:
      return ObjectType::commit;
    case GIT_OBJECT_TREE:
      return ObjectType::tree;
    case GIT_OBJECT_BLOB:
      return ObjectType::blob;
    case GIT_OBJECT_TAG:
      return ObjectType::tag;
    default:
      fail(path, "an object has no type that git knows");
  }
}

}  // namespace

/// An object database of one pack: the folder's other files (alternates, multi-pack-index, commit-graph) stay unread.
struct Pack::Handle {
  OdbHandle odb;
};

Pack::Pack(const std::string& index_path) : index_path_(index_path), index_(index_path) {}
Pack::~Pack() = default;
Pack::Pack(Pack&&) noexcept = default;

void Pack::close() { handle_.reset(); }

void Pack::check() {
  if (is_checked_) return;
  const std::string path = pack_path(index_path_);
  const UniqueFd file = open_foreign_file(path);
  if (!file) fail(path, "it is not there");
  const std::size_t size = file_size(file, path);
  if (size < kHeaderBytes + kChecksumBytes) fail(path, "it is truncated");

  const std::string header = read_at(file, 0, kHeaderBytes, path);
  const std::uint32_t version = read_u32(header, 4);
  if (header.substr(0, 4) != "PACK" || (version != 2 && version != 3)) fail(path, "it is not a pack");
  if (read_u32(header, 8) != index_.object_count()) fail(path, "its index is that of another pack");
  if (read_at(file, size - kChecksumBytes, kChecksumBytes, path) != index_.pack_checksum()) {
    fail(path, "its checksum is not the one in its index");
  }
  index_.check_entries(size);
  is_checked_ = true;
}

Object Pack::read(const ObjectId& id) {
  check();
  const auto require = [&](int result) {
    if (result != 0) git::check(result, concat("reading ", id.hex(), " from ", quote(pack_path(index_path_))));
  };
  if (!handle_) {
    initialize_library();
    auto handle = std::make_unique<Handle>();
    require(git_odb_new(Out(handle->odb)));
    git_odb_backend* backend = nullptr;
    require(git_odb_backend_one_pack(&backend, index_path_.c_str()));
    require(git_odb_add_backend(handle->odb.get(), backend, 1));
    handle_ = std::move(handle);
  }
  git_oid oid;
  git_oid_fromraw(&oid, id.bytes.data());
  OdbObjectHandle object;
  require(git_odb_read(Out(object), handle_->odb.get(), &oid));
  // Not asked before: libgit2 would begin each delta twice. Until here the worker's limit of memory holds.
  const std::size_t size = git_odb_object_size(object.get());
  if (size > kMaxObjectBytes) throw object_too_large(id, size, index_path_);
  return {object_type(git_odb_object_type(object.get()), index_path_),
          std::string(static_cast<const char*>(git_odb_object_data(object.get())), size)};
}

}  // namespace torchpatch::git
