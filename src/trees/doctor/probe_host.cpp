// SPDX-License-Identifier: BSD-3-Clause
#include "trees/doctor/probe_host.h"

#include "record/tree_scripts.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

constexpr std::chrono::seconds kPatience{300};  // imports and some twenty small programs, on a slow board

/// Facts, versions and sizes are compared by doctor itself, which knows more of them.
bool is_probed(const HostRequirement& requirement) {
  switch (requirement.probe) {
    case HostProbe::same:
      return requirement.name == "kernel" || requirement.name == "python-abi";
    case HostProbe::cpu:
    case HostProbe::import:
    case HostProbe::library:
    case HostProbe::works:
      return true;
    case HostProbe::version:
    case HostProbe::package:
    case HostProbe::size:
      return false;
  }
  return false;
}

std::string probe_script(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                         const std::string& directory) {
  std::string skipped;
  for (const HostRequirement& each : requirements)
    if (!is_probed(each)) skipped += concat(each.name, " ");
  return concat(record::build_environment(manifest), record::host_functions(manifest, requirements),
                "selected=$components swap_mib=0 skipped=", shell_quote(skipped), " probes=", shell_quote(directory),
                "\nhost_findings\n");
}

HostVerdict verdict_of(const HostRequirement& requirement, const std::string& word) {
  if (word == "ok") return HostVerdict::ok;
  if (word == "unknown") return HostVerdict::unknown;
  const bool is_comparison = requirement.probe == HostProbe::same || requirement.probe == HostProbe::cpu;
  return is_comparison && word != "not found here" ? HostVerdict::differs : HostVerdict::missing;
}

/// A line of host_findings.
HostCheck check_of(const std::string& line, const std::vector<HostRequirement>& requirements) {
  const std::vector<std::string> words = split(line, '\t');
  const HostRequirement* const requirement =
      words.size() != 6 ? nullptr
                        : find_where(requirements, [&](const HostRequirement& each) { return each.name == words[1]; });
  if (requirement == nullptr)
    throw Error(ErrorKind::environment, concat("probing this host: the shell printed ", quote(line)));
  HostCheck check{.name = requirement->name,
                  .found = words[2] == "-" ? "" : words[2],
                  .bound = requirement->wanted,
                  .source = requirement->source,
                  .verdict = verdict_of(*requirement, words[3]),
                  .fails = words[0] == "FAIL"};
  if (check.verdict == HostVerdict::ok) return check;
  check.issue = requirement->issue;
  check.advice = requirement->advice;
  return check;
}

}  // namespace

std::vector<HostCheck> probe_host(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                                  const std::map<std::string, std::string>& variables) {
  const TempDir directory;
  const std::string file = directory.path() + "/probe.sh";
  write_file_atomically(file, probe_script(manifest, requirements, directory.path()));
  ProgramRun run;
  run.argv = {"/bin/sh", file};
  run.environment = {variables.begin(), variables.end()};
  run.timeout = kPatience;
  const ProgramResult result = run_program(run);
  if (result.exit_code != 0 || result.timed_out) {
    throw Error(ErrorKind::environment,
                concat("probing this host: /bin/sh ", result.timed_out ? "took too long" : "failed", ": ",
                       printable(trim(result.err))));
  }
  std::vector<HostCheck> checks;
  for (const std::string& line : split(result.out, '\n'))
    if (!line.empty()) checks.push_back(check_of(line, requirements));
  return checks;
}

}  // namespace torchpatch::trees
