// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/needed_commits.h"

#include <memory>

#include "git/object_store.h"
#include "source/commit_objects.h"
#include "source/wire.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::ops {

namespace {

/// What lies in a commit.
struct Walked {
  std::vector<ObjectId> submodules;
  std::string damage;  ///< why that is not all, or empty
};

std::string walk(git::ObjectStore& store, const ObjectId& commit) {
  source::WireWriter writer;
  const int folder = store.find(commit);
  source::CommitObjects listed;
  if (folder >= 0) listed = source::list_commit_objects(store, commit, folder);
  writer.text(listed.missing.empty() ? "" : concat("commit ", commit.hex(), ": ", listed.missing));
  writer.ids(listed.gitlinks);
  return writer.take();
}

Walked decode(std::string_view bytes) {
  source::WireReader reader(bytes);
  Walked walked;
  walked.damage = reader.text();
  walked.submodules = reader.ids();
  reader.finish();
  return walked;
}

std::vector<Walked> walk_all(const std::vector<ObjectId>& commits, const std::vector<std::string>& folders, int jobs) {
  std::vector<Walked> walked(commits.size());
  WorkerJob job;
  job.items = commits.size();
  job.workers = jobs;
  job.start = [&]() -> WorkerTask {
    const auto store = std::make_shared<git::ObjectStore>(folders);
    return [&, store](std::size_t item) { return walk(*store, commits[item]); };
  };
  job.on_result = [&](std::size_t item, std::string_view bytes) { walked[item] = decode(bytes); };
  job.describe = [&](std::size_t item) { return "reading commit " + commits[item].hex(); };
  run_workers(job);
  return walked;
}

std::map<ObjectId, std::set<Version>> roots_of(const Catalog& catalog) {
  std::map<ObjectId, std::set<Version>> roots;
  for (const auto& [version, release] : catalog.releases) {
    for (const auto& [component, pin] : release.components) roots[pin.commit].insert(version);
    for (const auto& [id, patchset] : catalog.patchsets) {
      for (const Variant& variant : patchset.variants) {
        if (!variant.releases.contains(version)) continue;
        for (const SubmoduleOverride& override : variant.overrides) roots[override.commit].insert(version);
      }
    }
  }
  return roots;
}

}  // namespace

NeededCommits find_needed_commits(const Catalog& catalog, const std::vector<std::string>& object_folders, int jobs,
                                  Console& console) {
  NeededCommits needed;
  std::map<ObjectId, Walked> known;
  auto next = roots_of(catalog);  // what the walk has come to with releases that it had not come to it for
  while (!next.empty()) {
    std::vector<ObjectId> unknown;
    for (const auto& [commit, versions] : next) {
      if (!known.contains(commit)) unknown.push_back(commit);
    }
    const std::vector<Walked> walked = walk_all(unknown, object_folders, jobs);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if (!walked[i].damage.empty()) needed.damage.push_back(walked[i].damage);
      known[unknown[i]] = walked[i];
    }
    console.progress("looking at what releases need", known.size(), 0, 0);
    std::map<ObjectId, std::set<Version>> further;
    for (const auto& [commit, versions] : next) {
      for (const Version& version : versions) {
        if (!needed.releases[commit].insert(version).second) continue;
        for (const ObjectId& submodule : known[commit].submodules) {
          if (!needed.releases[submodule].contains(version)) further[submodule].insert(version);
        }
      }
    }
    next = std::move(further);
  }
  console.progress_done();
  return needed;
}

}  // namespace torchpatch::ops
