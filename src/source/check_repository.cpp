// SPDX-License-Identifier: BSD-3-Clause
#include "source/check_repository.h"

#include <memory>

#include "git/loose_object.h"
#include "git/pack.h"
#include "source/cache.h"
#include "source/commit_objects.h"
#include "source/wire.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

/// For one repository; a mirror with its whole history has more than a million objects.
constexpr std::chrono::seconds kTime{1800};

/// One repository, in a worker.
class Checker {
 public:
  explicit Checker(const std::string& repository) : objects_(repository + "/objects"), repository_(repository) {}

  CheckedRepository run() {
    attempt([&] { check_packs(); });
    attempt([&] { check_loose_objects(); });
    attempt([&] { check_commits(); });
    return std::move(result_);
  }

 private:
  void add(const std::string& problem) {
    if (result_.problems.size() < kMostProblems) result_.problems.push_back(problem);
  }
  template <typename Action>
  void attempt(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      add(error.message());
    }
  }
  void check(const ObjectId& id, const git::Object& object) {
    if (git_object_id(git::object_type_name(object.type), object.bytes) != id) {
      return add(concat("what stands as object ", id.hex(), " has another id"));
    }
    ++result_.objects;
  }
  void check_packs();
  void check_pack(const std::string& index);
  void check_loose_objects();
  void check_commits();

  std::string objects_;
  const std::string& repository_;
  CheckedRepository result_;
};

void Checker::check_pack(const std::string& index) {
  git::Pack pack(index);
  pack.check();
  for (const ObjectId& id : pack.ids()) {
    attempt([&] { check(id, pack.read(id)); });
    if (result_.problems.size() == kMostProblems) return;
  }
}

void Checker::check_packs() {
  const std::string folder = objects_ + "/pack";
  for (const std::string& name : list_directory(folder)) {
    if (ends_with(name, ".idx")) attempt([&] { check_pack(concat(folder, "/", name)); });
  }
}

void Checker::check_loose_objects() {
  for (const std::string& directory : list_directory(objects_)) {
    if (directory.size() != 2) continue;
    for (const std::string& name : list_directory(concat(objects_, "/", directory))) {
      const auto id = ObjectId::parse(directory + name);
      if (!id) continue;
      attempt([&] {
        if (const auto object = git::read_loose_object(objects_, *id)) check(*id, *object);
      });
    }
  }
}

void Checker::check_commits() {
  git::ObjectStore store({objects_});
  for (const ObjectId& commit : Cache::fetched_commits(repository_)) {
    const CommitObjects listed = list_commit_objects(store, commit, 0);
    if (!listed.missing.empty()) add(concat("commit ", commit.hex(), " is not whole: ", listed.missing));
  }
}

std::string encode(const CheckedRepository& checked) {
  WireWriter writer;
  writer.number(checked.objects);
  writer.texts(checked.problems);
  return writer.take();
}

CheckedRepository decode(std::string_view bytes) {
  WireReader reader(bytes);
  CheckedRepository checked{reader.number(), reader.texts()};
  reader.finish();
  return checked;
}

/// A worker that dies is told of as a problem: each repository has a pool of its own where that happened.
CheckedRepository check_alone(const std::string& repository) {
  CheckedRepository checked;
  WorkerJob job;
  job.items = 1;
  job.limits.stall = kTime;
  job.start = [&]() -> WorkerTask { return [&](std::size_t) { return encode(Checker(repository).run()); }; };
  job.on_result = [&](std::size_t, std::string_view bytes) { checked = decode(bytes); };
  job.describe = [&](std::size_t) { return "checking " + quote(repository); };
  try {
    run_workers(job);
  } catch (const Error& error) {
    checked.problems.push_back(error.message());
  }
  return checked;
}

}  // namespace

std::vector<CheckedRepository> check_repositories(const std::vector<std::string>& repositories, int jobs,
                                                  Console& console) {
  std::vector<CheckedRepository> checked(repositories.size());
  std::vector<bool> is_checked(repositories.size(), false);
  std::size_t done = 0;
  WorkerJob job;
  job.items = repositories.size();
  job.workers = jobs;
  job.limits.stall = kTime;
  job.start = [&]() -> WorkerTask {
    return [&](std::size_t item) { return encode(Checker(repositories[item]).run()); };
  };
  job.on_result = [&](std::size_t item, std::string_view bytes) {
    checked[item] = decode(bytes);
    is_checked[item] = true;
    console.progress("checking repositories", ++done, repositories.size(), 0);
  };
  job.describe = [&](std::size_t item) { return "checking " + quote(repositories[item]); };
  try {
    run_workers(job);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source) throw;
    for (std::size_t i = 0; i < repositories.size(); ++i) {
      if (!is_checked[i]) checked[i] = check_alone(repositories[i]);
    }
  }
  console.progress_done();
  return checked;
}

}  // namespace torchpatch::source
