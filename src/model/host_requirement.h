// SPDX-License-Identifier: BSD-3-Clause
/// What a build asks of the machine that it runs on, as build.sh and check.sh judge it where there is no torchpatch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/repository_path.h"
#include "support/fields.h"

namespace torchpatch {

/// How a requirement is judged.
enum class HostProbe {
  same,     ///< what is found must be `wanted`
  version,  ///< of a tool: by its steps
  package,  ///< of Python, which may be missing: by its steps
  size,     ///< at least `wanted` MiB
  cpu,      ///< what the compiler makes must run on a CPU with the flags `wanted`
  import,   ///< Python must be able to import `wanted`
  library,  ///< where the variable of this name is on, a program with its library must link
  works     ///< a probe of this name must work
};
template <>
inline constexpr auto kNamesOf<HostProbe> = std::to_array<Named<HostProbe>>({{HostProbe::same, "same"},
                                                                             {HostProbe::version, "version"},
                                                                             {HostProbe::package, "package"},
                                                                             {HostProbe::size, "size"},
                                                                             {HostProbe::cpu, "cpu"},
                                                                             {HostProbe::import, "import"},
                                                                             {HostProbe::library, "library"},
                                                                             {HostProbe::works, "works"}});
inline const char* host_probe_name(HostProbe probe) { return name_of(probe); }

/// What holds of a tool from one version on, up to the next step.
struct HostStep {
  std::string from;     ///< a version
  std::string verdict;  ///< "ok", "too new", "has a known issue"
  bool fails = false;   ///< else it may fail
  std::string issue;    ///< or empty
  std::string advice;

  /// Whether all but `from` is the same.
  bool says_the_same(const HostStep& other) const {
    return verdict == other.verdict && fails == other.fails && issue == other.issue && advice == other.advice;
  }
};

struct HostRequirement {
  HostProbe probe = HostProbe::works;
  std::string name;                      ///< which --skip takes
  std::string wanted;                    ///< what the probe compares with
  std::string source;                    ///< "release 1.1.0": who wants it
  bool fails = true;                     ///< else what is not met only warns
  std::optional<Component> component{};  ///< whose build alone needs it
  std::string issue{};                   ///< the known issue that it is, or empty
  std::string advice{};                  ///< what to do about it
  std::vector<HostStep> steps{};         ///< by version, the first at 0
};

}  // namespace torchpatch
