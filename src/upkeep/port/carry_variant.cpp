// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/carry_variant.h"
#include "support/fields.h"

#include <algorithm>
#include <set>

#include "patch/apply.h"
#include "patch/patch_file.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/port/merge_file.h"

namespace torchpatch {

namespace upkeep {
FIELDS(CarriedFile, path, before, after)
FIELDS(FileConflict, what, base, ours, theirs, merged, words)
FIELDS(CarriedPatch, files, conflicts, commit, is_upstream_by_lines)
FIELDS(PinnedFile, repository, path, file)
FIELDS(CarriedVariant, from_release, is_upstream, is_reversible, applies, commit, patches, rest, taken, unfit)

namespace {

using RepositoryChanges = std::map<RepositoryPath, patch::Changes>;

/// Carries the patches of one variant between two releases.
class Carrier {
 public:
  Carrier(const CarryTask& task, const Release& from, source::PinnedLookup& lookup)
      : task_(task), from_(from), lookup_(lookup), made_(task.settled) {
    for (const Patch& patch : task.variant->patches) parsed_.push_back(patch::parse_patch(patch.text, patch.file));
  }

  CarriedVariant carry() {
    CarriedVariant carried;
    carried.from_release = from_.version.text();
    carried.is_upstream = is_there_without_patches();
    if (carried.is_upstream) return carried;
    judge_overrides(carried);
    if (!carried.unfit.empty()) return carried;
    judge_files(carried);
    carried.applies = parsed_.empty() && carried.taken.empty();
    if (parsed_.empty()) return carried;
    add_settled(carried);
    for (std::size_t i = 0; i < parsed_.size(); ++i) {
      CarriedPatch patch = carry_patch(i);
      if (i < task_.settled_patches) continue;
      carried.patches.push_back(std::move(patch));
      if (carried.patches.back().conflicts.empty()) continue;
      for (std::size_t rest = i + 1; rest < parsed_.size(); ++rest) add_rest(rest, carried);
      break;
    }
    if (task_.settled_patches == 0) judge(carried);
    return carried;
  }

 private:
  const RepositoryPath& repository_of(std::size_t patch) const { return task_.variant->patches[patch].repository; }

  const source::LocatedRepository* find_repository(const Release& release, const RepositoryPath& path) {
    return lookup_.find_repository(release, path, task_.variant->overrides);
  }

  /// An override holds where the release pins what it replaces.
  void judge_overrides(CarriedVariant& carried) {
    for (const SubmoduleOverride& what : task_.variant->overrides) {
      const source::LocatedRepository* const now = lookup_.find_repository(*task_.to, what.repository);
      if (!now)
        carried.taken.push_back({what.repository, "", "", PortConflictKind::repository});
      else if (now->pin.commit != what.replaces)
        carried.unfit.push_back(concat("the release pins ", what.repository.text(), " at ", now->pin.commit.hex(),
                                       ", and variant ", quote(task_.variant->id), " replaces ", what.replaces.hex(),
                                       ": give patchset.json a variant for it, or say in 'ends' why there is none"));
    }
  }

  /// A file has room where upstream has nothing.
  void judge_files(CarriedVariant& carried) {
    for (const AddedFile& file : task_.variant->files) {
      const source::LocatedRepository* const now = find_repository(*task_.to, file.repository);
      if (!now) {
        carried.taken.push_back({file.repository, file.path, "", PortConflictKind::repository});
        continue;
      }
      trees::LookupFiles pinned(lookup_, *now);
      if (pinned.read(file.path) || !has_room(file.path, pinned, {}))
        carried.taken.push_back({file.repository, file.path, file.path, PortConflictKind::created});
    }
  }

  /// Whether a new file can be at a path, when those of `changes` that go are gone: it is no directory, and what is
  /// above it no file.
  static bool has_room(const std::string& path, patch::FileSource& files, const patch::Changes& changes) {
    std::set<std::string> removed;
    for (const auto& [name, file] : changes)
      if (!file) removed.insert(name);
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      if (const std::string above = path.substr(0, slash); files.read(above) && !removed.contains(above)) return false;
    return !files.is_directory(path) || !files.has_others_below(path, removed);
  }

  /// Whether a variant has no patches, and the release has all that it brings instead.
  bool is_there_without_patches() {
    const auto has_commit = [&](const SubmoduleOverride& what) {
      const source::LocatedRepository* const now = lookup_.find_repository(*task_.to, what.repository);
      return now && now->pin.commit == what.commit;
    };
    const auto has_file = [&](const AddedFile& file) {
      const source::LocatedRepository* const now = lookup_.find_repository(*task_.to, file.repository);
      return now && trees::LookupFiles(lookup_, *now).read(file.path) == patch::TreeFile{file.mode(), file.bytes};
    };
    return parsed_.empty() && std::ranges::all_of(task_.variant->overrides, has_commit) &&
           std::ranges::all_of(task_.variant->files, has_file);
  }

  /// Adds the pinned files that a person changed.
  void add_settled(CarriedVariant& carried) {
    for (const auto& [repository, changes] : task_.settled) {
      const source::LocatedRepository* const now = find_repository(*task_.to, repository);
      if (!now) continue;
      trees::LookupFiles pinned(lookup_, *now);
      for (const auto& [path, file] : changes) carried.rest.push_back({repository, path, pinned.read(path)});
    }
  }

  /// Carries a patch onto what the patches before it made.
  CarriedPatch carry_patch(std::size_t index) {
    const RepositoryPath& path = repository_of(index);
    const source::LocatedRepository* const old = find_repository(from_, path);
    const source::LocatedRepository* const now = find_repository(*task_.to, path);
    CarriedPatch carried;
    if (!old) throw Error(ErrorKind::patch, concat("release ", from_.version.text(), " has no ", path.text()));
    if (!now) {
      const PortConflict gone{path, "", "", PortConflictKind::repository, commit_without(path)};
      carried.conflicts.push_back({gone, {}, {}, {}, {}, {}});
      return carried;
    }
    trees::LookupFiles old_pinned(lookup_, *old), now_pinned(lookup_, *now);
    patch::OverlayFiles base(old_pinned, old_made_[path]), theirs(now_pinned, made_[path]);
    const patch::Changes ours = patch::apply_patch(parsed_[index], base).changes;
    if (index >= task_.settled_patches) {
      MergePlace place{path, from_.version.text(), task_.to->version.text(), history(path, *old, *now)};
      std::map<std::string, std::string> from;  // of files that the patch renames: new path → old one
      std::set<std::string> leaving;            // which go with them
      for (const patch::FilePatch& file : parsed_[index].files)
        if (file.kind == patch::ChangeKind::rename) leaving.insert(from[file.new_path] = file.old_path);
      for (const auto& [file, after] : ours) {
        if (!after && leaving.contains(file)) continue;
        const std::string& old_path = from.try_emplace(file, file).first->second;
        carry_file({file, base.read(old_path), after}, old_path, ours, theirs, place, carried);
      }
      take_as_upstream(carried);
      if (changes_nothing(carried)) carried.commit = upstream_commit(index);
    }
    for (const auto& [file, after] : ours) old_made_[path][file] = after;
    for (const CarriedFile& file : carried.files) made_[path][file.path] = file.after;
    return carried;
  }

  /// Where upstream's lines have all that a patch does, nothing is left of it; else a person looks at those that have.
  static void take_as_upstream(CarriedPatch& patch) {
    const auto has_all = [](const FileConflict& conflict) {
      return conflict.what.kind == PortConflictKind::upstream && conflict.merged == conflict.theirs;
    };
    const auto is_same = [](const CarriedFile& file) { return file.before == file.after; };
    if (!std::ranges::all_of(patch.conflicts, has_all) || !std::ranges::all_of(patch.files, is_same)) return;
    patch.is_upstream_by_lines = !patch.conflicts.empty();
    for (const FileConflict& conflict : patch.conflicts)
      patch.files.push_back({conflict.what.new_path, conflict.theirs, conflict.theirs});
    patch.conflicts.clear();
  }

  static bool changes_nothing(const CarriedPatch& patch) {
    return patch.conflicts.empty() &&
           std::ranges::all_of(patch.files, [](const CarriedFile& file) { return file.before == file.after; });
  }

  /// Returns the commit that removed a submodule of a component.
  std::optional<BlamedCommit> commit_without(const RepositoryPath& submodule) {
    const RepositoryPath component{submodule.component, ""};
    const std::vector<source::FileChange> changes =
        history(component, *lookup_.find_repository(from_, component), *lookup_.find_repository(*task_.to, component))
            .changes_of(submodule.path);
    if (changes.empty() || changes.back().blob) return std::nullopt;
    return blamed(changes.back().commit);
  }

  /// Adds the files that a patch behind a conflict changes.
  void add_rest(std::size_t index, CarriedVariant& carried) {
    const RepositoryPath& path = repository_of(index);
    const source::LocatedRepository* const old = find_repository(from_, path);
    const source::LocatedRepository* const now = find_repository(*task_.to, path);
    if (!old || !now) return;
    trees::LookupFiles pinned(lookup_, *now);
    for (const patch::FilePatch& file : parsed_[index].files) {
      for (const std::string& name : {file.old_path, file.new_path}) {
        if (name.empty()) continue;
        std::string place = name;
        if (!pinned.read(name)) place = history(path, *old, *now).new_name(name).value_or(name);
        carried.rest.push_back({path, place, pinned.read(place)});
      }
    }
  }

  /// Carries what a patch makes of one file; of one that it renames `before` is the old one.
  void carry_file(const CarriedFile& change, const std::string& from, const patch::Changes& ours,
                  patch::FileSource& theirs, const MergePlace& place, CarriedPatch& carried) {
    const bool is_new = !change.before || from != change.path;
    const std::optional<patch::TreeFile> there = theirs.read(change.path);
    if (is_new && !there && !has_room(change.path, theirs, ours)) {
      const PortConflict what{place.repository, change.path, "", PortConflictKind::created};
      return carried.conflicts.push_back({what, {}, change.after, {}, {}, {}});
    }
    auto [path, now] = change.before ? find_now(from, theirs, place) : std::pair(change.path, there);
    if (!now && change.before && task_.drops_removed) return;
    if (from != change.path && path != change.path)
      return carry_renamed(change, {path, now, std::nullopt}, there, place, carried);
    FileMerge merge = merge_file({from, path, change.before, change.after, now}, place);
    if (merge.conflict) return carried.conflicts.push_back(std::move(*merge.conflict));
    carried.files.push_back({path, now, merge.file});
  }

  /// A file that a patch renames: the new one is merged of what the patch and upstream made of the old one, which goes.
  void carry_renamed(const CarriedFile& change, const CarriedFile& old, const std::optional<patch::TreeFile>& there,
                     const MergePlace& place, CarriedPatch& carried) {
    FileMerge merge = there ? merge_file({change.path, change.path, std::nullopt, change.after, there}, place)
                            : merge_file({old.path, old.path, change.before, change.after, old.before}, place);
    if (old.before) carried.files.push_back(old);
    if (!merge.conflict) return carried.files.push_back({change.path, there, merge.file});
    if (old.before) merge.conflict->what.path = merge.conflict->what.new_path = change.path;
    merge.conflict->theirs = there;
    carried.conflicts.push_back(std::move(*merge.conflict));
  }

  /// Returns a file of the older release where the newer one has it, and as it is there; or nothing.
  static std::pair<std::string, std::optional<patch::TreeFile>> find_now(const std::string& path,
                                                                         patch::FileSource& theirs,
                                                                         const MergePlace& place) {
    if (auto now = theirs.read(path)) return {path, std::move(now)};
    const std::string name = place.history.new_name(path).value_or(path);
    return {name, name == path ? std::nullopt : theirs.read(name)};
  }

  source::CommitHistory& history(const RepositoryPath& path, const source::LocatedRepository& old,
                                 const source::LocatedRepository& now) {
    const auto known = histories_.find(path);
    if (known != histories_.end()) return known->second;
    return histories_.try_emplace(path, lookup_.store(), old.pin.commit, now.pin.commit).first->second;
  }

  /// Says how the variant as it is stands to the newer release.
  void judge(CarriedVariant& carried) {
    const bool is_whole = carried.patches.size() == parsed_.size();
    const bool has_conflict = !carried.patches.empty() && !carried.patches.back().conflicts.empty();
    const bool is_nothing = is_whole && changes_nothing(carried);
    carried.is_upstream = is_nothing && std::ranges::none_of(carried.patches, &CarriedPatch::is_upstream_by_lines);
    carried.is_reversible = is_nothing || (!has_missing_repository(carried) && can_be_taken_out());
    for (std::size_t i = parsed_.size(); carried.is_reversible && !carried.commit && i-- > 0;)
      carried.commit = upstream_commit(i);
    if (carried.is_upstream || has_missing_repository(carried)) return;
    const std::optional<RepositoryChanges> applied = apply_as_it_is();
    if (!applied) return;
    if (!has_conflict) carried.applies = *applied == merged_changes(carried);
    if (!has_conflict && !carried.applies) note_ambiguous(*applied, carried);
  }

  static bool changes_nothing(const CarriedVariant& carried) {
    return std::ranges::all_of(carried.patches, [](const CarriedPatch& each) { return changes_nothing(each); }) &&
           std::ranges::any_of(carried.patches, [](const CarriedPatch& each) { return !each.files.empty(); });
  }

  static bool has_missing_repository(const CarriedVariant& carried) {
    return std::ranges::any_of(carried.patches, [](const CarriedPatch& patch) {
      return std::ranges::any_of(patch.conflicts, [](const FileConflict& conflict) {
        return conflict.what.kind == PortConflictKind::repository;
      });
    });
  }

  /// Calls `use` with each repository's series and the pinned files of the newer release; false where that raises
  /// patch.
  template <typename Use>
  bool each_series(const Use& use) {
    std::vector<patch::PatchStep> steps;
    std::set<RepositoryPath> repositories;
    for (std::size_t i = 0; i < parsed_.size(); ++i) {
      steps.push_back({task_.variant->patches[i].file, repository_of(i), parsed_[i], {}});
      repositories.insert(repository_of(i));
    }
    try {
      for (const RepositoryPath& path : repositories) {
        trees::LookupFiles files(lookup_, *find_repository(*task_.to, path));
        use(path, steps, files);
      }
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::patch) throw;
      return false;
    }
  }

  bool can_be_taken_out() {
    return each_series([](const RepositoryPath& path, const std::vector<patch::PatchStep>& steps,
                          patch::FileSource& files) { patch::take_series_out(steps, path, files); });
  }

  std::optional<RepositoryChanges> apply_as_it_is() {
    RepositoryChanges changes;
    const bool applies =
        each_series([&](const RepositoryPath& path, const std::vector<patch::PatchStep>& steps,
                        patch::FileSource& files) { changes[path] = patch::apply_series(steps, path, files).changes; });
    return applies ? std::optional(std::move(changes)) : std::nullopt;
  }

  RepositoryChanges merged_changes(const CarriedVariant& carried) const {
    RepositoryChanges changes;
    for (std::size_t i = 0; i < carried.patches.size(); ++i)
      for (const CarriedFile& file : carried.patches[i].files) changes[repository_of(i)][file.path] = file.after;
    return changes;
  }

  /// The patch finds a place that is not the one that its lines went to, or the merge does: a person looks at the first
  /// patch with such a file.
  void note_ambiguous(const RepositoryChanges& applied, CarriedVariant& carried) {
    const RepositoryChanges merged = merged_changes(carried);
    for (std::size_t i = 0; i < carried.patches.size(); ++i) {
      const RepositoryPath& repository = repository_of(i);
      const patch::Changes& as_it_is = applied.at(repository);
      std::vector<CarriedFile> agreed;
      for (CarriedFile& file : carried.patches[i].files) {
        const auto found = as_it_is.find(file.path);
        const bool agrees = found != as_it_is.end() && found->second == merged.at(repository).at(file.path);
        if (agrees || !file.after)
          agreed.push_back(std::move(file));
        else
          carried.patches[i].conflicts.push_back({{repository, file.path, file.path, PortConflictKind::ambiguous},
                                                  {},
                                                  file.after,
                                                  file.before,
                                                  file.after,
                                                  ""});
      }
      carried.patches[i].files = std::move(agreed);
      if (carried.patches[i].conflicts.empty()) continue;
      carried.patches.resize(i + 1);
      for (std::size_t rest = i + 1; rest < parsed_.size(); ++rest) add_rest(rest, carried);
      return;
    }
  }

  /// Returns the first commit whose file has what a patch makes of it.
  std::optional<BlamedCommit> upstream_commit(std::size_t index) {
    const auto found = histories_.find(repository_of(index));
    if (found == histories_.end()) return std::nullopt;
    for (const patch::FilePatch& file : parsed_[index].files)
      if (const auto commit = first_with_change(file, found->second)) return commit;
    return std::nullopt;
  }

  static std::optional<BlamedCommit> first_with_change(const patch::FilePatch& file, source::CommitHistory& history) {
    const patch::PatchFile one{"", {file}};
    for (const source::FileChange& change : history.changes_of(file.path())) {
      try {
        if (!change.blob && !file.new_path.empty()) continue;
        std::vector<patch::MovedHunk> moved;
        std::optional<patch::TreeFile> content;
        if (change.blob) content = {FileMode::regular, history.read_blob(*change.blob)};
        patch::apply_content(patch::reverse_patch(one).files.front(), content, moved);
        return blamed(change.commit);
      } catch (const patch::ApplyError&) {
        continue;
      } catch (const source::AbsentObject&) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  const CarryTask& task_;
  const Release& from_;
  source::PinnedLookup& lookup_;
  std::vector<patch::PatchFile> parsed_;
  RepositoryChanges old_made_, made_;
  std::map<RepositoryPath, source::CommitHistory> histories_;
};

/// Returns whether the pinned repositories of a variant are at hand for a release.
bool is_at_hand(const Variant& variant, const Release& release, source::PinnedLookup& lookup) {
  try {
    return std::ranges::all_of(variant.patches, [&](const Patch& patch) {
      return lookup.find_repository(release, patch.repository, variant.overrides) != nullptr;
    });
  } catch (const source::MissingObject&) {
    return false;
  }
}

}  // namespace

std::string carry_variant(const CarryTask& task, source::PinnedLookup& lookup) {
  const auto from =
      std::ranges::find_if(task.from, [&](const Release* each) { return is_at_hand(*task.variant, *each, lookup); });
  if (from == task.from.end()) return to_wire(CarriedVariant{});
  return to_wire(Carrier(task, **from, lookup).carry());
}

CarriedVariant decode_carried_variant(const std::string& bytes) { return from_wire<CarriedVariant>(bytes); }

}  // namespace upkeep
}  // namespace torchpatch
