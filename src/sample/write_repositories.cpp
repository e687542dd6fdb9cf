// SPDX-License-Identifier: BSD-3-Clause
#include "sample/write_repositories.h"

#include <algorithm>
#include <array>

#include "git/object.h"
#include "git/object_store.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::sample {

namespace {

constexpr std::array<std::string_view, 10> kSlashComments = {".S",   ".c", ".cc",  ".cpp",  ".cu",
                                                             ".cuh", ".h", ".hpp", ".java", ".proto"};

/// Returns `text` as a comment line in the language of the file at `path`, with newline.
std::string comment_line(const std::string& path, const std::string& text) {
  const bool has_slashes = std::ranges::any_of(kSlashComments, [&](auto suffix) { return path.ends_with(suffix); });
  return concat(has_slashes ? "// " : "# ", text, '\n');
}

/// Lines after the last expected one, so that no hunk appears to be at the end of its file.
constexpr std::uint32_t kTrailingLines = 5;

/// Adds one patch's expectations of one file.
class Expectation {
 public:
  Expectation(const patch::FilePatch& patch, const std::string& name, FileDrafts& files)
      : patch_(patch), name_(name), draft_(files[patch.old_path]) {}

  void add() {
    if (patch_.old_mode == FileMode::gitlink) fail("it changes a gitlink");
    if (patch_.old_mode) draft_.mode = *patch_.old_mode;
    if (patch_.binary) add_binary();
    for (const patch::Hunk& hunk : patch_.hunks) add_hunk(hunk);
    if (patch_.kind == patch::ChangeKind::remove && patch_.hunks.empty()) end_at(0);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::data,
                concat("making up what patch ", quote(name_), " expects of ", quote(patch_.old_path), ": ", why));
  }

  void add_binary() {
    const std::optional<patch::BinaryHunk>& reverse = patch_.binary->reverse;
    if (!reverse || reverse->method != patch::BinaryMethod::literal) fail("its old content is not in the patch");
    draft_.content = reverse->data;
  }

  void add_hunk(const patch::Hunk& hunk) {
    std::uint32_t number = hunk.old_start;
    for (const patch::HunkLine& line : hunk.lines)
      if (line.kind != patch::LineKind::added) add_line(number++, line.text);
    // As in git, a hunk without context after its last change is at the end of the file.
    if (hunk.lines.back().kind != patch::LineKind::context)
      end_at(hunk.old_start + hunk.old_count - (hunk.old_count > 0 ? 1 : 0));
  }

  void add_line(std::uint32_t number, const std::string& text) {
    const auto [line, is_new] = draft_.lines.emplace(number, text);
    if (!is_new && line->second != text) fail(concat("another patch has another line ", number));
    if (draft_.last_line && number > *draft_.last_line) fail(concat("for another patch it ends before line ", number));
    if (!ends_with(text, "\n")) end_at(number);
  }

  void end_at(std::uint32_t number) {
    if (draft_.last_line.value_or(number) != number || last_expected_line() > number)
      fail(concat("another patch expects more than ", number, " lines"));
    draft_.last_line = number;
  }

  std::uint32_t last_expected_line() const { return draft_.lines.empty() ? 0 : draft_.lines.rbegin()->first; }

  const patch::FilePatch& patch_;
  const std::string& name_;
  FileDraft& draft_;
};

/// 2019-04-30, noon. Torch's commit is the newest.
constexpr std::int64_t kTorchTime = 1556625600;
constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kSubmoduleTime = kTorchTime - 30 * kDay;

void add_file(Project& project, const std::string& path, const std::string& content,
              FileMode mode = FileMode::regular) {
  project.files[path] = {mode, content, {}, {}};
}

Project make_project(const std::string& title, std::int64_t time) {
  Project project{title, "", time, {}, {}};
  add_file(project, "README.md",
           concat("# A stand-in for ", title,
                  "\n\ntorchpatch wrote this repository itself, to show its work where upstream's is not at hand. The "
                  "lines that\npatches expect stand where upstream has them; everything else is filler. It cannot be "
                  "built.\n"));
  return project;
}

/// Returns the submodule of `project` at or around `path`, or null.
const SubmoduleDraft* enclosing_submodule(const Project& project, const std::string& path) {
  for (const SubmoduleDraft& submodule : project.submodules)
    if (path == submodule.path || starts_with(path, submodule.path + "/")) return &submodule;
  return nullptr;
}

/// Returns a file name for the repository at `place`: "torch+third_party+foxi".
std::string project_name(const RepositoryPath& place) {
  std::string name = place.text();
  std::ranges::replace(name, ':', '+');
  std::ranges::replace(name, '/', '+');
  return name;
}

/// Returns the project at `place`; if there is none, adds it to the innermost one around it.
Project& project_at(Projects& projects, const RepositoryPath& place) {
  Project* project = &projects.at(name_of(place.component));
  std::string rest = place.path;
  while (!rest.empty()) {
    const SubmoduleDraft* submodule = enclosing_submodule(*project, rest);
    if (submodule == nullptr) {
      const std::string name = project_name(place);
      project->submodules.push_back({rest, stand_in_url(concat(name_of(place.component), "/", rest)), name});
      return projects[name] = make_project(name, kSubmoduleTime);
    }
    rest = rest == submodule->path ? "" : rest.substr(submodule->path.size() + 1);
    project = &projects.at(submodule->project);
  }
  return *project;
}

std::vector<const Patch*> patches_for(const Catalog& catalog, const Release& release) {
  std::vector<const Patch*> patches;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      if (!variant.releases.contains(release.version)) continue;
      for (const Patch& patch : variant.patches)
        if (release.find(patch.repository.component) != nullptr) patches.push_back(&patch);
    }
  }
  return patches;
}

/// Where a variable is read, as in the catalog: "setup.py:242", "vision:setup.py:45".
struct ReadingPlace {
  std::string component = name_of(Component::torch);
  std::string path;
  std::uint32_t line = 0;
  auto operator<=>(const ReadingPlace&) const = default;
};

ReadingPlace parse_place(const std::string& text) {
  ReadingPlace place;
  std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 3) {
    place.component = parts.front();
    parts.erase(parts.begin());
  }
  place.path = parts.front();
  place.line = static_cast<std::uint32_t>(parse_decimal(parts.back()).value_or(0));
  return place;
}

void mention_flags(const Release& release, Projects& projects) {
  std::map<ReadingPlace, std::vector<std::string>> names;
  for (const auto& [name, place] : release.flags) names[parse_place(place)].push_back(name);
  for (const auto& [place, flags] : names) {
    const auto project = projects.find(place.component);
    if (project == projects.end()) continue;
    const std::string text = concat("torchpatch stand-in, line ", place.line, ": upstream reads ", join(flags, ", "));
    suggest_line(place.path, place.line, comment_line(place.path, text), project->second.files);
  }
}

std::string every_byte() {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  return bytes;
}

/// Adds one of each kind of file that a tree can contain, and names that sort or print unusually.
void add_kinds_of_files(Project& project) {
  add_file(project, "stand_in/run.sh", "#!/bin/sh\necho 'This is a stand-in; there is nothing to run.'\n",
           FileMode::executable);
  add_file(project, "stand_in/latest", "run.sh", FileMode::link);
  add_file(project, "stand_in/up/readme", "../../README.md", FileMode::link);
  add_file(project, "stand_in/empty", "");
  add_file(project, "stand_in/no_newline.txt", "The last line of this file has no newline.");
  add_file(project, "stand_in/every_byte.bin", every_byte());
  add_file(project, "stand_in/up.txt",
           "This file's name sorts before 'up/readme', and the name of its directory after it.\n");
  add_file(project, "stand_in/na\xc3\xafve name.txt",
           "The name of this file has a space and a letter outside of ASCII.\n");
  // Attributes are not applied: the blob, with LF, is written unchanged.
  add_file(project, ".gitattributes", "*.bat text eol=crlf\n");
  add_file(project, "stand_in/lines.bat", "rem The lines of this file end with LF.\n");
}

void add_submodule(Project& project, const std::string& path, const std::string& url, const std::string& name) {
  project.submodules.push_back({path, url, name});
}

/// Returns the repositories that exist independently of the patches.
Projects make_base_projects(const Release& release) {
  Projects projects;
  for (const char* name : {"clang-cindex-python3", "googletest", "onnx", "protobuf", "pybind11"})
    projects[name] = make_project(name, kSubmoduleTime);
  add_submodule(projects["onnx"], "third_party/pybind11", stand_in_url("pybind/pybind11"), "pybind11");
  add_submodule(projects["protobuf"], "third_party/googletest", stand_in_url("google/googletest"), "googletest");
  add_submodule(projects["pybind11"], "tools/clang", "../../wjakob/clang-cindex-python3", "clang-cindex-python3");
  for (const auto& [component, pin] : release.components) {
    const std::string name = name_of(component);
    projects[name] =
        make_project(concat(name, " ", pin.version), kTorchTime - (component == Component::torch ? 0 : kDay));
    projects[name].tag = pin.tag;
  }
  Project& torch = projects["torch"];
  add_kinds_of_files(torch);
  add_submodule(torch, "third_party/onnx", stand_in_url("onnx/onnx"), "onnx");
  add_submodule(torch, "third_party/protobuf", stand_in_url("google/protobuf"), "protobuf");
  add_submodule(torch, "third_party/pybind11", stand_in_url("pybind/pybind11"), "pybind11");
  return projects;
}

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

/// Writes a project as "<name>.git", after its submodules, since their commits are entries of its trees. Authors, dates
/// and order are fixed: equal projects give equal commits.
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

void expect_patch(const patch::PatchFile& patch, const std::string& name, FileDrafts& files) {
  for (const patch::FilePatch& file : patch.files)
    if (!file.old_path.empty()) Expectation(file, name, files).add();
}

void suggest_line(const std::string& path, std::uint32_t number, const std::string& text, FileDrafts& files) {
  FileDraft& draft = files[path];
  if (draft.content || (draft.last_line && number > *draft.last_line)) return;
  draft.lines.emplace(number, text);
}

std::string draft_content(const std::string& path, const FileDraft& draft) {
  if (draft.content) return *draft.content;
  const std::uint32_t expected = draft.lines.empty() ? 0 : draft.lines.rbegin()->first;
  const std::uint32_t count = draft.last_line.value_or(expected + kTrailingLines);
  std::string content;
  for (std::uint32_t number = 1; number <= count; ++number) {
    const auto line = draft.lines.find(number);
    content += line == draft.lines.end()
                   ? comment_line(path, concat("torchpatch stand-in, line ", number, ": nothing of upstream's"))
                   : line->second;
  }
  return content;
}

std::string stand_in_url(const std::string& repository) {
  return concat("https://stand-in.invalid/", repository, ".git");
}

Projects make_projects(const Catalog& catalog, const Release& release) {
  const std::vector<const Patch*> patches = patches_for(catalog, release);
  if (patches.empty()) return {};
  Projects projects = make_base_projects(release);
  for (const Patch* patch : patches) {
    expect_patch(patch::parse_patch(patch->text, patch->file), patch->file,
                 project_at(projects, patch->repository).files);
  }
  mention_flags(release, projects);
  return projects;
}

WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory,
                                   const std::vector<std::string>& only) {
  WrittenReleases written;
  // A release in a user's layer may pin the commits of any.
  const auto is_shipped = [&](const std::string& name) {
    return std::ranges::any_of(shipped.releases, [&](const auto& each) { return each.first.text() == name; });
  };
  const bool takes_all = !std::ranges::all_of(only, is_shipped);
  for (const auto& [version, release] : shipped.releases) {
    if (!takes_all && !only.empty() && std::ranges::find(only, version.text()) == only.end()) continue;
    const Projects projects = make_projects(shipped, release);
    if (projects.empty()) continue;
    const std::string folder = concat(directory, "/", version.text());
    make_directories(folder);
    Commits commits;
    for (const auto& [name, project] : projects) write_project(projects, name, folder, commits);
    for (const auto& [component, pin] : release.components)
      written[version][component] = commits.at(name_of(component));
  }
  if (written.empty() && !only.empty()) {
    std::vector<std::string> held;
    for (const auto& [version, release] : shipped.releases)
      if (!patches_for(shipped, release).empty()) held.push_back(version.text());
    throw Error(ErrorKind::usage, concat("--source sample does not hold ", join(only, ", ")),
                "it holds what patches change: " + join(held, ", "));
  }
  return written;
}

}  // namespace torchpatch::sample
