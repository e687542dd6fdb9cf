// SPDX-License-Identifier: BSD-3-Clause
#include "git/object_writer.h"

#include <git2/sys/odb_backend.h>
#include <sys/stat.h>

#include "git/handles.h"
#include "git/library.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

constexpr std::string_view kConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";

git_object_t library_type(ObjectType type) {
  switch (type) {
    case ObjectType::commit:
      return GIT_OBJECT_COMMIT;
    case ObjectType::tree:
      return GIT_OBJECT_TREE;
    case ObjectType::tag:
      return GIT_OBJECT_TAG;
    case ObjectType::blob:
      break;
  }
  return GIT_OBJECT_BLOB;
}

/// As check(), for our own repository: what goes wrong here is the disk's or its owner's affair.
void check_write(int code, const std::string& action) {
  try {
    check(code, action);
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, error.message());
  }
}

}  // namespace

struct RepositoryWriter::Impl {
  OdbHandle objects;
};

RepositoryWriter::RepositoryWriter(const std::string& path) : path_(path), impl_(std::make_unique<Impl>()) {
  initialize_library();
  if (::mkdir(path.c_str(), 0777) != 0) throw system_error("creating repository " + quote(path));
  for (const char* directory : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"}) {
    make_directories(path + directory);
  }
  write_file_atomically(path + "/HEAD", "ref: refs/heads/main\n");
  write_file_atomically(path + "/config", kConfig);
  const std::string action = "opening repository " + quote(path);
  check_write(git_odb_new(Out(impl_->objects)), action);
  git_odb_backend* loose = nullptr;
  const std::string objects = path + "/objects";
  check_write(git_odb_backend_loose(&loose, objects.c_str(), -1, 0, 0, 0), action);
  check_write(git_odb_add_backend(impl_->objects.get(), loose, 1), action);
}

RepositoryWriter::~RepositoryWriter() = default;

ObjectId RepositoryWriter::write(ObjectType type, std::string_view bytes) {
  git_oid id = {};
  check_write(git_odb_write(&id, impl_->objects.get(), bytes.data(), bytes.size(), library_type(type)),
              concat("writing a ", object_type_name(type), " into ", quote(path_)));
  return ObjectId::from_bytes(id.id);
}

void RepositoryWriter::set_ref(const std::string& ref, const ObjectId& commit) {
  const std::string file = concat(path_, "/", ref);
  make_directories(parent_path(file));
  write_file_atomically(file, commit.hex() + "\n");
}

}  // namespace torchpatch::git
