// SPDX-License-Identifier: BSD-3-Clause
#include "source/archive_source.h"

#include "support/text.h"

namespace torchpatch::source {

ArchiveSource::ArchiveSource(const std::vector<NamedArchive>& archives, std::unique_ptr<ObjectSource> rest,
                             const Cache& cache, int jobs, Console& console)
    : rest_(std::move(rest)) {
  cache.check_layout();
  cache.make();
  in_use_ = cache.enter();
  archives_ = open_archives(archives, cache, jobs, console);
}

void ArchiveSource::note_use(int folder, const ObjectId& commit) {
  const int of_rest = folder - static_cast<int>(archives_.size());
  if (of_rest >= 0) rest_->note_use(of_rest, commit);
}

const std::vector<std::string>& ArchiveSource::object_folders() const {
  folders_.clear();
  for (const OpenArchive& archive : archives_) folders_.push_back(archive.object_folder);
  const std::vector<std::string>& more = rest_->object_folders();
  folders_.insert(folders_.end(), more.begin(), more.end());
  return folders_;
}

std::vector<std::string> ArchiveSource::bring(const std::vector<WantedCommit>& wanted, Console& console) {
  return rest_->bring(wanted, console);
}

std::string ArchiveSource::describe() const {
  std::vector<std::string> names;
  for (const OpenArchive& archive : archives_) names.push_back(quote(archive.name.file));
  return concat(names.size() == 1 ? "the archive " : "the archives ", join(names, ", "), " and ", rest_->describe());
}

std::string ArchiveSource::hint() const {
  return "an archive has files alone: which commits and trees are pinned has to be read from a repository as well. "
         "Name "
         "one with --mirror (a clone made with --depth 1 --filter=blob:none will do), or let it be fetched once";
}

}  // namespace torchpatch::source
