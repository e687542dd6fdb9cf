// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/read_bundle.h"

#include <algorithm>
#include <map>

#include "git/mapped_file.h"
#include "git/pack_reader.h"
#include "git/tree_object.h"
#include "model/url.h"
#include "source/bare_repository.h"
#include "source/mirror.h"
#include "source/repository_contents.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::ops {

namespace {

using emit::BundleRepository;

/// How long a worker may take for a pack of the slowest kind: 30 s, and a second for each 2 MB. A small pack that
/// unpacks to a thousand times its size ends there.
std::chrono::milliseconds time_for(std::uint64_t largest_pack) {
  return std::chrono::seconds(30 + largest_pack / 2'000'000);
}

[[noreturn]] void fail(const BundleRepository& repository, const std::string& reason) {
  throw Error(ErrorKind::data, concat(quote(repository.member()), ": ", reason));
}

/// What a pack has of the commits that the index names.
class Commits {
 public:
  explicit Commits(const BundleRepository& repository) : repository_(repository) {}

  void visit(const ObjectId& id, const git::Object& object) {
    const auto named = std::find_if(repository_.commits.begin(), repository_.commits.end(),
                                    [&](const emit::BundleCommit& each) { return each.commit == id; });
    if (named == repository_.commits.end() || object.type != git::ObjectType::commit) return;
    ++found_;
    if (git::parse_commit(object.bytes).tree != named->tree) {
      fail(repository_, concat("the tree of commit ", id.hex(), " is not ", named->tree.hex()));
    }
    if (object.bytes.find("\nparent ") < object.bytes.find("\n\n")) shallow_.push_back(id);
  }

  void write_references(const std::string& path) const {
    if (found_ != repository_.commits.size()) fail(repository_, "it lacks a commit that the index names");
    std::vector<ObjectId> all;
    for (const emit::BundleCommit& commit : repository_.commits) all.push_back(commit.commit);
    source::write_shallow_commits(path, shallow_);
    source::write_references(path, all);
  }

 private:
  const BundleRepository& repository_;
  std::size_t found_ = 0;
  std::vector<ObjectId> shallow_;
};

class BundleReader {
 public:
  BundleReader(const BundleFile& bundle, const std::string& directory, int jobs, Console& console)
      : bundle_(bundle), index_(bundle.index()), directory_(directory), jobs_(jobs), console_(console) {}

  std::vector<std::string> read() {
    read_packs();
    if (problems_.empty()) check_contents();
    if (problems_.empty()) check_closures();
    return std::move(problems_);
  }

 private:
  void read_packs();
  void read_pack(std::string_view file, std::size_t item) const;
  void check_contents();
  void check_closures();

  const BundleFile& bundle_;
  const emit::BundleIndex& index_;
  const std::string& directory_;
  int jobs_;
  Console& console_;
  std::vector<std::string> problems_;
};

/// In a worker: checks a pack and writes its repository.
void BundleReader::read_pack(std::string_view file, std::size_t item) const {
  const BundleRepository& repository = index_.repositories[item];
  const std::string_view bytes = file.substr(bundle_.offset(item), repository.size);
  if (sha256(bytes) != repository.sha256) fail(repository, "its bytes have another SHA-256 than the index says");
  Commits commits(repository);
  const std::vector<git::PackPlace> places = git::read_pack(
      bytes, repository.member(), [&](const ObjectId& id, const git::Object& object) { commits.visit(id, object); });
  if (places.size() != repository.objects) {
    fail(repository, concat("it has ", places.size(), " objects, and not ", repository.objects));
  }
  const std::string path = source::repository_path(directory_, repository.url);
  const std::string_view checksum = bytes.substr(bytes.size() - 20);
  const std::string pack = concat(path, "/objects/pack/pack-", to_hex(checksum));
  source::make_bare_repository(path);
  write_file_atomically(pack + ".pack", bytes);
  write_file_atomically(pack + ".idx", git::pack_index_bytes(places, checksum));
  commits.write_references(path);
}

void BundleReader::read_packs() {
  std::uint64_t largest = 0;
  for (const BundleRepository& repository : index_.repositories) largest = std::max(largest, repository.size);
  std::map<std::size_t, std::string> problems;
  WorkerJob job;
  job.items = index_.repositories.size();
  job.workers = jobs_;
  job.limits.address_space = 0;  // the whole file is mapped
  job.limits.stall = time_for(largest);
  job.start = [&]() -> WorkerTask {
    const auto file = std::make_shared<git::MappedFile>(bundle_.file(), bundle_.path());
    return [this, file](std::size_t item) -> std::string {
      try {
        read_pack(file->bytes(), item);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::environment) throw;
        return error.message();
      }
      return "";
    };
  };
  std::size_t done = 0;
  job.on_result = [&](std::size_t item, std::string_view problem) {
    if (!problem.empty()) problems[item] = problem;
    console_.progress("reading packs", ++done, job.items, 0);
  };
  job.describe = [&](std::size_t item) { return "reading " + quote(index_.repositories[item].member()); };
  try {
    run_workers(job);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source) throw;
    problems_.push_back(error.message());
  }
  console_.progress_done();
  for (auto& [item, problem] : problems) problems_.push_back(std::move(problem));
}

/// Each pack has what its commits consist of, and nothing else.
void BundleReader::check_contents() {
  std::vector<source::ContentsRequest> requests;
  for (const BundleRepository& repository : index_.repositories) {
    source::ContentsRequest request{
        url_file_path(repository.url), {}, source::repository_path(directory_, repository.url) + "/objects"};
    for (const emit::BundleCommit& commit : repository.commits) request.commits.push_back(commit.commit);
    requests.push_back(std::move(request));
  }
  const auto contents = source::list_contents(requests, {}, jobs_, console_);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const BundleRepository& repository = index_.repositories[i];
    bool is_whole = true;
    for (const source::KeptCommit& commit : contents[i].commits) {
      if (commit.missing.empty()) continue;
      is_whole = false;
      problems_.push_back(
          concat(quote(repository.member()), ": commit ", commit.commit.hex(), " is not whole: ", commit.missing));
    }
    if (is_whole && contents[i].objects.size() != repository.objects) {
      problems_.push_back(concat(quote(repository.member()), ": it has ",
                                 repository.objects - contents[i].objects.size(),
                                 " objects that none of its commits has"));
    }
  }
}

Release release_of(const emit::BundleClosure& closure) {
  Release release;
  release.version = *Version::parse(closure.release);
  for (const emit::BundlePin& pin : closure.components) {
    release.components[pin.component] = {pin.url, "", "", pin.commit};
  }
  return release;
}

/// All that the releases need is there, and nothing else.
void BundleReader::check_closures() {
  source::MirrorSource source({directory_}, console_);
  std::vector<source::Closure> closures;
  for (const emit::BundleClosure& each : index_.closures) {
    std::vector<Component> components;
    for (const emit::BundlePin& pin : each.components) components.push_back(pin.component);
    try {
      closures.push_back(
          source::read_closure(release_of(each), components, each.overrides, {}, source, jobs_, console_));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::environment) throw;
      problems_.push_back(concat("release ", each.release, ": ", error.message()));
    }
  }
  if (!problems_.empty()) return;
  const std::vector<source::RepositoryCommits> needed = source::repositories_of(closures);
  const bool is_equal =
      std::equal(needed.begin(), needed.end(), index_.repositories.begin(), index_.repositories.end(),
                 [](const source::RepositoryCommits& a, const BundleRepository& b) {
                   return a.url == b.url &&
                          std::equal(a.commits.begin(), a.commits.end(), b.commits.begin(), b.commits.end(),
                                     [](const ObjectId& x, const emit::BundleCommit& y) { return x == y.commit; });
                 });
  if (!is_equal) problems_.push_back("the index lists other repositories or commits than its releases need");
}

}  // namespace

std::vector<std::string> read_bundle(const BundleFile& bundle, const std::string& directory, int jobs,
                                     Console& console) {
  return BundleReader(bundle, directory, jobs, console).read();
}

}  // namespace torchpatch::ops
