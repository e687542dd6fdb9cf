// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/port.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "catalog/data_file.h"
#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/edit/entries.h"

namespace torchpatch::upkeep {

FIELDS(PortWork, ("schema", SchemaVersion{1}), from, from_release, messages, removed,
       ("laid", self.carried, Range{0, 1000}), has_conflict, ("behind", self.behind, kCommitRule, kMayBeEmpty),
       ("upstream", self.upstream, kOptional))

namespace {

/// Suffix of an incomplete work, which is renamed when complete.
constexpr std::string_view kHalfWork = ".half-port";

std::string port_file(const std::string& work) { return work + "/.git/torchpatch-port.json"; }
/// git commit reads its message from there.
std::string message_file(const std::string& work) { return work + "/.git/MERGE_MSG"; }

void write_port_work(const std::string& directory, const PortWork& work) {
  write_patch_work(directory, work.state);
  write_file_atomically(port_file(directory), file_bytes(work, port_file(directory)));
}

/// Path in the work → file, or nothing.
using WorkFiles = std::map<std::string, std::optional<patch::TreeFile>>;

bool is_folder(const std::string& path) { return std::filesystem::is_directory(std::filesystem::symlink_status(path)); }

/// Writes files; they replace folders, and folders for other files replace files.
void write_work_files(const WorkFiles& files, const WorkRepository& repository) {
  for (const auto& [path, file] : files)
    if (!file && catalog::is_present(repository.path(path))) remove_tree(repository.path(path));
  for (const auto& [path, file] : files) {
    if (!file) continue;
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      if (const std::string above = repository.path(path.substr(0, slash)); !is_folder(above)) remove_tree(above);
    write_work_file(repository.path(path), *file);
  }
}

/// Returns the path of a conflict's merged file: the new one if it was renamed.
const std::string& place_of(const PortConflict& conflict) {
  return conflict.new_path.empty() ? conflict.path : conflict.new_path;
}

/// Writes the newer release's pinned files, and the older release's version of files in conflict.
void write_pinned_files(const CarriedVariant& carried, const Release& release, const WorkRepository& repository,
                        PatchWork& state) {
  WorkFiles pinned;
  std::set<WorkFile> files;
  const auto add = [&](const RepositoryPath& of, const std::string& path, const std::optional<patch::TreeFile>& file) {
    files.insert({of, path});
    pinned.try_emplace(work_path({of, path}), file);  // the one before the first patch on it
  };
  for (std::size_t i = 0; i < carried.patches.size(); ++i) {
    const RepositoryPath& of = state.patches[i].repository;
    for (const CarriedFile& file : carried.patches[i].files) add(of, file.path, file.before);
    for (const MergedFile& conflict : carried.patches[i].conflicts) add(of, place_of(conflict.what), conflict.theirs);
  }
  for (const auto& [of, rest] : carried.rest)
    for (const auto& [path, file] : rest) add(of, path, file);
  state.files.assign(files.begin(), files.end());
  state.pins = pins_of_work(release, state);
  write_work_files(pinned, repository);
  state.base = repository.commit(concat("The pinned files of ", state.version, "\n"));
}

/// Leaves a patch with conflicts to a person, with the branches base, ours, theirs and words.
void write_conflicts(const std::string& directory, const CarriedPatch& patch, WorkFiles merged, PortWork& work,
                     const WorkRepository& repository) {
  const std::string before = repository.head();
  WorkFiles base, ours, words;
  std::string stages;  // input of git update-index --index-info
  for (const MergedFile& conflict : patch.conflicts) {
    const PortConflict& what = conflict.what;
    if (what.kind == PortConflictKind::repository) {
      work.removed.push_back({what.repository, ""});
      continue;
    }
    if (what.kind == PortConflictKind::removed) work.removed.push_back({what.repository, what.path});
    const std::string place = work_path({what.repository, place_of(what)});
    const std::string old_place = work_path({what.repository, what.path});
    base[place] = ours[place] = std::nullopt;  // they have the old name
    base[old_place] = conflict.base;
    ours[old_place] = conflict.ours;
    if (conflict.merged) merged[place] = conflict.merged;
    if (!conflict.words.empty()) words[place] = patch::TreeFile{conflict.merged->mode, conflict.words};
    // Removes the file from the index, then adds up to three stages.
    stages += concat("0 ", std::string(40, '0'), "\t", place, "\n");
    int number = 0;
    for (const auto* file : {&conflict.base, &conflict.theirs, &conflict.ours}) {
      ++number;
      if (*file)
        stages +=
            concat(name_of((*file)->mode), " ", git_blob_id((*file)->bytes).hex(), " ", number, "\t", place, "\n");
    }
  }
  const auto branch = [&](const std::string& name, const WorkFiles& files, const std::string& parent) {
    repository.reset(parent);
    write_work_files(files, repository);
    repository.set_branch(name, repository.commit(name + "\n"));
  };
  branch("base", base, before);
  branch("ours", ours, repository.branch_tip("base"));
  repository.set_branch("theirs", before);
  if (!words.empty()) branch("words", words, before);
  repository.reset(before);
  write_work_files(merged, repository);
  repository.stage_conflicts(stages);
  write_file_atomically(message_file(directory), work.messages[static_cast<std::size_t>(work.carried)]);
}

/// Writes the ported patches after the first `resolved`.
PatchWork write_patches(const std::string& directory, PortWork work, std::size_t resolved,
                        const CarriedVariant& carried, const WorkRepository& repository) {
  work.carried = static_cast<std::int64_t>(resolved);
  work.has_conflict = false;
  work.behind = carried.patches.empty() ? "" : repository.head();
  write_port_work(directory, work);
  for (const CarriedPatch& patch : carried.patches) {
    const auto index = static_cast<std::size_t>(work.carried);
    WorkPatch& written = work.state.patches[index];
    WorkFiles files;
    for (const CarriedFile& file : patch.files) files[work_path({written.repository, file.path})] = file.after;
    work.has_conflict = !patch.conflicts.empty();
    if (work.has_conflict) {
      write_conflicts(directory, patch, std::move(files), work, repository);
      break;
    }
    write_work_files(files, repository);
    written.commit = repository.commit(work.messages[index]);
    if (patch.commit) work.upstream.push_back({written.file, patch.commit});
    ++work.carried;
  }
  work.behind.clear();
  write_port_work(directory, work);
  return std::move(work.state);
}

/// Returns a file of a work, or nothing; as in git, paths through a link are not in the work.
std::optional<patch::TreeFile> read_work_file(const std::string& directory, const std::string& name) {
  namespace fs = std::filesystem;
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
    if (!is_folder(concat(directory, "/", name.substr(0, slash)))) return std::nullopt;
  const std::string path = concat(directory, "/", name);
  const fs::file_status status = fs::symlink_status(path);
  if (fs::is_symlink(status)) return patch::TreeFile{FileMode::link, fs::read_symlink(path).string()};
  if (!fs::is_regular_file(status)) return std::nullopt;
  const bool is_executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return patch::TreeFile{is_executable ? FileMode::executable : FileMode::regular, read_file(path)};
}

PortWork read_port_work(const std::string& directory) {
  PatchWork state = read_patch_work(directory);
  Findings findings;
  auto work = read_json<PortWork>(read_file(port_file(directory)), port_file(directory), findings);
  findings.raise_if_any("reading the state of the work");
  work.state = std::move(state);
  return work;
}

/// Raises UnfitWork if part of the conflict is unresolved.
void check_resolved(const std::string& directory, const PortWork& work, const WorkRepository& repository,
                    bool drops_removed) {
  std::set<std::string> folders;
  for (const WorkFile& file : work.state.files) folders.insert(repository_directory(file.repository));
  const std::string files = repository.tree_of_files();
  for (const std::string& folder : folders)  // ignores marker-like lines in the release's own files
    check_conflict_marks(repository.diff(work.state.base, files, folder), folder + "/");
  for (const WorkFile& file : work.removed) {
    const std::string path = file.path.empty() ? repository_directory(file.repository) : work_path(file);
    if (drops_removed || catalog::is_present(concat(directory, "/", path))) continue;
    throw UnfitWork(concat("upstream removed ", quote(path), ", which the patch changes"),
                    "move its change to the new place, then run with --continue --drop");
  }
  // A binary file, one created by both, or a removed one has no markers that show whether a person reviewed it.
  for (const auto& [path, theirs] : repository.unmerged()) {
    const auto content = read_work_file(directory, path);
    const bool is_removed = std::ranges::count(work.removed, path, work_path) > 0;  // as requested
    if (content ? git_blob_id(content->bytes).hex() != theirs : is_removed) continue;
    throw UnfitWork(concat(quote(path), content ? " is unchanged from the release: the patch's change is missing"
                                                : " does not exist"),
                    concat("add the change from 'git show :3:", path,
                           "'; if the file is right as it is, 'git add' it, or 'git rm' it if it should be removed"));
  }
}

/// Commits a person's changes if that was not done yet; returns the number of patches with a commit.
std::size_t commit_resolved(const std::string& directory, const PortWork& work, const WorkRepository& repository) {
  const auto carried = static_cast<std::size_t>(work.carried), expected = carried + (work.has_conflict ? 1 : 0);
  std::size_t patches = 0;
  for (const WorkCommit& commit : repository.commits_since(work.state.base))
    patches += patch_named_in(commit.message).empty() ? 0 : 1;
  const bool has_message = catalog::is_present(message_file(directory));  // git commit removes it
  if (work.has_conflict && patches == carried) {
    // Otherwise the patch in conflict has no commit and no changes, or a commit that does not name it.
    const std::string head = repository.head();
    if (has_message ||
        (head == repository.branch_tip("theirs") && repository.tree_of_files() != repository.tree_of(head))) {
      repository.commit(work.messages.at(carried));
      ++patches;
    }
  }
  if (has_message) remove_tree(message_file(directory));
  if (patches == expected) return patches;
  throw UnfitWork(
      concat("the work has commits for ", patches, " patches, not for ", expected, ", up to ",
             quote(work.state.patches.at(expected - 1).file)),
      "the message of a patch's commit has the line 'Patch-File: NAME'; 'git commit --amend' changes the last "
      "one, 'git reflog' has what was there before, and on the branch work 'git cherry-pick --no-commit ours' "
      "recreates a dropped conflict");
}

}  // namespace

bool is_port_work(const std::string& work) { return catalog::is_present(port_file(work)); }

bool is_half_port_work(const std::string& path) { return ends_with(path, kHalfWork); }

PatchWork begin_port_work(const std::string& work, const CarryTask& task, const CarriedVariant& carried,
                          const WorkOrigin& origin, const std::string& directory) {
  PortWork begun;
  begun.from = task.variant->id;
  begun.from_release = carried.from_release;
  PatchWork& state = begun.state;
  state.patchset = task.patchset->id;
  state.variant = task.new_variant;
  state.version = task.to->version.text();
  state.directory = real_path(directory);
  state.origin = origin;
  state.described = sha256(read_file(patchset_folder(directory, state.patchset) + "/patchset.json")).hex();
  for (const Patch& patch : task.variant->patches) {
    const std::string file = concat(task.new_variant, "/", base_name(patch.file));
    state.patches.push_back({file, patch.repository, "", ""});
    begun.messages.push_back(commit_message(patch::parse_patch(patch.text, patch.file).preamble, file));
  }
  const std::string half = concat(work, kHalfWork);
  remove_tree(half);
  make_directories(half);
  const WorkRepository repository(half);
  repository.create();
  write_pinned_files(carried, *task.to, repository, state);
  PatchWork written = write_patches(half, std::move(begun), 0, carried, repository);
  if (::rename(half.c_str(), work.c_str()) != 0)
    throw system_error(concat("renaming ", quote(half), " to ", quote(work)));
  return written;
}

PatchWork continue_port_work(const std::string& work, const ResolvedWork& resolved, const CarriedVariant& carried) {
  PortWork continued = resolved.work;
  continued.removed.clear();
  return write_patches(work, std::move(continued), resolved.patches, carried, WorkRepository(work));
}

bool has_resolved_conflict(const std::string& work) {
  try {
    const PortWork found = read_port_work(work);
    if (!found.has_conflict || !found.behind.empty()) return false;
    check_resolved(work, found, WorkRepository(work), false);
    return true;
  } catch (const Error&) {  // or damaged
    return false;
  }
}

ResolvedWork resolve_port_work(const std::string& work, bool drops_removed) {
  ResolvedWork resolved;
  resolved.work = read_port_work(work);
  const WorkRepository repository(work);
  if (!resolved.work.behind.empty()) {  // partial output of a killed run
    repository.unlock();
    repository.reset(resolved.work.behind);
    remove_tree(message_file(work));
  }
  check_resolved(work, resolved.work, repository, drops_removed);
  resolved.patches = commit_resolved(work, resolved.work, repository);
  for (const WorkFile& file : resolved.work.state.files)
    resolved.changes[file.repository][file.path] = read_work_file(work, work_path(file));
  return resolved;
}

}  // namespace torchpatch::upkeep
