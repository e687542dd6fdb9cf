// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch_parts.h"

#include <algorithm>

#include "source/cache.h"
#include "source/fetch_program.h"
#include "source/git_words.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::chrono::seconds kListing{300};  // for git to walk the trees of one commit

/// One commit. git works in two repositories that are thrown away, for it writes down whom it asked with a filter, and
/// would ask him again by itself; only the objects go into the cache.
class Parts {
 public:
  Parts(const Fetch& fetch, const FetchOptions& options)
      : fetch_(fetch), options_(options), objects_(fetch.repository + "/objects") {
    const Cache scratch(scratch_.path());
    for (const std::string& repository : {trees_, files_}) scratch.make_repository(repository);
  }

  FetchOutcome run(const ObjectId& commit) {
    if (!run_git(trees_, {"--depth=1", "--filter=blob:none"}, "", commit)) return outcome_;
    remove_promises();
    for (std::vector<ObjectId> missing = list_missing(commit); outcome_.reason.empty() && !missing.empty();) {
      const std::size_t count = std::min(missing.size(), static_cast<std::size_t>(fetch_.files_at_once));
      std::string ids;
      for (std::size_t i = 0; i < count; ++i) ids += missing[i].hex() + "\n";
      if (!run_git(files_, {"--stdin"}, ids, {})) return outcome_;
      outcome_.has_progressed = true;
      missing.erase(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(count));
      if (missing.empty()) missing = list_missing(commit);  // a long list comes in pieces
    }
    if (outcome_.reason.empty()) Cache::add_fetched(fetch_.repository, commit);
    return outcome_;
  }

 private:
  /// Runs `git fetch` in a repository, for a commit or for the ids in `input`; returns whether it worked.
  bool run_git(const std::string& repository, const std::vector<std::string>& more, const std::string& input,
               const std::optional<ObjectId>& commit) {
    FetchProgram program;
    program.url = fetch_.url;
    program.line = [&](const std::string& url) {
      std::vector<std::string> line = git_fetch_line(repository, url, more);
      if (commit) line.push_back(concat("+", commit->hex(), ":", kFetchedReferences, commit->hex()));
      return line;
    };
    program.objects = objects_;
    program.spent = fetch_.spent + outcome_.took;
    if (!input.empty()) {
      program.input = scratch_.path() + "/ids";
      write_file_atomically(program.input, input);
    }
    const FetchOutcome before = outcome_;
    outcome_ = run_fetch_programs({program}, options_).front();
    outcome_.took += before.took;
    outcome_.has_progressed = before.has_progressed;
    return outcome_.reason.empty();
  }

  /// Returns the objects of a commit that are not there, or the first of very many.
  std::vector<ObjectId> list_missing(const ObjectId& commit) {
    ProgramRun run;
    run.argv = git_line(trees_);
    run.argv.insert(run.argv.end(), {"rev-list", "--objects", "--quiet", "--missing=print", commit.hex()});
    run.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                       {"HOME", scratch_.path()},
                       {"LC_ALL", "C"},
                       {"GIT_CONFIG_NOSYSTEM", "1"},
                       {"GIT_CONFIG_GLOBAL", "/dev/null"},
                       {"GIT_ALLOW_PROTOCOL", "none"},
                       {"GIT_OBJECT_DIRECTORY", objects_}};
    run.timeout = kListing;
    run.limits.address_space = kMaxFetchMemory;
    const ProgramResult result = run_program(run);
    if (result.exit_code != 0) outcome_.reason = concat("git cannot list the objects: ", quote(errors_in(result.err)));
    std::vector<ObjectId> missing;
    for (const std::string& line : split(result.out, '\n')) {
      const auto id = starts_with(line, "?") ? ObjectId::parse(line.substr(1)) : std::nullopt;
      if (id) missing.push_back(*id);
    }
    return missing;
  }

  /// Takes back what tells git that somebody else has the rest of a pack's objects.
  void remove_promises() const {
    for (const std::string& name : list_directory(objects_ + "/pack")) {
      if (ends_with(name, ".promisor")) remove_tree(concat(objects_, "/pack/", name));
    }
  }

  const Fetch& fetch_;
  const FetchOptions& options_;
  std::string objects_;
  TempDir scratch_;
  std::string trees_ = scratch_.path() + "/trees.git";
  std::string files_ = scratch_.path() + "/files.git";
  FetchOutcome outcome_;
};

}  // namespace

FetchOutcome fetch_in_parts(const Fetch& fetch, const FetchOptions& options) {
  Fetch rest = fetch;
  FetchOutcome whole;
  for (const ObjectId& commit : fetch.commits) {
    const FetchOutcome outcome = Parts(rest, options).run(commit);
    rest.spent += outcome.took;
    const bool has_progressed = whole.has_progressed || outcome.has_progressed;
    whole = outcome;
    whole.took = rest.spent - fetch.spent;
    whole.has_progressed = has_progressed;
    if (!outcome.reason.empty()) break;
  }
  return whole;
}

}  // namespace torchpatch::source
