// SPDX-License-Identifier: BSD-3-Clause
#include "source/remote.h"

#include <array>

#include "model/url.h"
#include "source/cache.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// The whole environment of git: nothing in it configures git but us.
std::vector<std::pair<std::string, std::string>> environment(const std::string& url, const std::string& home) {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},  // for ssh; git finds its own parts
          {"HOME", home},
          {"XDG_CONFIG_HOME", home},
          {"LC_ALL", "C"},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CONFIG_GLOBAL", "/dev/null"},
          {"GIT_ATTR_NOSYSTEM", "1"},
          {"GIT_TERMINAL_PROMPT", "0"},
          {"GIT_ASKPASS", "false"},
          {"SSH_ASKPASS", "false"},
          {"GIT_SSH_COMMAND", "ssh -oBatchMode=yes"},
          {"GIT_ALLOW_PROTOCOL", url_scheme(url)}};
}

/// Settings that outrank those of the repository. Packs are kept however small they are: one file to open instead of
/// hundreds. Objects are checked by the closure, each against its id.
constexpr std::array kSettings = {
    "credential.helper=",           "core.hooksPath=/dev/null",     "gc.auto=0",
    "maintenance.auto=false",       "fetch.unpackLimit=1",          "fetch.fsckObjects=false",
    "fetch.writeCommitGraph=false", "http.followRedirects=initial", "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",         "protocol.version=2",           "submodule.recurse=false",
};

ProgramRun program_of(const Fetch& fetch, const std::string& home, std::chrono::seconds timeout) {
  ProgramRun run;
  run.argv = {"git", "--git-dir=" + fetch.repository};
  for (const char* setting : kSettings) run.argv.insert(run.argv.end(), {"-c", setting});
  run.argv.insert(run.argv.end(), {"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules",
                                   "--no-write-fetch-head", "--no-auto-maintenance", "--", fetch.url});
  for (const ObjectId& commit : fetch.commits) {
    run.argv.push_back(concat("+", commit.hex(), ":", kFetchedReferences, commit.hex()));
  }
  run.environment = environment(fetch.url, home);
  run.directory = home;
  run.timeout = timeout;
  return run;
}

/// Returns the last line in which git, or the server by way of git, names an error.
std::string reason_of(const ProgramResult& result, std::chrono::seconds timeout) {
  if (result.timed_out) return concat("git did not end within ", timeout.count(), " s");
  if (result.exit_code == 127) return "the git program is not installed";
  std::string reason = concat("git ended with exit code ", result.exit_code);
  for (const std::string& line : split(result.err, '\n')) {
    const std::string text(trim(line));
    for (const char* prefix : {"fatal: ", "error: ", "remote: error: ", "fatal: remote error: "}) {
      if (starts_with(text, prefix)) reason = text.substr(std::string_view(prefix).size());
    }
  }
  // Its bytes may be the server's: never raw to a terminal.
  const std::string quoted = quote(reason);
  return concat("git says ", quoted);
}

}  // namespace

std::vector<FetchOutcome> run_fetches(const std::vector<Fetch>& fetches, const FetchOptions& options) {
  const TempDir home;
  const std::chrono::seconds timeout = options.timeouts.total;
  std::vector<ProgramRun> runs;
  for (const Fetch& fetch : fetches) runs.push_back(program_of(fetch, home.path(), timeout));
  std::vector<FetchOutcome> outcomes;
  for (const ProgramResult& result : run_programs(runs, options.parallel)) {
    const bool has_worked = result.exit_code == 0 && !result.timed_out;
    outcomes.push_back({has_worked ? std::string() : reason_of(result, timeout), result.timed_out});
  }
  return outcomes;
}

}  // namespace torchpatch::source
