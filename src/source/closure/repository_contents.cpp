// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/repository_contents.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "git/object.h"
#include "git/object_store.h"
#include "model/path_rule.h"
#include "model/url.h"
#include "source/closure/repository_tree.h"
#include "support/error.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

class Lister {
 public:
  Lister(git::ObjectStore& store, int near, CommitObjects& result) : store_(store), near_(near), result_(result) {}

  git::Object read(const ObjectId& id, git::ObjectType type) {
    git::Object object = read_or_miss(store_, id, near_, concat(git::object_type_name(type), " ", id.hex()));
    if (object.type != type) throw AbsentObject{concat(id.hex(), " is no ", git::object_type_name(type))};
    add(id, result_.objects);
    return object;
  }

  void list(const ObjectId& tree, int depth) {
    if (depth > kMaxTreeDepth)
      throw Error(ErrorKind::unsafe, concat("it lies deeper than ", kMaxTreeDepth, " directories"));
    for (const git::TreeEntry& entry : git::parse_tree(read(tree, git::ObjectType::tree).bytes)) {
      const auto mode = parse_file_mode(entry.mode);
      if (mode == FileMode::gitlink) {
        add(entry.id, result_.gitlinks);
      } else if (mode == FileMode::directory) {
        if (!seen_.contains(entry.id)) list(entry.id, depth + 1);
      } else if (add(entry.id, result_.objects) && store_.find(entry.id, near_) < 0) {
        throw AbsentObject{concat("the blob ", entry.id.hex(), " is in no folder")};
      }
    }
  }

 private:
  /// Notes an id; returns whether it is new.
  bool add(const ObjectId& id, std::vector<ObjectId>& list) {
    if (!seen_.insert(id).second) return false;
    if (seen_.size() > kMaxEntries)
      throw Error(ErrorKind::unsafe, concat("the tree has more than ", kMaxEntries, " objects"));
    list.push_back(id);
    return true;
  }

  git::ObjectStore& store_;
  int near_;
  CommitObjects& result_;
  std::unordered_set<ObjectId, DigestHash> seen_;
};

/// Returns the ids of the lines "parent <id>" of a commit's header.
std::vector<ObjectId> parents_of(const std::string& commit) {
  constexpr std::string_view kKey = "parent ";
  std::vector<ObjectId> parents;
  for (const std::string& line : split(commit.substr(0, commit.find("\n\n")), '\n')) {
    if (!starts_with(line, kKey)) continue;
    if (const auto id = ObjectId::parse(line.substr(kKey.size()))) parents.push_back(*id);
  }
  return parents;
}

/// One repository, in a worker.
class ContentsReader {
 public:
  ContentsReader(const ContentsRequest& request, const std::vector<std::string>& folders)
      : request_(request), own_(folders_of(request, {})), all_(folders_of(request, folders)) {}

  RepositoryContents read() {
    for (const ObjectId& commit : request_.commits) read_commit(commit);
    for (const ObjectId& id : contents_.objects)
      if (!is_intact(id)) contents_.lacking.push_back(id);
    contents_.is_damaged = !own_.warnings().empty();
    return std::move(contents_);
  }

 private:
  static std::vector<std::string> folders_of(const ContentsRequest& request, std::vector<std::string> folders) {
    if (!request.own_folder.empty()) folders.insert(folders.begin(), request.own_folder);
    return folders;
  }

  void read_commit(const ObjectId& commit) {
    const int near = all_.find(commit);
    if (contents_.commits.empty() && near >= 0) contents_.near = near + (request_.own_folder.empty() ? 1 : 0);
    const CommitObjects listed = list_commit_objects(all_, commit, near);
    const bool has_history =
        std::ranges::all_of(listed.parents, [&](const ObjectId& parent) { return own_.find(parent) >= 0; });
    contents_.commits.push_back({commit, listed.tree, !listed.parents.empty(), has_history, listed.missing});
    if (listed.missing.empty()) {
      for (const ObjectId& id : listed.objects)
        if (seen_.insert(id).second) contents_.objects.push_back(id);
    }
  }

  bool is_intact(const ObjectId& id) {
    try {
      return own_.read(id).has_value();
    } catch (const Error&) {
      return false;  // the own store has noted why
    }
  }

  const ContentsRequest& request_;
  git::ObjectStore own_, all_;
  RepositoryContents contents_;
  std::unordered_set<ObjectId, DigestHash> seen_;
};

RepositoryContents decode(const ContentsRequest& request, std::size_t folders, std::string_view bytes) {
  auto contents = from_wire<RepositoryContents>(bytes);
  const bool is_answer = std::ranges::equal(contents.commits, request.commits, {}, &KeptCommit::commit);
  if (!is_answer || contents.near < -1 || contents.near > static_cast<int>(folders)) WireReader::refuse();
  return contents;
}

}  // namespace

CommitObjects list_commit_objects(git::ObjectStore& store, const ObjectId& commit, int near) {
  CommitObjects result;
  try {
    Lister lister(store, near, result);
    const git::Object object = lister.read(commit, git::ObjectType::commit);
    result.parents = parents_of(object.bytes);
    result.tree = git::parse_commit(object.bytes).tree;
    lister.list(result.tree, 0);
  } catch (const AbsentObject& missing) {
    result.missing = missing.reason;
  } catch (Error& error) {
    error.add_context("while listing the objects of commit " + commit.hex());
    throw;
  }
  return result;
}

std::vector<RepositoryCommits> repositories_of(const std::vector<Closure>& closures) {
  std::map<std::string, std::pair<std::string, std::set<ObjectId>>> by_path;
  for (const Closure& closure : closures) {
    for (const ClosureRepository& repository : closure.repositories) {
      auto& [url, commits] = by_path[url_file_path(repository.url)];
      // Several spellings of one URL: the same one whatever order they come in.
      if (url.empty() || repository.url < url) url = repository.url;
      commits.insert(repository.commit);
    }
  }
  std::vector<RepositoryCommits> repositories;
  for (const auto& [path, value] : by_path)
    repositories.push_back({value.first, {value.second.begin(), value.second.end()}, {}});
  return repositories;
}

std::vector<RepositoryContents> list_contents(const std::vector<ContentsRequest>& requests,
                                              const std::vector<std::string>& object_folders, int jobs,
                                              Console& console) {
  std::vector<RepositoryContents> contents(requests.size());
  WorkerJob job;
  job.items = requests.size();
  job.workers = jobs;
  job.start = [&]() -> WorkerTask {
    return [&](std::size_t item) { return to_wire(ContentsReader(requests[item], object_folders).read()); };
  };
  std::size_t done = 0;
  job.on_result = [&](std::size_t item, std::string_view bytes) {
    contents[item] = decode(requests[item], object_folders.size(), bytes);
    console.progress("listing objects", ++done, requests.size(), 0);
  };
  job.describe = [&](std::size_t item) { return "listing the objects of " + requests[item].name; };
  run_workers(job);
  console.progress_done();
  return contents;
}

}  // namespace torchpatch::source
