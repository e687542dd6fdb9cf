// SPDX-License-Identifier: BSD-3-Clause
/// A known issue and its fixes. Data: known_issues/<id>.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/condition.h"
#include "model/version.h"

namespace torchpatch {

enum class FixKind { patch, environment, files, post_build, advice };
const char* fix_kind_name(FixKind kind);

/// An environment setting of a fix: exported by build.env where the issue applies.
struct EnvironmentSetting {
  std::string name;
  std::string value;
  std::string why;
};

/// What resolves an issue; of its fixes the first whose `when` holds is used, unless the user says otherwise.
struct Fix {
  std::string id;  ///< unique in the catalog; --with and --without name it
  FixKind kind = FixKind::advice;
  std::string summary;   ///< one line
  std::string patchset;  ///< kinds patch and files
  std::vector<EnvironmentSetting> environment;
  /// Lines of POSIX sh that run in torch's directory: kind post_build after the build, kind files after the wheel.
  std::vector<std::string> commands;
  Condition when;
  bool is_optional = false;  ///< only with --with
};

struct Issue {
  std::string id;
  std::string title;
  std::string severity;                ///< "build-failure", "runtime-failure", "silent-wrong-results", "limitation"
  std::vector<VersionRange> releases;  ///< affected where any of these holds
  Condition when;
  std::vector<std::string> symptoms;  ///< texts as a log shows them, most telling first
  std::vector<std::string> links;
  std::vector<std::string> seeds;  ///< what in the project's sources told of it
  std::vector<Fix> fixes;
  /// The sections of the page as CommonMark: Symptom, Cause, Fix, How to verify; in this order, none empty.
  std::vector<std::pair<std::string, std::string>> sections;
};

/// Returns true where one of the issue's ranges holds the release.
bool affects(const Issue& issue, const Version& release);

}  // namespace torchpatch
