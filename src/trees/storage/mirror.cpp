// SPDX-License-Identifier: BSD-3-Clause
#include "trees/storage/storage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "plan/make_plan.h"
#include "source/store/fill_repositories.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/prepare/patch_chains.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

namespace {

std::vector<Component> components_to_bring(const Release& release, const std::vector<Component>& chosen) {
  if (chosen.empty()) return keys_of(release.components);
  for (const Component component : chosen) {
    if (release.find(component)) continue;
    throw Error(ErrorKind::usage, concat("release ", release.version.text(), " has no ", name_of(component)));
  }
  std::vector<Component> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Returns the overrides in submodules of these components.
std::vector<SubmoduleOverride> overrides_in(const Plan& plan, const std::vector<Component>& components) {
  std::vector<SubmoduleOverride> overrides = overrides_of(plan);
  std::erase_if(overrides, [&](const SubmoduleOverride& override) {
    return std::ranges::find(components, override.repository.component) == components.end();
  });
  std::sort(overrides.begin(), overrides.end());
  return overrides;
}

/// Returns each set of overrides that is wanted of a release, once.
std::set<std::vector<SubmoduleOverride>> wanted_overrides(const Catalog& catalog, const Release& release,
                                                          const std::vector<Component>& components,
                                                          const ReleaseChoice& choice) {
  if (!choice.board.empty()) {
    const Plan plan = plan::make_plan(catalog, release.version.text(), choice.board, choice.image, {});
    return {overrides_in(plan, components)};
  }
  std::set<std::vector<SubmoduleOverride>> sets = {{}};
  for (const Plan& plan : reachable_plans(catalog, release)) sets.insert(overrides_in(plan, components));
  return sets;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), file_(path) { remove_left_over(path); }

void OutputFile::write(std::string_view bytes) {
  write_all(file_.fd(), bytes, path_);
  hasher_.update(bytes);
  size_ += bytes.size();
}

Sha256 OutputFile::commit(bool replace) {
  // Some file systems tell only now that the disk is full.
  if (::fchmod(file_.fd(), 0644) != 0 || ::fsync(file_.fd()) != 0) throw system_error("writing " + quote(path_));
  if (replace)
    file_.rename_to(path_);
  else if (!file_.rename_to_new(path_))
    throw Error(ErrorKind::environment, concat("writing ", quote(path_), ": it was created in the meantime"));
  return hasher_.finish();
}

std::vector<PinnedSet> pinned_sets(const Catalog& catalog, const ReleaseChoice& choice) {
  std::map<Version, const Release*> releases;  // each once, in order, however they were given
  for (const std::string& name : choice.versions) {
    const Release& release = catalog.release(name);
    releases[release.version] = &release;
  }
  std::vector<PinnedSet> sets;
  for (const auto& [version, release] : releases) {
    const std::vector<Component> components = components_to_bring(*release, choice.components);
    for (const auto& overrides : wanted_overrides(catalog, *release, components, choice))
      sets.push_back({release, components, overrides});
  }
  return sets;
}

std::vector<source::Closure> read_closures(const std::vector<PinnedSet>& sets, const Catalog& catalog,
                                           source::ObjectSource& source, int jobs, Console& console,
                                           source::Gaps gaps) {
  std::vector<source::Closure> closures;
  for (const PinnedSet& set : sets) {
    closures.push_back(source::read_closure(*set.release, set.components, set.overrides, catalog.moved_repositories,
                                            source, jobs, console, gaps));
  }
  return closures;
}

MirrorReport mirror(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                    Console& console) {
  const std::vector<PinnedSet> sets = pinned_sets(catalog, options.choice);
  const std::vector<source::Closure> closures =
      read_closures(sets, catalog, source, options.jobs, console, options.gaps);
  const source::FillOptions fill{.directory = absolute_path(options.output),
                                 .object_folders = source.object_folders(),
                                 .jobs = options.jobs,
                                 .is_partial = options.gaps == source::Gaps::allowed};
  MirrorReport report{"mirrored", options.output, {}, {}};
  for (const PinnedSet& set : sets) {
    const std::string version = set.release->version.text();
    if (report.releases.empty() || report.releases.back() != version) report.releases.push_back(version);
  }
  const std::vector<source::RepositoryCommits> repositories = source::repositories_of(closures);
  report.repositories = source::fill_repositories(repositories, fill, console);
  std::set<std::string> missing;  // several closures have it
  for (const source::Closure& closure : closures)
    for (const source::ClosureGap& gap : closure.gaps)
      missing.insert(quote(concat(repository_directory(gap.repository), "/", gap.entry.path)));
  if (!missing.empty())
    console.warning(concat("the mirror is partial, it lacks\n  ", join({missing.begin(), missing.end()}, "\n  ")));
  if (options.histories)
    source::fetch_histories(repositories, fill.directory, *options.histories, catalog.moved_repositories, console);
  return report;
}

}  // namespace torchpatch::trees
