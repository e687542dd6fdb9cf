// SPDX-License-Identifier: BSD-3-Clause
// Applies a patch to a tree of a git repository in memory, for comparisons with git apply on many patches:
//   apply_tree --git-dir DIR --tree ID --patch FILE
// prints the id of the new tree, writes nothing, and reads only what the patch touches. A hunk that was found off its
// line is a line on stderr. An error is one too, with the exit code that torchpatch has for it.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "git/object.h"
#include "git/object_store.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"

using namespace torchpatch;

namespace {

using Entries = std::vector<git::TreeEntry>;

bool is_tree(const git::TreeEntry& entry) { return parse_file_mode(entry.mode) == FileMode::directory; }

/// True where one of `paths` lies in `directory`, which ends in a slash.
bool has_path_in(const std::set<std::string>& paths, const std::string& directory) {
  const auto next = paths.lower_bound(directory);
  return next != paths.end() && starts_with(*next, directory);
}

/// Returns the names in `directory` ("" or one that ends in a slash) at or below which something changes.
std::set<std::string> changed_names(const patch::Changes& changes, const std::string& directory) {
  std::set<std::string> names;
  for (auto change = changes.lower_bound(directory); change != changes.end() && starts_with(change->first, directory);
       ++change) {
    const std::string_view rest = std::string_view(change->first).substr(directory.size());
    names.emplace(rest.substr(0, rest.find('/')));
  }
  return names;
}

/// A tree of a repository; directories are read when they are asked for.
class StoredTree : public patch::FileSource {
 public:
  StoredTree(git::ObjectStore& store, const ObjectId& root) : store_(store) { directories_[""] = read_tree(root); }

  std::optional<patch::TreeFile> read(const std::string& path) override {
    const std::optional<git::TreeEntry> found = entry(path);
    if (!found || is_tree(*found)) return std::nullopt;
    const std::optional<FileMode> mode = parse_file_mode(found->mode);
    if (!mode)
      throw Error(ErrorKind::unsafe, concat(quote(path), " has the mode ", quote(found->mode), " in its tree"));
    if (*mode == FileMode::gitlink) return patch::TreeFile{*mode, found->id.hex()};
    return patch::TreeFile{*mode, read_object(found->id, git::ObjectType::blob, quote(path))};
  }

  bool is_directory(const std::string& path) override {
    const std::optional<git::TreeEntry> found = entry(path);
    return found && is_tree(*found);
  }
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override {
    const Entries* entries = directory(path);
    return entries && std::ranges::any_of(*entries, [&](const git::TreeEntry& each) {
             const std::string child = path + "/" + each.name;
             if (!is_tree(each)) return !removed.contains(child);
             return !has_path_in(removed, child + "/") || has_others_below(child, removed);
           });
  }

  /// Returns the id of the tree with `changes`; nothing else is listed than the directories that they touch.
  ObjectId changed(const patch::Changes& changes) {
    return git_object_id("tree", git::format_tree(changed_directory("", changes)));
  }

 private:
  std::string read_object(const ObjectId& id, git::ObjectType type, const std::string& what) {
    std::optional<git::Object> object = store_.read(id);
    if (!object) throw Error(ErrorKind::source, concat("reading ", what, ": the repository has no object ", id.hex()));
    if (object->type != type) {
      throw Error(ErrorKind::source,
                  concat("reading ", what, ": ", id.hex(), " is a ", object_type_name(object->type)));
    }
    return std::move(object->bytes);
  }
  Entries read_tree(const ObjectId& id) { return git::parse_tree(read_object(id, git::ObjectType::tree, "tree")); }

  /// Returns the entries of a directory ("" is the root), or null where there is none.
  const Entries* directory(const std::string& path) {
    if (const auto known = directories_.find(path); known != directories_.end()) return &known->second;
    const std::optional<git::TreeEntry> found = entry(path);
    if (!found || !is_tree(*found)) return nullptr;
    return &(directories_[path] = read_tree(found->id));
  }
  std::optional<git::TreeEntry> entry(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const Entries* entries = directory(slash == std::string::npos ? "" : path.substr(0, slash));
    if (!entries) return std::nullopt;
    const auto found = std::ranges::find(*entries, path.substr(slash + 1), &git::TreeEntry::name);
    return found == entries->end() ? std::nullopt : std::optional(*found);
  }

  /// Returns the entries of a directory after the changes below it.
  Entries changed_directory(const std::string& path, const patch::Changes& changes) {
    const std::string prefix = path.empty() ? "" : path + "/";
    const Entries* old = directory(path);
    Entries entries = old ? *old : Entries{};
    for (const std::string& name : changed_names(changes, prefix)) {
      std::erase_if(entries, [&](const git::TreeEntry& each) { return each.name == name; });
      if (auto entry = changed_entry(prefix + name, name, changes)) entries.push_back(std::move(*entry));
    }
    return entries;
  }

  /// Returns the file or directory at `path` after the changes, or nothing: git keeps no empty directories.
  std::optional<git::TreeEntry> changed_entry(const std::string& path, const std::string& name,
                                              const patch::Changes& changes) {
    if (const auto change = changes.find(path); change != changes.end() && change->second) {
      const patch::TreeFile& file = *change->second;
      const bool is_gitlink = file.mode == FileMode::gitlink;
      const ObjectId id = is_gitlink ? ObjectId::parse(file.bytes).value() : git_blob_id(file.bytes);
      return git::TreeEntry{name_of(file.mode), name, id};
    }
    Entries entries = changed_directory(path, changes);
    if (entries.empty()) return std::nullopt;
    return git::TreeEntry{name_of(FileMode::directory), name,
                          git_object_id("tree", git::format_tree(std::move(entries)))};
  }

  git::ObjectStore& store_;
  std::map<std::string, Entries> directories_;
};

struct AppliedTree {
  ObjectId tree;
  std::vector<std::string> notes;  ///< hunks that were found off their line, one line each
};

/// The answer of the worker: the tree's id, and a line for each note.
std::string apply_in_worker(git::ObjectStore& store, const ObjectId& tree, const patch::PatchFile& patch) {
  StoredTree files(store, tree);
  const patch::Applied applied = patch::apply_patch(patch, files);
  std::vector<std::string> lines = {files.changed(applied.changes).hex()};
  for (const patch::MovedHunk& moved : applied.moved)
    lines.push_back(concat("hunk ", moved.hunk, " of ", quote(moved.path), " was found ", moved.offset, " lines off"));
  return join(lines, "\n");
}

/// Raises as parse_patch and apply_patch; source where an object is missing or damaged.
AppliedTree apply_tree(const std::string& git_dir, const ObjectId& tree, const std::string& patch_file) {
  const patch::PatchFile patch = patch::parse_patch(read_file(patch_file), patch_file);
  AppliedTree result;
  WorkerJob job;
  job.items = 1;
  job.start = [&]() -> WorkerTask {
    const auto store = std::make_shared<git::ObjectStore>(std::vector<std::string>{git_dir + "/objects"});
    return [&tree, &patch, store](std::size_t) { return apply_in_worker(*store, tree, patch); };
  };
  job.on_result = [&](std::size_t, std::string_view answer) {
    std::vector<std::string> lines = split(answer, '\n');
    result.tree = ObjectId::parse(lines[0]).value();
    result.notes.assign(std::next(lines.begin()), lines.end());
  };
  job.describe = [&](std::size_t) { return concat("applying ", quote(patch_file)); };
  run_workers(job);
  return result;
}

int run(const std::vector<std::string>& args) {
  const bool is_right = args.size() == 6 && args[0] == "--git-dir" && args[2] == "--tree" && args[4] == "--patch";
  const std::optional<ObjectId> tree = is_right ? ObjectId::parse(args[3]) : std::nullopt;
  if (!tree) throw Error(ErrorKind::usage, "usage: apply_tree --git-dir DIR --tree ID --patch FILE");
  const AppliedTree applied = apply_tree(args[1], *tree, args[5]);
  for (const std::string& note : applied.notes) std::cerr << "warning: " << note << '\n';
  std::cout << applied.tree.hex() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const Error& error) {
    std::cerr << "apply_tree: error: " << error.message() << '\n';
    return static_cast<int>(error.kind());
  }
}
