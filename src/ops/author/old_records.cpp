// SPDX-License-Identifier: BSD-3-Clause
#include "ops/author/old_records.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "ops/author/work_state.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

const std::string& text_of(const Json& object, std::string_view key) {
  static const std::string none;
  const Json* const member = object.find(key);
  return member ? member->string : none;
}

/// What makes of a file what the patch after it finds.
using EdgeEnd = std::vector<std::string>;

EdgeEnd end_of_edge(const Json& edge) {
  return {text_of(edge, "commit"), text_of(edge, "repository"), text_of(edge, "path"), text_of(edge, "patch"),
          text_of(edge, "after")};
}
EdgeEnd start_of_edge(const Json& edge) {
  return {text_of(edge, "commit"), text_of(edge, "repository"), text_of(edge, "path"), text_of(edge, "follows"),
          text_of(edge, "before")};
}

std::vector<std::string> recorded_files(const std::vector<std::string>& directories, const std::string& kind,
                                        const std::string& patchset, const VersionRange& releases) {
  std::vector<std::string> files;
  Findings unused;
  for (const std::string& directory : directories) {
    for (const std::string& id : catalog::list_folders(directory + "/patchsets", unused)) {
      if (!patchset.empty() && id != patchset) continue;
      const std::string folder = concat(patchset_folder(directory, id), "/", kind);
      for (const std::string& stem : catalog::list_stems(folder, ".json", unused))
        if (const auto version = Version::parse(stem); version && releases.contains(*version))
          files.push_back(concat(folder, "/", stem, ".json"));
    }
  }
  return files;
}

Json read_recorded_file(const std::string& path) {
  Findings findings;
  const std::optional<catalog::DataFile> file = catalog::read_json_file(path, findings);
  findings.raise_if_any("reading " + quote(path));
  return file->json;
}

/// Takes the edges of the patches `stale`, and those that build on what they made, out; returns the files that lost
/// some.
std::set<std::string> drop_edges(RecordedEdges& recorded, const std::set<std::string>& stale) {
  std::set<std::string> touched;
  std::set<EdgeEnd> gone;
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (auto& [file, json] : recorded) {
      const std::size_t count = std::erase_if(json["edges"].items, [&](const Json& edge) {
        const bool is_stale = stale.contains(text_of(edge, "patch")) || stale.contains(text_of(edge, "follows")) ||
                              gone.contains(start_of_edge(edge));
        if (is_stale) gone.insert(end_of_edge(edge));
        return is_stale;
      });
      if (count == 0) continue;
      touched.insert(file);
      is_done = false;
    }
  }
  return touched;
}

std::optional<std::string> bytes_or_nothing(Json& json, const std::string& key, const std::string& path) {
  if (json[key].items.empty()) return std::nullopt;
  return canonical_json(json, path);
}

}  // namespace

RecordedEdges drop_certificates(const std::vector<std::string>& directories, const VersionRange& releases,
                                const std::set<std::string>& stale, FileChanges& changes) {
  RecordedEdges recorded;
  for (const std::string& file : recorded_files(directories, "certificates", "", releases))
    recorded[file] = read_recorded_file(file);
  for (const std::string& file : drop_edges(recorded, stale))
    changes[file] = bytes_or_nothing(recorded.at(file), "edges", file);
  return recorded;
}

void drop_proof_outcomes(const std::vector<std::string>& directories, const std::string& patchset,
                         const Variant& variant, FileChanges& changes) {
  for (const std::string& file : recorded_files(directories, "proofs", patchset, variant.releases)) {
    Json json = read_recorded_file(file);
    const auto count =
        std::erase_if(json["proofs"].items, [&](const Json& each) { return text_of(each, "variant") == variant.id; });
    if (count > 0) changes[file] = bytes_or_nothing(json, "proofs", file);
  }
}

void add_new_certificates(const std::string& made_in, const PatchWork& state, const RecordedEdges& recorded,
                          FileChanges& changes) {
  const std::string name = concat("/certificates/", state.version, ".json");
  for (const std::string& id : list_directory(made_in + "/patchsets")) {
    std::set<std::string> known;
    for (const auto& [file, json] : recorded) {
      if (!ends_with(file, concat("/patchsets/", id, name))) continue;
      for (Json copy = json; const Json& edge : copy["edges"].items) known.insert(indented_json(edge, -1));
    }
    Json json = read_recorded_file(patchset_folder(made_in, id) + name);
    const bool has_new = std::ranges::any_of(
        json["edges"].items, [&](const Json& edge) { return !known.contains(indented_json(edge, -1)); });
    const std::string file = patchset_folder(state.directory, id) + name;
    if (has_new) changes[file] = read_file(patchset_folder(made_in, id) + name);
  }
}

}  // namespace torchpatch::ops
