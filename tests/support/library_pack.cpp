// SPDX-License-Identifier: BSD-3-Clause
#include "support/library_pack.h"

#include <git2/sys/odb_backend.h>

#include "git/library.h"

namespace torchpatch::test {

namespace {

git::ObjectType type_of(git_object_t type) {
  switch (type) {
    case GIT_OBJECT_COMMIT:
      return git::ObjectType::commit;
    case GIT_OBJECT_TREE:
      return git::ObjectType::tree;
    case GIT_OBJECT_TAG:
      return git::ObjectType::tag;
    default:
      return git::ObjectType::blob;
  }
}

}  // namespace

struct LibraryPack::Handle {
  git::OdbHandle odb;
};

LibraryPack::LibraryPack(const std::string& index_path) : handle_(std::make_unique<Handle>()) {
  git::initialize_library();
  git::check(git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0), "setting libgit2's hash check");
  git::check(git_odb_new(git::Out(handle_->odb)), "making an object database");
  git_odb_backend* backend = nullptr;
  git::check(git_odb_backend_one_pack(&backend, index_path.c_str()), "opening the pack");
  git::check(git_odb_add_backend(handle_->odb.get(), backend, 1), "using the pack");
}

LibraryPack::~LibraryPack() = default;

std::optional<git::Object> LibraryPack::read(const ObjectId& id) const {
  git_oid oid;
  git_oid_fromraw(&oid, id.bytes.data());
  git::OdbObjectHandle object;
  if (git_odb_read(git::Out(object), handle_->odb.get(), &oid) != 0) return std::nullopt;
  return git::Object{type_of(git_odb_object_type(object.get())),
                     {static_cast<const char*>(git_odb_object_data(object.get())), git_odb_object_size(object.get())}};
}

}  // namespace torchpatch::test
