// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/remote_tags.h"

#include <map>

#include "git/git_program.h"
#include "model/url.h"
#include "source/fetch/fetch_program.h"
#include "source/fetch/remote.h"
#include "source/store/cache.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::string_view kTagReferences = "refs/tags/";
constexpr std::string_view kPeeled = "^{}";

void require_git() {
  if (!git::has_git())
    throw Error(ErrorKind::environment, "asking for tags: the git program is not installed", "install git");
}

CommandLine ls_remote_line(const std::string& repository, const std::vector<std::string>& patterns) {
  return [repository, patterns](const std::string& url) {
    std::vector<std::string> line = git_line(repository, "ls-remote");
    line.insert(line.end(), {"--tags", "--", url});
    for (const std::string& pattern : patterns) {
      line.push_back(concat(kTagReferences, pattern));
      line.push_back(concat(kTagReferences, pattern, kPeeled));
    }
    return line;
  };
}

/// Runs each program until it works, its failure is none that passes, or it was tried often enough.
std::vector<FetchOutcome> run_patiently(std::vector<FetchProgram> programs, const FetchOptions& options,
                                        Console& console) {
  std::vector<FetchOutcome> outcomes = run_fetch_programs(programs, options);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    FetchProgram& program = programs[i];
    for (int failures = 1; outcomes[i].may_pass && failures <= options.retries; ++failures) {
      const std::chrono::milliseconds time = wait_after(outcomes[i], failures);
      program.spent += outcomes[i].took + time;
      if (program.spent >= options.timeouts.total) break;
      console.status(concat("asking ", redact_url(program.url), " again in ", (time.count() + 999) / 1000,
                            " s: ", outcomes[i].reason));
      wait(time);
      outcomes[i] = run_fetch_programs({program}, options).front();
    }
  }
  return outcomes;
}

/// Reads lines "ID<tab>refs/tags/NAME"; "NAME^{}" says what an annotated tag is for.
RemoteTags parse_tags(const FetchOutcome& outcome) {
  if (!outcome.reason.empty()) return {outcome.reason};
  if (!outcome.output.empty() && !ends_with(outcome.output, "\n")) return {"it has more tags than are read (1 MiB)"};
  std::map<std::string, CommitTag> tags;
  for (const std::string& line : split(outcome.output, '\n')) {
    const std::size_t tab = line.find('\t');
    const auto id = ObjectId::parse(line.substr(0, tab));
    if (!id || tab == std::string::npos || !starts_with(line.substr(tab + 1), kTagReferences)) continue;
    std::string name = line.substr(tab + 1 + kTagReferences.size());
    const bool is_peeled = ends_with(name, kPeeled);
    if (is_peeled) name.resize(name.size() - kPeeled.size());
    CommitTag& tag = tags[name];
    if (tag.name.empty() || is_peeled) tag = {name, *id};
  }
  RemoteTags found;
  for (auto& [name, tag] : tags) found.tags.push_back(std::move(tag));
  return found;
}

}  // namespace

std::vector<RemoteTags> list_remote_tags(const std::vector<TagQuery>& queries, const FetchOptions& options,
                                         Console& console) {
  require_git();
  const TempDir scratch;
  const std::string repository = scratch.path() + "/none.git";
  make_bare_repository(repository);
  std::vector<FetchProgram> programs;
  for (const TagQuery& query : queries)
    programs.push_back({.url = query.url, .line = ls_remote_line(repository, query.patterns)});
  console.status(concat("asking ", queries.size(), queries.size() == 1 ? " repository" : " repositories",
                        queries.size() == 1 ? " for its tags" : " for their tags"));
  std::vector<RemoteTags> found;
  for (const FetchOutcome& outcome : run_patiently(std::move(programs), options, console))
    found.push_back(parse_tags(outcome));
  return found;
}

std::string fetch_tag_times(const std::string& url, std::vector<CommitTag>& tags, const FetchOptions& options,
                            Console& console) {
  require_git();
  const TempDir scratch;
  const std::string repository = scratch.path() + "/commits.git";
  make_bare_repository(repository);
  std::vector<std::string> refspecs;
  for (const CommitTag& tag : tags)
    refspecs.push_back(concat("+", tag.commit.hex(), ":", kFetchedReferences, tag.commit.hex()));
  console.status(
      concat("asking ", redact_url(url), " for the dates of ", tags.size(), tags.size() == 1 ? " commit" : " commits"));
  const FetchProgram program{.url = url,
                             .line = git_fetch_line(repository, {"--depth=1", "--filter=tree:0"}, refspecs)};
  const FetchOutcome outcome = run_patiently({program}, options, console).front();
  if (outcome.reason.empty()) read_tag_times(repository + "/objects", tags);
  return outcome.reason;
}

}  // namespace torchpatch::source
