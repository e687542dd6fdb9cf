// SPDX-License-Identifier: BSD-3-Clause
/// Embedded upstreams: repositories that the program itself writes, for `--source NAME`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/option_set.h"
#include "model/catalog.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/console.h"
#include "support/file.h"

namespace torchpatch::cli {

/// Release → the commit of each component.
using WrittenReleases = std::map<Version, std::map<Component, ObjectId>>;

struct EmbeddedSource {
  std::string name;  ///< "sample"; also its catalog layer's directory below <data>/layers
  /// Writes its repositories below `directory`, which exists and is empty; `shipped` is the catalog without layers.
  /// Only those of the releases named in `only`, where any are.
  WrittenReleases (*write)(const Catalog& shipped, const std::string& directory, const std::vector<std::string>& only);
};

const std::vector<EmbeddedSource>& embedded_sources();
std::vector<std::string> embedded_source_names();
/// Raises usage with the names there are.
const EmbeddedSource& find_embedded_source(const std::string& name);
/// Returns the directory of its catalog layer.
std::string layer_directory(const EmbeddedSource& source, const std::string& data);

// --mirror, --archive, --offline and the options of fetching: where objects are read from.

struct SourceOptions {
  std::vector<std::string> mirrors;
  std::vector<std::string> archives;  ///< "torch=FILE"
  bool offline = false;
  std::vector<std::string> url_maps;
  bool credentials = false;
  int connect_timeout = 30;  ///< seconds, as the others
  int idle_timeout = 60;
  int timeout = 3600;
  int retries = 3;
};

/// Returns the cache's directory: "$XDG_CACHE_HOME/torchpatch", or "$HOME/.cache/torchpatch". Raises environment where
/// neither is set.
std::string cache_directory(const Environment& environment);

void declare_source_options(OptionSet& options, SourceOptions& target);

/// Returns what the options and the environment say of fetching. Raises usage: a malformed --url-map; environment: no
/// place for the cache, or credentials that cannot be read.
source::NetworkOptions network_options(const SourceOptions& options, const Environment& environment);

/// Raises usage where an embedded source is named together with mirrors or archives, or an archive is not named as
/// REPOSITORY=FILE.
void check_source_options(const SourceOptions& options, const std::string& embedded);

/// The chosen source of objects, with the temporary directory that an embedded one was written into.
struct OpenSource {
  std::unique_ptr<TempDir> embedded;  ///< outlives `objects`
  std::unique_ptr<source::ObjectSource> objects;
};

/// `embedded`: name of an embedded source, which then is the only one, or empty; `releases`: those that will be read of
/// it (empty: any). Mirrors are read alone; without any, the cache, then the network. Archives come before either.
/// Raises as network_options and source::open_archives, and usage: a mirror that is no directory, an archive that is no
/// file.
OpenSource open_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                       Console& console, const std::vector<std::string>& releases = {});

/// The same for commands that need no source: none (null) where neither mirrors, archives nor an embedded source are
/// named.
OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                             Console& console, const std::vector<std::string>& releases = {});

}  // namespace torchpatch::cli
