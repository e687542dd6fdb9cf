// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/patch_work.h"

#include <filesystem>
#include <utility>

#include "git/git_program.h"
#include "git/loose_object.h"
#include "support/error.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

std::string line_of_git(const std::string& text) { return std::string(trim(text.substr(0, text.find('\n')))); }

/// No file of the work says how git is to read or show it.
constexpr const char* kAttributes = "* -text -ident -filter -working-tree-encoding !diff !eol !merge\n";

/// A header is no prose: git may neither strip its comments nor add some. Commit graphs and indexes of packs can be
/// made to say something else than the objects.
constexpr const char* kConfig =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tautocrlf = false\n"
    "\tsafecrlf = false\n\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n\thooksPath = /dev/null\n"
    "\tcommitGraph = false\n\tmultiPackIndex = false\n"
    "[commit]\n\tcleanup = whitespace\n\tstatus = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// Writes what git reads of a repository besides its objects, its references and its index.
void write_settings(const std::string& repository) {
  make_directories(repository + "/info");
  write_file_atomically(repository + "/info/attributes", kAttributes);
  write_file_atomically(repository + "/config", kConfig);
}

}  // namespace

WorkRepository::WorkRepository(std::string directory) : directory_(std::move(directory)) {
  write_settings(settings_.path());
  for (const char* name : {"/refs", "/packed-refs"})  // some versions of git read these there, others in GIT_DIR
    std::filesystem::create_symlink(concat(absolute_path(directory_), "/.git", name), settings_.path() + name);
}

std::string WorkRepository::git(const std::vector<std::string>& args, const std::string& index,
                                const std::string& input) const {
  ProgramRun run = git::git_run(args);
  run.input = input;
  run.directory = directory_;
  const std::string root = absolute_path(directory_);
  const auto set = [&](std::string name, std::string value) {
    run.environment.emplace_back(std::move(name), std::move(value));
  };
  set("GIT_DIR", root + "/.git");           // HEAD and the index
  set("GIT_COMMON_DIR", settings_.path());  // the configuration, and all that it could name
  set("GIT_OBJECT_DIRECTORY", root + "/.git/objects");
  set("GIT_WORK_TREE", root);
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    set(concat("GIT_", who, "_NAME"), "torchpatch");
    set(concat("GIT_", who, "_EMAIL"), "torchpatch@localhost");
    set(concat("GIT_", who, "_DATE"), "2000-01-01T00:00:00Z");
  }
  if (!index.empty()) set("GIT_INDEX_FILE", index);
  const ProgramResult result = run_program(run);
  if (result.exit_code == 0) return result.out;
  if (result.exit_code == kProgramNotFound)
    throw Error(ErrorKind::environment, "there is no program 'git', which this needs", "install git");
  const std::string line = line_of_git(result.err);
  const bool is_locked = line.find(".lock': File exists") != std::string::npos;
  throw Error(ErrorKind::environment,
              concat("in ", quote(directory_), ": git ", args.front(),
                     result.timed_out ? " takes too long" : concat(" says ", quote(line))),
              is_locked ? "another git is at work there; where none is, for it was ended by force, remove that file"
                        : "look at the repository with git status and git log");
}

void WorkRepository::create() const {
  git::make_repository_folders(path(".git"));
  write_settings(path(".git"));
  write_file_atomically(path(".git/HEAD"), "ref: refs/heads/work\n");
}

std::string WorkRepository::commit(const std::string& message) const {
  const std::string file = settings_.path() + "/message";
  write_file_atomically(file, message);
  git({"add", "--all", "--force", "."});
  git({"commit", "--quiet", "--allow-empty", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=" + file});
  return head();
}

void WorkRepository::set_branch(const std::string& name, const std::string& commit) const {
  git({"update-ref", "refs/heads/" + name, commit});
}

std::string WorkRepository::branch_tip(const std::string& name) const {
  return line_of_git(git({"rev-parse", "--verify", "refs/heads/" + name}));
}

void WorkRepository::unlock() const {
  for (const std::string& name : list_files_below(path(".git")))
    if (ends_with(name, ".lock")) remove_tree(path(".git/" + name));
}

void WorkRepository::reset(const std::string& commit) const {
  git({"reset", "--quiet", "--hard", commit});
  git({"clean", "--quiet", "-ffdx"});
}

std::map<std::string, std::string> WorkRepository::unmerged() const {
  std::map<std::string, std::string> blobs;
  for (const std::string& entry : split(git({"ls-files", "--unmerged", "-z"}), '\0')) {
    const std::size_t tab = entry.find('\t');  // behind mode, blob and side
    if (tab == std::string::npos) continue;
    const std::vector<std::string> facts = split(entry.substr(0, tab), ' ');
    std::string& blob = blobs[entry.substr(tab + 1)];
    if (facts.size() == 3 && facts[2] == "2") blob = facts[1];
  }
  return blobs;
}

void WorkRepository::stage_conflicts(const std::string& entries) const {
  git({"add", "--all", "--force", "."});
  const std::string file = settings_.path() + "/stages";
  write_file_atomically(file, entries);
  git({"update-index", "--index-info"}, {}, file);
}

std::string WorkRepository::head() const { return line_of_git(git({"rev-parse", "--verify", "HEAD"})); }

std::string WorkRepository::tree_of(const std::string& commit) const {
  return line_of_git(git({"rev-parse", "--verify", commit + "^{tree}"}));
}

std::vector<WorkCommit> WorkRepository::commits_since(const std::string& base) const {
  std::vector<WorkCommit> commits;
  std::vector<std::string> entries =
      split(git({"log", "--reverse", "--topo-order", "--format=%H%x01%P%x01%B%x02", base + "..HEAD"}), '\x02');
  for (const std::string& entry : entries) {
    const std::vector<std::string> parts = split(trim(entry), '\x01');
    if (parts.size() == 3) commits.push_back({parts[0], parts[1], parts[2]});
  }
  return commits;
}

std::string WorkRepository::tree_of_files() const {
  const std::string index = settings_.path() + "/index";
  git({"read-tree", "HEAD"}, index);
  git({"add", "--all", "--force", "."}, index);
  return line_of_git(git({"write-tree"}, index));
}

std::vector<std::string> WorkRepository::changed_paths(const std::string& before, const std::string& after) const {
  std::vector<std::string> paths = split(git({"diff", "--name-only", "-z", "--no-renames", before, after}), '\0');
  std::erase(paths, "");
  return paths;
}

std::string WorkRepository::diff(const std::string& before, const std::string& after, const std::string& folder) const {
  const std::string file = settings_.path() + "/diff";  // what a program prints is cut off at 1 MiB
  git({"diff", "--output=" + file, "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index",
       "--binary", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=default", "--src-prefix=a/",
       "--dst-prefix=b/", concat("--relative=", folder, "/"), before, after});
  return read_file(file);
}

}  // namespace torchpatch::upkeep
