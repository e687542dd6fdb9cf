// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/work_state.h"

#include <algorithm>
#include <filesystem>

#include "catalog/data_file.h"
#include "git/git_program.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/json_fields.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

namespace {

std::string state_file(const std::string& work) { return concat(work, "/.git/torchpatch.json"); }

}  // namespace

std::string work_path(const WorkFile& file) { return concat(repository_directory(file.repository), "/", file.path); }

std::string patchset_folder(const std::string& directory, const std::string& id) {
  return concat(directory, "/", patchset_path(id));
}

const Variant& variant_named(const Patchset& patchset, const std::string& id) {
  std::vector<std::string> ids;
  for (const Variant& variant : patchset.variants) {
    if (variant.id == id) return variant;
    ids.push_back(variant.id);
  }
  throw Error(ErrorKind::usage, concat("patchset ", quote(patchset.id), " has no variant ", quote(id)),
              "it has " + join(ids, ", "));
}

std::string file_digest(const std::string& file) { return sha256(read_file(file)).hex(); }

void write_patch_work(const std::string& work, const PatchWork& state) {
  const std::string path = state_file(work);
  write_file_atomically(path, canonical_json(to_json(state), path));
}

std::map<std::string, std::string> pins_of_work(const Release& release, const PatchWork& state) {
  std::map<std::string, std::string> pins;
  for (const WorkFile& file : state.files)
    if (const ComponentPin* const pin = release.find(file.repository.component))
      pins[component_name(file.repository.component)] = pin->commit.hex();
  return pins;
}

void write_work_file(const std::string& path, const patch::TreeFile& file) {
  namespace fs = std::filesystem;
  make_directories(parent_path(path));
  remove_tree(path);
  if (file.mode == FileMode::link)
    fs::create_symlink(file.bytes, path);
  else
    write_file_atomically(path, file.bytes);
  if (file.mode == FileMode::executable) fs::permissions(path, fs::perms(0755));
}

std::string commit_message(std::string_view header, const std::string& file) {
  return concat(kPatchFile, file, "\n\n", trim(header), "\n");
}

std::string patchset_directory(const std::string& patchset, const std::vector<catalog::Layer>& layers) {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    if (catalog::is_present(patchset_folder(layer->directory, patchset) + "/patchset.json")) return layer->directory;
  throw Error(ErrorKind::internal, concat("no layer has the patchset ", quote(patchset)));
}

void check_layer_of_release(const Catalog& catalog, const std::string& patchset, const Release& release,
                            const std::vector<catalog::Layer>& layers) {
  const auto place_of = [&](const std::string& entry) {
    return std::ranges::find(layers, catalog.origins.at(entry).layer, &catalog::Layer::name);
  };
  const auto pins = place_of(catalog::release_entry(release.version.text()));
  if (pins <= place_of(catalog::patchset_entry(patchset))) return;
  throw Error(
      ErrorKind::usage,
      concat("release ", release.version.text(), " is of the layer ", quote(pins->name),
             ", which lies over that of the patchset ", quote(patchset), ": its certificates would not hold there"),
      concat("leave that layer out, or copy ", patchset_path(patchset),
             " into it without its certificates and proofs, with '\"replaces\": DIGEST' in patchset.json"));
}

void refuse_work(const std::string& message, const std::string& hint) { throw Error(ErrorKind::patch, message, hint); }

void check_unchanged(const PatchWork& state, const Catalog& catalog, const std::string& hint) {
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

PatchWork read_patch_work(const std::string& work) {
  require_directory(work, concat("the work ", quote(work)), "name a directory that 'patch new' or 'patch edit' wrote");
  const std::string path = state_file(work);
  git::refuse_traps(work, work + "/.git");
  if (!catalog::is_present(path)) {
    throw Error(ErrorKind::environment, concat(quote(work), " was not written by 'patch new' or 'patch edit'"),
                concat("there is no ", quote(path)));
  }
  Findings findings;
  PatchWork state = read_json<PatchWork>(read_file(path), path, findings);
  findings.raise_if_any("reading the state of the work");
  return state;
}

}  // namespace torchpatch::upkeep
