// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prepare/seal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

void set_mtime(const std::string& path, std::int64_t mtime) {
  const timespec time{static_cast<time_t>(mtime), 0};
  const timespec times[2] = {time, time};
  if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
    throw system_error(concat("setting the time of ", quote(path)));
  }
}

void write_side_file(const std::string& path, const SideFile& file, std::int64_t mtime, bool sync) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd) throw system_error(concat("creating ", quote(path)));
  write_all(fd.get(), file.bytes, path);
  if (fchmod(fd.get(), file.is_executable ? 0755 : 0644) != 0)
    throw system_error(concat("setting the mode of ", quote(path)));
  if (sync && fsync(fd.get()) != 0) throw system_error(concat("syncing ", quote(path)));
  set_mtime(path, mtime);
}

/// Creates torchpatch/ and the directories of `files` in it; returns them, deepest last.
std::vector<std::string> make_side_directories(const std::string& root, const std::vector<SideFile>& files) {
  std::set<std::string> names;
  for (const SideFile& file : files) {
    for (std::size_t slash = file.name.find('/'); slash != std::string::npos; slash = file.name.find('/', slash + 1)) {
      names.insert("/torchpatch/" + file.name.substr(0, slash));
    }
  }
  std::vector<std::string> directories = {root + "/torchpatch"};
  for (const std::string& name : names) directories.push_back(root + name);
  for (const std::string& directory : directories) {
    if (mkdir(directory.c_str(), 0755) != 0 || chmod(directory.c_str(), 0755) != 0) {
      throw system_error(concat("creating ", quote(directory)));
    }
  }
  return directories;
}

}  // namespace

record::Sums describe_written(const std::vector<tree::FileToWrite>& files,
                              const std::vector<tree::WrittenFile>& written, Manifest& manifest) {
  record::Sums sums;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].mode == FileMode::link) {
      manifest.links.emplace_back(files[i].path, written[i].link_target);
      ++manifest.link_count;
      continue;
    }
    sums.emplace_hint(sums.end(), files[i].path, written[i].sha256);  // `files` are in order
    if (files[i].mode == FileMode::executable) manifest.executables.push_back(files[i].path);
    ++manifest.file_count;
    manifest.byte_count += written[i].size;
  }
  return sums;
}

void describe_trees(const PinnedTree& pinned, const PatchedTree& patched, Manifest& manifest) {
  const auto& repositories = pinned.closure().repositories;
  for (std::size_t i = 0; i < repositories.size(); ++i) {
    const source::ClosureRepository& repository = repositories[i];
    manifest.repositories.push_back({repository.path, repository.url, repository.commit, repository.raw_commit,
                                     repository.tree, patched.repository_trees[i]});
    manifest.timestamp = std::max(manifest.timestamp, repository.time);
  }
  for (const source::ClosureGap& gap : pinned.closure().gaps) {
    manifest.gaps.push_back({gap.repository, gap.entry.path, gap.entry.mode, gap.entry.id});
  }
  describe_gaps(manifest);
  manifest.trees = patched.trees;
  manifest.tree = patched.tree;
}

void describe_side_files(const std::vector<SideFile>& files, Manifest& manifest) {
  for (const SideFile& file : files) manifest.side_files.push_back({file.name, sha256(file.bytes), file.is_executable});
  std::sort(manifest.side_files.begin(), manifest.side_files.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

void write_side_files(const std::string& root, const SealedFiles& files, record::Sums sums, std::int64_t mtime,
                      bool sync) {
  const std::vector<std::string> directories = make_side_directories(root, files.listed);
  const std::string base = root + "/torchpatch/";
  const auto write = [&](const SideFile& file) { write_side_file(base + file.name, file, mtime, sync); };
  const auto write_summed = [&](const SideFile& file) {
    write(file);
    sums["torchpatch/" + file.name] = sha256(file.bytes);
  };
  for (const SideFile& file : files.listed) write_summed(file);
  for (const record::Companion& companion : files.companions) write_summed({companion.name, companion.bytes});
  write_summed({"manifest.json", files.manifest});
  write({"SHA256SUMS", record::sums_text(sums)});
  if (files.signature) write(*files.signature);
  for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory)
    set_mtime(*directory, mtime);
  set_mtime(root, mtime);
}

}  // namespace torchpatch::ops
