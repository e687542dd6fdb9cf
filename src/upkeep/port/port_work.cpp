// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/port_work.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "catalog/data_file.h"
#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/json_fields.h"
#include "support/text.h"
#include "upkeep/edit/made_patches.h"
#include "upkeep/edit/work_state.h"

namespace torchpatch::upkeep {

template <typename Fields>
void fields(Fields& f, PortWork& work) {
  f.schema(1);
  f("from", work.from);
  f("from_release", work.from_release);
  f("messages", work.messages);
  f("removed", work.removed);
  f("laid", InRange<std::int64_t>{work.laid, 0, 1000});
  f("has_conflict", work.has_conflict);
  f("behind", CommitName{work.behind});
  f.optional("upstream", work.upstream);
}

namespace {

std::string port_file(const std::string& work) { return work + "/.git/torchpatch-port.json"; }
/// A work that is not whole yet: it takes its name at once.
constexpr std::string_view kHalfWork = ".half-port";
/// git commit takes its message from there.
std::string message_file(const std::string& work) { return work + "/.git/MERGE_MSG"; }

void write_port_state(const std::string& work, const PatchWork& state, const PortWork& port) {
  write_patch_work(work, state);
  write_file_atomically(port_file(work), canonical_json(to_json(port), port_file(work)));
}

/// The file of a patch in the new variant's folder.
std::string file_in_variant(const std::string& variant, const std::string& file) {
  return concat(variant, "/", base_name(file));
}

/// One side of some files: path in the work → file, or nothing.
using WorkSide = std::map<std::string, std::optional<patch::TreeFile>>;

bool is_folder(const std::string& path) { return std::filesystem::is_directory(std::filesystem::symlink_status(path)); }

/// A file gives way to a folder that another one needs, and a folder to a file.
void lay_side(const WorkSide& side, const WorkRepository& repository) {
  for (const auto& [path, file] : side)
    if (!file && catalog::is_present(repository.path(path))) remove_tree(repository.path(path));
  for (const auto& [path, file] : side) {
    if (!file) continue;
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      if (const std::string above = repository.path(path.substr(0, slash)); !is_folder(above)) remove_tree(above);
    write_work_file(repository.path(path), *file);
  }
}

/// Where the merged file of a conflict lies: under its new name, where it has one.
const std::string& place_of(const FileConflict& conflict) {
  return conflict.what.new_path.empty() ? conflict.what.path : conflict.what.new_path;
}

std::string work_place(const PortConflict& conflict, const std::string& path) {
  return work_path({conflict.repository, path});
}

/// Writes a work, patch by patch.
class PortWorkWriter {
 public:
  PortWorkWriter(std::string work, PatchWork state, PortWork port, const CarriedVariant& carried)
      : work_(std::move(work)),
        repository_(work_),
        state_(std::move(state)),
        port_(std::move(port)),
        carried_(carried) {}

  /// Writes the pinned files of the newer release, and what the older one has of the files in conflict.
  void begin(const Release& release) {
    make_directories(work_);
    repository_.create();
    WorkSide theirs;
    std::set<WorkFile> files;
    for (std::size_t i = 0; i < carried_.patches.size(); ++i) add_pinned(i, theirs, files);
    for (const PinnedFile& file : carried_.rest) {
      files.insert({file.repository, file.path});
      theirs.try_emplace(work_path({file.repository, file.path}), file.file);
    }
    state_.files.assign(files.begin(), files.end());
    state_.pins = pins_of_work(release, state_);
    lay_side(theirs, repository_);
    state_.base = repository_.commit(concat("The pinned files of ", state_.version, "\n"));
  }

  /// Lays the carried patches behind the first `settled`.
  PatchWork lay(std::size_t settled) {
    port_.laid = static_cast<std::int64_t>(settled);
    port_.has_conflict = false;
    port_.behind = carried_.patches.empty() ? "" : repository_.head();
    write_port_state(work_, state_, port_);
    for (std::size_t i = 0; i < carried_.patches.size(); ++i) lay_patch(carried_.patches[i], settled + i);
    port_.behind.clear();
    write_port_state(work_, state_, port_);
    return std::move(state_);
  }

 private:
  void add_pinned(std::size_t index, WorkSide& theirs, std::set<WorkFile>& files) {
    const RepositoryPath& repository = state_.patches[index].repository;
    const auto add = [&](const std::string& path, const std::optional<patch::TreeFile>& file) {
      files.insert({repository, path});
      theirs.try_emplace(work_path({repository, path}), file);  // that before the first patch on it
    };
    for (const CarriedFile& file : carried_.patches[index].files) add(file.path, file.before);
    for (const FileConflict& conflict : carried_.patches[index].conflicts) add(place_of(conflict), conflict.theirs);
  }

  void lay_patch(const CarriedPatch& patch, std::size_t index) {
    port_.has_conflict = !patch.conflicts.empty();
    if (port_.has_conflict) return lay_conflict(patch, index);
    lay_side(carried_files(patch, index), repository_);
    state_.patches[index].commit = repository_.commit(port_.messages[index]);
    if (patch.commit) port_.upstream.push_back({state_.patches[index].file, patch.commit});
    ++port_.laid;
  }

  WorkSide carried_files(const CarriedPatch& patch, std::size_t index) const {
    WorkSide side;
    for (const CarriedFile& file : patch.files)
      side[work_path({state_.patches[index].repository, file.path})] = file.after;
    return side;
  }

  void lay_conflict(const CarriedPatch& patch, std::size_t index) {
    const std::string before = repository_.head();
    WorkSide base, ours, words, merged = carried_files(patch, index);
    std::string stages;
    for (const FileConflict& conflict : patch.conflicts) {
      const PortConflict& what = conflict.what;
      if (what.kind == PortConflictKind::repository) port_.removed.push_back({what.repository, ""});
      if (what.kind == PortConflictKind::repository) continue;
      const std::string place = work_place(what, place_of(conflict));
      base[place] = ours[place] = std::nullopt;  // they have the old name
      base[work_place(what, what.path)] = conflict.base;
      ours[work_place(what, what.path)] = conflict.ours;
      if (conflict.merged) merged[place] = conflict.merged;
      if (!conflict.words.empty()) words[place] = patch::TreeFile{conflict.merged->mode, conflict.words};
      add_stages(conflict, place, stages);
      if (what.kind == PortConflictKind::removed) port_.removed.push_back({what.repository, what.path});
    }
    branch("base", base, before);
    branch("ours", ours, repository_.branch_tip("base"));
    repository_.set_branch("theirs", before);
    if (!words.empty()) branch("words", words, before);
    repository_.reset(before);
    lay_side(merged, repository_);
    repository_.stage_conflicts(stages);
    write_file_atomically(message_file(work_), port_.messages[index]);
  }

  void branch(const std::string& name, const WorkSide& side, const std::string& parent) {
    repository_.reset(parent);
    lay_side(side, repository_);
    repository_.set_branch(name, repository_.commit(name + "\n"));
  }

  /// As git update-index --index-info takes them: the file leaves the index, and comes back in up to three states.
  static void add_stages(const FileConflict& conflict, const std::string& place, std::string& stages) {
    stages += concat("0 ", std::string(40, '0'), "\t", place, "\n");
    const std::optional<patch::TreeFile>* const states[] = {&conflict.base, &conflict.theirs, &conflict.ours};
    for (int i = 0; i < 3; ++i)
      if (const auto& file = *states[i])
        stages +=
            concat(file_mode_text(file->mode), " ", git_blob_id(file->bytes).hex(), " ", i + 1, "\t", place, "\n");
  }

  std::string work_;
  WorkRepository repository_;
  PatchWork state_;
  PortWork port_;
  const CarriedVariant& carried_;
};

/// Returns a file of a work as it is, or nothing; as for git, what lies behind a link is not in the work.
std::optional<patch::TreeFile> read_work_file(const std::string& work, const std::string& name) {
  namespace fs = std::filesystem;
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
    if (!is_folder(concat(work, "/", name.substr(0, slash)))) return std::nullopt;
  const std::string path = concat(work, "/", name);
  const fs::file_status status = fs::symlink_status(path);
  if (fs::is_symlink(status)) return patch::TreeFile{FileMode::link, fs::read_symlink(path).string()};
  if (!fs::is_regular_file(status)) return std::nullopt;
  const bool is_executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return patch::TreeFile{is_executable ? FileMode::executable : FileMode::regular, read_file(path)};
}

void refuse_removed(const std::string& work, const PortWork& port, bool drops_removed) {
  if (drops_removed) return;
  for (const WorkFile& file : port.removed) {
    const std::string path = file.path.empty() ? repository_directory(file.repository) : work_path(file);
    if (catalog::is_present(concat(work, "/", path))) continue;
    refuse_work(concat("upstream removed ", quote(path), ", which the patch changes"),
                "put its change where it belongs now, and go on with --continue --drop");
  }
}

/// A binary file, or one that both have, has no marks that would tell whether somebody looked at it; nor has one that
/// is gone.
void refuse_untouched(const std::string& work, const PortWork& port, const WorkRepository& repository) {
  for (const auto& [path, theirs] : repository.unmerged()) {
    const auto content = read_work_file(work, path);
    const bool is_removed = std::ranges::count(port.removed, path, work_path) > 0;  // that was asked for
    if (content ? git_blob_id(content->bytes).hex() != theirs : is_removed) continue;
    refuse_work(
        concat(quote(path), content ? " is as the release has it, without the patch's change" : " is not there"),
        concat("put the change in, from 'git show :3:", path,
               "'; where it is right as it is, 'git add' it, or 'git rm' where it is to be gone"));
  }
}

std::size_t count_patches(const WorkRepository& repository, const std::string& base) {
  const std::vector<WorkCommit> commits = repository.commits_since(base);
  return static_cast<std::size_t>(
      std::ranges::count_if(commits, [](const WorkCommit& commit) { return !patch_named_in(commit.message).empty(); }));
}

/// Whether nobody committed the patch in conflict and nothing of it is there, or it has a commit that does not name it.
bool is_taken_back(const WorkRepository& repository) {
  const std::string head = repository.head();
  return head != repository.branch_tip("theirs") || repository.tree_of_files() == repository.tree_of(head);
}

/// Commits what a person did, where nobody has; returns how many patches have a commit then.
std::size_t commit_settled(const std::string& work, const PatchWork& state, const PortWork& port,
                           const WorkRepository& repository) {
  const std::size_t laid = static_cast<std::size_t>(port.laid), expected = laid + (port.has_conflict ? 1 : 0);
  std::size_t patches = count_patches(repository, state.base);
  const bool has_message = catalog::is_present(message_file(work));  // git commit takes it away
  if (port.has_conflict && patches == laid && (has_message || !is_taken_back(repository))) {
    repository.commit(port.messages.at(laid));
    ++patches;
  }
  if (has_message) remove_tree(message_file(work));
  if (patches == expected) return patches;
  refuse_work(concat("the work has commits for ", patches, " patches, not for ", expected, ", up to ",
                     quote(state.patches.at(expected - 1).file)),
              "the message of a patch's commit has the line 'Patch-File: NAME'; 'git commit --amend' changes the last "
              "one, 'git reflog' has what was there before, and on the branch work 'git cherry-pick --no-commit ours' "
              "lays a conflict again that was taken back");
}

/// Takes back what a run that was ended by force had begun to write.
void take_back_half_written(const std::string& work, PortWork& port, const WorkRepository& repository) {
  if (port.behind.empty()) return;
  repository.unlock();
  repository.reset(port.behind);
  remove_tree(message_file(work));
}

/// Lines like marks that the release's own files have are none.
void refuse_marks(const PatchWork& state, const WorkRepository& repository) {
  std::set<std::string> folders;
  for (const WorkFile& file : state.files) folders.insert(repository_directory(file.repository));
  const std::string files = repository.tree_of_files();
  for (const std::string& folder : folders)
    check_conflict_marks(repository.diff(state.base, files, folder), folder + "/");
}

SettledWork read_work(const std::string& work) {
  SettledWork found;
  found.state = read_patch_work(work);
  Findings findings;
  found.port = read_json<PortWork>(read_file(port_file(work)), port_file(work), findings);
  findings.raise_if_any("reading the state of the work");
  return found;
}

void refuse_unsettled(const std::string& work, const SettledWork& found, bool drops_removed) {
  const WorkRepository repository(work);
  refuse_marks(found.state, repository);
  refuse_removed(work, found.port, drops_removed);
  refuse_untouched(work, found.port, repository);
}

}  // namespace

bool is_port_work(const std::string& work) { return catalog::is_present(port_file(work)); }

bool is_half_port_work(const std::string& path) { return ends_with(path, kHalfWork); }

PatchWork begin_port_work(const std::string& work, const PortCase& of, const CarriedVariant& carried,
                          const WorkOrigin& origin, const std::string& directory) {
  PatchWork state;
  state.patchset = of.patchset->id;
  state.variant = of.new_variant;
  state.version = of.to->version.text();
  state.directory = real_path(directory);
  state.origin = origin;
  state.described = file_digest(patchset_folder(directory, state.patchset) + "/patchset.json");
  PortWork port{of.variant->id, carried.from_release, {}, {}, 0, false, ""};
  for (const Patch& patch : of.variant->patches) {
    const std::string file = file_in_variant(of.new_variant, patch.file);
    state.patches.push_back({file, patch.repository, "", ""});
    port.messages.push_back(commit_message(patch::parse_patch(patch.text, patch.file).preamble, file));
  }
  const std::string half = concat(work, kHalfWork);
  remove_tree(half);
  PortWorkWriter writer(half, std::move(state), std::move(port), carried);
  writer.begin(*of.to);
  PatchWork laid = writer.lay(0);
  if (::rename(half.c_str(), work.c_str()) != 0)
    throw system_error(concat("renaming ", quote(half), " to ", quote(work)));
  return laid;
}

PatchWork continue_port_work(const std::string& work, SettledWork settled, const CarriedVariant& carried) {
  settled.port.removed.clear();
  return PortWorkWriter(work, std::move(settled.state), std::move(settled.port), carried).lay(settled.patches);
}

bool has_settled_conflict(const std::string& work) {
  try {
    const SettledWork found = read_work(work);
    if (!found.port.has_conflict || !found.port.behind.empty()) return false;
    refuse_unsettled(work, found, false);
    return true;
  } catch (const Error&) {  // or it is damaged
    return false;
  }
}

SettledWork settle_port_work(const std::string& work, bool drops_removed) {
  SettledWork settled = read_work(work);
  const WorkRepository repository(work);
  take_back_half_written(work, settled.port, repository);
  refuse_unsettled(work, settled, drops_removed);
  settled.patches = commit_settled(work, settled.state, settled.port, repository);
  for (const WorkFile& file : settled.state.files)
    settled.changes[file.repository][file.path] = read_work_file(work, work_path(file));
  return settled;
}

}  // namespace torchpatch::upkeep
