// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands/commands.h"
#include "cli/option_set.h"
#include "cli/recording_options.h"

namespace torchpatch::cli {
namespace {

Action declare(OptionSet& options) { return declare_recording(options, ops::certify_patches); }

}  // namespace

Command patch_certify_command() {
  return {.name = "patch certify",
          .summary = "write the certificates of patches from real sources",
          .details =
              "Applies the patches of every combination that some board and image of a release reaches to the pinned "
              "sources, in memory, and writes patchsets/ID/certificates/VERSION.json below DIR: for each path the blob "
              "before and after. Writes nothing where a patch does not apply.",
          .examples = {"torchpatch patch certify --version 1.1.0 --mirror ~/mirrors --into ."},
          .declare = declare};
}

}  // namespace torchpatch::cli
