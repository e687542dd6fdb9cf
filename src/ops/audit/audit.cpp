// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit/audit.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "model/repository_path.h"
#include "ops/audit/audit_patch.h"
#include "ops/audit/later_releases.h"
#include "ops/audit/patch_places.h"
#include "ops/audit/show_in_files.h"
#include "ops/prepare/patched_tree.h"
#include "ops/verify/rebuild_base.h"
#include "ops/verify/scanned_tree.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

TouchedFiles read_files(const Plan& plan, const std::vector<AuditStep>& steps, const Catalog& catalog,
                        source::ObjectSource& source, Console& console) {
  TouchedRequest request{plan.release, overrides_of(plan), {}};
  for (const AuditStep& step : steps) request.patches.push_back({step.repository, &step.parsed});
  TouchedFiles files = std::move(read_touched_files({request}, catalog.moved_repositories, source, 1, console).front());
  if (files.missing.empty()) return files;
  std::vector<std::string> lines;
  for (const source::MissingPin& pin : files.missing) lines.push_back(source::missing_text(pin));
  source::raise_missing("reading what the patches touch", lines, source, source.hint());
}

/// A patch of the catalog on its way into the report.
struct Subject {
  AuditStep step;
  const std::vector<PatchPlace>* places = nullptr;
  std::size_t next = 0;  ///< the place to show it at, or the number of places: it is shown as written
};

std::vector<Subject> subjects_of(const Catalog& catalog, const PatchPlaces& places) {
  std::vector<Subject> subjects;
  for (AuditStep& step : catalog_steps(catalog)) {
    const std::vector<PatchPlace>& of_patch = places.at(step.sha256);
    subjects.push_back({std::move(step), &of_patch, 0});
  }
  return subjects;
}

std::string place_text(const PatchPlace& place) {
  return concat(place.release->version.text(), " for ", place.board->id, " (", place.image->id, ")",
                place.fix.empty() ? "" : concat(" with ", place.fix));
}

/// A plan that several subjects are shown in.
struct Showing {
  Plan plan;
  std::vector<AuditStep> steps;
  std::vector<AuditPatch> entries;
};

/// One plan a place; what stands in it for a subject is that plan's own step.
class Shower {
 public:
  Shower(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options, Console& console)
      : catalog_(catalog), source_(source), options_(options), console_(console) {}

  /// Shows each subject at the first place whose files are there.
  void show(std::vector<Subject>& subjects) {
    while (true) {
      std::vector<Showing*> fresh;
      for (const Subject& subject : subjects) {
        if (subject.next < subject.places->size()) open(subject.places->at(subject.next), fresh);
      }
      if (fresh.empty()) return;
      const std::vector<bool> is_shown = fill(fresh);
      std::set<const Showing*> failed;
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        if (!is_shown[i]) failed.insert(fresh[i]);
      }
      for (Subject& subject : subjects) skip(subject, failed);
    }
  }

  /// Returns the step and the entry of a subject, or nulls where it has no place.
  const std::pair<const AuditStep*, const AuditPatch*> find(const Subject& subject) {
    if (subject.next == subject.places->size()) return {nullptr, nullptr};
    const Showing& showing = showings_.at(key(subject.places->at(subject.next)));
    for (std::size_t i = 0; i < showing.steps.size(); ++i) {
      if (showing.steps[i].sha256 == subject.step.sha256) return {&showing.steps[i], &showing.entries[i]};
    }
    return {nullptr, nullptr};
  }

 private:
  using Key = std::tuple<Version, std::string, std::string, std::string>;
  static Key key(const PatchPlace& place) {
    return {place.release->version, place.board->id, place.image->id, place.fix};
  }

  void open(const PatchPlace& place, std::vector<Showing*>& fresh) {
    if (showings_.contains(key(place))) return;
    Showing& showing = showings_[key(place)];
    showing.plan = plan_at(place, catalog_);
    showing.steps = plan_steps(showing.plan);
    for (const AuditStep& step : showing.steps) {
      showing.entries.push_back(describe_patch(step, place.release->version.text(), catalog_));
    }
    find_overlaps(showing.entries);
    fresh.push_back(&showing);
  }

  /// Says of each showing whether its files are there.
  std::vector<bool> fill(const std::vector<Showing*>& showings) {
    std::vector<bool> is_shown(showings.size(), true);
    if (!source_) return is_shown;
    std::vector<TouchedRequest> requests;
    for (const Showing* showing : showings) {
      TouchedRequest& request =
          requests.emplace_back(TouchedRequest{showing->plan.release, overrides_of(showing->plan), {}});
      for (const AuditStep& step : showing->steps) request.patches.push_back({step.repository, &step.parsed});
    }
    std::vector<TouchedFiles> files =
        read_touched_files(requests, catalog_.moved_repositories, *source_, options_.jobs, console_);
    for (std::size_t i = 0; i < showings.size(); ++i) {
      is_shown[i] = files[i].missing.empty();
      if (!is_shown[i]) continue;
      show_in_files(showings[i]->steps, base_files(files[i]), static_cast<std::size_t>(options_.context),
                    showings[i]->entries);
    }
    return is_shown;
  }

  /// Goes on to the next release where the files of this one are not there.
  void skip(Subject& subject, const std::set<const Showing*>& failed) {
    const std::vector<PatchPlace>& places = *subject.places;
    if (subject.next == places.size() || !failed.contains(&showings_.at(key(places[subject.next])))) return;
    const Release* const missing = places[subject.next].release;
    std::size_t next = subject.next;
    while (next < places.size() && places[next].release == missing) ++next;
    if (next < places.size()) subject.next = next;  // else as the patch has it, of the newest release
    if (next == places.size()) subject.next = 0;
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
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& each) { return each.boards == list; });
    if (same != groups.end()) {
      same->releases.push_back(version.text());
    } else {
      groups.push_back({{version.text()}, list});
    }
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
    AuditCertificate certificate{std::get<0>(key), std::get<1>(key), std::get<2>(key), {}};
    for (const Version& version : versions) certificate.releases.push_back(version.text());
    certificates.push_back(std::move(certificate));
  }
  return certificates;
}

std::vector<AuditAddedFile> added_files(const Catalog& catalog) {
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

std::string blob_text(const std::optional<ObjectId>& id) { return id ? concat("blob ", id->hex()) : "no file"; }

/// One repository of the tree: its files on disk, and what changes where the patches are taken back.
struct Repository {
  std::unique_ptr<PreparedFiles> disk;
  patch::Changes taken_back;
  std::unique_ptr<patch::OverlayFiles> base;
};

class Tree {
 public:
  Tree(const std::string& root, const Manifest& manifest, const std::vector<AuditStep>& steps) : root_(root) {
    for (const AuditStep& step : steps) {
      Repository& repository = repositories_[step.repository];
      if (!repository.disk) repository.disk = std::make_unique<PreparedFiles>(root, step.repository, manifest);
    }
    check_touched(steps);
    check_added(manifest);
    for (auto& [path, repository] : repositories_) take_back(path, steps, repository);
  }

  BaseFiles base() {
    return [this](const RepositoryPath& path) -> patch::FileSource* { return repositories_.at(path).base.get(); };
  }

 private:
  /// Every file must be what the last patch there made; all that are not are named at once.
  void check_touched(const std::vector<AuditStep>& steps) {
    std::map<std::pair<RepositoryPath, std::string>, std::optional<ObjectId>> expected;
    for (const AuditStep& step : steps) {
      for (const patch::Edge& edge : step.edges) expected[{step.repository, edge.path}] = edge.after;
    }
    std::vector<std::string> wrong;
    for (const auto& [place, blob] : expected) {
      const auto file = repositories_.at(place.first).disk->read(place.second);
      std::optional<ObjectId> found;
      if (file) found = file->mode == FileMode::gitlink ? ObjectId::parse(file->bytes) : git_blob_id(file->bytes);
      if (found == blob) continue;
      wrong.push_back(concat(quote(repository_directory(place.first) + "/" + place.second), " is ", blob_text(found),
                             ", the manifest says ", blob_text(blob)));
    }
    refuse(wrong);
  }

  void check_added(const Manifest& manifest) const {
    std::vector<std::string> wrong;
    for (const ManifestAddedFile& added : manifest.added_files) {
      const auto file = PreparedFiles(root_, added.repository, manifest).read(added.path);
      const std::optional<ObjectId> found = file ? std::optional(git_blob_id(file->bytes)) : std::nullopt;
      if (found == added.blob) continue;
      wrong.push_back(concat(quote(repository_directory(added.repository) + "/" + added.path), " is ", blob_text(found),
                             ", the manifest says ", blob_text(added.blob)));
    }
    refuse(wrong);
  }

  void refuse(const std::vector<std::string>& wrong) const {
    if (wrong.empty()) return;
    throw Error(
        ErrorKind::patch,
        concat("auditing ", quote(root_), ": the files are not those that the manifest names: ", join(wrong, "; ")),
        concat("'torchpatch verify ", shell_quote(root_), "' says all that differs"));
  }

  static void take_back(const RepositoryPath& path, const std::vector<AuditStep>& steps, Repository& repository) {
    std::vector<patch::SeriesStep> series;
    for (const AuditStep& step : steps) {
      if (step.repository == path) series.push_back({&step.parsed, step.file, {}});
    }
    repository.taken_back = patch::take_series_out(series, *repository.disk);
    repository.base = std::make_unique<patch::OverlayFiles>(*repository.disk, repository.taken_back);
  }

  std::string root_;
  std::map<RepositoryPath, Repository> repositories_;
};

std::vector<AuditAddedFile> added_files(const std::string& root, const Manifest& manifest) {
  std::vector<AuditAddedFile> added;
  for (const ManifestAddedFile& file : manifest.added_files) {
    const auto found = PreparedFiles(root, file.repository, manifest).read(file.path);
    added.push_back({file.patchset, file.variant, file.repository, file.path, file.mode == FileMode::executable,
                     found ? found->bytes.size() : 0, file.sha256, file.issues});
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
  const std::vector<AuditStep> steps = plan_steps(plan);
  for (const AuditStep& step : steps) report.patches.push_back(describe_patch(step, report.release, catalog));
  find_overlaps(report.patches);
  if (source) {
    TouchedFiles files = read_files(plan, steps, catalog, *source, console);
    show_in_files(steps, base_files(files), static_cast<std::size_t>(options.context), report.patches);
    look_in_later_releases(std::vector<std::string>(steps.size(), report.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    report.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path, file.is_executable,
                                  file.bytes.size(), file.sha256, planned.issues});
  }
  return report;
}

AuditReport audit_all(const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                      Console& console) {
  const PatchPlaces places = patch_places(catalog, options.jobs);
  std::vector<Subject> subjects = subjects_of(catalog, places);
  Shower shower(catalog, source, options, console);
  shower.show(subjects);

  AuditReport report;
  report.scope = AuditScope::catalog;
  report.has_sources = source != nullptr;
  std::vector<AuditStep> steps;
  std::vector<std::string> releases;
  for (const Subject& subject : subjects) {
    const auto [step, entry] = shower.find(subject);
    AuditPatch patch = entry ? *entry : describe_patch(subject.step, "", catalog);
    if (entry) patch.shown_in = place_text(subject.places->at(subject.next));
    patch.issues = describe_patch(subject.step, "", catalog).issues;  // of every plan, not of this one alone
    patch.places = group_places(*subject.places);
    patch.certificates = certificates_of(subject.step, catalog);
    steps.push_back(step ? *step : subject.step);
    releases.push_back(patch.is_in_files ? subject.places->at(subject.next).release->version.text() : "");
    report.patches.push_back(std::move(patch));
  }
  if (source) look_in_later_releases(releases, steps, catalog, *source, options.jobs, console, report.patches);
  report.added_files = added_files(catalog);
  return report;
}

AuditReport audit_tree(const std::string& root, const Catalog& catalog, source::ObjectSource* source,
                       const AuditOptions& options, Console& console) {
  const Manifest manifest = read_manifest_of(root);
  const std::vector<AuditStep> steps = tree_steps(root, manifest, catalog);
  Tree tree(root, manifest, steps);
  AuditReport report;
  report.scope = AuditScope::tree;
  report.release = manifest.release;
  report.board = manifest.board;
  report.image = manifest.image;
  report.plan = manifest.plan;
  report.has_sources = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    report.patches.push_back(describe_patch(steps[i], manifest.release, catalog));
    report.patches[i].is_certified = manifest.patches[i].is_certified;
  }
  find_overlaps(report.patches);
  show_in_files(steps, tree.base(), static_cast<std::size_t>(options.context), report.patches);
  if (source) {
    look_in_later_releases(std::vector<std::string>(steps.size(), manifest.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  report.added_files = added_files(root, manifest);
  return report;
}

}  // namespace torchpatch::ops
