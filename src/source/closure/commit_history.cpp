// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/commit_history.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// Files count as renamed if this percentage of bytes is common to both, git's default (git-diff(1), -M).
constexpr std::size_t kLeastLikeness = 50;
/// Limit of new files compared with one that is gone.
constexpr std::size_t kMostCandidates = 1000;

/// Limit of cached parsed trees: in a long history each commit has a new root.
constexpr std::size_t kMostTrees = 2000;

/// Returns the percentage of the larger text's bytes in lines common to both.
std::size_t likeness(std::string_view a, std::string_view b) {
  std::unordered_map<std::string_view, std::size_t> lines;
  const auto each_line = [](std::string_view text, const auto& use) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      use(text.substr(0, end));
      text.remove_prefix(end);
    }
  };
  std::size_t common = 0;
  each_line(a, [&](std::string_view line) { ++lines[line]; });
  each_line(b, [&](std::string_view line) {
    const auto known = lines.find(line);
    if (known == lines.end() || known->second == 0) return;
    --known->second;
    common += line.size();
  });
  const std::size_t larger = std::max(a.size(), b.size());
  return larger == 0 ? 0 : 100 * common / larger;
}

/// Puts the most likely first: same name, then same extension.
void order_candidates(std::vector<PinnedEntry>& candidates, const std::string& path) {
  const auto extension = [](const std::string& name) { return name.substr(std::min(name.rfind('.'), name.size())); };
  const auto rank = [&](const PinnedEntry& entry) {
    if (base_name(entry.path) == base_name(path)) return 0;
    return extension(entry.path) == extension(path) ? 1 : 2;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const PinnedEntry& a, const PinnedEntry& b) { return rank(a) < rank(b); });
}

bool is_regular(const git::TreeEntry& entry) { return starts_with(entry.mode, "100"); }
bool is_folder(const git::TreeEntry& entry) { return parse_file_mode(entry.mode) == FileMode::directory; }

}  // namespace

CommitHistory::CommitHistory(git::ObjectStore& store, const ObjectId& from, const ObjectId& to) : store_(store) {
  from_tree_ = read_commit(from).tree;
  to_tree_ = read_commit(to).tree;
  find_way(from, to);
}

git::Commit CommitHistory::read_commit(const ObjectId& id) {
  return git::parse_commit(read_or_miss(store_, id, -1, "commit " + id.hex()).bytes);
}

std::string CommitHistory::read_blob(const ObjectId& id) {
  return read_or_miss(store_, id, -1, "blob " + id.hex()).bytes;
}

/// Walks back from both, always from the newer commit, until one reaches a commit that the other has seen.
void CommitHistory::find_way(const ObjectId& from, const ObjectId& to) {
  struct Line {
    std::set<ObjectId> seen;
    std::vector<HistoryCommit> commits;
    std::optional<ObjectId> next;
    git::Commit commit;
  };
  std::array<Line, 2> lines;
  const auto enter = [&](Line& line, const std::optional<ObjectId>& id) {
    line.next.reset();
    if (!id) return;
    try {
      line.commit = read_commit(*id);
      line.next = id;
    } catch (const AbsentObject&) {  // a shallow clone ends here; the other line may reach this one earlier
    }
  };
  enter(lines[0], from);
  enter(lines[1], to);
  const bool is_backwards = lines[1].commit.time < lines[0].commit.time;
  while (lines[0].next || lines[1].next) {
    const bool is_to = !lines[0].next || (lines[1].next && lines[1].commit.time >= lines[0].commit.time);
    Line &line = lines[is_to ? 1 : 0], &other = lines[is_to ? 0 : 1];
    const ObjectId id = *line.next;
    line.seen.insert(id);
    line.commits.push_back({id, line.commit.tree, line.commit.subject});
    if (other.seen.contains(id)) return join_lines(lines[0].commits, lines[1].commits, id, is_backwards);
    const std::vector<ObjectId> parents = line.commit.parents;
    enter(line, parents.empty() ? std::nullopt : std::optional(parents.front()));
  }
}

/// `from` and `to`: both lines, newest first, up to `meeting` at least.
void CommitHistory::join_lines(std::vector<HistoryCommit> from, std::vector<HistoryCommit> to, const ObjectId& meeting,
                               bool is_backwards) {
  for (auto* line : {&from, &to}) line->erase(std::ranges::find(*line, meeting, &HistoryCommit::id) + 1, line->end());
  start_tree_ = to.back().tree;
  to.pop_back();
  std::ranges::reverse(to);
  if (is_backwards) {
    for (std::size_t i = 0; i + 1 < from.size(); ++i) way_.push_back({from[i].id, from[i + 1].tree, from[i].subject});
    start_tree_ = from_tree_;
  }
  way_.insert(way_.end(), to.begin(), to.end());
  is_known_ = true;
}

const std::vector<git::TreeEntry>& CommitHistory::entries(const ObjectId& tree) {
  const auto known = trees_.find(tree);
  if (known != trees_.end()) return known->second;
  if (trees_.size() >= kMostTrees) trees_.clear();
  return trees_[tree] = git::parse_tree(read_or_miss(store_, tree, -1, "tree " + tree.hex()).bytes);
}

std::optional<ObjectId> CommitHistory::find(const ObjectId& tree, const std::string& path, bool is_file) {
  ObjectId folder = tree;
  const std::vector<std::string> names = split(path, '/');
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& list = entries(folder);
    const auto entry = std::ranges::find(list, names[i], &git::TreeEntry::name);
    const bool is_last = i + 1 == names.size();
    if (entry == list.end() || is_folder(*entry) == is_last || (is_last && is_file && !is_regular(*entry)))
      return std::nullopt;
    folder = entry->id;
  }
  return folder;
}

void CommitHistory::add_new_files(const std::optional<ObjectId>& before, const ObjectId& after,
                                  const std::string& prefix, std::vector<PinnedEntry>& files) {
  const std::vector<git::TreeEntry> old = before ? entries(*before) : std::vector<git::TreeEntry>{};
  for (const git::TreeEntry& entry : std::vector<git::TreeEntry>(entries(after))) {
    const auto known = std::ranges::find(old, entry.name, &git::TreeEntry::name);
    const bool is_known = known != old.end();
    if (is_known && known->id == entry.id) continue;
    const bool was_folder = is_known && is_folder(*known);
    if (is_folder(entry))
      add_new_files(was_folder ? std::optional(known->id) : std::nullopt, entry.id, prefix + entry.name + "/", files);
    else if ((!is_known || was_folder) && is_regular(entry))
      files.push_back({prefix + entry.name, FileMode::regular, entry.id});
  }
}

/// Returns the new file most similar to one that is gone, or nothing if none is similar enough.
std::optional<std::string> CommitHistory::renamed(const std::string& path, const ObjectId& before,
                                                  const ObjectId& after) {
  const std::optional<ObjectId> blob = find(before, path, true);
  if (!blob) return std::nullopt;
  std::vector<PinnedEntry> candidates;
  add_new_files(before, after, "", candidates);
  order_candidates(candidates, path);
  const auto same = std::ranges::find(candidates, *blob, &PinnedEntry::id);
  if (same != candidates.end()) return same->path;
  if (candidates.size() > kMostCandidates) candidates.resize(kMostCandidates);
  const std::string old = read_blob(*blob);
  std::size_t best = kLeastLikeness - 1;
  std::optional<std::string> name;
  for (const PinnedEntry& candidate : candidates) {
    const std::size_t like = likeness(old, read_blob(candidate.id));
    if (like <= best) continue;
    best = like;
    name = candidate.path;
  }
  return name;
}

std::vector<FileChange> CommitHistory::follow(std::string path) {
  std::vector<FileChange> changes;
  const bool is_renamed = !find(to_tree_, path);
  ObjectId before = start_tree_;
  std::optional<ObjectId> blob = find(before, path);
  for (const HistoryCommit& commit : way_) {
    std::optional<ObjectId> now = find(commit.tree, path);
    if (now != blob) {
      if (!now && is_renamed) {
        if (const auto name = renamed(path, before, commit.tree)) {
          path = *name;
          now = find(commit.tree, path);
        }
      }
      changes.push_back({commit, path, now});
      blob = now;
    }
    before = commit.tree;
  }
  return changes;
}

std::vector<FileChange> CommitHistory::changes_of(const std::string& path) {
  if (!is_known_) return {};
  const auto known = known_.find(path);
  if (known != known_.end()) return known->second;
  try {
    return known_[path] = follow(path);
  } catch (const AbsentObject&) {
    return known_[path] = {};
  }
}

std::optional<std::string> CommitHistory::new_name(const std::string& path) {
  const std::vector<FileChange> changes = changes_of(path);
  if (!changes.empty() && changes.back().blob) return changes.back().path;
  if (!changes.empty()) return std::nullopt;
  try {
    return renamed(path, from_tree_, to_tree_);
  } catch (const AbsentObject&) {
    return std::nullopt;
  }
}

}  // namespace torchpatch::source
