// SPDX-License-Identifier: BSD-3-Clause
#include "ops/author/patch_work.h"

#include <algorithm>
#include <set>

#include "catalog/data_file.h"
#include "ops/author/made_patches.h"
#include "ops/author/old_records.h"
#include "ops/author/work_state.h"
#include "ops/certify/certify.h"
#include "patch/header.h"
#include "patch/parse_patch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::string summary_of(const std::string& text) {
  const patch::PatchHeader header = patch::parse_header(patch::parse_patch(text, "").preamble);
  const patch::HeaderField* field = header.find("Description");
  if (field == nullptr) field = header.find("Subject");
  return field ? field->value.substr(0, field->value.find('\n')) : "";
}

Patchset new_patchset(const PatchWork& state, const std::vector<MadePatch>& made) {
  const std::string range = "==" + state.version;
  Variant variant{state.variant, VersionRange::parse(range).value(), {}, {}};
  for (std::size_t i = 0; i < made.size(); ++i)
    variant.patches.push_back({state.patches[i].file, sha256(made[i].text), state.patches[i].repository, made[i].text});
  return {state.patchset, summary_of(made.front().text), {}, {variant}, {}, {}};
}

std::string new_patchset_json(const Patchset& patchset, const std::string& path) {
  Json variants = Json::array();
  for (const Variant& variant : patchset.variants) {
    Json patches = Json::array();
    for (const Patch& patch : variant.patches)
      patches.push_back(
          {{"file", patch.file}, {"sha256", patch.sha256.hex()}, {"repository", patch.repository.text()}});
    variants.push_back({{"id", variant.id}, {"releases", variant.releases.text()}, {"patches", patches}});
  }
  return canonical_json({{"schema", 1},
                         {"id", patchset.id},
                         {"summary", patchset.summary},
                         {"after", Json::array()},
                         {"variants", variants}},
                        path);
}

/// Returns the patchset with the new patches.
Patchset changed_patchset(const Patchset& old, const PatchWork& state, const std::vector<MadePatch>& made) {
  Patchset patchset = old;
  for (Variant& variant : patchset.variants) {
    if (variant.id != state.variant) continue;
    for (std::size_t i = 0; i < made.size(); ++i) {
      variant.patches[i].text = made[i].text;
      variant.patches[i].sha256 = sha256(made[i].text);
    }
  }
  return patchset;
}

/// Raises patch where the catalog is no longer what the work began with.
void check_unchanged(const PatchWork& state, const Catalog& catalog) {
  const std::string hint = "begin again with 'torchpatch patch edit'; what was changed here is in 'git diff'";
  if (pins_of_work(catalog.release(state.version), state) != state.pins)
    refuse_work(concat("release ", state.version, " pins other commits than when this work began"), hint);
  const std::string path = patchset_folder(state.directory, state.patchset) + "/patchset.json";
  const std::string described = catalog::is_present(path) ? file_digest(path) : "";
  if (described != state.described) {
    refuse_work(described.empty() ? concat(quote(path), " is gone since this work began")
                                  : concat(quote(path), " is not what it was when this work began"),
                hint);
  }
  for (const WorkPatch& patch : state.patches) {
    const std::string file = concat(patchset_folder(state.directory, state.patchset), "/", patch.file);
    if (!patch.sha256.empty() && file_digest(file) != patch.sha256)
      refuse_work(concat(quote(file), " is not what it was when this work began"), hint);
  }
}

/// Certifies in a directory of its own, so that nothing is written where a patch does not apply.
void certify_work(const Catalog& catalog, const PatchWork& state, source::ObjectSource& source, int jobs,
                  const RecordedEdges& recorded, FileChanges& changes, Console& console) {
  const TempDir made_in;
  certify_patches({catalog, {}}, source, {made_in.path(), {state.version}, jobs}, console);
  add_new_certificates(made_in.path(), state, recorded, changes);
}

std::vector<std::string> layer_directories(const std::vector<catalog::Layer>& layers, const std::string& directory) {
  std::vector<std::string> directories;
  for (const catalog::Layer& layer : layers) directories.push_back(real_path(layer.directory));
  const std::string own = real_path(directory);
  if (std::ranges::count(directories, own) == 0) directories.push_back(own);
  return directories;
}

std::string with_new_digests(std::string described, const PatchWork& state, const std::vector<MadePatch>& made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t place = described.find(state.patches[i].sha256);
    if (place != std::string::npos) described.replace(place, 64, sha256(made[i].text).hex());
  }
  return described;
}

void write_changes(const FileChanges& changes) {
  for (const auto& [path, bytes] : changes)
    if (bytes)
      write_recorded(path, *bytes);
    else
      remove_tree(path);
}

}  // namespace

RefreshReport refresh_patch_work(const std::string& work, PatchWork state, const Catalog& catalog,
                                 const std::vector<catalog::Layer>& layers, source::ObjectSource& source,
                                 const std::string& today, int jobs, Console& console) {
  check_unchanged(state, catalog);
  const WorkRepository repository(work);
  const bool is_new = state.described.empty();
  const Patchset* const old = is_new ? nullptr : &catalog.patchset(state.patchset);
  const std::vector<MadePatch> made = make_work_patches(state, old, repository, today);
  const Patchset patchset = old ? changed_patchset(*old, state, made) : new_patchset(state, made);
  const std::string folder = patchset_folder(state.directory, state.patchset);

  RefreshReport report{state.patchset, state.variant, state.version, {}, {}, {}};
  FileChanges changes;
  std::set<std::string> stale;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const WorkPatch& patch = state.patches[i];
    report.patches.push_back({patch.file, sha256(made[i].text), made[i].is_changed, made[i].paths});
    if (!made[i].is_changed) continue;
    stale.insert(patch.sha256);
    changes[concat(folder, "/", patch.file)] = made[i].text;
  }
  if (changes.empty()) return report;
  stale.erase("");

  const Variant& variant = variant_named(patchset, state.variant);
  const std::vector<std::string> directories = layer_directories(layers, state.directory);
  FileChanges dropped;
  const RecordedEdges recorded = drop_certificates(directories, variant.releases, stale, dropped);
  if (!is_new) drop_proof_outcomes(directories, state.patchset, variant, dropped);
  for (const auto& [file, bytes] : dropped) report.dropped.push_back(file);
  const std::string path = folder + "/patchset.json";
  const std::string described =
      is_new ? new_patchset_json(patchset, path) : with_new_digests(read_file(path), state, made);
  changes[path] = described;
  Catalog changed = catalog;
  changed.patchsets.insert_or_assign(state.patchset, patchset);
  certify_work(changed, state, source, jobs, recorded, changes, console);

  for (const auto& [file, bytes] : changes) {
    report.written.push_back(file);
    dropped.erase(file);
  }
  write_changes(dropped);
  write_changes(changes);
  for (std::size_t i = 0; i < made.size(); ++i) {
    state.patches[i].sha256 = sha256(made[i].text).hex();
    state.patches[i].commit = made[i].tip;
  }
  state.described = sha256(described).hex();
  write_patch_work(work, state);
  return report;
}

}  // namespace torchpatch::ops
