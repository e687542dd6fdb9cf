// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <set>

#include "catalog/data_file.h"
#include "catalog/marked_places.h"
#include "model/text_rules.h"
#include "patch/patch_file.h"
#include "source/closure/pinned_lookup.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/edit/patch_work.h"
#include "upkeep/edit/work_repository.h"
#include "upkeep/edit/work_state.h"

namespace torchpatch::upkeep {

namespace {

using WorkTree = std::map<WorkFile, patch::TreeFile>;

/// The files of one repository of the work, as patches change them.
class WorkTreeFiles : public patch::FileSource {
 public:
  WorkTreeFiles(const WorkTree& tree, const RepositoryPath& repository) : tree_(tree), repository_(repository) {}

  std::optional<patch::TreeFile> read(const std::string& path) override {
    const auto found = tree_.find({repository_, path});
    return found == tree_.end() ? std::nullopt : std::optional(found->second);
  }
  bool is_directory(const std::string& path) override {
    return std::ranges::any_of(tree_, [&](const auto& each) {
      return each.first.repository == repository_ && starts_with(each.first.path, path + "/");
    });
  }

 private:
  const WorkTree& tree_;
  const RepositoryPath& repository_;
};

/// Reads the pinned files of the work, in a worker process.
std::string read_work_files(const Release& release, const std::vector<SubmoduleOverride>& overrides,
                            const std::vector<WorkFile>& files, source::PinnedLookup& lookup) {
  WireWriter writer;
  for (const WorkFile& file : files) {
    const source::LocatedRepository* repository = lookup.find_repository(release, file.repository, overrides);
    if (!repository) {
      throw Error(ErrorKind::usage,
                  concat("release ", release.version.text(), " has no repository ", quote(file.repository.text())),
                  "a submodule is named by its path, as in torch:third_party/onnx");
    }
    trees::LookupFiles pinned(lookup, *repository);
    const std::optional<patch::TreeFile> found = pinned.read(file.path);
    if (pinned.is_directory(file.path) || (found && found->mode == FileMode::gitlink))
      throw Error(ErrorKind::usage, concat(quote(file.path), " of ", file.repository.text(), " is no file"),
                  "name files; those of a submodule with the submodule as --repository");
    writer.put(found.has_value());
    writer.put(found ? found->mode : FileMode::regular);
    writer.put(found ? found->bytes : std::string());
  }
  return writer.take();
}

WorkTree pinned_files(const Catalog& catalog, const Release& release, const std::vector<SubmoduleOverride>& overrides,
                      const std::vector<WorkFile>& files, source::ObjectSource& source, Console& console) {
  const std::vector<source::LookupResult> results = source::run_lookups(
      1, [&](source::PinnedLookup& lookup, std::size_t) { return read_work_files(release, overrides, files, lookup); },
      catalog.moved_repositories, source, 1, console);
  if (!results[0].missing.empty()) {
    std::vector<std::string> lines;
    for (const source::MissingPin& pin : results[0].missing) lines.push_back(source::missing_text(pin));
    source::raise_missing("reading what the patches touch", lines, source, source.hint());
  }
  WorkTree tree;
  WireReader reader(results[0].bytes);
  for (const WorkFile& file : files) {
    const bool is_there = reader.get<bool>();
    const auto mode = reader.get<FileMode>();
    auto bytes = reader.get<std::string>();
    if (is_there) tree[file] = {mode, std::move(bytes)};
  }
  return tree;
}

/// Applies a patch to the files in memory; returns what it changes.
patch::Changes apply_to_work(const Patch& patch, const std::string& name, WorkTree& tree) {
  WorkTreeFiles files(tree, patch.repository);
  patch::Applied applied = patch::apply_patch(patch::parse_patch(patch.text, name), files);
  for (const auto& [path, file] : applied.changes) {
    tree.erase({patch.repository, path});
    if (file) tree[{patch.repository, path}] = *file;
  }
  return std::move(applied.changes);
}

void write_work_changes(const patch::Changes& changes, const RepositoryPath& of, const WorkRepository& repository) {
  for (const auto& [path, file] : changes) {
    const std::string place = repository.path(work_path({of, path}));
    if (file)
      write_work_file(place, *file);
    else
      remove_tree(place);
  }
}

/// What a new patch begins with.
std::string blank_header(const std::string& today) {
  const std::string mark = concat(catalog::kMarker, ": ");
  return concat("Description: ", mark, "what the patch does, in one line\n ", mark,
                "why, in as many lines as it needs\nOrigin: other, ", mark,
                "who made it, or where it is from\nBug: ", mark,
                "a link to a report\nForwarded: no\nLast-Update: ", today, "\nSPDX-License-Identifier: BSD-3-Clause\n");
}

std::set<WorkFile> files_of_patches(const std::vector<Patch>& patches) {
  std::set<WorkFile> files;
  for (const Patch& patch : patches) {
    for (const patch::FilePatch& file : patch::parse_patch(patch.text, patch.file).files)
      for (const std::string& path : {file.old_path, file.new_path})
        if (!path.empty()) files.insert({patch.repository, path});
  }
  return files;
}

/// A variant of which nobody else has a patch: its bytes can be changed.
const Variant& variant_to_edit(const Patchset& patchset, const std::string& id, const Version& version) {
  const Variant& variant = variant_named(patchset, id);
  if (variant.patches.empty())
    throw Error(ErrorKind::usage, concat("variant ", quote(id), " of ", patchset.id, " has no patches"));
  if (!variant.releases.contains(version)) {
    throw Error(ErrorKind::usage,
                concat("variant ", quote(id), " of ", patchset.id, " is not for ", version.text(), ", but for ",
                       variant.releases.text()),
                concat("'torchpatch show patchset ", patchset.id, "' shows its variants"));
  }
  for (const Variant& other : patchset.variants) {
    for (const Patch& patch : other.patches) {
      if (&other != &variant && std::ranges::count(variant.patches, patch.file, &Patch::file) > 0) {
        throw Error(ErrorKind::usage,
                    concat("the variants ", quote(id), " and ", quote(other.id), " of ", patchset.id,
                           " share the patch ", quote(patch.file)),
                    "give the one that is to change a file of its own first");
      }
    }
  }
  return variant;
}

void check_new_patchset(const NewPatchWork& wanted, const Catalog& catalog) {
  if (!kIdRule.holds(wanted.patchset))
    throw Error(ErrorKind::usage, concat(quote(wanted.patchset), " is not ", kIdRule.description));
  if (catalog.patchsets.contains(wanted.patchset) ||
      catalog::is_present(patchset_folder(wanted.into, wanted.patchset))) {
    throw Error(ErrorKind::usage, concat("the patchset ", quote(wanted.patchset), " is there already"),
                "choose another id; 'torchpatch patch edit' changes a patch that is there");
  }
}

void make_work_directory(const std::string& work) {
  make_directories(work);
  if (!list_directory(work).empty())
    throw Error(ErrorKind::environment, concat(quote(work), " is not empty"), "name a new directory with --work");
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
  const Variant* const variant =
      is_new ? nullptr : &variant_to_edit(catalog.patchset(wanted.patchset), wanted.variant, release.version);
  if (!is_new) check_layer_of_release(catalog, wanted.patchset, release, layers);
  PatchWork state;
  state.patchset = wanted.patchset;
  state.variant = is_new ? release.version.text() : wanted.variant;
  state.version = release.version.text();
  state.directory = real_path(is_new ? wanted.into : patchset_directory(wanted.patchset, layers));
  state.origin = wanted.origin;
  if (!is_new) state.described = file_digest(patchset_folder(state.directory, state.patchset) + "/patchset.json");
  const std::vector<Patch> patches = variant ? variant->patches : std::vector<Patch>{};
  std::set<WorkFile> files = files_of_patches(patches);
  for (const std::string& path : wanted.files)
    files.insert({variant ? patches.back().repository : wanted.repository, path});
  state.files.assign(files.begin(), files.end());
  state.pins = pins_of_work(release, state);

  WorkTree tree = pinned_files(catalog, release, variant ? variant->overrides : std::vector<SubmoduleOverride>{},
                               state.files, source, console);
  const WorkTree pinned = tree;
  std::vector<patch::Changes> changes;
  for (const Patch& patch : patches)
    changes.push_back(apply_to_work(patch, concat(state.patchset, "/", patch.file), tree));
  make_work_directory(wanted.work);
  const WorkRepository repository(wanted.work);
  repository.create();
  for (const auto& [place, file] : pinned) write_work_file(repository.path(work_path(place)), file);
  state.base = repository.commit(concat("The pinned files of ", state.version, "\n"));
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const Patch& patch = patches[i];
    write_work_changes(changes[i], patch.repository, repository);
    const std::string message = commit_message(patch::parse_patch(patch.text, patch.file).preamble, patch.file);
    state.patches.push_back({patch.file, patch.repository, patch.sha256.hex(), repository.commit(message)});
  }
  if (is_new) {
    const std::string file = concat(state.variant, "/0001-", state.patchset, ".patch");
    state.patches.push_back(
        {file, wanted.repository, "", repository.commit(commit_message(blank_header(wanted.today), file))});
  }
  write_patch_work(wanted.work, state);
  return state;
}

}  // namespace torchpatch::upkeep
