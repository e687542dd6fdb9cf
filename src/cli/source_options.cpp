// SPDX-License-Identifier: BSD-3-Clause
#include "cli/source_options.h"

#include "cli/catalog_options.h"
#include "cli/sources.h"
#include "source/mirror.h"
#include "source/network.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {

std::string cache_directory(const Environment& environment) {
  // A relative path is invalid (XDG Base Directory Specification).
  const std::string cache = environment.variable("XDG_CACHE_HOME");
  if (starts_with(cache, "/")) return cache + "/torchpatch";
  const std::string home = environment.variable("HOME");
  if (!home.empty()) return home + "/.cache/torchpatch";
  throw Error(ErrorKind::environment, "no place for the cache: neither XDG_CACHE_HOME nor HOME is set",
              "set one of them, or name a folder of repositories with --mirror");
}

void declare_source_options(OptionSet& options, SourceOptions& target) {
  options.values(
      "--mirror", target.mirrors, "DIR",
      "read only from the git repositories below DIR, whatever they are called; may be repeated; default: the "
      "cache, then the network");
  options.flag("--offline", target.offline, "use the cache, but never the network");
}

void check_source_options(const SourceOptions& options, const std::string& embedded) {
  if (embedded.empty() || options.mirrors.empty()) return;
  throw Error(ErrorKind::usage, "--source and --mirror exclude each other", "leave one of them out");
}

OpenSource open_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                       Console& console, const std::vector<std::string>& releases) {
  OpenSource opened;
  std::vector<std::string> mirrors = options.mirrors;
  if (!embedded.empty()) {
    opened.embedded = std::make_unique<TempDir>();
    find_embedded_source(embedded).write(load_catalog({}, environment), opened.embedded->path(), releases);
    mirrors = {opened.embedded->path()};
  }
  if (mirrors.empty()) {
    opened.objects = std::make_unique<source::NetworkSource>(
        source::NetworkOptions{.cache = cache_directory(environment), .mirrors = {}, .offline = options.offline},
        console);
  } else {
    opened.objects = std::make_unique<source::MirrorSource>(mirrors, console);
  }
  return opened;
}

OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                             Console& console, const std::vector<std::string>& releases) {
  if (options.mirrors.empty() && embedded.empty()) return {};
  return open_source(options, embedded, environment, console, releases);
}

}  // namespace torchpatch::cli
