// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands/commands.h"
#include "cli/option_set.h"
#include "cli/recording_options.h"

namespace torchpatch::cli {
namespace {

Action declare(OptionSet& options) { return declare_recording(options, ops::record_results); }

}  // namespace

Command results_record_command() {
  return {.name = "results record",
          .summary = "write which tree each certified plan gives",
          .details =
              "Computes the patched tree of every certified combination of release, board and image from the "
              "pinned sources and writes results/VERSION.json below DIR. prepare then refuses any other tree "
              "for the same plan.",
          .examples = {"torchpatch results record --version 1.1.0 --mirror ~/mirrors --into ."},
          .declare = declare};
}

}  // namespace torchpatch::cli
