// SPDX-License-Identifier: BSD-3-Clause
#include "source/store/tags.h"

#include <map>
#include <memory>

#include "git/object.h"
#include "git/object_store.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

constexpr const char* kTags = "refs/tags/";
constexpr std::uint64_t kMaxReferenceBytes = 1024;
/// Tags of tags of tags: nobody has more.
constexpr int kMostTagsInARow = 8;

/// Adds "ID PREFIXname" of each line.
void add_packed(const std::string& repository, const std::string& prefix, const ReferenceFilter& is_wanted,
                References& references) {
  const std::string path = repository + "/packed-refs";
  if (!file_exists(path)) return;
  constexpr std::size_t kHex = 2 * sizeof ObjectId::bytes;
  for (const std::string& line : split(read_file(path), '\n')) {
    if (line.size() <= kHex || !starts_with(line.substr(kHex), concat(" ", prefix))) continue;
    const std::string name = line.substr(kHex + 1 + prefix.size());
    const auto id = ObjectId::parse(line.substr(0, kHex));
    if (id && is_wanted(name)) references[name] = *id;
  }
}

/// A loose reference outranks a packed one.
void add_loose(const std::string& repository, const std::string& prefix, const ReferenceFilter& is_wanted,
               References& references) {
  const std::string root = concat(repository, "/", prefix);
  if (!is_directory(root)) return;
  for (const std::string& name : list_files_below(root)) {
    if (!is_wanted(name)) continue;
    if (const auto id = ObjectId::parse(trim(read_file(root + name, kMaxReferenceBytes)))) references[name] = *id;
  }
}

/// Returns the tag with the commit that `id` leads to, or nothing. Where an object is not there, it passes for a
/// commit: a copy may have its tags and not all that they are for.
std::optional<CommitTag> follow(const std::string& name, ObjectId id, git::ObjectStore& store) {
  for (int i = 0; i < kMostTagsInARow; ++i) {
    const std::optional<git::Object> object = store.read(id);
    if (!object) return CommitTag{name, id};
    if (object->type == git::ObjectType::commit) return CommitTag{name, id, git::parse_commit(object->bytes).time};
    if (object->type != git::ObjectType::tag) return std::nullopt;
    id = git::parse_tag(object->bytes).id;
  }
  return std::nullopt;
}

TaggedCopy read_copy(const std::string& object_folder, const std::vector<ObjectId>& commits,
                     const ReferenceFilter& is_wanted) {
  git::ObjectStore store({object_folder});
  TaggedCopy copy;
  for (const ObjectId& commit : commits)
    if (store.find(commit) >= 0) copy.held.push_back(commit);
  if (copy.held.empty()) return copy;
  for (const auto& [name, id] : read_references(parent_path(object_folder), kTags, is_wanted))
    if (auto tag = follow(name, id, store)) copy.tags.push_back(std::move(*tag));
  return copy;
}

}  // namespace

References read_references(const std::string& repository, const std::string& prefix, const ReferenceFilter& is_wanted) {
  References references;
  add_packed(repository, prefix, is_wanted, references);
  add_loose(repository, prefix, is_wanted, references);
  return references;
}

std::optional<ObjectId> read_head(const std::string& repository) {
  constexpr std::string_view kBranch = "ref: refs/";
  const std::string file = repository + "/HEAD";
  if (!file_exists(file)) return std::nullopt;
  const std::string head(trim(read_file(file, kMaxReferenceBytes)));
  if (!starts_with(head, kBranch)) return ObjectId::parse(head);
  const std::string branch = head.substr(kBranch.size());
  const References found = read_references(repository, "refs/", [&](std::string_view name) { return name == branch; });
  return found.empty() ? std::nullopt : std::optional(found.begin()->second);
}

std::vector<TaggedCopy> read_tagged_copies(const std::vector<std::string>& object_folders,
                                           const std::vector<ObjectId>& commits, const ReferenceFilter& is_wanted,
                                           int jobs) {
  std::vector<TaggedCopy> copies(object_folders.size());
  WorkerJob job;
  job.items = object_folders.size();
  job.workers = jobs;
  job.start = [&]() -> WorkerTask {
    return [&](std::size_t item) { return to_wire(read_copy(object_folders[item], commits, is_wanted)); };
  };
  job.on_result = [&](std::size_t item, std::string_view bytes) { copies[item] = from_wire<TaggedCopy>(bytes); };
  job.describe = [&](std::size_t item) { return "reading the tags of " + quote(parent_path(object_folders[item])); };
  run_workers(job);
  return copies;
}

void read_tag_times(const std::string& object_folder, std::vector<CommitTag>& tags) {
  WorkerJob job;
  job.items = 1;
  job.start = [&]() -> WorkerTask {
    return [&](std::size_t) {
      git::ObjectStore store({object_folder});
      std::vector<CommitTag> timed;
      for (const CommitTag& tag : tags) timed.push_back(follow(tag.name, tag.commit, store).value_or(tag));
      return to_wire(timed);
    };
  };
  job.on_result = [&](std::size_t, std::string_view bytes) { tags = from_wire<std::vector<CommitTag>>(bytes); };
  job.describe = [&](std::size_t) { return "reading commits in " + quote(object_folder); };
  run_workers(job);
}

}  // namespace torchpatch::source
