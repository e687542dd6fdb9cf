// SPDX-License-Identifier: BSD-3-Clause
/// RunReport: what varies between runs (where objects came from, times, host) and hence never goes into OUT.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/keep.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch::record {

struct RunReport {
  std::string tool_version;
  std::string command_line;
  std::string host;               ///< uname -n
  std::int64_t started = 0;       ///< seconds since 1970
  std::int64_t milliseconds = 0;  ///< wall time
  std::string source;             ///< where objects were searched for
  std::string output;
  Sha256 manifest;
  std::vector<std::pair<std::string, std::string>> origins;  ///< repository → object folder
  std::vector<ArchiveComparison> archives;                   ///< in command line order
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< for information: a stale entry of .gitmodules
};

/// docs/formats.md, "Run report".
FIELDS(RunReport, ("schema", SchemaVersion{}), tool_version, command_line, host, started, milliseconds, source, output,
       ("manifest_sha256", self.manifest), ("origins", derived([&] {
                                              Json list = Json::array();
                                              for (const auto& [repository, folder] : self.origins)
                                                list.push_back({{"repository", repository}, {"objects", folder}});
                                              return list;
                                            })),
       archives, warnings, notes)

}  // namespace torchpatch::record
