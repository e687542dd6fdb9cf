// SPDX-License-Identifier: BSD-3-Clause
#include "source/store/fill_repositories.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>

#include "git/object.h"
#include "model/path_rule.h"
#include "model/url.h"
#include "source/closure/repository_tree.h"
#include "source/store/cache.h"
#include "support/error.h"
#include "support/file.h"
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
    if (object.type != type) throw AbsentObject{concat(id.hex(), " is not a ", git::object_type_name(type))};
    add(id, result_.objects);
    return object;
  }

  void list(const ObjectId& tree, int depth) {
    if (depth > kMaxTreeDepth)
      throw Error(ErrorKind::unsafe, concat("nested deeper than ", kMaxTreeDepth, " directories"));
    for (const git::TreeEntry& entry : git::parse_tree(read(tree, git::ObjectType::tree).bytes)) {
      const auto mode = parse_file_mode(entry.mode);
      if (mode == FileMode::gitlink) {
        add(entry.id, result_.gitlinks);
      } else if (mode == FileMode::directory) {
        if (!seen_.contains(entry.id)) list(entry.id, depth + 1);
      } else if (add(entry.id, result_.objects) && store_.find(entry.id, near_) < 0) {
        result_.objects.pop_back();
        if (result_.missing.empty()) result_.missing = concat("the blob ", entry.id.hex(), " was not found");
      }
    }
  }

 private:
  /// Records an id; returns whether it is new.
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

/// Reads one repository, in a worker.
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
    if (listed.missing.empty() || request_.is_partial) {
      for (const ObjectId& id : listed.objects)
        if (seen_.insert(id).second) contents_.objects.push_back(id);
    }
  }

  bool is_intact(const ObjectId& id) {
    try {
      return own_.read(id).has_value();
    } catch (const Error&) {
      return false;  // own_ has recorded why
    }
  }

  const ContentsRequest& request_;
  git::ObjectStore own_, all_;
  RepositoryContents contents_;
  std::unordered_set<ObjectId, DigestHash> seen_;
};

/// Objects per result of a worker: few, so that results stay small.
constexpr std::size_t kChunk = 64;

/// Some objects of one request.
struct Chunk {
  std::size_t request = 0, first = 0, end = 0;
};

/// A repository being filled.
struct Target {
  std::string path;
  UniqueFd lock;
  std::vector<ObjectId> wanted, earlier;  ///< commits; `earlier` ones are kept besides the wanted ones
  RepositoryContents contents;            ///< of the wanted commits, then the earlier ones
  bool is_anew = false;                   ///< everything is packed, and the old contents are removed
  std::unique_ptr<TemporaryFile> pack;    ///< while it is written
  MirroredRepository filled;

  std::string pack_folder() const { return path + "/objects/pack"; }
  std::string name() const { return filled.url.empty() ? path : url_file_path(filled.url); }
};

/// Syncs a file and renames it.
void install(TemporaryFile& file, const std::string& path) {
  // git's own packs are read-only too.
  if (::fchmod(file.fd(), 0444) != 0 || ::fsync(file.fd()) != 0) throw system_error("writing " + quote(path));
  file.rename_to(path);
}

class Filler {
 public:
  Filler(const FillOptions& options, Console& console) : options_(options), console_(console) {}

  std::vector<MirroredRepository> run(const std::vector<RepositoryCommits>& wanted) {
    std::vector<std::string> paths;
    for (const RepositoryCommits& each : wanted) paths.push_back(path_of(each));
    std::vector<UniqueFd> locks = make_bare_repositories(options_.directory, paths);
    for (std::size_t i = 0; i < wanted.size(); ++i) targets_.push_back(open(wanted[i], std::move(locks[i])));
    list();
    pack();
    std::vector<MirroredRepository> filled;
    for (Target& target : targets_) filled.push_back(std::move(target.filled));
    return filled;
  }

 private:
  std::string path_of(const RepositoryCommits& wanted) const {
    return wanted.path.empty() ? repository_path(options_.directory, wanted.url) : wanted.path;
  }

  Target open(const RepositoryCommits& wanted, UniqueFd lock) const {
    Target target;
    target.path = path_of(wanted);
    target.lock = std::move(lock);
    for (const std::string& file : left_over_files(target.path)) remove_tree(file);
    target.wanted = wanted.commits;
    target.filled.url = wanted.url;
    target.filled.path = target.path;
    target.filled.commits = wanted.commits;
    if (options_.only_these) return target;
    for (const ObjectId& commit : Cache::fetched_commits(target.path))
      if (std::find(wanted.commits.begin(), wanted.commits.end(), commit) == wanted.commits.end())
        target.earlier.push_back(commit);
    return target;
  }

  void list() {
    std::vector<ContentsRequest> requests;
    for (const Target& target : targets_) {
      ContentsRequest request{target.name(), target.wanted, target.path + "/objects", options_.is_partial};
      request.commits.insert(request.commits.end(), target.earlier.begin(), target.earlier.end());
      requests.push_back(std::move(request));
    }
    std::vector<RepositoryContents> contents =
        list_contents(requests, options_.object_folders, options_.jobs, console_);
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      targets_[i].contents = std::move(contents[i]);
      choose(targets_[i]);
    }
  }

  /// Decides what to pack; raises if a wanted commit is not available.
  void choose(Target& target) const {
    for (std::size_t i = 0; i < target.wanted.size(); ++i) {
      const KeptCommit& commit = target.contents.commits[i];
      if (commit.missing.empty() || options_.is_partial) continue;
      throw Error(ErrorKind::source, concat("packing ", target.name(), ": commit ", commit.commit.hex(),
                                            " is incomplete: ", commit.missing));
    }
    target.is_anew = options_.only_these || target.contents.is_damaged;
    if (target.is_anew) target.contents.lacking = target.contents.objects;
    target.filled.objects = target.contents.objects.size();
    target.filled.added = target.contents.lacking.size();
  }

  void pack() {
    std::vector<PackRequest> requests;
    std::vector<Target*> packed;
    std::vector<std::string> folders;
    for (Target& target : targets_) {
      folders.push_back(target.path + "/objects");
      if (target.contents.lacking.empty()) {
        reference(target);
        continue;
      }
      packed.push_back(&target);
      requests.push_back({target.contents.lacking, near_folder(target), target.name()});
    }
    folders.insert(folders.end(), options_.object_folders.begin(), options_.object_folders.end());
    const auto open = [&](std::size_t request) -> git::PackWriter::Sink {
      Target& target = *packed[request];
      target.pack = std::make_unique<TemporaryFile>(target.pack_folder() + "/incoming");
      return [&target](std::string_view bytes) { write_all(target.pack->fd(), bytes, target.pack_folder()); };
    };
    const auto close = [&](std::size_t request, const git::WrittenPack& pack) { close_pack(*packed[request], pack); };
    pack_objects(requests, folders, options_.jobs, open, close, console_);
  }

  /// Returns the index of the folder to search first: the repositories come before the other folders.
  int near_folder(const Target& target) const {
    const int near = target.contents.near;
    if (near == 0) return static_cast<int>(&target - targets_.data());
    return near < 0 ? -1 : static_cast<int>(targets_.size()) + near - 1;
  }

  void close_pack(Target& target, const git::WrittenPack& pack) const {
    const std::string name = "pack-" + to_hex(pack.checksum);
    const std::string path = concat(target.pack_folder(), "/", name);
    // From here on the commits are unreferenced until they are complete.
    if (target.is_anew) remove_tree(concat(target.path, "/", kFetchedReferences));
    install(*target.pack, path + ".pack");
    target.pack.reset();
    TemporaryFile index(path + ".idx");
    write_all(index.fd(), git::pack_index_bytes(pack.places, pack.checksum), path + ".idx");
    install(index, path + ".idx");
    target.filled.bytes = pack.size;
    if (target.is_anew) remove_old(target, name);
    reference(target);
  }

  /// Removes every pack but the new one, and all loose objects.
  void remove_old(const Target& target, const std::string& new_pack) const {
    for (const std::string& name : list_directory(target.pack_folder()))
      if (!starts_with(name, new_pack + ".")) remove_tree(concat(target.pack_folder(), "/", name));
    for (const std::string& name : list_directory(target.path + "/objects"))
      if (name.size() == 2) remove_tree(concat(target.path, "/objects/", name));
  }

  void reference(const Target& target) const {
    std::vector<ObjectId> shallow;
    if (!target.is_anew) shallow = shallow_commits(target.path);
    std::vector<ObjectId> whole;
    for (std::size_t i = 0; i < target.contents.commits.size(); ++i) {
      const KeptCommit& commit = target.contents.commits[i];
      if (!commit.missing.empty()) {
        remove_tree(reference_path(target.path, commit.commit));
        if (i >= target.wanted.size())
          console_.warning(concat(quote(target.path), ": commit ", commit.commit.hex(),
                                  " of an earlier run is incomplete: ", commit.missing));
        continue;
      }
      whole.push_back(commit.commit);
      if (commit.has_parents && (target.is_anew || !commit.has_history)) shallow.push_back(commit.commit);
    }
    write_shallow_commits(target.path, shallow);
    write_references(target.path, whole);
  }

  const FillOptions& options_;
  Console& console_;
  std::vector<Target> targets_;
};

}  // namespace

CommitObjects list_commit_objects(git::ObjectStore& store, const ObjectId& commit, int near) {
  CommitObjects result;
  try {
    Lister lister(store, near, result);
    const git::Object object = lister.read(commit, git::ObjectType::commit);
    git::Commit parsed = git::parse_commit(object.bytes);
    result.parents = std::move(parsed.parents);
    result.tree = parsed.tree;
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
      // Of several spellings of a URL, choose the same one in any order.
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
  std::size_t done = 0;
  const auto check = [&](std::size_t item, RepositoryContents& found) {
    const bool is_answer = std::ranges::equal(found.commits, requests[item].commits, {}, &KeptCommit::commit) &&
                           found.near >= -1 && found.near <= static_cast<int>(object_folders.size());
    if (!is_answer) WireReader::refuse();
    console.progress("listing objects", ++done, requests.size(), 0);
  };
  std::vector<RepositoryContents> contents = map_in_workers(
      requests.size(), jobs, [&](std::size_t item) { return ContentsReader(requests[item], object_folders).read(); },
      [&](std::size_t item) { return "listing the objects of " + requests[item].name; }, check);
  console.progress_done();
  return contents;
}

void pack_objects(const std::vector<PackRequest>& requests, const std::vector<std::string>& object_folders, int jobs,
                  const std::function<git::PackWriter::Sink(std::size_t request)>& open,
                  const std::function<void(std::size_t request, git::WrittenPack pack)>& close, Console& console) {
  std::vector<Chunk> chunks;
  for (std::size_t request = 0; request < requests.size(); ++request) {
    const std::size_t count = requests[request].objects.size();
    for (std::size_t first = 0; first < count; first += kChunk)
      chunks.push_back({request, first, std::min(first + kChunk, count)});
  }
  std::uint64_t done = 0, total = 0, bytes = 0;
  for (const PackRequest& request : requests) total += request.objects.size();
  std::optional<git::PackWriter> pack;
  const auto write = [&](const Chunk& chunk, const std::string& answer) {
    const PackRequest& request = requests[chunk.request];
    if (chunk.first == 0) pack.emplace(static_cast<std::uint32_t>(request.objects.size()), open(chunk.request));
    WireReader reader(answer);
    for (std::size_t i = chunk.first; i < chunk.end; ++i) {
      const auto entry = reader.get<std::string>();
      pack->add(request.objects[i], entry);
      bytes += entry.size();
    }
    reader.finish();
    done += chunk.end - chunk.first;
    console.progress("packing objects", done, total, bytes);
    if (chunk.end == request.objects.size()) {
      close(chunk.request, pack->finish());
      pack.reset();
    }
  };
  std::map<std::size_t, std::string> waiting;  // results arrive in any order, but are written in order of chunks
  std::size_t next = 0;
  WorkerJob job;
  job.items = chunks.size();
  job.workers = jobs;
  job.start = [&]() -> WorkerTask {
    const auto store = std::make_shared<git::ObjectStore>(object_folders);
    return [&, store](std::size_t item) {
      const Chunk& chunk = chunks[item];
      const PackRequest& request = requests[chunk.request];
      WireWriter writer;
      for (std::size_t i = chunk.first; i < chunk.end; ++i) {
        const ObjectId& id = request.objects[i];
        const auto object = store->read(id, request.near);
        if (!object)
          throw Error(ErrorKind::source, concat("packing ", request.name, ": object ", id.hex(), " was not found"));
        writer.put(git::pack_entry(*object));
      }
      return writer.take();
    };
  };
  job.on_result = [&](std::size_t item, std::string_view answer) {
    waiting.emplace(item, answer);
    for (auto first = waiting.begin(); first != waiting.end() && first->first == next; first = waiting.begin()) {
      write(chunks[next++], first->second);
      waiting.erase(first);
    }
  };
  job.describe = [&](std::size_t item) { return "packing objects of " + requests[chunks[item].request].name; };
  run_workers(job);
  console.progress_done();
}

std::vector<MirroredRepository> fill_repositories(const std::vector<RepositoryCommits>& wanted,
                                                  const FillOptions& options, Console& console) {
  return Filler(options, console).run(wanted);
}

}  // namespace torchpatch::source
