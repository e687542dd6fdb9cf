// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/option_set.h"
#include "cli/shared_options.h"
#include "cli/source_options.h"
#include "model/url.h"
#include "ops/apply_tree.h"
#include "source/fetch/remote.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

struct ApplyTreeLine {
  std::string git_dir, tree, patch;
};

int apply_tree(const ApplyTreeLine& line, Context& context) {
  const auto tree = ObjectId::parse(line.tree);
  if (!tree) {
    throw Error(ErrorKind::usage, concat("--tree ", quote(line.tree), " is not an object id of 40 hex digits"),
                "git rev-parse 'COMMIT^{tree}' gives it");
  }
  const ops::AppliedTree applied = ops::apply_tree(line.git_dir, *tree, line.patch);
  for (const std::string& note : applied.notes) context.console.warning(note);
  print(context, applied.tree.hex() + "\n");
  return kDone;
}

Action declare_apply_tree(OptionSet& options) {
  const auto line = std::make_shared<ApplyTreeLine>();
  options.value("--git-dir", line->git_dir, "DIR", "git directory of the repository", Need::required);
  options.value("--tree", line->tree, "ID", "the tree to apply the patch to", Need::required);
  options.value("--patch", line->patch, "FILE", "the patch", Need::required);
  return [line](Context& context) { return apply_tree(*line, context); };
}

struct FetchCommitsLine {
  std::string git_dir, url;
  std::vector<std::string> commits;
};

source::Fetch parse(const FetchCommitsLine& line) {
  if (const auto problem = url_problem(line.url)) throw Error(ErrorKind::usage, concat("--url: ", *problem));
  source::Fetch fetch{line.url, line.git_dir, {}};
  for (const std::string& text : line.commits) {
    const auto commit = ObjectId::parse(text);
    if (!commit) throw Error(ErrorKind::usage, concat("--commit ", quote(text), " is not an id of 40 hex digits"));
    fetch.commits.push_back(*commit);
  }
  return fetch;
}

int fetch_commits(const FetchCommitsLine& line, Context& context) {
  source::fetch_with_library(parse(line), [&](const std::string& step) { context.console.status(step); });
  return kDone;
}

Action declare_fetch_commits(OptionSet& options) {
  const auto line = std::make_shared<FetchCommitsLine>();
  options.value("--git-dir", line->git_dir, "DIR", "a bare repository that nobody else writes to", Need::required);
  options.value("--url", line->url, "URL", "where to fetch from", Need::required);
  options.values("--commit", line->commits, "ID", "a commit that is wanted");
  return [line](Context& context) { return fetch_commits(*line, context); };
}

struct WriteSourceLine {
  std::string name, directory;
};

int write_source(const WriteSourceLine& line, Context& context) {
  const EmbeddedSource& source = find_embedded_source(line.name);
  make_directories(line.directory);
  if (!list_directory(line.directory).empty()) {
    throw Error(ErrorKind::environment, concat(quote(line.directory), " is not empty"), "name a new directory");
  }
  for (const auto& [release, commits] : source.write(load_catalog({}, context.environment), line.directory, {})) {
    for (const auto& [component, commit] : commits) {
      print(context, concat(release.text(), " ", component_name(component), " ", commit.hex(), "\n"));
    }
  }
  return kDone;
}

Action declare_write_source(OptionSet& options) {
  const auto line = std::make_shared<WriteSourceLine>();
  options.choice_argument("NAME", line->name, embedded_source_names(), "the embedded source", Need::required);
  options.value("-o,--output", line->directory, "DIR", "an empty or new directory", Need::required);
  return [line](Context& context) { return write_source(*line, context); };
}

}  // namespace

Command apply_tree_command() {
  return {.name = "apply-tree",
          .summary = "apply a patch to a tree of a repository and print the new tree's id",
          .details = "Computes what git apply would give and writes nothing.",
          .examples = {"torchpatch apply-tree --git-dir .git --tree ID --patch fix.patch"},
          .declare = declare_apply_tree,
          .audience = Audience::plumbing};
}

Command fetch_commits_command() {
  return {
      .name = source::kLibraryFetchCommand,
      .summary = "bring commits into a repository without the git program",
      .details =
          "What torchpatch runs where there is no git: libgit2, which brings whole histories and has no time limits.",
      .examples = {"torchpatch fetch-commits --git-dir cache.git --url https://example.org/r.git --commit ID"},
      .declare = declare_fetch_commits,
      .audience = Audience::plumbing};
}

Command write_source_command() {
  return {.name = "write-source",
          .summary = "write the repositories of an embedded source, to look at or to use as a mirror",
          .details = "Prints release, component and commit of what it wrote, one a line.",
          .examples = {"torchpatch write-source " + embedded_source_names().front() + " --output upstream"},
          .declare = declare_write_source,
          .audience = Audience::plumbing};
}

}  // namespace torchpatch::cli
