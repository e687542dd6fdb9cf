// SPDX-License-Identifier: BSD-3-Clause
#include "cli/data_directory.h"

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {

std::string data_directory(const Environment& environment) {
  const std::string named = environment.variable("TORCHPATCH_DATA");
  std::string directory =
      named.empty() ? parent_path(environment.executable) + "/" TORCHPATCH_DATA_FROM_PROGRAM : named;
  if (is_directory(directory + "/releases")) return directory;
  throw Error(ErrorKind::environment, concat("looking for the catalog: ", quote(directory), " has no releases/"),
              named.empty() ? "set TORCHPATCH_DATA to the directory that holds releases/, boards/ and patchsets/"
                            : "TORCHPATCH_DATA names a directory that holds releases/, boards/ and patchsets/");
}

}  // namespace torchpatch::cli
