// SPDX-License-Identifier: BSD-3-Clause
#include "source/commit_objects.h"

#include <unordered_set>

#include "git/tree_object.h"
#include "model/path_rule.h"
#include "source/repository_tree.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr int kMaxDepth = 512;

struct Missing {
  std::string reason;
};

class Lister {
 public:
  Lister(git::ObjectStore& store, int near, CommitObjects& result) : store_(store), near_(near), result_(result) {}

  git::Object read(const ObjectId& id, git::ObjectType type);
  void list(const ObjectId& tree, int depth);

 private:
  /// Notes an id; returns whether it is new.
  bool add(const ObjectId& id, std::vector<ObjectId>& list);

  git::ObjectStore& store_;
  int near_;
  CommitObjects& result_;
  std::unordered_set<ObjectId, DigestHash> seen_;
};

bool Lister::add(const ObjectId& id, std::vector<ObjectId>& list) {
  if (!seen_.insert(id).second) return false;
  if (seen_.size() > kMaxEntries) {
    throw Error(ErrorKind::unsafe, concat("the tree has more than ", kMaxEntries, " objects"));
  }
  list.push_back(id);
  return true;
}

git::Object Lister::read(const ObjectId& id, git::ObjectType type) {
  const std::string name = concat(git::object_type_name(type), " ", id.hex());
  std::optional<git::Object> object;
  try {
    object = store_.read(id, near_);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source) throw;
    throw Missing{error.message()};
  }
  if (!object) throw Missing{concat("the ", name, " is in no folder")};
  if (object->type != type) throw Missing{concat(id.hex(), " is no ", git::object_type_name(type))};
  add(id, result_.objects);
  return std::move(*object);
}

void Lister::list(const ObjectId& tree, int depth) {
  if (depth > kMaxDepth) throw Error(ErrorKind::unsafe, concat("it lies deeper than ", kMaxDepth, " directories"));
  for (const git::TreeEntry& entry : git::parse_tree(read(tree, git::ObjectType::tree).bytes)) {
    const auto mode = parse_file_mode(entry.mode);
    if (mode == FileMode::gitlink) {
      add(entry.id, result_.gitlinks);
    } else if (mode == FileMode::directory) {
      if (!seen_.contains(entry.id)) list(entry.id, depth + 1);
    } else if (add(entry.id, result_.objects) && store_.find(entry.id, near_) < 0) {
      throw Missing{concat("the blob ", entry.id.hex(), " is in no folder")};
    }
  }
}

/// Returns the ids of the lines "parent <id>" of a commit's header.
std::vector<ObjectId> parents_of(const std::string& commit) {
  constexpr std::string_view kKey = "parent ";
  std::vector<ObjectId> parents;
  for (const std::string& line : split(commit.substr(0, commit.find("\n\n")), '\n')) {
    if (!starts_with(line, kKey)) continue;
    if (const auto id = ObjectId::parse(line.substr(kKey.size()))) parents.push_back(*id);
  }
  return parents;
}

}  // namespace

CommitObjects list_commit_objects(git::ObjectStore& store, const ObjectId& commit, int near) {
  CommitObjects result;
  try {
    Lister lister(store, near, result);
    const git::Object object = lister.read(commit, git::ObjectType::commit);
    result.parents = parents_of(object.bytes);
    result.tree = git::parse_commit(object.bytes).tree;
    lister.list(result.tree, 0);
  } catch (const Missing& missing) {
    result.missing = missing.reason;
  } catch (Error& error) {
    error.add_context("while listing the objects of commit " + commit.hex());
    throw;
  }
  return result;
}

}  // namespace torchpatch::source
