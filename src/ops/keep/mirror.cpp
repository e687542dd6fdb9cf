// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/mirror.h"

#include "source/fetch_histories.h"
#include "source/fill_repositories.h"
#include "support/file.h"

namespace torchpatch::ops {

emit::MirrorReport mirror(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                          Console& console) {
  const std::vector<PinnedSet> sets = pinned_sets(catalog, options.choice);
  const std::vector<source::Closure> closures = read_closures(sets, catalog, source, options.jobs, console);
  const source::FillOptions fill{absolute_path(options.output), source.object_folders(), options.jobs};
  emit::MirrorReport report{"mirrored", options.output, versions_of(sets), {}};
  const std::vector<source::RepositoryCommits> repositories = source::repositories_of(closures);
  for (source::FilledRepository& filled : source::fill_repositories(repositories, fill, console)) {
    report.repositories.push_back(
        {filled.url, filled.path, std::move(filled.commits), filled.objects, filled.added, filled.added_bytes});
  }
  if (options.histories) {
    source::fetch_histories(repositories, fill.directory, *options.histories, catalog.moved_repositories, console);
  }
  return report;
}

}  // namespace torchpatch::ops
