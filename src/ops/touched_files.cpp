// SPDX-License-Identifier: BSD-3-Clause
#include "ops/touched_files.h"

#include <set>

#include "patch/parse_patch.h"
#include "source/run_lookups.h"
#include "source/wire.h"

namespace torchpatch::ops {

namespace {

enum class Found : std::uint64_t { nothing, directory, file };

using Touched = std::map<RepositoryPath, std::set<std::string>>;

Touched touched_by(const TouchedRequest& request) {
  Touched touched;
  for (const TouchingPatch& patch : request.patches) {
    std::set<std::string>& paths = touched[patch.repository];
    for (std::string& path : patch::touched_paths(*patch.parsed)) paths.insert(std::move(path));
  }
  return touched;
}

void write_path(source::WireWriter& writer, const source::LocatedRepository& repository, const std::string& path,
                source::PinnedLookup& lookup) {
  const auto entry = lookup.find(repository, path);
  const bool is_directory = entry && entry->mode == FileMode::directory;
  const Found found = is_directory ? Found::directory : entry ? Found::file : Found::nothing;
  writer.number(static_cast<std::uint64_t>(found));
  if (found != Found::file) return;
  writer.number(static_cast<std::uint64_t>(entry->mode));
  writer.text(entry->mode == FileMode::gitlink ? entry->id.hex() : lookup.read_blob(repository, *entry));
}

std::string look(const TouchedRequest& request, source::PinnedLookup& lookup) {
  source::WireWriter writer;
  for (const auto& [path, files] : touched_by(request)) {
    const source::LocatedRepository* repository = lookup.find_repository(*request.release, path, request.overrides);
    writer.number(repository ? 1 : 0);
    if (!repository) continue;
    for (const std::string& file : files) write_path(writer, *repository, file, lookup);
  }
  return writer.take();
}

TouchedFiles decode(const TouchedRequest& request, std::string_view bytes) {
  TouchedFiles result;
  source::WireReader reader(bytes);
  for (const auto& [repository, paths] : touched_by(request)) {
    if (reader.number() == 0) continue;
    patch::MemoryFiles& files = result.repositories[repository];
    for (const std::string& path : paths) {
      const auto found = reader.choice(Found::file);
      if (found == Found::directory) files.add_directory(path);
      if (found != Found::file) continue;
      const auto mode = reader.file_mode();
      files.add(path, {mode, reader.text()});
    }
  }
  return result;
}

}  // namespace

std::vector<TouchedFiles> read_touched_files(const std::vector<TouchedRequest>& requests,
                                             const std::vector<MovedRepository>& moved, source::ObjectSource& source,
                                             int jobs, Console& console) {
  const source::LookupTask task = [&](source::PinnedLookup& lookup, std::size_t item) {
    return look(requests[item], lookup);
  };
  std::vector<source::LookupResult> looked = source::run_lookups(requests.size(), task, moved, source, jobs, console);
  std::vector<TouchedFiles> results(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (looked[i].missing.empty()) {
      results[i] = decode(requests[i], looked[i].bytes);
    } else {
      results[i].missing = std::move(looked[i].missing);
    }
  }
  return results;
}

}  // namespace torchpatch::ops
