// SPDX-License-Identifier: BSD-3-Clause
#include "source/remote.h"

#include <cstdlib>

#include "source/cache.h"
#include "source/url.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// The whole environment of git: its own way to libraries and ssh, and nothing that configures it.
std::vector<std::pair<std::string, std::string>> environment(const std::string& url, const std::string& home) {
  const char* path = std::getenv("PATH");
  return {{"PATH", path ? path : "/usr/local/bin:/usr/bin:/bin"},
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

/// Settings that outrank those of the repository.
const std::vector<std::string>& settings() {
  static const std::vector<std::string> list = {
      "credential.helper=",           "core.hooksPath=/dev/null",     "gc.auto=0",
      "maintenance.auto=false",
      "fetch.unpackLimit=1",      // packs, however small: one file to open instead of hundreds
      "fetch.fsckObjects=false",  // the closure checks every object against its id, and every path
      "fetch.writeCommitGraph=false", "http.followRedirects=initial", "http.lowSpeedLimit=1000",
      "http.lowSpeedTime=30",         "protocol.version=2",           "submodule.recurse=false",
  };
  return list;
}

ProgramRun program_of(const Fetch& fetch, const std::string& home, std::chrono::seconds timeout) {
  ProgramRun run;
  run.argv = {"git", "--git-dir=" + fetch.repository};
  for (const std::string& setting : settings()) run.argv.insert(run.argv.end(), {"-c", setting});
  run.argv.insert(run.argv.end(), {"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules",
                                   "--no-write-fetch-head", "--no-auto-maintenance"});
  run.argv.insert(run.argv.end(), {"--", fetch.url});
  for (const ObjectId& commit : fetch.commits)
    run.argv.push_back(concat("+", commit.hex(), ":", kFetchedReferences, commit.hex()));
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

std::vector<std::string> run_fetches(const std::vector<Fetch>& fetches, int parallel, std::chrono::seconds timeout) {
  const TempDir home;
  std::vector<ProgramRun> runs;
  for (const Fetch& fetch : fetches) runs.push_back(program_of(fetch, home.path(), timeout));
  std::vector<std::string> reasons;
  for (const ProgramResult& result : run_programs(runs, parallel)) {
    reasons.push_back(result.exit_code == 0 && !result.timed_out ? std::string() : reason_of(result, timeout));
  }
  return reasons;
}

}  // namespace torchpatch::source
