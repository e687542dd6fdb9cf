// SPDX-License-Identifier: BSD-3-Clause
/// --mirror and --offline: where objects are read from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/option_set.h"
#include "source/object_source.h"
#include "support/console.h"
#include "support/file.h"

namespace torchpatch::cli {

struct SourceOptions {
  std::vector<std::string> mirrors;
  bool offline = false;
};

/// Returns the cache's directory: "$XDG_CACHE_HOME/torchpatch", or "$HOME/.cache/torchpatch". Raises environment where
/// neither is set.
std::string cache_directory(const Environment& environment);

void declare_source_options(OptionSet& options, SourceOptions& target);

/// Raises usage where an embedded source is named together with mirrors.
void check_source_options(const SourceOptions& options, const std::string& embedded);

/// The chosen source of objects, with the temporary directory that an embedded one was written into.
struct OpenSource {
  std::unique_ptr<TempDir> embedded;  ///< outlives `objects`
  std::unique_ptr<source::ObjectSource> objects;
};

/// `embedded`: name of an embedded source, which then is the only one, or empty; `releases`: those that will be read of
/// it (empty: any). Mirrors are read alone; without any,
/// the cache, then the network. Raises usage: a mirror that is no directory;
/// environment: no place for the cache.
OpenSource open_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                       Console& console, const std::vector<std::string>& releases = {});

/// The same for commands that need no source: none (null) where neither mirrors nor an embedded source are named.
OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                             Console& console, const std::vector<std::string>& releases = {});

}  // namespace torchpatch::cli
