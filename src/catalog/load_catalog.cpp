// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/load_catalog.h"

#include <algorithm>
#include <tuple>

#include "catalog/issue_file.h"
#include "catalog/patchset_file.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

auto place_of(const Finding& finding) { return std::tie(finding.file, finding.line); }

Assembly assemble(const std::vector<Layer>& layers, const std::set<std::string>& to_certify = {}) {
  Assembly assembly;
  assembly.to_certify = to_certify;
  for (const Layer& layer : layers) load_layer(layer, assembly);
  check_references(assembly);
  return assembly;
}

/// Checks an entry of `layer` against the one it replaces, and records its origin.
void add_origin(const Layer& layer, const std::string& name, DataFile file, const std::optional<Sha256>& replaces,
                Assembly& assembly) {
  const auto below = assembly.catalog.origins.find(name);
  const bool is_there = below != assembly.catalog.origins.end();
  const Sha256 digest = file.digest;
  const std::string below_digest = is_there ? below->second.digest.hex() : "";
  assembly.files.insert_or_assign(name, std::move(file));
  if (is_there && !replaces) {
    assembly.report(name, "",
                    concat(name, " is already in the layer ", quote(below->second.layer),
                           "; to replace it, add \"replaces\": \"", below_digest, '"'));
  } else if (is_there && replaces->hex() != below_digest) {
    assembly.report(name, "replaces",
                    concat("is not the sha256 of ", name, " in the layer ", quote(below->second.layer), ", which is ",
                           below_digest));
  } else if (!is_there && replaces) {
    assembly.report(name, "replaces", concat("no ", name, " in a lower layer to replace"));
  }
  assembly.catalog.origins.insert_or_assign(name, EntryOrigin{name, layer.name, digest});
}

/// The figures in each kind of file that need a source.
const std::vector<std::string> kReleaseFigures = {"python",
                                                  "cuda",
                                                  "unsupported_archs",
                                                  "components.*.version",
                                                  "components.*.commit",
                                                  "components.*.content",
                                                  "components.*.front_end",
                                                  "build_tools.*",
                                                  "imports"};
const std::vector<std::string> kBoardFigures = {
    "cores",        "memory_mib",     "gpu.compute_capability", "gpu.registers_per_block", "images.*.glibc",
    "images.*.gcc", "images.*.cmake", "images.*.cuda",          "images.*.cudnn",          "images.*.python"};

/// Calls `use(stem, file)` for each readable file of a folder; `entry` returns its name for findings.
template <typename Use>
void each_file(const std::string& folder, std::string (*entry)(const std::string&), Assembly& assembly, Use use) {
  for (const std::string& stem : list_stems(folder, ".json", assembly.findings))
    if (std::optional<DataFile> file = read_json_file(concat(folder, '/', stem, ".json"), assembly.findings))
      use(stem, std::move(*file));
    else
      assembly.unreadable.insert(entry(stem));
}

void load_releases(const Layer& layer, Assembly& assembly) {
  each_file(layer.directory + "/releases", release_entry, assembly, [&](const std::string& stem, DataFile file) {
    auto release = read_value<Release>(file, assembly.findings);
    // Compares text: 1.10 equals 1.10.0, but only one is the file's name.
    require_name(file, "version", release.version.text(), stem, assembly.findings);
    check_figures(file.json, file.path, release.sources, kReleaseFigures, assembly.findings);
    const auto below = assembly.catalog.releases.find(release.version);
    if (below != assembly.catalog.releases.end() && below->first.text() != stem)
      assembly.findings.add(file.path, 0, "version", concat("is the same version as ", quote(below->first.text())));
    add_origin(layer, release_entry(stem), std::move(file), release.replaces, assembly);
    assembly.catalog.releases.insert_or_assign(release.version, std::move(release));
  });
}

void load_boards(const Layer& layer, Assembly& assembly) {
  each_file(layer.directory + "/boards", board_entry, assembly, [&](const std::string& stem, DataFile file) {
    auto board = read_value<Board>(file, assembly.findings);
    require_name(file, "id", board.id, stem, assembly.findings);
    board.id = stem;
    check_figures(file.json, file.path, board.sources, kBoardFigures, assembly.findings);
    add_origin(layer, board_entry(stem), std::move(file), board.replaces, assembly);
    assembly.catalog.boards.insert_or_assign(stem, std::move(board));
  });
}

void load_issues(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/known_issues";
  for (const std::string& stem : list_stems(folder, ".md", assembly.findings)) {
    std::optional<IssueFile> page = read_issue(concat(folder, '/', stem, ".md"), stem, assembly.findings);
    if (!page) {
      assembly.unreadable.insert(issue_entry(stem));
      continue;
    }
    add_origin(layer, issue_entry(stem), std::move(page->file), page->issue.replaces, assembly);
    assembly.catalog.issues.insert_or_assign(stem, std::move(page->issue));
  }
}

/// A folder without patchset.json may only contain records for a patchset of a lower layer.
void check_bare_folder(const std::string& directory, Assembly& assembly) {
  const std::string id = base_name(directory);
  if (!assembly.is_known(patchset_entry(id)))
    assembly.findings.add(directory, 0, "", "has no patchset.json, and no lower layer has this patchset");
  for (const std::string& path : list_files_below(directory))
    if (!starts_with(path, "certificates/") && !starts_with(path, "proofs/"))
      assembly.findings.add(concat(directory, '/', path), 0, "", "is not listed in a patchset.json");
}

void load_patchset(const Layer& layer, const std::string& directory, Assembly& assembly) {
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
  Patchset patchset = read_patchset(*file, directory, assembly.findings);
  patchset.proof = read_proof_set(directory, patchset, assembly.findings);
  add_origin(layer, name, std::move(*file), patchset.replaces, assembly);
  // Certificates in lower layers stay valid for patches that the replacing patchset still has.
  if (const Patchset* const below = find_value(assembly.catalog.patchsets, base_name(directory)))
    for (const CertificateEdge& edge : below->certificates)
      if (find_patch(patchset, edge.patch) != nullptr) patchset.certificates.push_back(edge);
  assembly.catalog.patchsets.insert_or_assign(base_name(directory), std::move(patchset));
}

/// Calls `use(file, release)` for each <release>.json of a folder.
template <typename Use>
void read_recorded(const std::string& folder, Assembly& assembly, Use use) {
  for (const std::string& release : list_stems(folder, ".json", assembly.findings))
    if (const auto file = read_json_file(concat(folder, '/', release, ".json"), assembly.findings)) use(*file, release);
}

void load_patchsets(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/patchsets";
  const std::vector<std::string> ids = list_folders(folder, assembly.findings);
  for (const std::string& id : ids) load_patchset(layer, concat(folder, '/', id), assembly);
  for (const std::string& id : ids) {  // after all patchsets: chains cross them
    read_recorded(concat(folder, '/', id, "/certificates"), assembly, [&](const DataFile& file, const auto& release) {
      add_certificates(file, read_certificates(file, id, release, assembly.findings), assembly);
    });
    read_recorded(concat(folder, '/', id, "/proofs"), assembly,
                  [&](const DataFile& file, const auto& release) { add_proof_records(file, id, release, assembly); });
  }
}

void add_result(const DataFile& file, std::size_t index, RecordedResult result, Assembly& assembly) {
  const auto [known, is_new] = assembly.catalog.results.emplace(result.plan, result);
  if (!is_new && known->second.trees != result.trees) {
    const std::string key = concat("results[", index, ']');
    assembly.findings.add(
        file.path, line_of(file.json, key), key,
        concat("plan ", result.plan.hex(), " has different trees in the layer ", quote(known->second.layer)));
  }
}

void load_results(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/results";
  for (const std::string& release : list_stems(folder, ".json", assembly.findings)) {
    const std::optional<DataFile> file = read_json_file(concat(folder, '/', release, ".json"), assembly.findings);
    if (!file) continue;
    if (!assembly.is_known(release_entry(release))) {
      assembly.findings.add(file->path, line_of(file->json, "release"), "release",
                            concat("no release ", quote(release)));
    }
    auto read = read_value<ResultFile>(*file, assembly.findings);
    require_name(*file, "release", read.release, release, assembly.findings);
    std::size_t index = 0;
    for (RecordedResult& result : read.results) {
      result.layer = layer.name;
      add_result(*file, index++, std::move(result), assembly);
    }
    for (auto& [version, known] : assembly.catalog.releases)
      for (auto& [component, pin] : known.components)
        if (const auto found = read.submodules.find(pin.commit); found != read.submodules.end())
          pin.submodules = {found->second.begin(), found->second.end()};
  }
}

void load_approvals(const Layer& layer, Assembly& assembly) {
  const std::string folder = layer.directory + "/approvals";
  for (const std::string& stem : list_stems(folder, ".json", assembly.findings))
    if (const auto file = read_json_file(concat(folder, '/', stem, ".json"), assembly.findings))
      assembly.catalog.approvals.emplace_back(read_value<Approval>(*file, assembly.findings)).file = file->path;
}

/// Calls `add(value, file)` with a layer's table, if it has one. Its `figures` need a source.
template <typename Table, typename Add>
void load_table(const Layer& layer, const std::string& name, const std::vector<std::string>& figures,
                Assembly& assembly, Add add) {
  const std::string path = concat(layer.directory, '/', name);
  const std::optional<DataFile> file = is_present(path) ? read_json_file(path, assembly.findings) : std::nullopt;
  if (!file) return;
  auto table = read_value<Table>(*file, assembly.findings);
  if constexpr (requires { table.sources; })
    check_figures(file->json, file->path, table.sources, figures, assembly.findings);
  add(table, *file);
}

/// Inserts a layer's items before those of lower layers, so that they take precedence.
template <typename Item>
void add_in_front(std::vector<Item>& below, const std::vector<Item>& items) {
  below.insert(below.begin(), items.begin(), items.end());
}

/// Ids decide content, not locations, so a layer may add URLs for a known one; they are tried first.
void add_moved(const std::vector<MovedRepository>& moved, const DataFile& file, Assembly& assembly) {
  std::vector<MovedRepository>& table = assembly.catalog.moved_repositories;
  const auto below = static_cast<std::ptrdiff_t>(table.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto known = std::ranges::find(table, moved[i].from, &MovedRepository::from);
    const std::string key = concat("moved[", i, "].from");
    if (known == table.end())
      table.push_back(moved[i]);
    else if (known - table.begin() < below)
      known->to.insert(known->to.begin(), moved[i].to.begin(), moved[i].to.end());
    else
      assembly.findings.add(file.path, line_of(file.json, key), key,
                            concat(quote(moved[i].from), " is already in the table"));
  }
}

/// A layer may judge an advisory differently.
void add_advisories(const Layer& layer, const AdvisoryTable& table, const DataFile& file, Assembly& assembly) {
  for (const Advisory& advisory : table.advisories)
    assembly.catalog.advisories.insert_or_assign(advisory.about.id, advisory);
  EntryOrigin& origin = assembly.catalog.origins[kAdvisoriesEntry];
  const Sha256 digest = origin.entry.empty() ? file.digest : sha256(origin.digest.hex() + file.digest.hex());
  origin = {kAdvisoriesEntry, layer.name, digest};
  assembly.files.insert_or_assign(kAdvisoriesEntry, file);
}

/// Reports evidence for releases and images that do not exist.
void add_evidence(const EvidenceTable& table, const DataFile& file, Assembly& assembly) {
  for (std::size_t i = 0; i < table.evidence.size(); ++i) {
    const BuildEvidence& each = table.evidence[i];
    const auto report = [&](const std::string& key, const std::string& what) {
      const std::string place = concat("evidence[", i, "].", key);
      assembly.findings.add(file.path, line_of(file.json, place), place, what);
    };
    if (!assembly.is_known(release_entry(each.release))) report("release", concat("no release ", quote(each.release)));
    const Board* board = find_value(assembly.catalog.boards, each.board);
    if (!board) report("board", concat("no board ", quote(each.board)));
    if (board && !board->find_image(each.image)) report("image", concat("no image ", quote(each.image)));
    assembly.catalog.evidence.push_back(each);
  }
}

void load_tables(const Layer& layer, Assembly& assembly) {
  Catalog& catalog = assembly.catalog;
  load_table<MovedRepositories>(layer, "moved_repositories.json", {}, assembly,
                                [&](const auto& table, const auto& file) { add_moved(table.moved, file, assembly); });
  load_table<VariableTable>(layer, "variables.json", {}, assembly, [&](const auto& table, const auto&) {
    add_in_front(catalog.variables.never_read, table.never_read);
    add_in_front(catalog.variables.of_tools, table.of_tools);
    add_in_front(catalog.variables.implied, table.implied);
  });
  load_table<CoreTable>(layer, "cores.json", {"cores.*.flags"}, assembly,
                        [&](const auto& table, const auto&) { add_in_front(catalog.cores.cores, table.cores); });
  load_table<PlatformTable>(layer, "platforms.json",
                            {"platforms.*.limits", "systems.*.limits", "systems.*.packages", "cuda"}, assembly,
                            [&](const auto& table, const auto&) {
                              add_in_front(catalog.platforms.platforms, table.platforms);
                              add_in_front(catalog.platforms.systems, table.systems);
                              add_in_front(catalog.platforms.cuda, table.cuda);
                            });
  const auto load_text = [&](const std::string& name, std::string& text) {
    if (const std::string path = concat(layer.directory, '/', name); is_present(path)) text = read_file(path);
  };
  load_text("libraries.tsv", catalog.platforms.libraries);
  load_text("stable_abi.tsv", catalog.platforms.stable_abi);
  load_table<BuildSizes>(
      layer, "build_sizes.json", {"builds.*.minutes", "builds.*.disk_mib"}, assembly,
      [&](const auto& table, const auto&) { add_in_front(catalog.build_sizes.builds, table.builds); });
  load_table<EvidenceTable>(layer, "evidence.json", {}, assembly,
                            [&](const auto& table, const auto& file) { add_evidence(table, file, assembly); });
  load_table<AdvisoryTable>(layer, "advisories.json", {}, assembly,
                            [&](const auto& table, const auto& file) { add_advisories(layer, table, file, assembly); });
}

const std::vector<std::string> kCatalogParts = {
    "releases/",      "boards/",        "known_issues/",           "patchsets/",
    "results/",       "approvals/",     "moved_repositories.json", "variables.json",
    "cores.json",     "platforms.json", "build_sizes.json",        "evidence.json",
    "advisories.json"};

/// Returns every name that --board accepts, with its board.
std::map<std::string, std::string> board_names(Assembly& assembly) {
  std::map<std::string, std::string> names;
  for (const auto& [id, board] : assembly.catalog.boards) names.emplace(id, id);
  for (const auto& [id, board] : assembly.catalog.boards) {
    for (const std::string& alias : board.aliases) {
      const auto [known, is_new] = names.emplace(alias, id);
      if (!is_new) {
        assembly.report(board_entry(id), "aliases",
                        concat(quote(alias), " also names the board ", quote(known->second)));
      }
    }
  }
  return names;
}

/// Conditions must be about capabilities: with board ids, the next board with the same defect would be missed.
void check_condition(const Condition& condition, const std::map<std::string, std::string>& boards,
                     const std::string& entry, const std::string& key, Assembly& assembly) {
  for (const Clause& clause : condition) {
    const auto* names = std::get_if<std::vector<std::string>>(&clause.expected);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      if (boards.count((*names)[i]) > 0) {
        assembly.report(entry, concat(key, '.', clause.fact),
                        concat(quote((*names)[i]), " is a board; write a condition for what the board has or lacks"));
      }
    }
  }
}

/// A patchset in a fix of another kind is reported separately.
bool has_content(const Patchset& patchset, FixKind kind) {
  if (kind != FixKind::patch && kind != FixKind::files) return true;
  return std::any_of(patchset.variants.begin(), patchset.variants.end(), [&](const Variant& variant) {
    const bool has_patches = !variant.patches.empty() || !variant.overrides.empty();
    return kind == FixKind::patch ? has_patches : !variant.files.empty();
  });
}

void check_fix_patchset(const Fix& fix, const std::string& entry, const std::string& key, Assembly& assembly) {
  if (fix.patchset.empty()) return;
  const auto found = assembly.catalog.patchsets.find(fix.patchset);
  if (found == assembly.catalog.patchsets.end()) {
    if (!assembly.is_known(patchset_entry(fix.patchset))) {
      const std::string hint = did_you_mean(fix.patchset, keys_of(assembly.catalog.patchsets));
      assembly.report(entry, key, concat("no patchset ", quote(fix.patchset), hint.empty() ? "" : "; ", hint));
    }
  } else if (!has_content(found->second, fix.kind)) {
    assembly.report(entry, key,
                    concat("patchset ", quote(fix.patchset), " has no ",
                           fix.kind == FixKind::patch ? "patches or overrides" : "files"));
  }
}

void check_issues(Assembly& assembly) {
  const std::map<std::string, std::string> boards = board_names(assembly);
  std::map<std::string, std::string> issue_of_fix;
  for (const auto& [id, issue] : assembly.catalog.issues) {
    const std::string entry = issue_entry(id);
    check_condition(issue.when, boards, entry, "when", assembly);
    for (std::size_t i = 0; i < issue.fixes.size(); ++i) {
      const Fix& fix = issue.fixes[i];
      const std::string key = concat("fixes[", i, ']');
      check_condition(fix.when, boards, entry, key + ".when", assembly);
      check_fix_patchset(fix, entry, key + ".patchset", assembly);
      const auto [known, is_new] = issue_of_fix.emplace(fix.id, id);
      if (!is_new && !fix.id.empty()) {
        assembly.report(entry, key + ".id",
                        concat(quote(fix.id), " is also a fix of the issue ", quote(known->second)));
      }
    }
  }
}

/// Reports citations, below `place`, of releases that the catalog does not have.
void check_citations(const std::string& entry, const Citations& citations, Assembly& assembly,
                     const std::string& place = "") {
  const auto check = [&](const std::string& key, const std::vector<Citation>& list) {
    for (const Citation& each : list) {
      const std::optional<Version> release = Version::parse(each.release);
      if (release && !assembly.catalog.releases.contains(*release))
        assembly.report(entry, concat(place, key, '.', each.release), concat("no release ", quote(each.release)));
    }
  };
  check("citations", citations.present);
  check("absences", citations.absent);
}

/// Only the highest layer's are in the file that findings refer to.
void check_advisories(Assembly& assembly) {
  const auto file = assembly.files.find(kAdvisoriesEntry);
  const Json* const list = file == assembly.files.end() ? nullptr : file->second.json.find("advisories");
  for (std::size_t i = 0; list && i < list->items.size(); ++i) {
    const Json* const id = list->items[i].find("id");
    const Advisory* const advisory = id ? find_value(assembly.catalog.advisories, id->string) : nullptr;
    if (!advisory) continue;
    const std::string place = concat("advisories[", i, "].");
    check_citations(kAdvisoriesEntry, advisory->citations, assembly, place);
    const std::string& issue = advisory->about.issue;
    if (!issue.empty() && !assembly.is_known(issue_entry(issue)))
      assembly.report(kAdvisoriesEntry, place + "issue", concat("no issue ", quote(issue)));
  }
}

void check_citations(Assembly& assembly) {
  for (const auto& [version, release] : assembly.catalog.releases)
    check_citations(release_entry(version.text()), release.citations, assembly);
  for (const auto& [id, board] : assembly.catalog.boards) check_citations(board_entry(id), board.citations, assembly);
  for (const auto& [id, issue] : assembly.catalog.issues) check_citations(issue_entry(id), issue.citations, assembly);
}

/// Returns the files of a layer in which commands write marks.
std::vector<std::string> files_with_marks(const Layer& layer) {
  Findings unused;  // ignored: loading reports them
  std::vector<std::string> files;
  for (const std::string& stem : list_stems(layer.directory + "/boards", ".json", unused))
    files.push_back(concat(layer.directory, "/boards/", stem, ".json"));
  for (const std::string& stem : list_stems(layer.directory + "/known_issues", ".md", unused))
    files.push_back(concat(layer.directory, "/known_issues/", stem, ".md"));
  for (const std::string& id : list_folders(layer.directory + "/patchsets", unused))
    files.push_back(concat(layer.directory, "/patchsets/", id, "/patchset.json"));
  return files;
}

/// Returns the message for a marked line: "is to be filled in: free -m".
std::string told_of(std::string_view line) {
  std::string_view rest = line.substr(line.find(kMarker) + std::string_view(kMarker).size());
  const bool is_in_quotes = line.substr(0, line.find(kMarker)).find('"') != std::string_view::npos;
  if (is_in_quotes) rest = rest.substr(0, rest.find('"'));
  while (starts_with(rest, ":") || starts_with(rest, " ")) rest.remove_prefix(1);
  return rest.empty() ? "must be filled in" : concat("must be filled in: ", trim(rest));
}

std::vector<Finding> marks_of(const std::string& file) {
  Findings unused;
  const std::optional<std::string> bytes = is_present(file) ? read_bytes(file, kMaxJsonBytes, unused) : std::nullopt;
  std::vector<Finding> marks;
  if (!bytes || bytes->find(kMarker) == std::string::npos) return marks;
  int number = 0;
  for (const std::string& line : split(*bytes, '\n')) {
    ++number;
    if (line.find(kMarker) != std::string::npos) marks.push_back({file, number, "", told_of(line)});
  }
  return marks;
}

}  // namespace

Catalog load_catalog(const std::vector<Layer>& layers) {
  Assembly assembly = assemble(layers);
  assembly.findings.raise_if_any("loading the catalog");
  return std::move(assembly.catalog);
}

const std::vector<std::string>& catalog_parts() { return kCatalogParts; }

CatalogToCertify load_catalog_with_findings(const std::vector<Layer>& layers, const std::set<std::string>& to_certify) {
  Assembly assembly = assemble(layers, to_certify);
  std::vector<Finding> findings = assembly.findings.list();
  std::ranges::stable_sort(findings, {}, place_of);
  return {std::move(assembly.catalog), std::move(assembly.recorded), std::move(findings)};
}

CatalogToCertify load_catalog_to_certify(const std::vector<Layer>& layers, const std::set<std::string>& patchsets) {
  Assembly assembly = assemble(layers, patchsets);
  assembly.findings.raise_if_any("loading the catalog");
  return {std::move(assembly.catalog), std::move(assembly.recorded)};
}

CatalogToCertify with_change(CatalogToCertify loaded, Catalog changed) {
  for (RecordedFile& file : loaded.recorded) {
    for (std::vector<CertificateEdge> edges = std::exchange(file.edges, {}); CertificateEdge & edge : edges) {
      // Certificates of a patchset that a layer replaces are valid there, not in the catalog.
      const bool is_stale = is_in_place(edge, file, loaded.catalog) && !is_in_place(edge, file, changed);
      (is_stale ? file.stale : file.edges).push_back(std::move(edge));
    }
    const auto gone = std::erase_if(
        file.records, [&](const ProofRecord& record) { return !is_in_place(record, file.patchset, changed); });
    file.has_stale = file.has_stale || gone > 0 || !file.stale.empty();
  }
  return {std::move(changed), std::move(loaded.recorded)};
}

void load_layer(const Layer& layer, Assembly& assembly) {
  const auto is_there = [&](const std::string& part) { return is_present(concat(layer.directory, '/', part)); };
  if (std::ranges::none_of(kCatalogParts, is_there)) {
    assembly.findings.add(layer.directory, 0, "",
                          concat("is not a catalog: it contains none of ", join(kCatalogParts, ", ")));
    return;
  }
  assembly.catalog.layers.push_back(layer.name);
  if (layer.is_own) assembly.catalog.own_layers.insert(layer.name);
  load_releases(layer, assembly);
  load_boards(layer, assembly);
  load_issues(layer, assembly);
  load_patchsets(layer, assembly);
  load_results(layer, assembly);
  load_approvals(layer, assembly);
  load_tables(layer, assembly);
}

void check_references(Assembly& assembly) {
  check_issues(assembly);
  check_citations(assembly);
  check_advisories(assembly);
  check_order(assembly);
  check_added_files(assembly);
}

std::vector<Finding> with_marked_places(const std::vector<Layer>& layers, std::vector<Finding> findings) {
  std::vector<Finding> marks;
  for (const Layer& layer : layers)
    for (const std::string& file : files_with_marks(layer))
      std::ranges::move(marks_of(file), std::back_inserter(marks));
  std::set<std::pair<std::string, int>> lines;
  for (const Finding& mark : marks) lines.emplace(mark.file, mark.line);
  std::erase_if(findings, [&](const Finding& each) { return lines.contains({each.file, each.line}); });
  std::ranges::move(marks, std::back_inserter(findings));
  std::ranges::stable_sort(findings, {}, place_of);
  return findings;
}

}  // namespace torchpatch::catalog
