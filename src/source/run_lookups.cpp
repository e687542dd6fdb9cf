// SPDX-License-Identifier: BSD-3-Clause
#include "source/run_lookups.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "source/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

void write_missing(WireWriter& writer, const std::vector<MissingPin>& missing) {
  writer.number(missing.size());
  for (const auto& [repository, reason] : missing) {
    writer.number(static_cast<std::uint64_t>(repository.path.component));
    writer.text(repository.path.path);
    writer.text(repository.url);
    writer.id(repository.commit);
    writer.number(repository.may_fetch_recorded ? 1 : 0);
    writer.texts(repository.moved_urls);
    writer.text(reason);
  }
}

std::vector<MissingPin> read_missing(WireReader& reader) {
  std::vector<MissingPin> missing;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    MissingPin pin;
    pin.repository.path.component = reader.choice(Component::audio);
    pin.repository.path.path = reader.text();
    pin.repository.url = reader.text();
    pin.repository.commit = reader.id();
    pin.repository.may_fetch_recorded = reader.flag();
    pin.repository.moved_urls = reader.texts();
    pin.reason = reader.text();
    missing.push_back(std::move(pin));
  }
  return missing;
}

std::string run_task(const LookupTask& task, PinnedLookup& lookup, std::size_t item) {
  try {
    return task(lookup, item);
  } catch (const MissingObject&) {
    return "";
  }
}

class LookupRunner {
 public:
  LookupRunner(const LookupTask& task, const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
               Console& console)
      : task_(task), moved_(moved), source_(source), jobs_(jobs), console_(console) {}

  std::vector<LookupResult> run(std::size_t items) {
    results_.resize(items);
    std::vector<std::size_t> todo(items);
    for (std::size_t i = 0; i < items; ++i) todo[i] = i;
    while (!todo.empty()) {
      run_round(todo);
      todo = bring_missing();
    }
    console_.progress_done();
    for (LookupResult& result : results_) {
      for (MissingPin& pin : result.missing) {
        const std::string& why = outcomes_.at(pin.repository.commit);
        if (!why.empty()) pin.reason += "; " + why;
      }
    }
    return std::move(results_);
  }

 private:
  void run_round(const std::vector<std::size_t>& todo);
  std::vector<std::size_t> bring_missing();

  const LookupTask& task_;
  const std::vector<MovedRepository>& moved_;
  ObjectSource& source_;
  int jobs_;
  Console& console_;
  std::vector<LookupResult> results_;
  std::map<ObjectId, std::string> outcomes_;  ///< of each commit that was asked for: why not, or empty
  std::set<std::string> told_;                ///< damage that the console has been told of
};

void LookupRunner::run_round(const std::vector<std::size_t>& todo) {
  WorkerJob job;
  job.items = todo.size();
  job.workers = jobs_;
  job.start = [&]() -> WorkerTask {
    const auto store = std::make_shared<git::ObjectStore>(source_.object_folders());
    return [&, store](std::size_t index) {
      PinnedLookup lookup(*store, moved_);
      WireWriter writer;
      writer.text(run_task(task_, lookup, todo[index]));
      write_missing(writer, lookup.missing());
      writer.texts(store->warnings());
      return writer.take();
    };
  };
  std::size_t done = 0;
  job.on_result = [&](std::size_t index, std::string_view bytes) {
    WireReader reader(bytes);
    LookupResult& result = results_[todo[index]];
    result.bytes = reader.text();
    result.missing = read_missing(reader);
    for (const std::string& line : reader.texts()) {
      if (told_.insert(line).second) console_.warning(line);
    }
    console_.progress("reading what the patches touch", ++done, todo.size(), 0);
  };
  job.describe = [](std::size_t) { return std::string("reading what the patches of a release touch"); };
  run_workers(job);
}

/// Asks once for each commit that is missing; returns the items that lack one that came.
std::vector<std::size_t> LookupRunner::bring_missing() {
  std::map<ObjectId, WantedCommit> wanted;
  for (const LookupResult& result : results_) {
    for (const auto& [repository, reason] : result.missing) {
      if (outcomes_.contains(repository.commit)) continue;
      wanted[repository.commit] = wanted_commit(repository);
    }
  }
  if (wanted.empty()) return {};
  std::vector<WantedCommit> asked;
  for (const auto& [commit, each] : wanted) asked.push_back(each);
  const std::vector<std::string> reasons = source_.bring(asked, console_);
  for (std::size_t i = 0; i < asked.size(); ++i) outcomes_[asked[i].commit] = reasons[i];

  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::vector<MissingPin>& missing = results_[i].missing;
    const bool has_come = std::any_of(missing.begin(), missing.end(), [&](const MissingPin& pin) {
      const ObjectId& commit = pin.repository.commit;
      return wanted.contains(commit) && outcomes_.at(commit).empty();
    });
    if (has_come) again.push_back(i);
  }
  return again;
}

}  // namespace

std::vector<LookupResult> run_lookups(std::size_t items, const LookupTask& task,
                                      const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
                                      Console& console) {
  return LookupRunner(task, moved, source, jobs, console).run(items);
}

}  // namespace torchpatch::source
