// SPDX-License-Identifier: BSD-3-Clause
#include "cli/source_options.h"

#include "cli/shared_options.h"
#include "sample/write_repositories.h"
#include "source/fetch/git_home.h"
#include "source/store/archive_store.h"
#include "source/store/mirror.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::cli {

namespace {

constexpr int kMaxSeconds = 7 * 24 * 3600;
constexpr int kMaxRetries = 100;

/// Lays the archives, if any, over another source.
std::unique_ptr<source::ObjectSource> with_archives(std::unique_ptr<source::ObjectSource> rest,
                                                    const std::vector<std::string>& archives,
                                                    const Environment& environment, Console& console) {
  if (archives.empty()) return rest;
  std::vector<source::NamedArchive> named;
  for (const std::string& archive : archives) named.push_back(source::NamedArchive::parse(archive));
  const source::Cache cache(cache_directory(environment));
  return std::make_unique<source::ArchiveSource>(named, std::move(rest), cache, default_jobs(), console);
}

}  // namespace

const std::vector<EmbeddedSource>& embedded_sources() {
  static const std::vector<EmbeddedSource> sources = {{"sample", sample::write_repositories}};
  return sources;
}

std::vector<std::string> embedded_source_names() {
  std::vector<std::string> names;
  for (const EmbeddedSource& source : embedded_sources()) names.push_back(source.name);
  return names;
}

const EmbeddedSource& find_embedded_source(const std::string& name) {
  for (const EmbeddedSource& source : embedded_sources()) {
    if (source.name == name) return source;
  }
  throw Error(ErrorKind::usage, concat("unknown source ", quote(name)), did_you_mean(name, embedded_source_names()));
}

std::string layer_directory(const EmbeddedSource& source, const std::string& data) {
  return data + "/layers/" + source.name;
}

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
  options.values("--archive", target.archives, "REPOSITORY=FILE",
                 "take files from a release archive (tar, tar.gz, tar.xz, tar.bz2, tar.zst, zip) of a component or "
                 "submodule, such as torch=pytorch-1.1.0.tar.gz; may be repeated; commits and trees come from the "
                 "mirrors, the cache or the network");
  options.flag("--offline", target.offline, "use the cache, but never the network");
  options.values(
      "--url-map", target.url_maps, "OLD=NEW",
      "fetch from URLs that begin with NEW instead of OLD; the longest OLD counts; may be repeated; https, ssh, "
      "git, http or file");
  options.flag("--credentials", target.credentials,
               "let git log in: with the credential.* settings of your own git configuration, ssh with your keys");
  options.number("--connect-timeout", target.connect_timeout, kMaxSeconds,
                 "longest time in seconds to reach a server; default: 30");
  options.number("--idle-timeout", target.idle_timeout, kMaxSeconds,
                 "longest time in seconds in which a fetch makes no progress; default: 60");
  options.number("--timeout", target.timeout, kMaxSeconds,
                 "longest time in seconds for one fetch, with all its attempts; default: 3600");
  options.number("--retries", target.retries, kMaxRetries,
                 "further attempts where a connection is refused or breaks, at a timeout and where a server is busy; "
                 "default: 3",
                 0);
}

source::NetworkOptions network_options(const SourceOptions& options, const Environment& environment) {
  source::NetworkOptions network;
  network.cache = cache_directory(environment);
  network.offline = options.offline;
  network.url_map = source::UrlMap(options.url_maps);
  network.fetch.retries = options.retries;
  network.fetch.timeouts = {std::chrono::seconds(options.connect_timeout), std::chrono::seconds(options.idle_timeout),
                            std::chrono::seconds(options.timeout)};
  network.fetch.network = source::network_variables(environment.variables);
  network.fetch.home = environment.variable("HOME");
  if (options.credentials) network.fetch.credentials = source::read_credentials(environment.variables);
  return network;
}

void check_source_options(const SourceOptions& options, const std::string& embedded) {
  for (const std::string& archive : options.archives) source::NamedArchive::parse(archive);
  if (embedded.empty()) return;
  for (const auto& [name, values] : {std::pair{"--mirror", &options.mirrors}, {"--archive", &options.archives}}) {
    if (values->empty()) continue;
    throw Error(ErrorKind::usage, concat("--source and ", name, " exclude each other"), "leave one of them out");
  }
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
    opened.objects = std::make_unique<source::NetworkSource>(network_options(options, environment), console);
  } else {
    opened.objects = std::make_unique<source::MirrorSource>(mirrors, console);
  }
  opened.objects = with_archives(std::move(opened.objects), options.archives, environment, console);
  return opened;
}

OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, const Environment& environment,
                             Console& console, const std::vector<std::string>& releases) {
  if (options.mirrors.empty() && options.archives.empty() && embedded.empty()) return {};
  return open_source(options, embedded, environment, console, releases);
}

}  // namespace torchpatch::cli
