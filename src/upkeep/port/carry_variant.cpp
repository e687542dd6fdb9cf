// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "git/merge_text.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/port/port.h"

namespace torchpatch::upkeep {

namespace {

/// Lines such as "}" or "else" occur everywhere.
constexpr std::size_t kTellingLength = 12;

bool is_plain(const std::optional<patch::TreeFile>& file) {
  return file && (file->mode == FileMode::regular || file->mode == FileMode::executable);
}

git::MergedText merge(const std::string& base, const std::string& theirs, const std::string& ours,
                      const MergePlace& place) {
  return git::merge_texts({base, place.old_release}, {theirs, place.new_release},
                          {ours, place.old_release + " with the patch"});
}

std::set<std::string_view> distinct_lines(const std::string& text) {
  std::set<std::string_view> lines;
  for (const std::string_view line : patch::split_lines(text)) lines.insert(trim(line));
  return lines;
}

/// Returns a line added by the patch that is new in upstream's file too, or nothing.
std::optional<std::string> line_that_upstream_added(const MergedFile& file) {
  const auto base = distinct_lines(file.base->bytes), theirs = distinct_lines(file.theirs->bytes);
  for (const std::string_view line : distinct_lines(file.ours->bytes))
    if (line.size() >= kTellingLength && !base.contains(line) && theirs.contains(line)) return std::string(line);
  return std::nullopt;
}

/// Returns the first commit for whose file `holds` is true; for one that removes the file, it gets nothing.
template <typename Holds>
std::optional<BlamedCommit> first_change(const MergedFile& file, const MergePlace& place, const Holds& holds) {
  try {
    for (const source::FileChange& change : place.history.changes_of(file.what.path))
      if (holds(change.blob ? std::optional(place.history.read_blob(*change.blob)) : std::nullopt))
        return blamed(change.commit);
  } catch (const source::AbsentObject&) {
  }
  return std::nullopt;
}

/// Carries the change through upstream's commits one by one; returns the one where that fails, or if none does, the
/// first that conflicts with the unchanged patch.
std::optional<BlamedCommit> commit_that_conflicts(const MergedFile& file, const MergePlace& place) {
  std::string base = file.base->bytes, ours = file.ours->bytes;
  const auto fails = [&](const std::optional<std::string>& now) {
    if (!now) return false;  // the file came back, since both have it
    git::MergedText merged = merge(base, *now, ours, place);
    if (!merged.is_clean) return true;
    base = *now;
    ours = std::move(merged.text);
    return false;
  };
  if (const auto commit = first_change(file, place, fails)) return commit;
  return first_change(file, place, [&](const std::optional<std::string>& now) {
    return now && !merge(file.base->bytes, *now, file.ours->bytes, place).is_clean;
  });
}

bool merge_lines(MergedFile& file, FileMode mode, const MergePlace& place) {
  git::MergedText merged = merge(file.base->bytes, file.theirs->bytes, file.ours->bytes, place);
  file.merged = {mode, std::move(merged.text)};
  if (!merged.is_clean) {
    file.what.kind = PortConflictKind::content;
    file.what.commit = commit_that_conflicts(file, place);
    file.words = git::merge_words(file.base->bytes, file.theirs->bytes, file.ours->bytes).text;
    file.what.has_words = !file.words.empty();
    return false;
  }
  const std::optional<std::string> line = line_that_upstream_added(file);
  if (!line) return true;
  file.what.kind = PortConflictKind::upstream;
  file.what.commit = first_change(
      file, place, [&](const std::optional<std::string>& now) { return now && distinct_lines(*now).contains(*line); });
  return false;
}

/// Returns whether a new file can be at a path, after the removals in `changes`: it must not be a directory, nor below
/// a file.
bool has_room(const std::string& path, patch::FileSource& files, const patch::Changes& changes) {
  std::set<std::string> removed;
  for (const auto& [name, file] : changes)
    if (!file) removed.insert(name);
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
    if (const std::string above = path.substr(0, slash); files.read(above) && !removed.contains(above)) return false;
  return !files.is_directory(path) || !files.has_others_below(path, removed);
}

bool changes_nothing(const CarriedPatch& patch) {
  return patch.conflicts.empty() &&
         std::ranges::all_of(patch.files, [](const CarriedFile& file) { return file.before == file.after; });
}

/// If upstream's lines contain the whole patch, nothing is left of it; otherwise a person reviews those that do.
void take_as_upstream(CarriedPatch& patch) {
  const auto has_all = [](const MergedFile& conflict) {
    return conflict.what.kind == PortConflictKind::upstream && conflict.merged == conflict.theirs;
  };
  const auto is_same = [](const CarriedFile& file) { return file.before == file.after; };
  if (!std::ranges::all_of(patch.conflicts, has_all) || !std::ranges::all_of(patch.files, is_same)) return;
  patch.is_upstream_by_lines = !patch.conflicts.empty();
  for (const MergedFile& conflict : patch.conflicts)
    patch.files.push_back({conflict.what.new_path, conflict.theirs, conflict.theirs});
  patch.conflicts.clear();
}

bool has_missing_repository(const CarriedVariant& carried) {
  return std::ranges::any_of(carried.patches, [](const CarriedPatch& patch) {
    return std::ranges::any_of(
        patch.conflicts, [](const MergedFile& conflict) { return conflict.what.kind == PortConflictKind::repository; });
  });
}

/// Returns the first commit whose file equals a patch's result.
std::optional<BlamedCommit> first_with_change(const patch::FilePatch& file, source::CommitHistory& history) {
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

/// Ports the patches of one variant between two releases.
class Carrier {
 public:
  Carrier(const CarryTask& task, const Release& from, source::PinnedLookup& lookup)
      : task_(task), from_(from), lookup_(lookup) {
    if (task.resolved) made_ = task.resolved->changes;
    for (const Patch& patch : task.variant->patches) parsed_.push_back(patch::parse_patch(patch.text, patch.file));
  }

  CarriedVariant carry() {
    CarriedVariant carried;
    carried.from_release = from_.version.text();
    carried.is_upstream = parsed_.empty() && has_all_without_patches();
    if (carried.is_upstream) return carried;
    check_overrides(carried);
    if (!carried.blockers.empty()) return carried;
    check_added_files(carried);
    carried.applies = parsed_.empty() && carried.collisions.empty();
    if (task_.resolved) {  // the pinned files that a person changed
      for (const auto& [repository, changes] : task_.resolved->changes) {
        const source::LocatedRepository* const now = find_repository(*task_.to, repository);
        if (!now) continue;
        trees::LookupFiles pinned(lookup_, *now);
        for (const auto& [path, file] : changes) carried.rest[repository].try_emplace(path, pinned.read(path));
      }
    }
    for (std::size_t i = 0; i < parsed_.size(); ++i) {
      CarriedPatch patch = carry_patch(i);
      if (i < task_.resolved_patches()) continue;
      carried.patches.push_back(std::move(patch));
      if (carried.patches.back().conflicts.empty()) continue;
      add_rest(i + 1, carried);
      break;
    }
    if (!parsed_.empty() && task_.resolved_patches() == 0) compare_with_release(carried);
    return carried;
  }

 private:
  const RepositoryPath& repository_of(std::size_t patch) const { return task_.variant->patches[patch].repository; }

  const source::LocatedRepository* find_repository(const Release& release, const RepositoryPath& path) {
    return lookup_.find_repository(release, path, task_.variant->overrides);
  }

  source::CommitHistory& history(const RepositoryPath& path, const source::LocatedRepository& old,
                                 const source::LocatedRepository& now) {
    if (auto* const known = find_value(histories_, path)) return *known;
    return histories_.try_emplace(path, lookup_.store(), old.pin.commit, now.pin.commit).first->second;
  }

  /// Returns whether the release already has a variant's commits and added files.
  bool has_all_without_patches() {
    const auto has_commit = [&](const SubmoduleOverride& what) {
      const source::LocatedRepository* const now = lookup_.find_repository(*task_.to, what.repository);
      return now && now->pin.commit == what.commit;
    };
    const auto has_file = [&](const AddedFile& file) {
      const source::LocatedRepository* const now = lookup_.find_repository(*task_.to, file.repository);
      return now && trees::LookupFiles(lookup_, *now).read(file.path) == patch::TreeFile{file.mode(), file.bytes};
    };
    return std::ranges::all_of(task_.variant->overrides, has_commit) &&
           std::ranges::all_of(task_.variant->files, has_file);
  }

  /// An override applies if the release pins the commit that it replaces.
  void check_overrides(CarriedVariant& carried) {
    for (const SubmoduleOverride& what : task_.variant->overrides) {
      const source::LocatedRepository* const now = lookup_.find_repository(*task_.to, what.repository);
      if (!now)
        carried.collisions.push_back({what.repository, "", "", PortConflictKind::repository});
      else if (now->pin.commit != what.replaces)
        carried.blockers.push_back(
            concat("the release pins ", what.repository.text(), " at ", now->pin.commit.hex(), ", and variant ",
                   quote(task_.variant->id), " replaces ", what.replaces.hex(),
                   ": add a variant for it to patchset.json, or explain in 'ends' why there is none"));
    }
  }

  /// A file can be added if upstream has nothing at its path.
  void check_added_files(CarriedVariant& carried) {
    for (const AddedFile& file : task_.variant->files) {
      const source::LocatedRepository* const now = find_repository(*task_.to, file.repository);
      if (!now) {
        carried.collisions.push_back({file.repository, file.path, "", PortConflictKind::repository});
        continue;
      }
      trees::LookupFiles pinned(lookup_, *now);
      if (pinned.read(file.path) || !has_room(file.path, pinned, {}))
        carried.collisions.push_back({file.repository, file.path, file.path, PortConflictKind::created});
    }
  }

  /// Ports a patch onto the result of the previous ones.
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
    if (index >= task_.resolved_patches()) {
      const MergePlace place{from_.version.text(), task_.to->version.text(), history(path, *old, *now)};
      std::map<std::string, std::string> from;  // files renamed by the patch: new path → old path
      std::set<std::string> leaving;            // the old paths
      for (const patch::FilePatch& file : parsed_[index].files)
        if (file.kind == patch::ChangeKind::rename) leaving.insert(from[file.new_path] = file.old_path);
      for (const auto& [file, after] : ours) {
        if (!after && leaving.contains(file)) continue;
        const std::string& old_path = from.try_emplace(file, file).first->second;
        MergedFile change{{path, file, file}, base.read(old_path), after, theirs.read(file), {}, {}};
        carry_file(std::move(change), old_path, ours, theirs, place, carried);
      }
      take_as_upstream(carried);
      if (changes_nothing(carried)) carried.commit = upstream_commit(index);
    }
    for (const auto& [file, after] : ours) old_made_[path][file] = after;
    for (const CarriedFile& file : carried.files) made_[path][file.path] = file.after;
    return carried;
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

  /// Ports the patch's change of one file; `change` assumes that the file has the same name in the newer release. If
  /// the patch renames the file, `from` is the old name, and base the old file.
  void carry_file(MergedFile change, const std::string& from, const patch::Changes& ours, patch::FileSource& files,
                  const MergePlace& place, CarriedPatch& carried) {
    const std::string path = change.what.path;
    const std::optional<patch::TreeFile> there = change.theirs;
    if ((!change.base || from != path) && !there && !has_room(path, files, ours)) {
      change.what = {change.what.repository, path, "", PortConflictKind::created};
      change.base.reset();
      return carried.conflicts.push_back(std::move(change));
    }
    // The path of the old file in the newer release, and its content there.
    CarriedFile now{path, there, {}};
    if (change.base) {
      now = {from, files.read(from), {}};
      if (!now.before) now.path = place.history.new_name(from).value_or(from);
      if (now.path != from) now.before = files.read(now.path);
      if (!now.before && task_.drops_removed) return;
    }
    if (from == path || now.path == path) {
      change.what.path = from;
      change.what.new_path = now.before ? now.path : "";
      change.theirs = now.before;
      if (!merge_file(change, place)) return carried.conflicts.push_back(std::move(change));
      return carried.files.push_back({now.path, now.before, change.merged});
    }
    // The patch renames it: merge both changes of the old file into the new one, and remove the old one.
    if (there) {
      change.base.reset();
    } else {
      change.what.path = now.path;
      change.what.new_path = now.before ? now.path : "";
      change.theirs = now.before;
    }
    const bool is_clean = merge_file(change, place);
    if (now.before) carried.files.push_back(now);
    if (is_clean) return carried.files.push_back({path, there, change.merged});
    if (now.before) change.what.path = change.what.new_path = path;
    change.theirs = there;
    carried.conflicts.push_back(std::move(change));
  }

  /// Adds the pinned files changed by the patches from `index`, which come after a conflict.
  void add_rest(std::size_t index, CarriedVariant& carried) {
    for (; index < parsed_.size(); ++index) {
      const RepositoryPath& path = repository_of(index);
      const source::LocatedRepository* const old = find_repository(from_, path);
      const source::LocatedRepository* const now = find_repository(*task_.to, path);
      if (!old || !now) continue;
      trees::LookupFiles pinned(lookup_, *now);
      for (const patch::FilePatch& file : parsed_[index].files) {
        for (const std::string& name : {file.old_path, file.new_path}) {
          if (name.empty()) continue;
          std::string place = name;
          if (!pinned.read(name)) place = history(path, *old, *now).new_name(name).value_or(name);
          carried.rest[path].try_emplace(place, pinned.read(place));
        }
      }
    }
  }

  /// Records how the unchanged variant relates to the newer release.
  void compare_with_release(CarriedVariant& carried) {
    const bool is_nothing =
        carried.patches.size() == parsed_.size() && std::ranges::all_of(carried.patches, changes_nothing) &&
        std::ranges::any_of(carried.patches, [](const CarriedPatch& each) { return !each.files.empty(); });
    carried.is_upstream = is_nothing && std::ranges::none_of(carried.patches, &CarriedPatch::is_upstream_by_lines);
    const auto take_out = [](const RepositoryPath& path, const auto& steps, patch::FileSource& files) {
      patch::take_series_out(steps, path, files);
    };
    carried.is_reversible = is_nothing || (!has_missing_repository(carried) && fits_release(take_out));
    for (std::size_t i = parsed_.size(); carried.is_reversible && !carried.commit && i-- > 0;)
      carried.commit = upstream_commit(i);
    const bool has_conflict = !carried.patches.empty() && !carried.patches.back().conflicts.empty();
    if (carried.is_upstream || has_conflict) return;
    RepositoryChanges applied, merged;
    const auto apply = [&](const RepositoryPath& path, const auto& steps, patch::FileSource& files) {
      applied[path] = patch::apply_series(steps, path, files).changes;
    };
    if (!fits_release(apply)) return;
    for (std::size_t i = 0; i < carried.patches.size(); ++i)
      for (const CarriedFile& file : carried.patches[i].files) merged[repository_of(i)][file.path] = file.after;
    carried.applies = applied == merged;
    if (!carried.applies) note_ambiguous(applied, merged, carried);
  }

  /// Calls `use` with each repository, its series, and the newer release's pinned files; returns whether the patches
  /// apply there.
  template <typename Use>
  bool fits_release(const Use& use) {
    std::map<RepositoryPath, std::vector<patch::PatchStep>> series;
    for (std::size_t i = 0; i < parsed_.size(); ++i)
      series[repository_of(i)].push_back({task_.variant->patches[i].file, repository_of(i), parsed_[i], {}});
    try {
      for (const auto& [path, steps] : series) {
        trees::LookupFiles files(lookup_, *find_repository(*task_.to, path));
        use(path, steps, files);
      }
      return true;
    } catch (const patch::PatchError&) {
      return false;
    }
  }

  /// Records a conflict for a person if applying the patch and merging it give different results: at the first patch
  /// with such a file.
  void note_ambiguous(const RepositoryChanges& applied, const RepositoryChanges& merged, CarriedVariant& carried) {
    for (std::size_t i = 0; i < carried.patches.size(); ++i) {
      const RepositoryPath& repository = repository_of(i);
      CarriedPatch& patch = carried.patches[i];
      std::vector<CarriedFile> agreed;
      for (CarriedFile& file : patch.files) {
        const auto* const found = find_value(applied.at(repository), file.path);
        if (!file.after || (found && *found == merged.at(repository).at(file.path))) {
          agreed.push_back(std::move(file));
          continue;
        }
        const PortConflict what{repository, file.path, file.path, PortConflictKind::ambiguous};
        patch.conflicts.push_back({what, {}, file.after, file.before, file.after, ""});
      }
      patch.files = std::move(agreed);
      if (patch.conflicts.empty()) continue;
      carried.patches.resize(i + 1);
      return add_rest(i + 1, carried);
    }
  }

  /// Returns the first commit whose file equals a patch's result.
  std::optional<BlamedCommit> upstream_commit(std::size_t index) {
    source::CommitHistory* const history = find_value(histories_, repository_of(index));
    if (!history) return std::nullopt;
    for (const patch::FilePatch& file : parsed_[index].files)
      if (const auto commit = first_with_change(file, *history)) return commit;
    return std::nullopt;
  }

  const CarryTask& task_;
  const Release& from_;
  source::PinnedLookup& lookup_;
  std::vector<patch::PatchFile> parsed_;
  RepositoryChanges old_made_, made_;
  std::map<RepositoryPath, source::CommitHistory> histories_;
};

/// Returns whether a variant's pinned repositories are available for a release.
bool is_available(const Variant& variant, const Release& release, source::PinnedLookup& lookup) {
  try {
    return std::ranges::all_of(variant.patches, [&](const Patch& patch) {
      return lookup.find_repository(release, patch.repository, variant.overrides) != nullptr;
    });
  } catch (const source::MissingObject&) {
    return false;
  }
}

}  // namespace

bool merge_file(MergedFile& file, const MergePlace& place) {
  const auto& [what, base, ours, theirs, merged, words] = file;
  if (theirs == base || theirs == ours) {
    file.merged = theirs == base ? ours : theirs;
    return true;
  }
  const auto conflicts = [&](PortConflictKind kind, const auto& is_to_blame) {
    file.what.kind = kind;
    file.what.commit = first_change(file, place, is_to_blame);
    return false;
  };
  using Text = std::optional<std::string>;
  if (base && !theirs) return conflicts(PortConflictKind::removed, [](const Text& now) { return !now; });
  if (!base) return conflicts(PortConflictKind::created, [](const Text& now) { return now.has_value(); });
  if (is_plain(base) && is_plain(ours) && is_plain(theirs)) {
    const FileMode mode = ours->mode == base->mode ? theirs->mode : ours->mode;
    const bool is_theirs = ours->bytes == base->bytes;  // the patch only changes the mode
    if (is_theirs || theirs->bytes == base->bytes) {
      file.merged = {mode, is_theirs ? theirs->bytes : ours->bytes};
      return true;
    }
    const bool is_text = (base->bytes + ours->bytes + theirs->bytes).find('\0') == std::string::npos;
    if (is_text) return merge_lines(file, mode, place);
  }
  return conflicts(PortConflictKind::content, [](const Text&) { return true; });
}

CarriedVariant carry_variant(const CarryTask& task, source::PinnedLookup& lookup) {
  const auto from =
      std::ranges::find_if(task.from, [&](const Release* each) { return is_available(*task.variant, *each, lookup); });
  return from == task.from.end() ? CarriedVariant{} : Carrier(task, **from, lookup).carry();
}

}  // namespace torchpatch::upkeep
