// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "model/text_rules.h"
#include "patch/patch_file.h"
#include "source/closure/pinned_lookup.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/edit/entries.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::upkeep {

namespace {

/// A source without files.
struct NoFiles : patch::FileSource {
  std::optional<patch::TreeFile> read(const std::string&) override { return std::nullopt; }
  bool is_directory(const std::string&) override { return false; }
};

/// Returns the pinned files of the work; reads in a worker process.
std::map<RepositoryPath, patch::Changes> pinned_files(const Catalog& catalog, const Release& release,
                                                      const std::vector<SubmoduleOverride>& overrides,
                                                      const std::vector<WorkFile>& files, source::ObjectSource& source,
                                                      Console& console) {
  const auto task = [&](source::PinnedLookup& lookup, std::size_t) {
    std::map<RepositoryPath, patch::Changes> found;
    for (const WorkFile& file : files) {
      const source::LocatedRepository* repository = lookup.find_repository(release, file.repository, overrides);
      if (!repository)
        throw Error(ErrorKind::usage,
                    concat("release ", release.version.text(), " has no repository ", quote(file.repository.text())),
                    "give a submodule by its path, as in torch:third_party/onnx");
      trees::LookupFiles pinned(lookup, *repository);
      std::optional<patch::TreeFile> content = pinned.read(file.path);
      if (pinned.is_directory(file.path) || (content && content->mode == FileMode::gitlink))
        throw Error(ErrorKind::usage, concat(quote(file.path), " of ", file.repository.text(), " is not a file"),
                    "pass files; for files of a submodule, pass it as --repository");
      if (content) found[file.repository][file.path] = std::move(content);
    }
    return to_wire(found);
  };
  const source::LookupResult result =
      source::run_lookups(1, task, catalog.moved_repositories, source, 1, console).front();
  if (!result.missing.empty())
    source::raise_missing("reading what the patches touch", collect(result.missing, source::missing_text), source,
                          source.hint());
  return from_wire<std::map<RepositoryPath, patch::Changes>>(result.bytes);
}

/// Returns the header of a new patch.
std::string blank_header(const std::string& today) {
  const std::string mark = concat(catalog::kMarker, ": ");
  return concat("Description: ", mark, "what the patch does, in one line\n ", mark,
                "why, in as many lines as needed\nOrigin: other, ", mark, "author or source\nBug: ", mark,
                "a link to a report\nForwarded: no\nLast-Update: ", today, "\nSPDX-License-Identifier: BSD-3-Clause\n");
}

/// Returns the variant, which must not share its patches with others, as their bytes will change.
const Variant& variant_to_edit(const Patchset& patchset, const std::string& id, const Version& version) {
  const Variant& variant = variant_named(patchset, id);
  if (variant.patches.empty())
    throw Error(ErrorKind::usage, concat("variant ", quote(id), " of ", patchset.id, " has no patches"));
  if (!variant.releases.contains(version))
    throw Error(ErrorKind::usage,
                concat("variant ", quote(id), " of ", patchset.id, " is not for ", version.text(), ", but for ",
                       variant.releases.text()),
                concat("'torchpatch show patchset ", patchset.id, "' lists its variants"));
  for (const Variant& other : patchset.variants)
    for (const Patch& patch : other.patches)
      if (&other != &variant && std::ranges::count(variant.patches, patch.file, &Patch::file) > 0)
        throw Error(ErrorKind::usage,
                    concat("the variants ", quote(id), " and ", quote(other.id), " of ", patchset.id,
                           " share the patch ", quote(patch.file)),
                    "first give the one to change its own file");
  return variant;
}

void check_new_patchset(const NewPatchWork& wanted, const Catalog& catalog) {
  if (!kIdRule.holds(wanted.patchset))
    throw Error(ErrorKind::usage, concat(quote(wanted.patchset), " is not ", kIdRule.description));
  if (catalog.patchsets.contains(wanted.patchset) || catalog::is_present(patchset_folder(wanted.into, wanted.patchset)))
    throw Error(ErrorKind::usage, concat("the patchset ", quote(wanted.patchset), " already exists"),
                "choose another id; 'torchpatch patch edit' changes an existing patch");
}

void check_layer_of_release(const Catalog& catalog, const std::string& patchset, const Release& release,
                            const std::vector<catalog::Layer>& layers) {
  if (const catalog::Layer* const over = layer_over_patchset(catalog, patchset, release.version, layers))
    throw Error(ErrorKind::usage,
                concat("release ", release.version.text(), " belongs to the layer ", quote(over->name),
                       ", which is above the layer of the patchset ", quote(patchset),
                       ": its certificates would not be valid there"),
                concat("omit that layer, or copy patchsets/", patchset,
                       " into it without its certificates and proofs, with '\"replaces\": DIGEST' in patchset.json"));
}

}  // namespace

PatchWork begin_patch_work(const NewPatchWork& wanted, const Catalog& catalog,
                           const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console) {
  const Release& release = catalog.release(wanted.version);
  const bool is_new = wanted.variant.empty();
  for (const std::string& path : wanted.files)
    if (const auto problem = output_path_problem(path))
      throw Error(ErrorKind::usage, concat("the path ", quote(path), " ", *problem));
  if (is_new) check_new_patchset(wanted, catalog);
  const Variant variant =
      is_new ? Variant{} : variant_to_edit(catalog.patchset(wanted.patchset), wanted.variant, release.version);
  if (!is_new) check_layer_of_release(catalog, wanted.patchset, release, layers);
  PatchWork state;
  state.patchset = wanted.patchset;
  state.variant = is_new ? release.version.text() : wanted.variant;
  state.version = release.version.text();
  state.directory = real_path(is_new ? wanted.into : patchset_directory(wanted.patchset, layers));
  state.origin = wanted.origin;
  if (!is_new)
    state.described = sha256(read_file(patchset_folder(state.directory, state.patchset) + "/patchset.json")).hex();

  std::set<WorkFile> files;
  std::vector<patch::PatchFile> parsed;
  for (const Patch& patch : variant.patches) {
    parsed.push_back(patch::parse_patch(patch.text, patch.file));
    for (const patch::FilePatch& file : parsed.back().files)
      for (const std::string& path : {file.old_path, file.new_path})
        if (!path.empty()) files.insert({patch.repository, path});
  }
  for (const std::string& path : wanted.files)
    files.insert({is_new ? wanted.repository : variant.patches.back().repository, path});
  state.files.assign(files.begin(), files.end());
  state.pins = pins_of_work(release, state);

  const auto pinned = pinned_files(catalog, release, variant.overrides, state.files, source, console);
  auto tree = pinned;
  std::vector<patch::Changes> changes;
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    patch::Changes& made = tree[variant.patches[i].repository];
    NoFiles none;
    patch::OverlayFiles before(none, made);
    changes.push_back(patch::apply_patch(parsed[i], before).changes);
    for (const auto& [path, file] : changes.back()) made[path] = file;
  }

  make_directories(wanted.work);
  if (!list_directory(wanted.work).empty())
    throw Error(ErrorKind::environment, concat(quote(wanted.work), " is not empty"),
                "choose a new directory with --work");
  const WorkRepository repository(wanted.work);
  repository.create();
  const auto write = [&](const RepositoryPath& of, const patch::Changes& some) {
    for (const auto& [path, file] : some) {
      const std::string place = repository.path(work_path({of, path}));
      if (file)
        write_work_file(place, *file);
      else
        remove_tree(place);
    }
  };
  for (const auto& [of, some] : pinned) write(of, some);
  state.base = repository.commit(concat("The pinned files of ", state.version, "\n"));
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const Patch& patch = variant.patches[i];
    write(patch.repository, changes[i]);
    const std::string commit = repository.commit(commit_message(parsed[i].preamble, patch.file));
    state.patches.push_back({patch.file, patch.repository, patch.sha256.hex(), commit});
  }
  if (is_new) {
    const std::string file = concat(state.variant, "/0001-", state.patchset, ".patch");
    const std::string commit = repository.commit(commit_message(blank_header(wanted.today), file));
    state.patches.push_back({file, wanted.repository, "", commit});
  }
  write_patch_work(wanted.work, state);
  return state;
}

}  // namespace torchpatch::upkeep
