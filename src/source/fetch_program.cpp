// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch_program.h"

#include <array>
#include <deque>
#include <numeric>

#include "source/fetch_watch.h"
#include "source/git_home.h"
#include "source/git_words.h"
#include "source/redirect.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr int kMaxRedirects = 5;
/// A pack without end would fill the disk. All of pytorch with its history has less than 3 GiB.
constexpr std::uint64_t kMaxPackBytes = 16ull << 30;

/// Settings that outrank those of the repository. Packs are kept however small they are: one file to open instead of
/// hundreds. Objects are checked by the closure, each against its id. A server is not to send us elsewhere, neither by
/// a redirect (redirect.h) nor by naming bundles or packs at other places.
constexpr std::array kSettings = {
    "core.hooksPath=/dev/null",   "gc.auto=0",
    "maintenance.auto=false",     "fetch.unpackLimit=1",
    "fetch.fsckObjects=false",    "fetch.writeCommitGraph=false",
    "http.followRedirects=false", "http.lowSpeedLimit=0",
    "http.sslVerify=true",        "transfer.bundleURI=false",
    "fetch.uriProtocols=",        "protocol.version=2",
    "submodule.recurse=false",    "pack.threads=4",
    "core.packedGitLimit=1g",     "core.packedGitWindowSize=256m",
    "core.bigFileThreshold=256m",
};

ProgramRun run_of(const FetchProgram& program, const GitHome& home, const std::string& trace, FetchWatch& watch) {
  ProgramRun run;
  run.argv = program.line(program.url);
  run.environment = home.environment(program.url, trace);
  if (!program.objects.empty()) run.environment.emplace_back("GIT_OBJECT_DIRECTORY", program.objects);
  run.input = program.input;
  run.directory = home.path();
  if (has_git()) run.limits.address_space = kMaxFetchMemory;  // fetch_with_library limits itself
  run.limits.file_size = kMaxPackBytes;
  run.watch = [&watch](std::string_view err) { return watch.check(err, FetchWatch::Clock::now()); };
  return run;
}

bool is_passing_status(int status) { return status == 408 || status == 429 || (status >= 500 && status <= 599); }

/// Returns what git's words leave to be said.
std::string explain(const std::string& errors, int status, bool has_credentials) {
  const auto says = [&](std::string_view words) { return errors.find(words) != std::string::npos; };
  if (!has_credentials && (status == 401 || says("Permission denied ("))) return "; only --credentials lets git log in";
  if (says("dumb http transport")) return ": the server does not speak git's protocol there";
  return {};
}

bool has_begun_objects(const std::string& err) { return err.find("Receiving objects:") != std::string::npos; }

FetchOutcome outcome_of(const ProgramResult& result, FetchWatch& watch, bool has_credentials) {
  FetchOutcome outcome;
  outcome.took = watch.took();
  if (!result.stopped.empty()) {
    outcome.reason = result.stopped;
    outcome.may_pass = true;
    outcome.broke_off = has_begun_objects(result.err);
    return outcome;
  }
  if (result.exit_code == 0) return outcome;
  const std::string errors = errors_in(result.err);
  const int status = watch.trace().status();
  outcome.may_pass = status >= 300 ? is_passing_status(status) : tells_of_connection(errors);
  outcome.broke_off = outcome.may_pass && has_begun_objects(result.err);
  outcome.wait = std::chrono::seconds(watch.trace().retry_after());
  outcome.reason = errors.empty() ? concat("git ended with exit code ", result.exit_code)
                                  : concat(has_git() ? "git" : "libgit2", " says ", quote(errors),
                                           explain(errors, status, has_credentials));
  return outcome;
}

/// What came of a program, and where to go on.
struct Answer {
  FetchOutcome outcome;
  std::string next_url;
};

Answer answer_of(const std::string& url, const ProgramResult& result, FetchWatch& watch, bool has_credentials) {
  Answer answer{outcome_of(result, watch, has_credentials), ""};
  if (answer.outcome.reason.empty() || !result.stopped.empty()) return answer;
  const Redirect redirect = find_redirect(url, watch.trace());
  if (!redirect.refusal.empty()) answer.outcome.reason = redirect.refusal;
  answer.next_url = redirect.url;
  return answer;
}

std::vector<Answer> run_once(const std::vector<FetchProgram>& programs, const FetchOptions& options) {
  const GitHome home(options);
  std::deque<FetchWatch> watches;  // stay where they are: the runs refer to them
  std::vector<ProgramRun> runs;
  for (const FetchProgram& program : programs) {
    const std::string trace = concat(home.path(), "/trace-", runs.size());
    watches.emplace_back(program.url, program.spent, options.timeouts, trace);
    runs.push_back(run_of(program, home, trace, watches.back()));
  }
  const std::vector<ProgramResult> results = run_programs(runs, options.parallel);
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    answers.push_back(answer_of(programs[i].url, results[i], watches[i], options.credentials.has_value()));
  }
  return answers;
}

}  // namespace

bool has_git() { return !find_program("git").empty(); }

std::vector<std::string> git_line(const std::string& repository) {
  std::vector<std::string> line = {"git", "--git-dir=" + repository};
  for (const char* setting : kSettings) line.insert(line.end(), {"-c", setting});
  return line;
}

std::vector<std::string> git_fetch_line(const std::string& repository, const std::string& url,
                                        const std::vector<std::string>& more) {
  std::vector<std::string> line = git_line(repository);
  // -v and --progress: for FetchWatch.
  line.insert(line.end(), {"fetch", "-v", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
                           "--no-auto-maintenance"});
  line.insert(line.end(), more.begin(), more.end());
  line.insert(line.end(), {"--", url});
  return line;
}

std::vector<FetchOutcome> run_fetch_programs(std::vector<FetchProgram> programs, const FetchOptions& options) {
  std::vector<FetchOutcome> outcomes(programs.size());
  std::vector<std::size_t> todo(programs.size());
  std::iota(todo.begin(), todo.end(), std::size_t{0});
  for (int redirects = 0; !todo.empty(); ++redirects) {
    const std::vector<Answer> answers = run_once(programs, options);
    std::vector<std::size_t> again;
    std::vector<FetchProgram> next;
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const std::chrono::milliseconds before = outcomes[todo[i]].took;
      outcomes[todo[i]] = answers[i].outcome;
      outcomes[todo[i]].took += before;
      if (answers[i].next_url.empty()) continue;
      if (redirects == kMaxRedirects) {
        outcomes[todo[i]].reason = concat("the server sends on more than ", kMaxRedirects, " times");
        continue;
      }
      again.push_back(todo[i]);
      next.push_back(std::move(programs[i]));
      next.back().url = answers[i].next_url;
      next.back().spent += answers[i].outcome.took;
    }
    todo = std::move(again);
    programs = std::move(next);
  }
  return outcomes;
}

}  // namespace torchpatch::source
