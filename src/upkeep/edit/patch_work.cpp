// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/patch_work.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "patch/patch_file.h"
#include "patch/review.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"
#include "upkeep/edit/made_patches.h"
#include "upkeep/edit/work_state.h"

namespace torchpatch::upkeep {

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

/// Rids the layers over the patchset's own of what was recorded of its old patches; returns the files that lost some.
std::vector<std::string> drop_in_layers_above(const catalog::CatalogToCertify& changed, const PatchWork& state,
                                              const std::vector<catalog::Layer>& layers, Console& console) {
  std::vector<std::string> dropped;
  auto layer = std::ranges::find_if(
      layers, [&](const catalog::Layer& each) { return real_path(each.directory) == state.directory; });
  while (layer != layers.end() && ++layer != layers.end()) {
    const tree::FileChanges changes = drop_stale(changed, layer->directory, {state.patchset}).changes;
    for (const auto& [path, bytes] : changes) dropped.push_back(concat(real_path(layer->directory), "/", path));
    if (!changes.empty()) tree::change_catalog(layer->directory, changes, console);
  }
  return dropped;
}

std::string with_new_digests(std::string described, const PatchWork& state, const std::vector<MadePatch>& made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t place = described.find(state.patches[i].sha256);
    if (place != std::string::npos) described.replace(place, 64, sha256(made[i].text).hex());
  }
  return described;
}

}  // namespace

RefreshReport refresh_patch_work(const std::string& work, PatchWork state, const catalog::CatalogToCertify& loaded,
                                 const std::vector<catalog::Layer>& layers, source::ObjectSource& source,
                                 const std::string& today, int jobs, Console& console) {
  check_unchanged(state, loaded.catalog,
                  "begin again with 'torchpatch patch edit'; what was changed here is in 'git diff'");
  const WorkRepository repository(work);
  const bool is_new = state.described.empty();
  const Patchset* const old = is_new ? nullptr : &loaded.catalog.patchset(state.patchset);
  const std::vector<MadePatch> made = make_work_patches(state, old, repository, today);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i].text.empty()) refuse_empty_patch(state.patches[i].file);
  const Patchset patchset = old ? changed_patchset(*old, state, made) : new_patchset(state, made);

  RefreshReport report{state.patchset, state.variant, state.version, {}, {}, {}};
  tree::FileChanges changes;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string& file = state.patches[i].file;
    report.patches.push_back({file, sha256(made[i].text), made[i].is_changed, made[i].paths});
    if (made[i].is_changed) changes[concat(patchset_path(state.patchset), "/", file)] = made[i].text;
  }
  if (changes.empty()) return report;

  Catalog catalog = loaded.catalog;
  catalog.patchsets.insert_or_assign(state.patchset, patchset);
  const catalog::CatalogToCertify changed = catalog::with_change(loaded, std::move(catalog));
  const CertifiedChange certified =
      certify_in_memory(changed, source, {state.directory, {state.version}, jobs, {state.patchset}}, console);
  const std::string path = patchset_folder(state.directory, state.patchset) + "/patchset.json";
  const std::string described =
      is_new ? new_patchset_json(patchset, path) : with_new_digests(read_file(path), state, made);
  changes[concat(patchset_path(state.patchset), "/patchset.json")] = described;
  changes.insert(certified.certified.begin(), certified.certified.end());
  for (const auto& [file, bytes] : changes) report.written.push_back(concat(state.directory, "/", file));
  for (const auto& [file, bytes] : certified.stale.changes)
    report.dropped.push_back(concat(state.directory, "/", file));

  std::ranges::copy(drop_in_layers_above(changed, state, layers, console), std::back_inserter(report.dropped));
  changes.insert(certified.stale.changes.begin(), certified.stale.changes.end());
  tree::change_catalog(state.directory, changes, console);
  for (std::size_t i = 0; i < made.size(); ++i) {
    state.patches[i].sha256 = sha256(made[i].text).hex();
    state.patches[i].commit = made[i].tip;
  }
  state.described = sha256(described).hex();
  write_patch_work(work, state);
  return report;
}

}  // namespace torchpatch::upkeep
