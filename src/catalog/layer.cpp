// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/layer.h"

#include <algorithm>

#include "catalog/board_file.h"
#include "catalog/certificate_rules.h"
#include "catalog/issue_file.h"
#include "catalog/moved_file.h"
#include "catalog/patchset_file.h"
#include "catalog/proof_file.h"
#include "catalog/proof_record_file.h"
#include "catalog/release_file.h"
#include "catalog/result_file.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// Checks an entry of `layer` against the one below it, and records its origin.
void lay_origin(const Layer& layer, const std::string& name, DataFile file, const std::optional<Sha256>& replaces,
                Assembly& assembly) {
  const auto below = assembly.catalog.origins.find(name);
  const bool is_there = below != assembly.catalog.origins.end();
  const Sha256 digest = file.digest;
  const std::string below_digest = is_there ? below->second.digest.hex() : "";
  assembly.files.insert_or_assign(name, std::move(file));
  if (is_there && !replaces) {
    assembly.report(name, "",
                    concat(name, " is already in the layer ", quote(below->second.layer),
                           "; to replace it, say \"replaces\": \"", below_digest, '"'));
  } else if (is_there && replaces->hex() != below_digest) {
    assembly.report(name, "replaces",
                    concat("is not the sha256 of ", name, " in the layer ", quote(below->second.layer), ", which is ",
                           below_digest));
  } else if (!is_there && replaces) {
    assembly.report(name, "replaces", concat("there is no ", name, " below this layer to replace"));
  }
  assembly.catalog.origins.insert_or_assign(name, EntryOrigin{layer.name, digest});
}

void lay_releases(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/releases";
  for (const std::string& stem : list_stems(folder, ".json", assembly.findings)) {
    std::optional<DataFile> file = read_json_file(concat(folder, '/', stem, ".json"), assembly.findings);
    if (!file) {
      assembly.unreadable.insert(release_entry(stem));
      continue;
    }
    Entry<Release> entry = read_release(*file, stem, assembly.findings);
    const auto below = assembly.catalog.releases.find(entry.value.version);
    if (below != assembly.catalog.releases.end() && below->first.text() != stem) {
      assembly.findings.add(file->path, 0, "version", concat("is the same version as ", quote(below->first.text())));
    }
    lay_origin(layer, release_entry(stem), std::move(*file), entry.replaces, assembly);
    assembly.catalog.releases.insert_or_assign(entry.value.version, std::move(entry.value));
  }
}

void lay_boards(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/boards";
  for (const std::string& stem : list_stems(folder, ".json", assembly.findings)) {
    std::optional<DataFile> file = read_json_file(concat(folder, '/', stem, ".json"), assembly.findings);
    if (!file) {
      assembly.unreadable.insert(board_entry(stem));
      continue;
    }
    Entry<Board> entry = read_board(*file, stem, assembly.findings);
    lay_origin(layer, board_entry(stem), std::move(*file), entry.replaces, assembly);
    assembly.catalog.boards.insert_or_assign(stem, std::move(entry.value));
  }
}

void lay_issues(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/known_issues";
  for (const std::string& stem : list_stems(folder, ".md", assembly.findings)) {
    std::optional<IssueFile> issue = read_issue(concat(folder, '/', stem, ".md"), stem, assembly.findings);
    if (!issue) {
      assembly.unreadable.insert(issue_entry(stem));
      continue;
    }
    lay_origin(layer, issue_entry(stem), std::move(issue->file), issue->entry.replaces, assembly);
    assembly.catalog.issues.insert_or_assign(stem, std::move(issue->entry.value));
  }
}

/// Takes over what lower layers certified of the patches that a replaced patchset still has.
void keep_certificates(const Patchset& below, Patchset& patchset) {
  for (const CertificateEdge& edge : below.certificates) {
    if (find_patch(patchset, edge.patch) != nullptr) {
      patchset.certificates.push_back(edge);
    }
  }
}

/// A folder without patchset.json may only bring what was recorded of a patchset of a lower layer.
void check_bare_folder(const std::string& directory, Assembly& assembly) {
  const std::string id = base_name(directory);
  if (!assembly.is_known(patchset_entry(id))) {
    assembly.findings.add(directory, 0, "", "has no patchset.json, and there is no such patchset below this layer");
  }
  for (const std::string& path : list_files_below(directory)) {
    if (!starts_with(path, "certificates/") && !starts_with(path, "proofs/")) {
      assembly.findings.add(concat(directory, '/', path), 0, "", "stands here without a patchset.json that names it");
    }
  }
}

void lay_patchset(const Layer& layer, const std::string& directory, Assembly& assembly) {
  const std::string name = patchset_entry(base_name(directory));
  const std::string path = directory + "/patchset.json";
  if (!is_present(path)) {
    check_bare_folder(directory, assembly);
    return;
  }
  std::optional<DataFile> file = read_json_file(path, assembly.findings);
  if (!file) {
    assembly.unreadable.insert(name);
    return;
  }
  Entry<Patchset> entry = read_patchset(*file, directory, assembly.findings);
  entry.value.proof = read_proof_set(directory, entry.value, assembly.findings);
  lay_origin(layer, name, std::move(*file), entry.replaces, assembly);
  const auto below = assembly.catalog.patchsets.find(base_name(directory));
  if (below != assembly.catalog.patchsets.end()) {
    keep_certificates(below->second, entry.value);
  }
  assembly.catalog.patchsets.insert_or_assign(base_name(directory), std::move(entry.value));
}

/// Calls `use(file, release)` for each <release>.json of a folder.
template <typename Use>
void read_recorded(const std::string& folder, Assembly& assembly, Use use) {
  for (const std::string& release : list_stems(folder, ".json", assembly.findings)) {
    if (const auto file = read_json_file(concat(folder, '/', release, ".json"), assembly.findings)) use(*file, release);
  }
}

void lay_patchsets(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/patchsets";
  const std::vector<std::string> ids = list_folders(folder, assembly.findings);
  for (const std::string& id : ids) {
    lay_patchset(layer, concat(folder, '/', id), assembly);
  }
  for (const std::string& id : ids) {  // after all patchsets: chains cross them
    read_recorded(concat(folder, '/', id, "/certificates"), assembly, [&](const DataFile& file, const auto& release) {
      add_certificates(file, read_certificates(file, id, release, assembly.findings), assembly);
    });
    read_recorded(concat(folder, '/', id, "/proofs"), assembly,
                  [&](const DataFile& file, const auto& release) { add_proof_records(file, id, release, assembly); });
  }
}

void lay_result(const DataFile& file, std::size_t index, RecordedResult result, Assembly& assembly) {
  const auto [known, is_new] = assembly.catalog.results.emplace(result.plan, result);
  if (!is_new && known->second.trees != result.trees) {
    const std::string key = concat("results[", index, ']');
    assembly.findings.add(
        file.path, line_of(file.json, key), key,
        concat("plan ", result.plan.hex(), " has other trees in the layer ", quote(known->second.layer)));
  }
}

void lay_results(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/results";
  for (const std::string& release : list_stems(folder, ".json", assembly.findings)) {
    const std::optional<DataFile> file = read_json_file(concat(folder, '/', release, ".json"), assembly.findings);
    if (!file) {
      continue;
    }
    if (!assembly.is_known(release_entry(release))) {
      assembly.findings.add(file->path, line_of(file->json, "release"), "release",
                            concat("there is no release ", quote(release)));
    }
    std::size_t index = 0;
    for (RecordedResult& result : read_results(*file, release, assembly.findings)) {
      result.layer = layer.name;
      lay_result(*file, index++, std::move(result), assembly);
    }
  }
}

/// A place is only somewhere to look, ids decide: so a layer may add places for a URL that is known, to be tried first.
void lay_moved(const Layer& layer, Assembly& assembly) {
  const std::string path = layer.directory + "/moved_repositories.json";
  const std::optional<DataFile> file = is_present(path) ? read_json_file(path, assembly.findings) : std::nullopt;
  if (!file) {
    return;
  }
  std::vector<MovedRepository>& table = assembly.catalog.moved_repositories;
  const auto below = static_cast<std::ptrdiff_t>(table.size());
  std::size_t index = 0;
  for (MovedRepository& moved : read_moved_repositories(*file, assembly.findings)) {
    const std::string key = concat("moved[", index++, "].from");
    const auto known = std::find_if(table.begin(), table.end(),
                                    [&](const MovedRepository& entry) { return entry.from == moved.from; });
    if (known == table.end()) {
      table.push_back(std::move(moved));
    } else if (known - table.begin() < below) {
      known->to.insert(known->to.begin(), moved.to.begin(), moved.to.end());
    } else {
      assembly.findings.add(path, line_of(file->json, key), key, concat(quote(moved.from), " is in the table already"));
    }
  }
}

bool holds_catalog(const std::string& directory) {
  const std::vector<std::string> names = {"releases",  "boards",  "known_issues",
                                          "patchsets", "results", "moved_repositories.json"};
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return is_present(concat(directory, '/', name)); });
}

}  // namespace

void lay_layer(const Layer& layer, Assembly& assembly) {
  if (!holds_catalog(layer.directory)) {
    assembly.findings.add(layer.directory, 0, "",
                          "is no catalog: it has none of releases/, boards/, known_issues/, "
                          "patchsets/, results/ and moved_repositories.json");
    return;
  }
  assembly.catalog.layers.push_back(layer.name);
  lay_releases(layer, assembly);
  lay_boards(layer, assembly);
  lay_issues(layer, assembly);
  lay_patchsets(layer, assembly);
  lay_results(layer, assembly);
  lay_moved(layer, assembly);
}

}  // namespace torchpatch::catalog
