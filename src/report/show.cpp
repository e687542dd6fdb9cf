// SPDX-License-Identifier: BSD-3-Clause
#include "model/prove.h"
#include "record/json.h"
#include "report/reports.h"
#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

using record::array_of;

std::string name_of(const std::pair<const Component, ComponentPin>& pin) { return component_name(pin.first); }

/// What list says of an entry: a row of text, and an object.
using ListedEntry = std::pair<std::vector<std::string>, Json>;

ListedEntry listed_release(const Release& release) {
  const std::vector<std::string> components = texts_of(release.components, name_of);
  return {{release.version.text(), release.date, join(components, " "), "Python " + join(release.python, " "),
           release.stand_in ? "not PyTorch" : ""},
          {{"version", release.version.text()},
           {"date", release.date},
           {"components", components},
           {"python", release.python},
           {"genuine", !release.stand_in.has_value()}}};
}

ListedEntry listed_board(const Board& board) {
  const std::vector<std::string> images = texts_of(board.images, &Image::id);
  return {
      {board.id, board.title, board.arch, join(images, " ")},
      {{"id", board.id}, {"title", board.title}, {"aliases", board.aliases}, {"arch", board.arch}, {"images", images}}};
}

ListedEntry listed_issue(const Issue& issue) {
  return {{issue.id, issue.severity, issue.title},
          {{"id", issue.id}, {"severity", issue.severity}, {"title", issue.title}}};
}

ListedEntry listed_patchset(const Patchset& patchset, const Catalog& catalog) {
  const std::vector<std::string> variants = texts_of(patchset.variants, &Variant::id);
  const std::string proven = coverage_text(patchset, catalog);
  return {{patchset.id, join(variants, " "), proven, patchset.summary},
          {{"id", patchset.id}, {"summary", patchset.summary}, {"variants", variants}, {"proofs", proven}}};
}

template <typename Entries, typename Describe>
Listing listed(const std::string& kind, const Entries& entries, Describe describe) {
  Rows rows;
  Json objects = Json::array();
  for (const auto& [key, entry] : entries) {
    auto [row, object] = describe(entry);
    rows.push_back(std::move(row));
    objects.push_back(std::move(object));
  }
  return {{.blocks = {plain_table(rows)}}, {{"schema", 1}, {kind, std::move(objects)}}};
}

/// The facts of an image that may be unknown.
std::vector<std::pair<const char*, const std::optional<Version>*>> versions_of(const Image& image) {
  return {{"glibc", &image.glibc},
          {"gcc", &image.gcc},
          {"cmake", &image.cmake},
          {"cuda", &image.cuda},
          {"cudnn", &image.cudnn}};
}

Json image_json(const Image& image) {
  Json object = {{"id", image.id}, {"title", image.title}, {"os", image.os}};
  if (image.arch) object["arch"] = *image.arch;
  if (image.cpu_flags) object["cpu_flags"] = *image.cpu_flags;
  for (const auto& [name, version] : versions_of(image)) {
    if (*version) object[name] = (*version)->text();
    if (image.known_absent.contains(name)) object[name] = nullptr;
  }
  object["python"] = texts_of(image.python, &Version::text);
  return object;
}

Json default_image_json(const DefaultImage& entry) {
  return {{"releases", entry.releases.text()}, {"image", entry.image}};
}

Json gpu_json(const Gpu& gpu) {
  Json object = {{"compute_capability", gpu.compute_capability.text()}};
  if (gpu.registers_per_block) object["registers_per_block"] = *gpu.registers_per_block;
  return object;
}

Rows image_rows(const Board& board) {
  Rows rows;
  for (const Image& image : board.images) {
    std::vector<std::string> facts = {image.os, "Python " + join(texts_of(image.python, &Version::text), " ")};
    if (image.arch) facts.push_back(*image.arch);
    for (const auto& [name, version] : versions_of(image)) {
      if (*version) facts.push_back(concat(name, " ", (*version)->text()));
      if (image.known_absent.contains(name)) facts.push_back(concat("no ", name));
    }
    rows.push_back({image.id, image.title, join(facts, ", ")});
  }
  return rows;
}

std::string assignment(const std::pair<std::string, std::string>& setting) {
  return concat(setting.first, "=", shell_quote(setting.second));
}

Json fix_json(const Fix& fix) {
  Json object = {{"id", fix.id}, {"kind", fix_kind_name(fix.kind)}, {"summary", fix.summary}};
  if (!fix.patchset.empty()) object["patchset"] = fix.patchset;
  object["environment"] = Json::object();
  for (const EnvironmentSetting& setting : fix.environment)
    object["environment"][setting.name] = {{"value", setting.value}, {"why", setting.why}};
  object["commands"] = fix.commands;
  object["when"] = record::condition_json(fix.when);
  object["optional"] = fix.is_optional;
  return object;
}

void add_fix(const Fix& fix, std::vector<Block>& blocks) {
  Rows rows = {{"when", condition_text(fix.when)}};
  if (!fix.patchset.empty()) rows.push_back({"patchset", fix.patchset});
  for (const EnvironmentSetting& setting : fix.environment)
    rows.push_back({"sets", assignment({setting.name, setting.value}), setting.why});
  for (const std::string& command : fix.commands) rows.push_back({"runs", command});
  add_rows(blocks,
           concat("fix ", fix.id, " (", fix_kind_name(fix.kind), fix.is_optional ? ", only with --with" : "",
                  "): ", fix.summary),
           rows);
}

Json patch_file_json(const Patch& patch) {
  return {{"file", patch.file}, {"sha256", patch.sha256.hex()}, {"repository", patch.repository.text()}};
}

Json added_file_json(const AddedFile& file) {
  return {{"file", file.file},
          {"repository", file.repository.text()},
          {"path", file.path},
          {"executable", file.is_executable},
          {"sha256", file.sha256.hex()}};
}

Json override_json(const SubmoduleOverride& what) {
  return {{"repository", what.repository.text()},
          {"replaces", what.replaces.hex()},
          {"url", what.url},
          {"commit", what.commit.hex()}};
}

Json variant_json(const Variant& variant) {
  return {{"id", variant.id},
          {"releases", variant.releases.text()},
          {"patches", array_of(variant.patches, patch_file_json)},
          {"files", array_of(variant.files, added_file_json)},
          {"overrides", array_of(variant.overrides, override_json)}};
}

Json certificate_json(const CertificateEdge& edge) {
  Json object = {{"commit", edge.commit.hex()}, {"repository", edge.repository.text()}};
  if (edge.overridden) object["override"] = edge.overridden->hex();
  object["path"] = edge.path;
  object["patch"] = edge.patch.hex();
  if (edge.follows) object["follows"] = edge.follows->hex();
  object["before"] = record::id_or_null(edge.before);
  object["after"] = record::id_or_null(edge.after);
  return object;
}

Json proof_json(const Proof& proof) {
  return {{"id", proof.id},
          {"claim", proof.claim},
          {"releases", proof.releases.text()},
          {"tools", proof.tools},
          {"commands", proof.commands}};
}

Json proof_state_json(const ProofState& state) {
  Json object = {{"proof", state.proof->id}, {"release", state.release->version.text()}, {"state", state_name(state)}};
  if (state.record) {
    object["date"] = state.record->date;
    object["tools"] = state.record->tools;
  }
  return object;
}

Json unproven_json(const Unproven& unproven) { return {{"releases", unproven.releases.text()}, {"why", unproven.why}}; }

void add_variant(const Variant& variant, std::vector<Block>& blocks) {
  Rows rows;
  for (const Patch& patch : variant.patches) rows.push_back({patch.file, patch.repository.text(), patch.sha256.hex()});
  for (const AddedFile& file : variant.files)
    rows.push_back({file.file, file.repository.text(), "added as " + file.path});
  for (const SubmoduleOverride& what : variant.overrides) {
    rows.push_back({concat("commit ", what.commit.hex()), what.repository.text(),
                    concat("instead of ", what.replaces.hex(), ", from ", what.url)});
  }
  add_rows(blocks, concat("variant ", variant.id, ", made for ", variant.releases.text()), rows);
}

void add_proofs(const Patchset& patchset, const Catalog& catalog, std::vector<Block>& blocks) {
  Rows proofs, outcomes, unproven;
  for (const Proof& proof : patchset.proof.proofs) proofs.push_back({proof.id, proof.releases.text(), proof.claim});
  for (const ProofState& state : proof_states(patchset, catalog)) {
    outcomes.push_back({state.release->version.text(), state.proof->id, state_name(state),
                        state.record ? "since " + state.record->date : ""});
  }
  for (const Unproven& each : patchset.proof.unproven) unproven.push_back({each.releases.text(), each.why});
  add_rows(blocks, "proofs", proofs);
  add_rows(blocks, "outcomes", outcomes);
  add_rows(blocks, "without proof", unproven);
}

Json components_json(const Release& release) {
  Json object = Json::object();
  for (const auto& [component, pin] : release.components) {
    object[component_name(component)] = {{"url", pin.url},
                                         {"tag", pin.tag},
                                         {"version", pin.version},
                                         {"commit", pin.commit.hex()},
                                         {"environment", record::object_json(pin.environment)}};
  }
  return object;
}

void add_components(const Release& release, std::vector<Block>& blocks) {
  Rows pins, tools, modules, everywhere, settings;
  for (const auto& [component, pin] : release.components) {
    pins.push_back({component_name(component), pin.version, pin.tag, pin.commit.hex(), pin.url});
    for (const auto& [name, value] : pin.environment) settings.push_back({component_name(component), name, value});
  }
  for (const auto& [tool, range] : release.build_tools) tools.push_back({tool, range.text()});
  for (const auto& [component, imported] : release.imports)
    for (const auto& [name, place] : imported) modules.push_back({component_name(component), name, place});
  for (const auto& [name, value] : release.environment) everywhere.push_back({name, value});
  add_rows(blocks, "components", pins);
  add_rows(blocks, "bounds on build tools", tools);
  add_rows(blocks, "Python modules that builds import", modules);
  add_rows(blocks, "environment of every build", everywhere);
  add_rows(blocks, "environment of one component's build", settings);
}

Document show_board(const Board& board) {
  Rows defaults;
  for (const DefaultImage& entry : board.default_images) defaults.push_back({entry.releases.text(), entry.image});
  Document page{.title = concat("board ", board.id, ": ", board.title)};
  page.blocks.push_back(Terms{{{"arch", said(board.arch)},
                               {"CPU flags", said(board.cpu_flags)},
                               {"memory", said(concat(board.memory_mib, " MiB"))},
                               {"GPU", said(gpu_text(board))},
                               {"aliases", said(join(board.aliases, " "))},
                               {"has", said(join(board.has, " "))},
                               {"lacks", said(join(board.lacks, " "))}}});
  add_rows(page.blocks, "images", image_rows(board));
  add_rows(page.blocks, "image by default, for releases", defaults);
  add_items(page.blocks, "environment of the build", texts_of(board.environment, assignment));
  add_items(page.blocks, "before the build", board.build_steps);
  add_blocks(page.blocks, source_blocks(board.sources));
  return page;
}

/// In the order of the site's page: what to do, for which release and board; how to know and mend it; why.
Document show_issue(const Issue& issue, const Catalog& catalog) {
  Document page{.title = concat("issue ", issue.id, ": ", issue.title), .blocks = what_to_do_blocks(catalog, issue)};
  page.blocks.push_back(Terms{{{"releases", said(affected_words(catalog, issue))},
                               {"where", said(condition_words(issue.when))},
                               {"severity", said(issue.severity)}}});
  add_items(page.blocks, "as a log shows it", issue.symptoms);
  for (const char* name : {"Symptom", "Fix", "How to verify"}) add_blocks(page.blocks, section_blocks(issue, name));
  for (const Fix& fix : issue.fixes) add_fix(fix, page.blocks);
  add_blocks(page.blocks, section_blocks(issue, "Cause"));
  add_items(page.blocks, "links", issue.links);
  add_items(page.blocks, "told by", issue.seeds);
  return page;
}

Document show_patchset(const Patchset& patchset, const Catalog& catalog) {
  Document page{.title = concat("patchset ", patchset.id, ": ", patchset.summary)};
  if (!patchset.after.empty()) page.blocks.push_back(plain_items({"applied after " + join(patchset.after, ", ")}));
  for (const Variant& variant : patchset.variants) add_variant(variant, page.blocks);
  Rows edges;
  for (const CertificateEdge& edge : patchset.certificates) {
    edges.push_back({short_id(edge.commit), edge.repository.text(), edge.path,
                     concat(edge.before ? short_id(*edge.before) : "absent", " -> ",
                            edge.after ? short_id(*edge.after) : "absent")});
  }
  add_rows(page.blocks, "certificates: commit, repository, path, content", edges);
  add_proofs(patchset, catalog, page.blocks);
  return page;
}

Document show_release(const Release& release) {
  Rows flags;
  for (const BuildFlag& flag : release.flags) flags.push_back({flag.name, flag.read_at});
  Document page{.title = concat("release ", release.version.text())};
  if (release.stand_in) page.blocks.push_back(plain_items({"note: " + stand_in_text(*release.stand_in)}));
  page.blocks.push_back(Terms{{{"date", said(release.date)},
                               {"Python", said(join(release.python, " "))},
                               {"CUDA", said(release.cuda ? release.cuda->text() : "")}}});
  add_components(release, page.blocks);
  add_rows(page.blocks, "variables the build reads, and where", flags);
  add_items(page.blocks, "notes", release.notes);
  add_blocks(page.blocks, source_blocks(release.sources));
  return page;
}

}  // namespace

Listing list_entries(const Catalog& catalog, const std::string& kind) {
  if (kind == "releases") return listed(kind, catalog.releases, listed_release);
  if (kind == "boards") return listed(kind, catalog.boards, listed_board);
  if (kind == "issues") return listed(kind, catalog.issues, listed_issue);
  if (kind == "patchsets")
    return listed(kind, catalog.patchsets, [&](const Patchset& each) { return listed_patchset(each, catalog); });
  throw Error(ErrorKind::usage, concat("listing ", quote(kind), ": there is no such kind of entry"),
              "the kinds are releases, boards, issues and patchsets");
}

Listing show_entry(const Catalog& catalog, const std::string& kind, const std::string& name) {
  if (kind == "release") {
    const Release& release = catalog.release(name);
    return {show_release(release), release_json(release)};
  }
  if (kind == "board") {
    const Board& board = catalog.board(name);
    return {show_board(board), board_json(board)};
  }
  if (kind == "issue") {
    const Issue& issue = catalog.issue(name);
    return {show_issue(issue, catalog), issue_json(issue)};
  }
  const Patchset& patchset = catalog.patchset(name);
  return {show_patchset(patchset, catalog), patchset_json(patchset, catalog)};
}

Json release_json(const Release& release) {
  Json root = {{"schema", 1}, {"version", release.version.text()}, {"date", release.date}, {"python", release.python}};
  if (release.cuda) root["cuda"] = release.cuda->text();
  root["components"] = components_json(release);
  root["build_tools"] = Json::object();
  for (const auto& [tool, range] : release.build_tools) root["build_tools"][tool] = range.text();
  root["imports"] = Json::object();
  for (const auto& [component, modules] : release.imports) root["imports"][component_name(component)] = modules;
  root["flags"] = Json::object();
  for (const BuildFlag& flag : release.flags) root["flags"][flag.name] = flag.read_at;
  root["environment"] = record::object_json(release.environment);
  root["notes"] = release.notes;
  root["genuine"] = !release.stand_in.has_value();
  if (release.stand_in) root["stand_in"] = *release.stand_in;
  root["sources"] = record::sources_json(release.sources);
  return root;
}

Json board_json(const Board& board) {
  Json root = {{"schema", 1},
               {"id", board.id},
               {"title", board.title},
               {"aliases", board.aliases},
               {"arch", board.arch},
               {"cpu_flags", board.cpu_flags},
               {"memory_mib", board.memory_mib}};
  if (board.gpu) root["gpu"] = gpu_json(*board.gpu);
  root["has"] = board.has;
  root["lacks"] = board.lacks;
  root["images"] = array_of(board.images, image_json);
  root["default_images"] = array_of(board.default_images, default_image_json);
  root["environment"] = record::object_json(board.environment);
  root["build_steps"] = board.build_steps;
  root["sources"] = record::sources_json(board.sources);
  return root;
}

Json issue_json(const Issue& issue) {
  return {{"schema", 1},
          {"id", issue.id},
          {"title", issue.title},
          {"severity", issue.severity},
          {"releases", texts_of(issue.releases, &VersionRange::text)},
          {"when", record::condition_json(issue.when)},
          {"symptoms", issue.symptoms},
          {"links", issue.links},
          {"seeds", issue.seeds},
          {"fixes", array_of(issue.fixes, fix_json)},
          {"sections", record::object_json(issue.sections)}};
}

Json patchset_json(const Patchset& patchset, const Catalog& catalog) {
  return {{"schema", 1},
          {"id", patchset.id},
          {"summary", patchset.summary},
          {"after", patchset.after},
          {"variants", array_of(patchset.variants, variant_json)},
          {"certificates", array_of(patchset.certificates, certificate_json)},
          {"proofs", array_of(patchset.proof.proofs, proof_json)},
          {"outcomes", array_of(proof_states(patchset, catalog), proof_state_json)},
          {"unproven", array_of(patchset.proof.unproven, unproven_json)}};
}

}  // namespace torchpatch::report
