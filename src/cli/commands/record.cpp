// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands/commands.h"
#include "cli/option_set.h"
#include "cli/shared_options.h"

namespace torchpatch::cli {

namespace {

Action declare_patch_certify(OptionSet& options) { return declare_recording(options, ops::certify_patches); }

Action declare_results_record(OptionSet& options) { return declare_recording(options, ops::record_results); }

}  // namespace

Command patch_certify_command() {
  return {.name = "patch certify",
          .summary = "write the certificates of patches from real sources",
          .details =
              "Applies the patches of every combination that some board and image of a release reaches to the pinned "
              "sources, in memory, and writes patchsets/ID/certificates/VERSION.json below DIR: for each path the blob "
              "before and after. Writes nothing where a patch does not apply.",
          .examples = {"torchpatch patch certify --version 1.1.0 --mirror ~/mirrors --into ."},
          .declare = declare_patch_certify};
}

Command results_record_command() {
  return {.name = "results record",
          .summary = "write which tree each certified plan gives",
          .details =
              "Computes the patched tree of every certified combination of release, board and image from the "
              "pinned sources and writes results/VERSION.json below DIR. prepare then refuses any other tree "
              "for the same plan.",
          .examples = {"torchpatch results record --version 1.1.0 --mirror ~/mirrors --into ."},
          .declare = declare_results_record};
}

}  // namespace torchpatch::cli
