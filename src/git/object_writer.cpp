// SPDX-License-Identifier: BSD-3-Clause
#include "git/object_writer.h"

#include <sys/stat.h>

#include "git/loose_object.h"
#include "git/pack_writer.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::git {

void make_repository_folders(const std::string& repository) {
  for (const char* part : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"}) {
    make_directories(repository + part);
  }
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
  const std::string path = loose_object_path(path_ + "/objects", id);
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
