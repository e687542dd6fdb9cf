// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/audit.h"

#include <algorithm>
#include <tuple>

#include "model/repository_path.h"
#include "plan/image_choice.h"
#include "plan/make_plan.h"
#include "source/closure/repository_tree.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"
#include "trees/prepare/manifest.h"
#include "trees/recipe/recipe.h"
#include "trees/verify/verify.h"

namespace torchpatch::upkeep {

namespace {

trees::ScannedFiles files_of(const trees::ScannedTree& tree, const RepositoryPath& repository) {
  return trees::files_in(tree.scanned, repository_directory(repository));
}

/// Shows the patches in the files of a prepared tree, by reversing them in memory.
void show_in_tree(const trees::ScannedTree& tree, const std::vector<AuditStep>& steps, std::size_t context,
                  std::vector<AuditPatch>& entries) {
  std::map<RepositoryPath, trees::DiskFiles> disk;
  std::map<RepositoryPath, patch::Changes> taken_back;
  std::map<RepositoryPath, patch::OverlayFiles> base;
  for (const AuditStep& step : steps)
    disk.try_emplace(step.repository, trees::DiskFiles(tree.root, files_of(tree, step.repository)));
  const auto series = collect(steps, [](const AuditStep& step) {
    return patch::PatchStep{step.file, step.repository, step.parsed, {}};
  });
  for (auto& [path, files] : disk) {
    taken_back[path] = patch::take_series_out(series, path, files);
    base.try_emplace(path, files, taken_back[path]);
  }
  show_in_files(
      steps, [&](const RepositoryPath& path) { return &base.at(path); }, context, entries);
}

/// A release, board and image that get a patch of the catalog. Pointers are owned by the catalog.
struct PatchPlace {
  const Release* release = nullptr;
  const Board* board = nullptr;
  const Image* image = nullptr;
  std::string fix;  ///< that must be requested (--with), or empty
  auto operator<=>(const PatchPlace&) const = default;

  std::string text() const {
    return concat(release->version.text(), " for ", board->id, " (", image->id, ")",
                  fix.empty() ? "" : concat(" with ", fix));
  }
};

/// SHA-256 of a patch → the plans that apply it with a certificate, newest release first, then by board and image. If
/// no plan uses it by default, plans with its fixes requested (--with).
using PatchPlaces = std::map<Sha256, std::vector<PatchPlace>>;

std::optional<Plan> plan_at(const PatchPlace& place, const Catalog& catalog) {
  PlanOptions options;
  if (!place.fix.empty()) options.with_fixes = {place.fix};
  return plan::plan_if_fits(catalog, *place.release, *place.board, *place.image, options);
}

std::vector<PatchPlace> places_of(const Catalog& catalog, const Release& release) {
  std::vector<PatchPlace> places;
  for (const auto& [id, board] : catalog.boards)
    for (const Image& image : board.images) places.push_back({&release, &board, &image, ""});
  return places;
}

/// Returns the indices of a release's places at which each patch is certified.
std::map<Sha256, std::vector<std::size_t>> plan_release(const Catalog& catalog, const Release& release) {
  std::map<Sha256, std::vector<std::size_t>> certified;
  const std::vector<PatchPlace> places = places_of(catalog, release);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const std::optional<Plan> plan = plan_at(places[i], catalog))
      for (const PlannedPatch& planned : plan->patches)
        if (!planned.edges.empty()) certified[planned.patch->sha256].push_back(i);
  return certified;
}

/// Returns whether a release pins a commit that a patch is certified for; else no plan applies it with a certificate.
bool may_be_certified(const Patchset& patchset, const Sha256& patch, const Release& release) {
  return std::ranges::any_of(patchset.certificates, [&](const CertificateEdge& edge) {
    const ComponentPin* const pin = edge.patch == patch ? release.find(edge.repository.component) : nullptr;
    return pin && pin->commit == edge.commit;
  });
}

/// Returns whether an issue may affect a matching place; otherwise none of its fixes is used there, even on request.
bool may_affect_at(const Issue& issue, const PatchPlace& place) {
  PlanOptions options;
  options.force = true;  // mismatches are in its misfits
  const plan::ImageChoice choice =
      plan::choose_image(*place.release, *place.board, place.image->id, options, keys_of(place.release->components));
  return choice.misfits.empty() && evaluate(issue.when, choice.facts).truth != Truth::no;
}

/// Returns the places of the newest release that get a patch if one of its fixes is requested.
std::vector<PatchPlace> places_on_request(const Catalog& catalog, const Patchset& patchset, const Variant& variant,
                                          const Sha256& patch) {
  for (auto release = catalog.releases.rbegin(); release != catalog.releases.rend(); ++release) {
    if (!variant.releases.contains(release->first) || !may_be_certified(patchset, patch, release->second)) continue;
    std::vector<PatchPlace> found;
    for (const auto& [id, issue] : catalog.issues) {
      for (const Fix& fix : issue.fixes) {
        if (fix.patchset != patchset.id || !affects(issue, release->first)) continue;
        for (PatchPlace place : places_of(catalog, release->second)) {
          place.fix = fix.id;
          const std::optional<Plan> plan = may_affect_at(issue, place) ? plan_at(place, catalog) : std::nullopt;
          const auto is_certified = [&](const PlannedPatch& planned) {
            return planned.patch->sha256 == patch && !planned.edges.empty();
          };
          if (plan && std::ranges::any_of(plan->patches, is_certified)) found.push_back(place);
        }
      }
    }
    if (!found.empty()) return found;
  }
  return {};
}

/// Plans every release for every board and image, in `jobs` worker processes. Raises as make_plan and run_workers.
PatchPlaces patch_places(const Catalog& catalog, int jobs) {
  std::vector<const Release*> releases;
  for (auto each = catalog.releases.rbegin(); each != catalog.releases.rend(); ++each)
    releases.push_back(&each->second);
  const auto planned = map_in_workers(
      releases.size(), jobs, [&](std::size_t item) { return plan_release(catalog, *releases[item]); },
      [&](std::size_t item) { return "planning for the boards of " + releases[item]->version.text(); });
  PatchPlaces result;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const std::vector<PatchPlace> places = places_of(catalog, *releases[i]);
    for (const auto& [patch, indexes] : planned[i]) {
      for (const std::size_t index : indexes) {
        if (index >= places.size()) WireReader::refuse();
        result[patch].push_back(places[index]);
      }
    }
  }
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const Patch& patch : variant.patches)
        if (!result.contains(patch.sha256))
          result[patch.sha256] = places_on_request(catalog, patchset, variant, patch.sha256);
    }
  }
  return result;
}

/// A patch of the catalog to report.
struct Subject {
  AuditStep step;
  const std::vector<PatchPlace>* places = nullptr;
  std::size_t next = 0;  ///< index of the place to show it at, if any

  const PatchPlace* place() const { return next < places->size() ? &places->at(next) : nullptr; }
};

/// Shows subjects in plans, one per place, using each plan's own step for a subject.
class AuditCollector {
 public:
  AuditCollector(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options, Console& console)
      : catalog_(catalog), source_(source), options_(options), console_(console) {}

  /// Shows each subject at the first place with available files.
  void show(std::vector<Subject>& subjects) {
    for (std::vector<ShownPlan*> fresh = open(subjects); !fresh.empty(); fresh = open(subjects)) {
      if (source_)
        show_plans(fresh, catalog_, *source_, static_cast<std::size_t>(options_.context), options_.jobs, console_);
      for (Subject& subject : subjects) move_on(subject);
    }
  }

  /// Returns the step and entry of a subject, or nulls if it has no place.
  std::pair<const AuditStep*, const AuditPatch*> find(const Subject& subject) const {
    if (!subject.place()) return {nullptr, nullptr};
    const ShownPlan& shown = plans_.at(*subject.place());
    for (std::size_t i = 0; i < shown.steps.size(); ++i)
      if (shown.steps[i].sha256 == subject.step.sha256) return {&shown.steps[i], &shown.entries[i]};
    return {nullptr, nullptr};
  }

 private:
  /// Plans the places of the subjects, and returns the new plans.
  std::vector<ShownPlan*> open(const std::vector<Subject>& subjects) {
    std::vector<ShownPlan*> fresh;
    for (const Subject& subject : subjects) {
      const PatchPlace* const place = subject.place();
      if (!place || plans_.contains(*place)) continue;
      fresh.push_back(&(plans_[*place] = describe_plan(plan_at(*place, catalog_).value(), catalog_)));
    }
    return fresh;
  }

  /// Advances to the next release if the files of this one are not available; after the last, back to the newest, where
  /// the hunks are shown as in the patch.
  void move_on(Subject& subject) const {
    const std::vector<PatchPlace>& places = *subject.places;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0 && places[i].release == places[i - 1].release) continue;
      const ShownPlan* const shown = find_value(plans_, places[i]);
      subject.next = i;
      if (!shown || shown->missing.empty()) return;
    }
    subject.next = 0;
  }

  const Catalog& catalog_;
  source::ObjectSource* source_;
  const AuditOptions& options_;
  Console& console_;
  std::map<PatchPlace, ShownPlan> plans_;
};

/// Groups releases with the same boards, oldest first.
std::vector<AuditPlaces> group_places(const std::vector<PatchPlace>& places) {
  std::map<Version, std::set<std::string>> boards;
  for (const PatchPlace& place : places) boards[place.release->version].insert(place.board->id);
  std::vector<AuditPlaces> groups;
  for (const auto& [version, ids] : boards) {
    const std::vector<std::string> list(ids.begin(), ids.end());
    const auto same = std::ranges::find(groups, list, &AuditPlaces::boards);
    if (same != groups.end())
      same->releases.push_back(version.text());
    else
      groups.push_back({{version.text()}, list});
  }
  return groups;
}

/// Groups the certificates of a patch with the same effect on a file, by path.
std::vector<AuditCertificate> certificates_of(const AuditStep& step, const Catalog& catalog) {
  std::map<std::tuple<std::string, std::optional<ObjectId>, std::optional<ObjectId>>, std::set<Version>> groups;
  for (const CertificateEdge& edge : catalog.patchset(step.patchset).certificates) {
    if (edge.patch != step.sha256) continue;
    for (const auto& [version, release] : catalog.releases) {
      const ComponentPin* pin = release.find(edge.repository.component);
      if (pin && pin->is_at(edge.commit)) groups[{edge.path, edge.before, edge.after}].insert(version);
    }
  }
  std::vector<AuditCertificate> certificates;
  for (const auto& [key, versions] : groups) {
    const auto& [path, before, after] = key;
    certificates.push_back({path, before, after, collect(versions, &Version::text)});
  }
  return certificates;
}

/// Returns a key shared by corresponding patches of several variants: "block-limit 0001-cap.patch".
std::string purpose_of(const AuditStep& step) { return concat(step.patchset, " ", base_name(step.file)); }

/// Sorts corresponding patches together, and records how each differs from the one before it.
void relate_variants(std::vector<Subject>& subjects, std::vector<AuditRelative>& relatives) {
  std::ranges::stable_sort(subjects, {}, [](const Subject& each) { return purpose_of(each.step); });
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    relatives.emplace_back();
    if (i == 0 || purpose_of(subjects[i - 1].step) != purpose_of(subjects[i].step)) continue;
    relatives[i] = {subjects[i - 1].step.name(), change_between(subjects[i - 1].step, subjects[i].step)};
  }
}

std::vector<AuditAddedFile> files_added_by(const Catalog& catalog) {
  std::vector<AuditAddedFile> added;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const AddedFile& file : variant.files) {
        added.push_back({id, variant.id, file.repository, file.path, file.is_executable, file.bytes.size(), file.sha256,
                         issues_of(catalog, id)});
      }
    }
  }
  return added;
}

}  // namespace

AuditReport audit(const Plan& plan, const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                  Console& console) {
  AuditReport report;
  report.release = plan.release->version.text();
  report.board = plan.board->id;
  report.image = plan.image->id;
  report.plan = plan.digest;
  report.has_sources = source != nullptr;
  ShownPlan shown = describe_plan(plan, catalog);
  if (source) {
    show_plans({&shown}, catalog, *source, static_cast<std::size_t>(options.context), 1, console);
    if (!shown.missing.empty())
      source::raise_missing("reading what the patches touch", collect(shown.missing, source::missing_text), *source,
                            source->hint());
    look_in_later_releases(std::vector<std::string>(shown.steps.size(), report.release), shown.steps, catalog, *source,
                           options.jobs, console, shown.entries);
  }
  report.patches = std::move(shown.entries);
  for (const auto& [component, pin] : plan.release->components)
    if (pin.is_content()) report.contents.push_back(concat(name_of(component), ": ", pin.content->text()));
  for (const PlannedOverride& each : plan.overrides)
    report.overrides.push_back(audit_override(each.patchset, each.variant, *each.what, each.issues));
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    report.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path, file.is_executable,
                                  file.bytes.size(), file.sha256, planned.issues});
  }
  report.runs = what_runs(catalog, plan, trees::make_manifest(plan, catalog, {}));
  return report;
}

AuditReport audit_tree(const std::string& root, const Catalog& catalog, source::ObjectSource* source,
                       const AuditOptions& options, Console& console) {
  const trees::ScannedTree scanned = trees::scan_prepared_tree(root, options.jobs, console);
  const Manifest& manifest = scanned.manifest;
  const std::vector<AuditStep> steps = tree_steps(root, manifest, catalog);
  VerifyReport verified = trees::verify(scanned, catalog, {}, console);
  const bool is_verified = verified.differences.empty();
  AuditReport report;
  report.tree = {manifest.tree, scanned.digest, std::move(verified.differences), std::move(verified.options)};
  report.scope = AuditScope::tree;
  report.release = manifest.release;
  report.board = manifest.board;
  report.image = manifest.image;
  report.plan = manifest.plan;
  report.patches = describe_patches(steps, manifest.release, catalog);
  for (std::size_t i = 0; i < steps.size(); ++i) report.patches[i].is_certified = manifest.patches[i].is_certified;
  try {
    show_in_tree(scanned, steps, static_cast<std::size_t>(options.context), report.patches);
    report.has_sources = true;
  } catch (const Error&) {
    if (is_verified) throw;  // otherwise the differences explain why they cannot be reversed
  }
  if (source)
    look_in_later_releases(std::vector<std::string>(steps.size(), manifest.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  for (const ManifestRepository& repository : manifest.repositories) {
    if (repository.content) report.contents.push_back(concat(repository.path.text(), ": ", repository.content->text()));
    if (const auto& by = repository.overridden)
      report.overrides.push_back(audit_override(
          by->patchset, by->variant, {repository.path, by->replaces, repository.commit, repository.url}, by->issues));
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    const trees::ScannedFiles files = files_of(scanned, file.repository);
    const auto found = files.find(file.path);
    report.added_files.push_back({file.patchset, file.variant, file.repository, file.path,
                                  file.mode == FileMode::executable, found != files.end() ? found->second->size : 0,
                                  file.sha256, file.issues});
  }
  if (is_verified) report.runs = what_runs(catalog, trees::plan_again(manifest, catalog), manifest);
  if (!options.recipe.empty()) add_recipe(trees::recipe_for(scanned, catalog), options.recipe, report.runs);
  return report;
}

AuditReport audit_all(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                      Console& console) {
  const PatchPlaces places = patch_places(catalog, options.jobs);
  std::vector<Subject> subjects;
  for (AuditStep& step : catalog_steps(catalog)) {
    const std::vector<PatchPlace>& of_patch = places.at(step.sha256);
    subjects.push_back({std::move(step), &of_patch});
  }
  AuditCollector collector(catalog, source, options, console);
  collector.show(subjects);
  std::vector<AuditRelative> relatives;
  relate_variants(subjects, relatives);

  AuditReport report;
  report.scope = AuditScope::catalog;
  report.has_sources = source != nullptr;
  std::vector<AuditStep> steps;
  std::vector<std::string> releases;
  for (const Subject& subject : subjects) {
    const auto [step, entry] = collector.find(subject);
    AuditPatch patch = entry ? *entry : describe_patch(subject.step, "", catalog);
    AuditSpread& spread = patch.spread.emplace();
    if (entry) spread.shown_in = subject.place()->text();
    patch.issues = describe_patch(subject.step, "", catalog).issues;  // of every plan, not only this one
    spread.places = group_places(*subject.places);
    spread.certificates = certificates_of(subject.step, catalog);
    const AuditRelative& relative = relatives[report.patches.size()];
    if (!relative.name.empty()) spread.relative = relative;
    steps.push_back(step ? *step : subject.step);
    releases.push_back(patch.is_in_files ? subject.place()->release->version.text() : "");
    report.patches.push_back(std::move(patch));
  }
  if (source) look_in_later_releases(releases, steps, catalog, *source, options.jobs, console, report.patches);
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants)
      for (const SubmoduleOverride& what : variant.overrides)
        report.overrides.push_back(audit_override(id, variant.id, what, issues_of(catalog, id)));
  }
  report.added_files = files_added_by(catalog);
  report.runs = commands_of(catalog);
  return report;
}

}  // namespace torchpatch::upkeep
