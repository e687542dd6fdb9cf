// SPDX-License-Identifier: BSD-3-Clause

#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/build/build.h"
#include "trees/recipe/recipe.h"

namespace torchpatch::trees {

namespace {

using Texts = std::vector<std::string>;

/// Returns whether `words` contain "--skip NAME".
bool is_skipped(const Texts& words, const std::string& name) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "--skip" && words[i + 1] == name) return true;
  return false;
}

/// Runs the recipe's own checks, from a temporary copy.
Texts missing_for_recipe(const BuildSite& site) {
  const TempDir directory;
  NullConsole quiet;
  const std::string recipe = directory.path() + "/recipe";
  write_generated(record::recipe_files(site.recipe), recipe_output(recipe, false), quiet);
  ProgramRun run;
  run.argv = {"/bin/sh", recipe + "/run.sh", "--check", site.work};
  run.argv.insert(run.argv.end(), site.words.begin(), site.words.end());
  run.environment = {site.variables.begin(), site.variables.end()};
  const ProgramResult result = run_program(run);
  static constexpr std::string_view kLead = "run.sh: error: ";
  Texts missing;
  for (const std::string& line : split(result.err, '\n'))
    if (starts_with(line, kLead)) missing.push_back(visible(line.substr(kLead.size())));
  if (result.exit_code == 2 && !missing.empty())
    throw Error(ErrorKind::usage, concat("words for run.sh: ", missing.front()), "these are the words after '--'");
  if (result.exit_code != 0 && missing.empty())
    missing.push_back(concat("run.sh --check ended with ", result.exit_code, ": ", visible(trim(result.err))));
  return missing;
}

std::string text_of(const HostCheck& check) {
  return concat(check.name, ": ", check.found.empty() ? "not found" : concat("found ", check.found), ", need ",
                check.bound, " (", check.source, ")", check.advice.empty() ? "" : concat("; ", check.advice));
}

Texts missing_on_host(const BuildSite& site) {
  const Manifest& manifest = *site.recipe.manifest;
  const bool is_native = site.recipe.kind == RecipeKind::native;
  DoctorReport report = doctor(site.catalog, target_of(manifest), site.host);
  if (is_native) {
    const std::string output = parent_path(site.work), place = is_directory(output) ? output : parent_path(output);
    report.checks =
        probe_host(manifest, host_requirements(site.catalog, manifest, site.plan), place, site.variables).checks;
  }
  Texts missing;
  for (const HostCheck& check : report.checks)
    if (check.fails && (is_native || check.name == "memory") && !is_skipped(site.words, check.name))
      missing.push_back(text_of(check));
  for (const HostIssue& issue : report.issues) {
    if (!is_native || issue.outcome != IssueOutcome::fails || is_told_by_check(report, issue)) continue;
    missing.push_back(concat("known issue ", issue.id, ": ", issue.title));
  }
  return missing;
}

Texts missing_disk(const BuildSite& site) {
  const std::int64_t needed = site.recipe.disk_mib;
  if (site.is_begun || !site.host.disk_mib || *site.host.disk_mib >= needed || is_skipped(site.words, "disk"))
    return {};
  return {concat("disk: found ", *site.host.disk_mib, " MiB, need ", needed, " MiB (build_sizes.json)")};
}

}  // namespace

RecipeKind choose_recipe(const RecipeChoice& from) {
  if (from.needs_native) return RecipeKind::native;
  if (from.host_arch != from.board_arch) return from.can_cross_build ? RecipeKind::sysroot : RecipeKind::chroot;
  if (from.has_system) return RecipeKind::native;
  return from.is_root || !from.has_engine ? RecipeKind::chroot : RecipeKind::container;
}

std::optional<BuildGuide> guide_for(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe) {
  const std::optional<BuildGuide> guide = guide_to(sizes, plan, recipe);
  return guide ? guide : guide_to(sizes, plan, RecipeKind::native);
}

std::vector<std::string> missing_for(const BuildSite& site) {
  Texts missing = missing_for_recipe(site);
  for (const Texts& more : {missing_on_host(site), missing_disk(site)})
    missing.insert(missing.end(), more.begin(), more.end());
  return missing;
}

}  // namespace torchpatch::trees
