// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prepared_files.h"

#include <filesystem>

#include "model/submodule_layout.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

namespace fs = std::filesystem;

/// Returns what stands at `path`; nothing where a link or a file is on the way.
fs::file_type type_of(const std::string& directory, const std::string& path) {
  std::error_code error;
  std::string place = directory;
  fs::file_type type = fs::file_type::directory;
  for (const std::string& name : split(path, '/')) {
    if (type != fs::file_type::directory) return fs::file_type::not_found;
    place += "/" + name;
    type = fs::symlink_status(place, error).type();
  }
  return type;
}

}  // namespace

std::string read_patch_copy(const std::string& root, const ManifestPatch& patch) {
  std::string text = read_file(root + "/torchpatch/" + patch.file);
  if (sha256(text) == patch.sha256) return text;
  throw Error(ErrorKind::data, concat(quote(patch.file), " is not the patch that the manifest names"));
}

PreparedFiles::PreparedFiles(const std::string& root, const RepositoryPath& repository, const Manifest& manifest)
    : directory_(root + "/" + repository_directory(repository)), repository_(repository), manifest_(manifest) {}

std::optional<patch::TreeFile> PreparedFiles::read(const std::string& path) {
  for (const ManifestRepository& other : manifest_.repositories) {
    const bool is_here = other.path.component == repository_.component &&
                         other.path.path == (repository_.path.empty() ? path : repository_.path + "/" + path);
    if (is_here) return patch::TreeFile{FileMode::gitlink, other.gitlink().hex()};
  }
  const std::string place = directory_ + "/" + path;
  std::error_code error;
  switch (type_of(directory_, path)) {
    case fs::file_type::symlink:
      return patch::TreeFile{FileMode::link, fs::read_symlink(place, error).string()};
    case fs::file_type::regular: {
      const bool is_executable = (fs::status(place, error).permissions() & fs::perms::owner_exec) != fs::perms::none;
      return patch::TreeFile{is_executable ? FileMode::executable : FileMode::regular, read_file(place)};
    }
    default:
      return std::nullopt;
  }
}

bool PreparedFiles::is_directory(const std::string& path) {
  return type_of(directory_, path) == fs::file_type::directory;
}

}  // namespace torchpatch::ops
