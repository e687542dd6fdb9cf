// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.h"

#include "support/error.h"

namespace torchpatch::cli {

namespace {

ExitCode row(ErrorKind kind, std::string meaning) {
  return {std::to_string(static_cast<int>(kind)), std::move(meaning)};
}

}  // namespace

std::vector<ExitCode> exit_codes() {
  return {{std::to_string(kDone), "done"},
          {std::to_string(kFindings), "findings: verify saw differences"},
          row(ErrorKind::usage, "usage: an unknown command, option, version, board, image or fix"),
          row(ErrorKind::data, "data: a catalog, manifest or patch file is malformed"),
          row(ErrorKind::source, "source: an object is missing, damaged or cannot be fetched"),
          row(ErrorKind::patch, "patch: one does not apply, or has no certificate"),
          row(ErrorKind::unsafe, "unsafe: a path, mode, link, URL or size that is refused"),
          row(ErrorKind::environment, "environment: disk full, permission, lock, missing program"),
          row(ErrorKind::internal, "internal: a bug in torchpatch"),
          {std::to_string(kSignalBase) + "+n", "ended by signal n, after cleaning up"}};
}

}  // namespace torchpatch::cli
