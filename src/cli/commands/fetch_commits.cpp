// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/option_set.h"
#include "model/url.h"
#include "source/library_fetch.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

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

Action declare(OptionSet& options) {
  const auto line = std::make_shared<FetchCommitsLine>();
  options.value("--git-dir", line->git_dir, "DIR", "a bare repository that nobody else writes to", Need::required);
  options.value("--url", line->url, "URL", "where to fetch from", Need::required);
  options.values("--commit", line->commits, "ID", "a commit that is wanted");
  return [line](Context& context) { return fetch_commits(*line, context); };
}

}  // namespace

Command fetch_commits_command() {
  return {
      .name = source::kLibraryFetchCommand,
      .summary = "bring commits into a repository without the git program",
      .details =
          "What torchpatch runs where there is no git: libgit2, which brings whole histories and has no time limits.",
      .examples = {"torchpatch fetch-commits --git-dir cache.git --url https://example.org/r.git --commit ID"},
      .declare = declare,
      .audience = Audience::plumbing};
}

}  // namespace torchpatch::cli
