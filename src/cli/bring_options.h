// SPDX-License-Identifier: BSD-3-Clause
/// What the commands that bring whole releases somewhere (mirror, bundle create) have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/option_set.h"
#include "cli/source_options.h"
#include "emit/keep/mirror_report.h"
#include "ops/keep/release_closures.h"

namespace torchpatch::cli {

struct BringLine {
  std::vector<std::string> versions, components;
  std::string board, image;
  CatalogOptions catalog;
  SourceOptions source;
  bool json = false;
};

/// Declares --version, --component, --board and --image.
void declare_choice_options(OptionSet& options, BringLine& target);

/// Declares the options of sources, catalog and jobs, and --json.
void declare_bring_options(OptionSet& options, BringLine& target, int& jobs);

/// Returns which releases are to be brought, and for whom. Raises usage: an unknown component, an image without a
/// board.
ops::ReleaseChoice choice_from(const BringLine& line);

/// Opens catalog and source, lets `action` bring what was chosen, and prints its report; returns the exit code. Raises
/// as check_source_options, open_source and `action` do.
int bring(const BringLine& line, Context& context,
          const std::function<emit::MirrorReport(const Catalog&, source::ObjectSource&)>& action);

}  // namespace torchpatch::cli
