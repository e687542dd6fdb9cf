// SPDX-License-Identifier: BSD-3-Clause
#include "tree/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::tree {
namespace {

/// How much of a link's target an error shows: it may be a whole blob.
constexpr std::size_t kShownBytes = 200;

/// Bytes that a patch or a fix computed are held to their id like any object.
void check_content(const FileToWrite& file) {
  if (git_blob_id(*file.bytes) == file.blob) return;
  throw Error(ErrorKind::internal, concat("writing ", quote(file.path), ": its bytes are not blob ", file.blob.hex()));
}

}  // namespace

std::array<timespec, 2> both_times(std::int64_t mtime) {
  timespec time = {};
  time.tv_sec = mtime;
  return {time, time};
}

FileWriter::FileWriter(const std::string& root, const WriteOptions& options)
    : options_(options), times_(both_times(options.mtime)), directories_(root), store_(options.object_folders) {}

WrittenFile FileWriter::write(const FileToWrite& file) {
  if (file.bytes) check_content(file);
  const std::string blob = file.bytes ? std::string() : read_blob(file);
  const std::string_view content = file.bytes ? *file.bytes : blob;
  return file.mode == FileMode::link ? write_link(file, content) : write_regular(file, content);
}

std::string FileWriter::read_blob(const FileToWrite& file) {
  std::optional<git::Object> object;
  try {
    object = store_.read(file.blob, file.store);
  } catch (Error& error) {
    error.add_context("while writing " + quote(file.path));
    throw;
  }
  if (!object) {
    throw Error(ErrorKind::source, concat("writing ", quote(file.path), ": no source has blob ", file.blob.hex()),
                "complete the mirror, or name another one with --mirror");
  }
  if (object->type != git::ObjectType::blob) {
    throw Error(ErrorKind::source, concat("writing ", quote(file.path), ": object ", file.blob.hex(), " is a ",
                                          git::object_type_name(object->type), ", not a blob"));
  }
  return std::move(object->bytes);
}

WrittenFile FileWriter::write_regular(const FileToWrite& file, std::string_view content) {
  const std::string name(last_component(file.path));
  const mode_t mode = file.mode == FileMode::executable ? 0755 : 0644;
  const UniqueFd fd(::openat(directories_.enter_parent_of(file.path), name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) throw system_error("creating " + quote(file.path));
  write_all(fd.get(), content, file.path);
  // fchmod, not only the mode above: umask and default ACLs have no say.
  if (::fchmod(fd.get(), mode) != 0 || ::futimens(fd.get(), times_.data()) != 0) {
    throw system_error("setting mode and time of " + quote(file.path));
  }
  if (options_.sync && ::fsync(fd.get()) != 0) throw system_error("syncing " + quote(file.path));
  return {sha256(content), content.size(), {}};
}

WrittenFile FileWriter::write_link(const FileToWrite& file, std::string_view target) {
  if (const auto problem = link_problem(file.path, target)) {
    const std::string shown = quote(target.substr(0, kShownBytes));
    throw Error(ErrorKind::unsafe, concat("link ", quote(file.path), " to ", shown, ": ", *problem));
  }
  const std::string name(last_component(file.path));
  const std::string text(target);
  const int directory = directories_.enter_parent_of(file.path);
  if (::symlinkat(text.c_str(), directory, name.c_str()) != 0) throw system_error("creating link " + quote(file.path));
  if (::utimensat(directory, name.c_str(), times_.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw system_error("setting the time of link " + quote(file.path));
  }
  return {{}, 0, text};
}

}  // namespace torchpatch::tree
