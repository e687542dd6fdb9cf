// SPDX-License-Identifier: BSD-3-Clause
#include "source/fill_repositories.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "model/url.h"
#include "source/cache.h"
#include "source/pack_objects.h"
#include "support/error.h"
#include "support/temporary_file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// One repository on its way.
struct Target {
  std::string path;
  UniqueFd lock;
  std::vector<ObjectId> wanted, earlier;  ///< commits; `earlier` are kept besides the wanted ones
  RepositoryContents contents;            ///< of the wanted commits, then the earlier ones
  bool is_anew = false;                   ///< everything is packed, and what was there goes
  std::unique_ptr<TemporaryFile> pack;    ///< while it is written
  FilledRepository filled;

  std::string pack_folder() const { return path + "/objects/pack"; }
  std::string name() const { return filled.url.empty() ? path : url_file_path(filled.url); }
};

/// Syncs a file and gives it its name.
void install(TemporaryFile& file, const std::string& path) {
  // git's own packs are read-only as well.
  if (::fchmod(file.fd(), 0444) != 0 || ::fsync(file.fd()) != 0) throw system_error("writing " + quote(path));
  file.rename_to(path);
}

class Filler {
 public:
  Filler(const FillOptions& options, Console& console) : options_(options), console_(console) {}

  std::vector<FilledRepository> run(const std::vector<RepositoryCommits>& wanted);

 private:
  Target open(const RepositoryCommits& wanted) const;
  void list();
  void choose(Target& target) const;
  void pack();
  int near_folder(const Target& target) const;
  void close_pack(Target& target, const git::WrittenPack& pack) const;
  void remove_old(const Target& target, const std::string& new_pack) const;
  void reference(const Target& target) const;

  const FillOptions& options_;
  Console& console_;
  std::vector<Target> targets_;
};

Target Filler::open(const RepositoryCommits& wanted) const {
  Target target;
  target.path = wanted.path.empty() ? repository_path(options_.directory, wanted.url) : wanted.path;
  target.lock = make_bare_repository(target.path);
  for (const std::string& file : left_over_files(target.path)) remove_tree(file);
  target.wanted = wanted.commits;
  target.filled.url = wanted.url;
  target.filled.path = target.path;
  target.filled.commits = wanted.commits;
  if (options_.only_these) return target;
  for (const ObjectId& commit : Cache::fetched_commits(target.path)) {
    if (std::find(wanted.commits.begin(), wanted.commits.end(), commit) == wanted.commits.end()) {
      target.earlier.push_back(commit);
    }
  }
  return target;
}

void Filler::list() {
  std::vector<ContentsRequest> requests;
  for (const Target& target : targets_) {
    ContentsRequest request{target.name(), target.wanted, target.path + "/objects"};
    request.commits.insert(request.commits.end(), target.earlier.begin(), target.earlier.end());
    requests.push_back(std::move(request));
  }
  std::vector<RepositoryContents> contents = list_contents(requests, options_.object_folders, options_.jobs, console_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    targets_[i].contents = std::move(contents[i]);
    choose(targets_[i]);
  }
}

/// Decides what is packed, and refuses where a wanted commit is not there.
void Filler::choose(Target& target) const {
  for (std::size_t i = 0; i < target.wanted.size(); ++i) {
    const KeptCommit& commit = target.contents.commits[i];
    if (commit.missing.empty()) continue;
    throw Error(ErrorKind::source,
                concat("packing ", target.name(), ": commit ", commit.commit.hex(), " is not whole: ", commit.missing));
  }
  target.is_anew = options_.only_these || target.contents.is_damaged;
  if (target.is_anew) target.contents.lacking = target.contents.objects;
  target.filled.objects = target.contents.objects.size();
  target.filled.added = target.contents.lacking.size();
}

/// Removes every pack but the new one, and all loose objects.
void Filler::remove_old(const Target& target, const std::string& new_pack) const {
  for (const std::string& name : list_directory(target.pack_folder())) {
    if (!starts_with(name, new_pack + ".")) remove_tree(concat(target.pack_folder(), "/", name));
  }
  for (const std::string& name : list_directory(target.path + "/objects")) {
    if (name.size() == 2) remove_tree(concat(target.path, "/objects/", name));
  }
}

void Filler::close_pack(Target& target, const git::WrittenPack& pack) const {
  const std::string name = "pack-" + to_hex(pack.checksum);
  const std::string path = concat(target.pack_folder(), "/", name);
  // From here on nothing says that the commits are there until they are.
  if (target.is_anew) remove_tree(concat(target.path, "/", kFetchedReferences));
  install(*target.pack, path + ".pack");
  target.pack.reset();
  TemporaryFile index(path + ".idx");
  write_all(index.fd(), git::pack_index_bytes(pack.places, pack.checksum), path + ".idx");
  install(index, path + ".idx");
  target.filled.added_bytes = pack.size;
  if (target.is_anew) remove_old(target, name);
  reference(target);
}

/// Writes "shallow" and the references.
void Filler::reference(const Target& target) const {
  std::vector<ObjectId> shallow;
  if (!target.is_anew) shallow = shallow_commits(target.path);
  std::vector<ObjectId> whole;
  for (std::size_t i = 0; i < target.contents.commits.size(); ++i) {
    const KeptCommit& commit = target.contents.commits[i];
    if (!commit.missing.empty()) {
      remove_tree(reference_path(target.path, commit.commit));
      console_.warning(concat(quote(target.path), ": commit ", commit.commit.hex(),
                              " of an earlier run is no longer whole: ", commit.missing));
      continue;
    }
    whole.push_back(commit.commit);
    if (commit.has_parents && (target.is_anew || !target.contents.has_history[i])) shallow.push_back(commit.commit);
  }
  write_shallow_commits(target.path, shallow);
  write_references(target.path, whole);
}

/// Returns the index of the folder to look in first: the repositories come before the other folders.
int Filler::near_folder(const Target& target) const {
  const int near = target.contents.near;
  if (near == 0) return static_cast<int>(&target - targets_.data());
  return near < 0 ? -1 : static_cast<int>(targets_.size()) + near - 1;
}

void Filler::pack() {
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

std::vector<FilledRepository> Filler::run(const std::vector<RepositoryCommits>& wanted) {
  // In the order of their paths, as everyone takes these locks.
  for (const RepositoryCommits& each : wanted) targets_.push_back(open(each));
  list();
  pack();
  std::vector<FilledRepository> filled;
  for (Target& target : targets_) filled.push_back(std::move(target.filled));
  return filled;
}

}  // namespace

std::vector<FilledRepository> fill_repositories(const std::vector<RepositoryCommits>& wanted,
                                                const FillOptions& options, Console& console) {
  return Filler(options, console).run(wanted);
}

}  // namespace torchpatch::source
