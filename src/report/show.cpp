// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>
#include <map>

#include "model/issue.h"
#include "model/proof.h"
#include "report/shown.h"
#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

Rows image_rows(const Board& board) {
  Rows rows;
  for (const Image& image : board.images) rows.push_back({image.id, image.title, image_text(image)});
  return rows;
}

std::string assignment(const std::pair<std::string, std::string>& setting) {
  return concat(setting.first, "=", shell_quote(setting.second));
}

void add_fix(const Fix& fix, std::vector<Block>& blocks) {
  Rows rows = {{"when", condition_text(fix.when)}};
  if (!fix.patchset.empty()) rows.push_back({"patchset", fix.patchset});
  for (const EnvironmentSetting& setting : fix.environment)
    rows.push_back({"sets", assignment({setting.name, setting.value}), setting.why});
  for (const std::string& command : fix.commands) rows.push_back({"runs", command});
  add_rows(
      blocks,
      concat("fix ", fix.id, " (", name_of(fix.kind), fix.is_optional ? ", only with --with" : "", "): ", fix.summary),
      rows);
}

ShownOutcome shown_outcome(const ProofState& state) {
  ShownOutcome outcome{state.proof->id, state.release->version, state_name(state), {}, {}};
  if (state.record) outcome.date = state.record->date;
  if (state.record) outcome.tools = state.record->tools;
  return outcome;
}

void add_variant(const Variant& variant, std::vector<Block>& blocks) {
  Rows rows;
  for (const Patch& patch : variant.patches) rows.push_back({patch.file, patch.repository.text(), patch.sha256.hex()});
  for (const AddedFile& file : variant.files)
    rows.push_back({file.file, file.repository.text(), "added as " + file.path});
  for (const SubmoduleOverride& what : variant.overrides) {
    rows.push_back({concat("commit ", what.commit.hex()), what.repository.text(),
                    concat("instead of ", what.replaces.hex(), ", from ", what.url)});
  }
  if (!variant.ends.empty()) rows.push_back({"none follows", variant.ends});
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

void add_components(const Release& release, std::vector<Block>& blocks) {
  Rows pins, tools, modules, everywhere, settings;
  for (const auto& [component, pin] : release.components) {
    pins.push_back({name_of(component), pin.version, pin.tag, pin.commit.hex(), pin.url});
    for (const auto& [name, value] : pin.environment) settings.push_back({name_of(component), name, value});
  }
  for (const auto& [tool, range] : release.build_tools) tools.push_back({tool, range.text()});
  for (const auto& [component, imported] : release.imports)
    for (const auto& [name, place] : imported) modules.push_back({name_of(component), name, place});
  for (const auto& [name, value] : release.environment) everywhere.push_back({name, value});
  add_rows(blocks, "components", pins);
  add_items(blocks, "pinned by content", content_lines(release.components));
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
  add_items(page.blocks, "environment of the build", collect(board.environment, assignment));
  add_items(page.blocks, "before the build", board.build_steps);
  add_blocks(page.blocks, source_blocks(board.sources));
  return page;
}

/// In the order of the site's page: what to do, for which release and board; how to recognise and fix it; why.
Document show_issue(const Issue& issue, const Catalog& catalog) {
  Document page{.title = concat("issue ", issue.id, ": ", issue.title), .blocks = what_to_do_blocks(catalog, issue)};
  page.blocks.push_back(Terms{{{"releases", said(affected_words(catalog, issue))},
                               {"where", said(condition_words(issue.when))},
                               {"severity", said(issue.severity)}}});
  add_items(page.blocks, "symptoms", issue.symptoms);
  for (const char* name : {"Symptom", "Fix", "How to verify"}) add_blocks(page.blocks, section_blocks(issue, name));
  for (const Fix& fix : issue.fixes) add_fix(fix, page.blocks);
  add_blocks(page.blocks, section_blocks(issue, "Cause"));
  add_items(page.blocks, "links", issue.links);
  add_items(page.blocks, "reported in", issue.seeds);
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
  for (const auto& [name, place] : release.flags) flags.push_back({name, place});
  Document page{.title = concat("release ", release.version.text())};
  if (release.stand_in) page.blocks.push_back(plain_items({"note: " + stand_in_text(*release.stand_in)}));
  page.blocks.push_back(Terms{{{"date", said(release.date)},
                               {"Python", said(join(release.python, " "))},
                               {"CUDA", said(release.cuda ? release.cuda->text() : "")},
                               {"built by", said(front_ends_text(release))},
                               {"no longer supports", said(join(release.unsupported_archs, " "))}}});
  add_components(release, page.blocks);
  add_rows(page.blocks, "variables the build reads, and where", flags);
  add_items(page.blocks, "notes", release.notes);
  add_blocks(page.blocks, source_blocks(release.sources));
  return page;
}

/// Returns the images that `name` may refer to: BOARD:IMAGE, or IMAGE of every board that has it.
std::vector<Machine> images_named(const Catalog& catalog, const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string id = colon == std::string::npos ? name : name.substr(colon + 1);
  const Board* const only = colon == std::string::npos ? nullptr : &catalog.board(name.substr(0, colon));
  std::vector<Machine> found;
  std::vector<std::string> known;
  for (const auto& [board_id, board] : catalog.boards) {
    if (only && only != &board) continue;
    if (const Image* const image = board.find_image(id)) found.push_back({&board, image});
    for (const Image& image : board.images) known.push_back(only ? concat(board_id, ":", image.id) : image.id);
  }
  if (found.empty()) throw unknown_entry("image", name, known);
  return found;
}

/// Returns the sources of an image's figures.
std::vector<SourceNote> sources_of(const Board& board, const Image& image) {
  const std::string own = concat("images.", image.id, ".");
  const auto is_about = [&](const std::string& key) { return key == "images" || starts_with(key + ".", own); };
  std::vector<SourceNote> sources;
  for (const SourceNote& note : board.sources)
    if (std::ranges::any_of(note.keys, is_about)) sources.push_back(note);
  return sources;
}

Listing show_image(const Catalog& catalog, const std::string& name) {
  const std::vector<Machine> found = images_named(catalog, name);
  if (found.size() > 1) {
    const std::vector<std::string> names =
        collect(found, [](const Machine& each) { return concat(each.board->id, ":", each.image->id); });
    throw Error(ErrorKind::usage, quote(name) + " is an image of several boards", "there are " + join(names, ", "));
  }
  const auto& [board, image] = found.front();
  std::vector<std::string> releases;
  for (const DefaultImage& entry : board->default_images)
    if (entry.image == image->id) releases.push_back(entry.releases.text());
  const std::vector<SourceNote> sources = sources_of(*board, *image);
  Document page{.title = concat("image ", board->id, ":", image->id, ": ", image->title)};
  page.blocks.push_back(Terms{{{"board", said(concat(board->title, " (", board->id, ")"))},
                               {"has", said(image_text(*image))},
                               {"default for", said(join(releases, " or "))}}});
  add_blocks(page.blocks, source_blocks(sources));
  return {std::move(page), to_json(ShownImage{board->id, *image, releases, sources}, JsonForm::report)};
}

Listing show_fix(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      known.push_back(fix.id);
      if (fix.id != name) continue;
      Document page{.title = concat("fix ", fix.id, " of issue ", id, ": ", issue.title)};
      add_fix(fix, page.blocks);
      return {std::move(page), to_json(ShownFix{id, fix}, JsonForm::report)};
    }
  }
  throw unknown_entry("fix", name, known);
}

Listing show_setting(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> known;
  for (const Setting& setting : settings_of(catalog)) {
    known.push_back(setting.name);
    if (setting.name != name) continue;
    Document page{.title = concat("setting ", name)};
    page.blocks.push_back(setting_terms(&setting, nullptr, "", catalog));
    return {std::move(page), to_json(ShownSetting{setting}, JsonForm::report)};
  }
  throw unknown_entry("setting", name, known);
}

const char* fact_kind_text(FactKind kind) {
  static constexpr const char* kTexts[] = {"true or false", "number", "version", "text", "list"};
  return kTexts[static_cast<std::size_t>(kind)];
}

/// These have options of their own: --component and --version.
bool is_settable(const std::string& fact) { return fact != "components" && fact != "release"; }

bool asks_for(const Condition& condition, const std::string& fact) {
  return std::ranges::any_of(condition, [&](const Clause& clause) { return clause.fact == fact; });
}

std::vector<std::string> issues_asking_for(const Catalog& catalog, const std::string& fact) {
  std::vector<std::string> issues;
  for (const auto& [id, issue] : catalog.issues) {
    const bool asks = asks_for(issue.when, fact) ||
                      std::ranges::any_of(issue.fixes, [&](const Fix& fix) { return asks_for(fix.when, fact); });
    if (asks) issues.push_back(id);
  }
  return issues;
}

}  // namespace

Listing show_entry(const Catalog& catalog, const std::string& kind, const std::string& name) {
  if (kind == "release") {
    const Release& release = catalog.release(name);
    return {show_release(release), to_json(release, JsonForm::report)};
  }
  if (kind == "board") {
    const Board& board = catalog.board(name);
    return {show_board(board), to_json(board, JsonForm::report)};
  }
  if (kind == "issue") {
    const Issue& issue = catalog.issue(name);
    return {show_issue(issue, catalog), to_json(issue, JsonForm::report)};
  }
  if (kind == "image") return show_image(catalog, name);
  if (kind == "fix") return show_fix(catalog, name);
  if (kind == "setting") return show_setting(catalog, name);
  const Patchset& patchset = catalog.patchset(name);
  return {show_patchset(patchset, catalog), patchset_json(patchset, catalog)};
}

Json patchset_json(const Patchset& patchset, const Catalog& catalog) {
  return to_json(ShownPatchset{patchset, collect(proof_states(patchset, catalog), shown_outcome)}, JsonForm::report);
}

std::vector<Setting> settings_of(const Catalog& catalog) {
  std::vector<Setting> settings;
  for (const auto& [name, kind] : known_facts())
    if (is_settable(name)) settings.push_back({name, fact_kind_text(kind), issues_asking_for(catalog, name)});
  std::map<std::string, Setting> variables;
  for (const auto& [version, release] : catalog.releases)
    for (const auto& [name, place] : release.flags) {
      auto& releases = variables.emplace(name, Setting{name, "variable"}).first->second.releases;
      releases = releases.value_or(std::vector<std::string>{});
      releases->push_back(version.text());
    }
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      for (const EnvironmentSetting& set : fix.environment) {
        const auto variable = variables.find(set.name);
        if (variable != variables.end()) variable->second.fixes.push_back(fix.id);
      }
    }
  }
  for (auto& [name, variable] : variables) settings.push_back(std::move(variable));
  return settings;
}

std::string readers_of(const Setting& setting, const Catalog& catalog) {
  return releases_where(catalog, [&](const Release& release) { return release.flags.contains(setting.name); });
}

}  // namespace torchpatch::report
