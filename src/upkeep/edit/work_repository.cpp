// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/work_repository.h"

#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

std::string line_of_git(const std::string& text) { return std::string(trim(text.substr(0, text.find('\n')))); }

/// No file of the work says how git is to read or show it.
constexpr const char* kAttributes = "* -text -ident -filter -working-tree-encoding !diff !eol !merge\n";

/// A header is no prose: git may neither strip its comments nor add some.
constexpr const char* kConfig =
    "[commit]\n\tcleanup = whitespace\n\tstatus = false\n[core]\n\tautocrlf = false\n\tsafecrlf = false\n"
    "\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n\thooksPath = /dev/null\n";

}  // namespace

std::string WorkRepository::git(const std::vector<std::string>& args, const std::string& index,
                                const std::string& input) const {
  ProgramRun run;
  run.input = input;
  run.argv = {"git"};
  run.argv.insert(run.argv.end(), args.begin(), args.end());
  run.directory = directory_;
  const std::string root = absolute_path(directory_);
  run.environment = {{"LC_ALL", "C"},
                     {"GIT_DIR", root + "/.git"},
                     {"GIT_WORK_TREE", root},
                     {"GIT_CONFIG_GLOBAL", "/dev/null"},
                     {"GIT_CONFIG_NOSYSTEM", "1"},
                     {"GIT_ATTR_NOSYSTEM", "1"}};
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    run.environment.emplace_back(concat("GIT_", who, "_NAME"), "torchpatch");
    run.environment.emplace_back(concat("GIT_", who, "_EMAIL"), "torchpatch@localhost");
    run.environment.emplace_back(concat("GIT_", who, "_DATE"), "2000-01-01T00:00:00Z");
  }
  if (!index.empty()) run.environment.emplace_back("GIT_INDEX_FILE", index);
  const ProgramResult result = run_program(run);
  if (result.exit_code == 0) return result.out;
  if (result.exit_code == kProgramNotFound)
    throw Error(ErrorKind::environment, "there is no program 'git', which this needs", "install git");
  const std::string line = line_of_git(result.err);
  const bool is_locked = line.find(".lock': File exists") != std::string::npos;
  throw Error(ErrorKind::environment, concat("in ", quote(directory_), ": git ", args.front(), " says ", quote(line)),
              is_locked ? "another git is at work there; where none is, for it was ended by force, remove that file"
                        : "look at the repository with git status and git log");
}

void WorkRepository::create() const {
  git({"init", "--quiet", "--template=", "."});
  git({"symbolic-ref", "HEAD", "refs/heads/work"});
  make_directories(path(".git/info"));
  write_file_atomically(path(".git/info/attributes"), kAttributes);
  write_file_atomically(path(".git/config"), read_file(path(".git/config")) + kConfig);
}

std::string WorkRepository::commit(const std::string& message) const {
  const std::string file = absolute_path(path(".git/torchpatch.message"));
  write_file_atomically(file, message);
  git({"add", "--all", "--force", "."});
  git({"commit", "--quiet", "--allow-empty", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=" + file});
  remove_tree(file);
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
  const std::string file = absolute_path(path(".git/torchpatch.stages"));
  write_file_atomically(file, entries);
  git({"update-index", "--index-info"}, {}, file);
  remove_tree(file);
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
  const std::string index = absolute_path(path(".git/torchpatch.index"));
  for (const char* const end : {"", ".lock"}) remove_tree(index + end);
  git({"read-tree", "HEAD"}, index);
  git({"add", "--all", "--force", "."}, index);
  const std::string tree = line_of_git(git({"write-tree"}, index));
  remove_tree(index);
  return tree;
}

std::vector<std::string> WorkRepository::changed_paths(const std::string& before, const std::string& after) const {
  std::vector<std::string> paths = split(git({"diff", "--name-only", "-z", "--no-renames", before, after}), '\0');
  std::erase(paths, "");
  return paths;
}

std::string WorkRepository::diff(const std::string& before, const std::string& after, const std::string& folder) const {
  const std::string file = absolute_path(path(".git/torchpatch.diff"));  // what a program prints is cut off at 1 MiB
  git({"diff", "--output=" + file, "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index",
       "--binary", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=default", "--src-prefix=a/",
       "--dst-prefix=b/", concat("--relative=", folder, "/"), before, after});
  const std::string text = read_file(file);
  remove_tree(file);
  return text;
}

}  // namespace torchpatch::upkeep
