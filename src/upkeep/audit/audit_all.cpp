// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "plan/make_plan.h"
#include "support/find.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patched_tree.h"
#include "upkeep/audit/audit.h"
#include "upkeep/audit/audit_patch.h"
#include "upkeep/audit/show_in_files.h"
#include "upkeep/audit/what_runs.h"
#include "upkeep/check/check.h"

namespace torchpatch::upkeep {

namespace {

/// Where a patch of the catalog is applied: which release, board and image get it. All is owned by the catalog.
struct PatchPlace {
  const Release* release = nullptr;
  const Board* board = nullptr;
  const Image* image = nullptr;
  std::string fix;  ///< that has to be asked for (--with), or empty

  std::string text() const {
    return concat(release->version.text(), " for ", board->id, " (", image->id, ")",
                  fix.empty() ? "" : concat(" with ", fix));
  }
};

/// SHA-256 of a patch → the plans that apply it with a certificate, newest release first, then by board and image. One
/// that no plan has by itself is looked for with `--with` of its fixes.
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

/// Returns the certified patches of each place of a release: index of the place, sha256.
std::string plan_release(const Catalog& catalog, const Release& release) {
  WireWriter writer;
  const std::vector<PatchPlace> places = places_of(catalog, release);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::optional<Plan> plan = plan_at(places[i], catalog);
    if (!plan) continue;
    for (const PlannedPatch& planned : plan->patches) {
      if (planned.edges.empty()) continue;
      writer.put(i);
      writer.put(planned.patch->sha256);
    }
  }
  return writer.take();
}

bool has_certified(const Plan& plan, const Sha256& patch) {
  return std::ranges::any_of(plan.patches, [&](const PlannedPatch& planned) {
    return planned.patch->sha256 == patch && !planned.edges.empty();
  });
}

std::vector<std::string> fixes_of(const Catalog& catalog, const std::string& patchset) {
  std::vector<std::string> fixes;
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes)
      if (fix.patchset == patchset) fixes.push_back(fix.id);
  }
  return fixes;
}

/// Returns the places of the newest release that get a patch with one of its fixes asked for.
std::vector<PatchPlace> places_on_request(const Catalog& catalog, const Patchset& patchset, const Variant& variant,
                                          const Sha256& patch) {
  for (auto release = catalog.releases.rbegin(); release != catalog.releases.rend(); ++release) {
    if (!variant.releases.contains(release->first)) continue;
    std::vector<PatchPlace> found;
    for (const std::string& fix : fixes_of(catalog, patchset.id)) {
      for (PatchPlace place : places_of(catalog, release->second)) {
        place.fix = fix;
        const std::optional<Plan> plan = plan_at(place, catalog);
        if (plan && has_certified(*plan, patch)) found.push_back(place);
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
  const auto planned = run_planning(
      releases.size(), [&](std::size_t item) { return plan_release(catalog, *releases[item]); }, jobs);
  PatchPlaces result;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const std::vector<PatchPlace> places = places_of(catalog, *releases[i]);
    WireReader reader(planned[i].bytes);
    while (!reader.at_end()) {
      const auto place = reader.get<std::size_t>();
      if (place >= places.size()) WireReader::refuse();
      result[reader.get<Sha256>()].push_back(places[place]);
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

/// A patch of the catalog on its way into the report.
struct Subject {
  AuditStep step;
  const std::vector<PatchPlace>* places = nullptr;
  std::size_t next = 0;  ///< the place to show it at, where there is any

  const PatchPlace* place() const { return next < places->size() ? &places->at(next) : nullptr; }
};

std::vector<Subject> subjects_of(const Catalog& catalog, const PatchPlaces& places) {
  std::vector<Subject> subjects;
  for (AuditStep& step : catalog_steps(catalog)) {
    const std::vector<PatchPlace>& of_patch = places.at(step.sha256);
    subjects.push_back({std::move(step), &of_patch});
  }
  return subjects;
}

/// A plan that several subjects are shown in.
struct Showing {
  Plan plan;
  std::vector<AuditStep> steps;
  std::vector<AuditPatch> entries;
  bool is_there = true;  ///< so are its files
};

/// One plan a place; what stands in it for a subject is that plan's own step.
class Shower {
 public:
  Shower(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options, Console& console)
      : catalog_(catalog), source_(source), options_(options), console_(console) {}

  /// Shows each subject at the first place whose files are there.
  void show(std::vector<Subject>& subjects) {
    for (std::vector<Showing*> fresh = open(subjects); !fresh.empty(); fresh = open(subjects)) {
      if (source_) fill(fresh);
      for (Subject& subject : subjects) move_on(subject);
    }
  }

  /// Returns the step and the entry of a subject, or nulls where it has no place.
  std::pair<const AuditStep*, const AuditPatch*> find(const Subject& subject) const {
    if (!subject.place()) return {nullptr, nullptr};
    const Showing& showing = showings_.at(key(*subject.place()));
    for (std::size_t i = 0; i < showing.steps.size(); ++i)
      if (showing.steps[i].sha256 == subject.step.sha256) return {&showing.steps[i], &showing.entries[i]};
    return {nullptr, nullptr};
  }

 private:
  using Key = std::tuple<Version, std::string, std::string, std::string>;
  static Key key(const PatchPlace& place) {
    return {place.release->version, place.board->id, place.image->id, place.fix};
  }

  /// Plans the places of the subjects, and returns those that were not planned before.
  std::vector<Showing*> open(const std::vector<Subject>& subjects) {
    std::vector<Showing*> fresh;
    for (const Subject& subject : subjects) {
      const PatchPlace* const place = subject.place();
      if (!place || showings_.contains(key(*place))) continue;
      Showing& showing = showings_[key(*place)];
      showing.plan = plan_at(*place, catalog_).value();
      showing.steps = plan_steps(showing.plan);
      showing.entries = describe_patches(showing.steps, place->release->version.text(), catalog_);
      fresh.push_back(&showing);
    }
    return fresh;
  }

  void fill(const std::vector<Showing*>& showings) {
    std::vector<TouchedRequest> requests;
    for (const Showing* each : showings)
      requests.push_back({each->plan.release, trees::overrides_of(each->plan), &each->steps});
    std::vector<TouchedFiles> files =
        read_touched_files(requests, catalog_.moved_repositories, *source_, options_.jobs, console_);
    for (std::size_t i = 0; i < showings.size(); ++i) {
      showings[i]->is_there = files[i].missing.empty();
      if (!showings[i]->is_there) continue;
      show_in_files(showings[i]->steps, base_files(files[i]), static_cast<std::size_t>(options_.context),
                    showings[i]->entries);
    }
  }

  /// Goes on to the next release where the files of this one are not there; behind the last one, back to the newest,
  /// where it is shown as the patch has it.
  void move_on(Subject& subject) const {
    const std::vector<PatchPlace>& places = *subject.places;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0 && places[i].release == places[i - 1].release) continue;
      const Showing* const showing = find_value(showings_, key(places[i]));
      subject.next = i;
      if (!showing || showing->is_there) return;
    }
    subject.next = 0;
  }

  const Catalog& catalog_;
  source::ObjectSource* source_;
  const AuditOptions& options_;
  Console& console_;
  std::map<Key, Showing> showings_;
};

/// Groups releases that have the same boards, oldest first.
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

/// Groups the certificates of a patch that say the same of a file, by path.
std::vector<AuditCertificate> certificates_of(const AuditStep& step, const Catalog& catalog) {
  std::map<std::tuple<std::string, std::optional<ObjectId>, std::optional<ObjectId>>, std::set<Version>> groups;
  for (const CertificateEdge& edge : catalog.patchset(step.patchset).certificates) {
    if (edge.patch != step.sha256) continue;
    for (const auto& [version, release] : catalog.releases) {
      const ComponentPin* pin = release.find(edge.repository.component);
      if (pin && pin->commit == edge.commit) groups[{edge.path, edge.before, edge.after}].insert(version);
    }
  }
  std::vector<AuditCertificate> certificates;
  for (const auto& [key, versions] : groups) {
    const auto& [path, before, after] = key;
    certificates.push_back({path, before, after, collect(versions, &Version::text)});
  }
  return certificates;
}

/// Names of patches that do the same in several variants: "block-limit 0001-cap.patch".
std::string purpose_of(const AuditStep& step) { return concat(step.patchset, " ", base_name(step.file)); }

/// Says of each patch how it differs from the one above it that has its purpose, and puts the two together.
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

AuditReport audit_all(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                      Console& console) {
  const PatchPlaces places = patch_places(catalog, options.jobs);
  std::vector<Subject> subjects = subjects_of(catalog, places);
  Shower shower(catalog, source, options, console);
  shower.show(subjects);
  std::vector<AuditRelative> relatives;
  relate_variants(subjects, relatives);

  AuditReport report;
  report.scope = AuditScope::catalog;
  report.has_sources = source != nullptr;
  std::vector<AuditStep> steps;
  std::vector<std::string> releases;
  for (const Subject& subject : subjects) {
    const auto [step, entry] = shower.find(subject);
    AuditPatch patch = entry ? *entry : describe_patch(subject.step, "", catalog);
    if (entry) patch.shown_in = subject.place()->text();
    patch.issues = describe_patch(subject.step, "", catalog).issues;  // of every plan, not of this one alone
    patch.places = group_places(*subject.places);
    patch.certificates = certificates_of(subject.step, catalog);
    const AuditRelative& relative = relatives[report.patches.size()];
    if (!relative.name.empty()) patch.relative = relative;
    steps.push_back(step ? *step : subject.step);
    releases.push_back(patch.is_in_files ? subject.place()->release->version.text() : "");
    report.patches.push_back(std::move(patch));
  }
  if (source) look_in_later_releases(releases, steps, catalog, *source, options.jobs, console, report.patches);
  report.added_files = files_added_by(catalog);
  report.runs = commands_of(catalog);
  return report;
}

}  // namespace torchpatch::upkeep
