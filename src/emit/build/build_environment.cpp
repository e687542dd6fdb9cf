// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/build/job_memory.h"
#include "emit/build/shell_text.h"
#include "emit/manifest/out_files.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

bool sets(const Manifest& manifest, const std::string& name) {
  return std::any_of(manifest.environment.begin(), manifest.environment.end(),
                     [&name](const PlannedSetting& setting) { return setting.name == name && !setting.component; });
}

/// What makes two builds of one tree alike; PyTorch itself sets none of it (docs: build.env).
std::string repeatable_settings(const Manifest& manifest) {
  const std::pair<std::string, std::string> settings[] = {{"SOURCE_DATE_EPOCH", std::to_string(manifest.timestamp)},
                                                          {"PYTHONHASHSEED", "0"},
                                                          {"LC_ALL", "C"},
                                                          {"TZ", "UTC"}};
  std::string out =
      "\n# torchpatch: the same tree and tools give the same build. The time is the newest pinned commit's.\n";
  for (const auto& [name, value] : settings) {
    if (!sets(manifest, name)) out += export_command(name, value) + "\n";
  }
  return out;
}

std::string planned_setting(const PlannedSetting& setting) {
  if (!is_variable_name(setting.name)) {
    throw Error(ErrorKind::data, concat("writing build.env: ", quote(setting.name), " is not the name of a variable (",
                                        setting.origin, ")"));
  }
  std::string out = concat("\n# ", comment_text(setting.origin));
  if (!setting.why.empty()) out += ": " + comment_text(setting.why);
  out += setting.read_at.empty() ? "\n# no place is known where this release reads it\n"
                                 : concat("\n# read at ", comment_text(setting.read_at), "\n");
  const std::string command = export_command(setting.name, setting.value);
  if (!setting.component) return out + command + "\n";
  // Two components may read one variable and need two values, which one environment cannot hold.
  return concat(out, "# for ", component_name(*setting.component), " alone: ", comment_text(command), "\n");
}

std::string job_limit(const Manifest& manifest) {
  const int mib = mib_per_job(Version::parse(manifest.release), manifest.target.count("cuda") > 0);
  return concat("\n# torchpatch: one compile job for every ", mib,
                " MiB of memory and swap, at most one a processor; fewer if the compiler\n"
                "# is killed ('fatal error: Killed signal terminated program cc1plus').\n"
                "if [ -z \"${MAX_JOBS:-}\" ]; then\n"
                "  MAX_JOBS=$(awk -v processors=\"$(getconf _NPROCESSORS_ONLN)\" '\n"
                "    /^(MemTotal|SwapTotal):/ { mib += $2 / 1024 }\n"
                "    END {\n"
                "      jobs = int(mib / ",
                mib,
                ")\n"
                "      if (jobs > processors + 0) jobs = processors + 0\n"
                "      print jobs < 1 ? 1 : jobs\n"
                "    }' /proc/meminfo)\n"
                "  export MAX_JOBS\n"
                "fi\n");
}

}  // namespace

int mib_per_job(const std::optional<Version>& release, bool has_cuda) {
  return has_cuda && release && *release >= *Version::parse("1.8") ? 4096 : 2048;
}

std::string build_environment(const Manifest& manifest) {
  std::string out = concat("# shellcheck shell=sh disable=SC2016\n# The environment that builds ", subject(manifest),
                           ". build.sh reads it; for a build by hand: . torchpatch/build.env\n");
  out += repeatable_settings(manifest);
  for (const PlannedSetting& setting : manifest.environment) out += planned_setting(setting);
  if (!sets(manifest, "MAX_JOBS")) out += job_limit(manifest);
  return out;
}

}  // namespace torchpatch::emit
