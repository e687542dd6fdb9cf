// SPDX-License-Identifier: BSD-3-Clause
#include "sample/write_repositories.h"

#include <algorithm>

#include "git/loose_object.h"
#include "git/object.h"
#include "sample/project.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::sample {

namespace {

constexpr std::string_view kAuthor = "torchpatch <stand-in@torchpatch.invalid>";

/// Project name → its commit.
using Commits = std::map<std::string, ObjectId>;

/// A tree under construction.
struct Directory {
  std::map<std::string, Directory> directories;
  std::vector<git::TreeEntry> entries;
};

void add_entry(Directory& root, const std::string& path, FileMode mode, const ObjectId& id) {
  std::vector<std::string> names = split(path, '/');
  Directory* directory = &root;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) directory = &directory->directories[names[i]];
  directory->entries.push_back({name_of(mode), names.back(), id});
}

ObjectId write_tree(git::RepositoryWriter& repository, const Directory& directory) {
  std::vector<git::TreeEntry> entries = directory.entries;
  for (const auto& [name, child] : directory.directories)
    entries.push_back({name_of(FileMode::directory), name, write_tree(repository, child)});
  return repository.write(git::ObjectType::tree, git::format_tree(std::move(entries)));
}

std::string gitmodules_text(const std::vector<SubmoduleDraft>& submodules) {
  std::string text;
  for (const SubmoduleDraft& submodule : submodules) {
    text +=
        concat("[submodule \"", submodule.path, "\"]\n\tpath = ", submodule.path, "\n\turl = ", submodule.url, "\n");
  }
  return text;
}

ObjectId write_content(git::RepositoryWriter& repository, const Project& project, const Commits& commits) {
  Directory root;
  for (const auto& [path, draft] : project.files)
    add_entry(root, path, draft.mode, repository.write(git::ObjectType::blob, draft_content(path, draft)));
  for (const SubmoduleDraft& submodule : project.submodules)
    add_entry(root, submodule.path, FileMode::gitlink, commits.at(submodule.project));
  if (!project.submodules.empty()) {
    const std::string text = gitmodules_text(project.submodules);
    add_entry(root, ".gitmodules", FileMode::regular, repository.write(git::ObjectType::blob, text));
  }
  return write_tree(repository, root);
}

ObjectId write_commit(git::RepositoryWriter& repository, const Project& project, const ObjectId& tree) {
  const std::string signature = concat(kAuthor, " ", project.time, " +0000");
  return repository.write(git::ObjectType::commit,
                          concat("tree ", tree.hex(), "\nauthor ", signature, "\ncommitter ", signature,
                                 "\n\nStand in for ", project.title, "\n\nThis is not upstream's code.\n"));
}

/// Writes a project as "<name>.git". Submodules come first: their commits are entries of the trees above. Authors,
/// dates and order are fixed: equal projects give equal commits.
const ObjectId& write_project(const Projects& projects, const std::string& name, const std::string& directory,
                              Commits& commits) {
  if (const auto known = commits.find(name); known != commits.end()) return known->second;
  const Project& project = projects.at(name);
  for (const SubmoduleDraft& submodule : project.submodules)
    write_project(projects, submodule.project, directory, commits);
  git::RepositoryWriter repository(concat(directory, "/", name, ".git"));
  const ObjectId commit = write_commit(repository, project, write_content(repository, project, commits));
  repository.set_ref("refs/heads/main", commit);
  if (!project.tag.empty()) repository.set_ref("refs/tags/" + project.tag, commit);
  return commits[name] = commit;
}

}  // namespace

WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory,
                                   const std::vector<std::string>& only) {
  WrittenReleases written;
  for (const auto& [version, release] : shipped.releases) {
    if (!only.empty() && std::ranges::find(only, version.text()) == only.end()) continue;
    const Projects projects = make_projects(shipped, release);
    if (projects.empty()) continue;
    const std::string folder = concat(directory, "/", version.text());
    make_directories(folder);
    Commits commits;
    for (const auto& [name, project] : projects) write_project(projects, name, folder, commits);
    for (const auto& [component, pin] : release.components)
      written[version][component] = commits.at(name_of(component));
  }
  return written;
}

}  // namespace torchpatch::sample
