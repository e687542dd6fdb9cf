// SPDX-License-Identifier: BSD-3-Clause
#include "report/show.h"

#include "document/text.h"
#include "model/prove.h"
#include "record/json.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// One kind of entries: what a row of text says, and the object of it in JSON.
struct Listing {
  Rows rows;
  Json objects = Json::array();
};

std::vector<std::string> components_of(const Release& release) {
  std::vector<std::string> names;
  for (const auto& [component, pin] : release.components) names.emplace_back(component_name(component));
  return names;
}

Listing list_releases(const Catalog& catalog) {
  Listing listing;
  for (const auto& [version, release] : catalog.releases) {
    const std::vector<std::string> components = components_of(release);
    listing.rows.push_back({version.text(), release.date, join(components, " "), "Python " + join(release.python, " "),
                            release.stand_in ? "not PyTorch" : ""});
    listing.objects.push_back({{"version", version.text()},
                               {"date", release.date},
                               {"components", components},
                               {"python", release.python},
                               {"genuine", !release.stand_in.has_value()}});
  }
  return listing;
}

std::vector<std::string> images_of(const Board& board) {
  std::vector<std::string> ids;
  for (const Image& image : board.images) ids.push_back(image.id);
  return ids;
}

Listing list_boards(const Catalog& catalog) {
  Listing listing;
  for (const auto& [id, board] : catalog.boards) {
    const std::vector<std::string> images = images_of(board);
    listing.rows.push_back({id, board.title, board.arch, join(images, " ")});
    listing.objects.push_back(
        {{"id", id}, {"title", board.title}, {"aliases", board.aliases}, {"arch", board.arch}, {"images", images}});
  }
  return listing;
}

Listing list_issues(const Catalog& catalog) {
  Listing listing;
  for (const auto& [id, issue] : catalog.issues) {
    listing.rows.push_back({id, issue.severity, issue.title});
    listing.objects.push_back({{"id", id}, {"severity", issue.severity}, {"title", issue.title}});
  }
  return listing;
}

std::vector<std::string> variants_of(const Patchset& patchset) {
  std::vector<std::string> ids;
  for (const Variant& variant : patchset.variants) ids.push_back(variant.id);
  return ids;
}

Listing list_patchsets(const Catalog& catalog) {
  Listing listing;
  for (const auto& [id, patchset] : catalog.patchsets) {
    const std::vector<std::string> variants = variants_of(patchset);
    const std::string proven = coverage_text(patchset, catalog);
    listing.rows.push_back({id, join(variants, " "), proven, patchset.summary});
    listing.objects.push_back({{"id", id}, {"summary", patchset.summary}, {"variants", variants}, {"proofs", proven}});
  }
  return listing;
}

Listing list_kind(const Catalog& catalog, const std::string& kind) {
  if (kind == "releases") return list_releases(catalog);
  if (kind == "boards") return list_boards(catalog);
  if (kind == "issues") return list_issues(catalog);
  if (kind == "patchsets") return list_patchsets(catalog);
  throw Error(ErrorKind::usage, concat("listing ", quote(kind), ": there is no such kind of entry"),
              "the kinds are releases, boards, issues and patchsets");
}

/// The facts of an image that may be unknown.
std::vector<std::pair<const char*, const std::optional<Version>*>> versions_of(const Image& image) {
  return {{"glibc", &image.glibc},
          {"gcc", &image.gcc},
          {"cmake", &image.cmake},
          {"cuda", &image.cuda},
          {"cudnn", &image.cudnn}};
}

std::vector<std::string> pythons_of(const Image& image) {
  std::vector<std::string> versions;
  for (const Version& version : image.python) versions.push_back(version.text());
  return versions;
}

Json image_json(const Image& image) {
  Json object = {{"id", image.id}, {"title", image.title}, {"os", image.os}};
  if (image.arch) object["arch"] = *image.arch;
  if (image.cpu_flags) object["cpu_flags"] = *image.cpu_flags;
  for (const auto& [name, version] : versions_of(image)) {
    if (*version) object[name] = (*version)->text();
    if (image.known_absent.count(name) > 0) object[name] = nullptr;
  }
  object["python"] = pythons_of(image);
  return object;
}

Json gpu_json(const Gpu& gpu) {
  Json object = {{"compute_capability", gpu.compute_capability.text()}};
  if (gpu.registers_per_block) object["registers_per_block"] = *gpu.registers_per_block;
  return object;
}

std::string gpu_text(const Board& board) {
  if (!board.gpu) return "none";
  const auto& registers = board.gpu->registers_per_block;
  return concat("compute capability ", board.gpu->compute_capability.text(), ", ",
                registers ? std::to_string(*registers) : "unknown", " registers per block");
}

Rows fact_rows(const Board& board) {
  Rows rows = {{"arch", board.arch},
               {"CPU flags", board.cpu_flags},
               {"memory", concat(board.memory_mib, " MiB")},
               {"GPU", gpu_text(board)}};
  if (!board.aliases.empty()) rows.push_back({"aliases", join(board.aliases, " ")});
  if (!board.has.empty()) rows.push_back({"has", join(board.has, " ")});
  if (!board.lacks.empty()) rows.push_back({"lacks", join(board.lacks, " ")});
  return rows;
}

Rows image_rows(const Board& board) {
  Rows rows;
  for (const Image& image : board.images) {
    std::vector<std::string> facts = {image.os, "Python " + join(pythons_of(image), " ")};
    if (image.arch) facts.push_back(*image.arch);
    for (const auto& [name, version] : versions_of(image)) {
      if (*version) facts.push_back(concat(name, " ", (*version)->text()));
      if (image.known_absent.count(name) > 0) facts.push_back(concat("no ", name));
    }
    rows.push_back({image.id, image.title, join(facts, ", ")});
  }
  return rows;
}

std::string board_text(const Board& board) {
  Rows defaults;
  for (const DefaultImage& entry : board.default_images) defaults.push_back({entry.releases.text(), entry.image});
  Rows environment;
  for (const auto& [name, value] : board.environment) environment.push_back({concat(name, "=", shell_quote(value))});
  Rows steps;
  for (const std::string& step : board.build_steps) steps.push_back({step});
  return concat("board ", board.id, ": ", plain_line(board.title), "\n", text_table(fact_rows(board), "  "),
                text_section("images", image_rows(board)), text_section("image by default, for releases", defaults),
                text_section("environment of the build", environment), text_section("before the build", steps),
                text_section("sources", record::source_rows(board.sources)));
}

Json fix_json(const Fix& fix) {
  Json object = {{"id", fix.id}, {"kind", fix_kind_name(fix.kind)}, {"summary", fix.summary}};
  if (!fix.patchset.empty()) object["patchset"] = fix.patchset;
  object["environment"] = Json::object();
  for (const EnvironmentSetting& setting : fix.environment) {
    object["environment"][setting.name] = {{"value", setting.value}, {"why", setting.why}};
  }
  object["commands"] = fix.commands;
  object["when"] = record::condition_json(fix.when);
  object["optional"] = fix.is_optional;
  return object;
}

std::vector<std::string> ranges_of(const Issue& issue) {
  std::vector<std::string> ranges;
  for (const VersionRange& range : issue.releases) ranges.push_back(range.text());
  return ranges;
}

Rows texts(const std::vector<std::string>& lines) {
  Rows rows;
  for (const std::string& line : lines) rows.push_back({line});
  return rows;
}

std::string fix_text(const Fix& fix) {
  Rows rows = {{"when", record::condition_text(fix.when)}};
  if (!fix.patchset.empty()) rows.push_back({"patchset", fix.patchset});
  for (const EnvironmentSetting& setting : fix.environment) {
    rows.push_back({"sets", concat(setting.name, "=", shell_quote(setting.value)), setting.why});
  }
  for (const std::string& command : fix.commands) rows.push_back({"runs", command});
  return concat("\nfix ", fix.id, " (", fix_kind_name(fix.kind), fix.is_optional ? ", only with --with" : "",
                "): ", plain_line(fix.summary), "\n", text_table(rows, "  "));
}

/// A section of the page, indented; the lines stay as they were written.
std::string section_text(const std::string& heading, const std::string& text) {
  Rows rows;
  for (const std::string& line : split(trim(text), '\n')) rows.push_back({line});
  return text_section(heading, rows);
}

std::string issue_text(const Issue& issue) {
  const Rows facts = {{"severity", issue.severity},
                      {"releases", join(ranges_of(issue), " or ")},
                      {"when", record::condition_text(issue.when)}};
  std::string out = concat("issue ", issue.id, ": ", plain_line(issue.title), "\n", text_table(facts, "  "));
  out += text_section("as a log shows it", texts(issue.symptoms));
  for (const auto& [heading, text] : issue.sections) out += section_text(heading, text);
  for (const Fix& fix : issue.fixes) out += fix_text(fix);
  return out + text_section("links", texts(issue.links)) + text_section("told by", texts(issue.seeds));
}

Json patches_json(const Variant& variant) {
  Json array = Json::array();
  for (const Patch& patch : variant.patches) {
    array.push_back({{"file", patch.file}, {"sha256", patch.sha256.hex()}, {"repository", patch.repository.text()}});
  }
  return array;
}

Json files_json(const Variant& variant) {
  Json array = Json::array();
  for (const AddedFile& file : variant.files) {
    array.push_back({{"file", file.file},
                     {"repository", file.repository.text()},
                     {"path", file.path},
                     {"executable", file.is_executable},
                     {"sha256", file.sha256.hex()}});
  }
  return array;
}

Json overrides_json(const Variant& variant) {
  Json array = Json::array();
  for (const SubmoduleOverride& what : variant.overrides) {
    array.push_back({{"repository", what.repository.text()},
                     {"replaces", what.replaces.hex()},
                     {"url", what.url},
                     {"commit", what.commit.hex()}});
  }
  return array;
}

Json edge_json(const CertificateEdge& edge) {
  Json object = {{"commit", edge.commit.hex()}, {"repository", edge.repository.text()}};
  if (edge.overridden) object["override"] = edge.overridden->hex();
  object["path"] = edge.path;
  object["patch"] = edge.patch.hex();
  if (edge.follows) object["follows"] = edge.follows->hex();
  object["before"] = record::id_or_null(edge.before);
  object["after"] = record::id_or_null(edge.after);
  return object;
}

Json proofs_json(const Patchset& patchset) {
  Json array = Json::array();
  for (const Proof& proof : patchset.proof.proofs) {
    array.push_back({{"id", proof.id},
                     {"claim", proof.claim},
                     {"releases", proof.releases.text()},
                     {"tools", proof.tools},
                     {"commands", proof.commands}});
  }
  return array;
}

Json outcomes_json(const std::vector<ProofState>& states) {
  Json array = Json::array();
  for (const ProofState& state : states) {
    Json object = {
        {"proof", state.proof->id}, {"release", state.release->version.text()}, {"state", state_name(state)}};
    if (state.record) {
      object["date"] = state.record->date;
      object["tools"] = state.record->tools;
    }
    array.push_back(std::move(object));
  }
  return array;
}

Json unproven_json(const Patchset& patchset) {
  Json array = Json::array();
  for (const Unproven& unproven : patchset.proof.unproven) {
    array.push_back({{"releases", unproven.releases.text()}, {"why", unproven.why}});
  }
  return array;
}

std::string variant_text(const Variant& variant) {
  Rows rows;
  for (const Patch& patch : variant.patches) rows.push_back({patch.file, patch.repository.text(), patch.sha256.hex()});
  for (const AddedFile& file : variant.files) {
    rows.push_back({file.file, file.repository.text(), concat("added as ", plain_line(file.path))});
  }
  for (const SubmoduleOverride& what : variant.overrides) {
    rows.push_back({concat("commit ", what.commit.hex()), what.repository.text(),
                    concat("instead of ", what.replaces.hex(), ", from ", what.url)});
  }
  return text_section(concat("variant ", plain_line(variant.id), ", made for ", variant.releases.text()), rows);
}

/// An id's first digits, or what its absence means.
std::string short_id(const std::optional<ObjectId>& id, const char* absent) {
  return id ? id->hex().substr(0, 12) : absent;
}

std::string proofs_text(const Patchset& patchset, const std::vector<ProofState>& states) {
  Rows proofs, outcomes, unproven;
  for (const Proof& proof : patchset.proof.proofs) proofs.push_back({proof.id, proof.releases.text(), proof.claim});
  for (const ProofState& state : states) {
    outcomes.push_back({state.release->version.text(), state.proof->id, state_name(state),
                        state.record ? "since " + state.record->date : ""});
  }
  for (const Unproven& each : patchset.proof.unproven) unproven.push_back({each.releases.text(), each.why});
  return text_section("proofs", proofs) + text_section("outcomes", outcomes) + text_section("without proof", unproven);
}

std::string patchset_text(const Patchset& patchset, const std::vector<ProofState>& states) {
  std::string out = concat("patchset ", patchset.id, ": ", plain_line(patchset.summary), "\n");
  if (!patchset.after.empty()) out += concat("  applied after ", plain_line(join(patchset.after, ", ")), "\n");
  for (const Variant& variant : patchset.variants) out += variant_text(variant);
  Rows edges;
  for (const CertificateEdge& edge : patchset.certificates) {
    edges.push_back({edge.commit.hex().substr(0, 12), edge.repository.text(), edge.path,
                     concat(short_id(edge.before, "absent"), " -> ", short_id(edge.after, "absent"))});
  }
  return out + text_section("certificates: commit, repository, path, content", edges) + proofs_text(patchset, states);
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

Rows component_rows(const Release& release) {
  Rows rows;
  for (const auto& [component, pin] : release.components) {
    rows.push_back({component_name(component), pin.version, pin.tag, pin.commit.hex(), pin.url});
  }
  return rows;
}

Rows component_settings(const Release& release) {
  Rows rows;
  for (const auto& [component, pin] : release.components) {
    for (const auto& [name, value] : pin.environment) rows.push_back({component_name(component), name, value});
  }
  return rows;
}

std::string release_text(const Release& release) {
  Rows facts = {{"date", release.date}, {"Python", join(release.python, " ")}};
  if (release.cuda) facts.push_back({"CUDA", release.cuda->text()});
  Rows tools;
  for (const auto& [tool, range] : release.build_tools) tools.push_back({tool, range.text()});
  Rows flags;
  for (const BuildFlag& flag : release.flags) flags.push_back({flag.name, flag.read_at});
  Rows environment;
  for (const auto& [name, value] : release.environment) environment.push_back({name, value});
  Rows notes;
  for (const std::string& note : release.notes) notes.push_back({note});
  std::string out = concat("release ", release.version.text(), "\n");
  if (release.stand_in) out += concat("note: this is not PyTorch: ", plain_line(*release.stand_in), "\n");
  return concat(out, text_table(facts, "  "), text_section("components", component_rows(release)),
                text_section("bounds on build tools", tools), text_section("environment of every build", environment),
                text_section("environment of one component's build", component_settings(release)),
                text_section("variables the build reads, and where", flags), text_section("notes", notes),
                text_section("sources", record::source_rows(release.sources)));
}

}  // namespace

Json release_json(const Release& release) {
  Json root = {{"schema", 1}, {"version", release.version.text()}, {"date", release.date}, {"python", release.python}};
  if (release.cuda) root["cuda"] = release.cuda->text();
  root["components"] = components_json(release);
  root["build_tools"] = Json::object();
  for (const auto& [tool, range] : release.build_tools) root["build_tools"][tool] = range.text();
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
  root["images"] = Json::array();
  for (const Image& image : board.images) root["images"].push_back(image_json(image));
  root["default_images"] = Json::array();
  for (const DefaultImage& entry : board.default_images) {
    root["default_images"].push_back({{"releases", entry.releases.text()}, {"image", entry.image}});
  }
  root["environment"] = record::object_json(board.environment);
  root["build_steps"] = board.build_steps;
  root["sources"] = record::sources_json(board.sources);
  return root;
}

Json issue_json(const Issue& issue) {
  Json root = {{"schema", 1},
               {"id", issue.id},
               {"title", issue.title},
               {"severity", issue.severity},
               {"releases", ranges_of(issue)},
               {"when", record::condition_json(issue.when)},
               {"symptoms", issue.symptoms},
               {"links", issue.links},
               {"seeds", issue.seeds},
               {"fixes", Json::array()},
               {"sections", record::object_json(issue.sections)}};
  for (const Fix& fix : issue.fixes) root["fixes"].push_back(fix_json(fix));
  return root;
}

Json patchset_json(const Patchset& patchset, const Catalog& catalog) {
  Json root = {{"schema", 1},
               {"id", patchset.id},
               {"summary", patchset.summary},
               {"after", patchset.after},
               {"variants", Json::array()},
               {"certificates", Json::array()}};
  for (const Variant& variant : patchset.variants) {
    root["variants"].push_back({{"id", variant.id},
                                {"releases", variant.releases.text()},
                                {"patches", patches_json(variant)},
                                {"files", files_json(variant)},
                                {"overrides", overrides_json(variant)}});
  }
  for (const CertificateEdge& edge : patchset.certificates) root["certificates"].push_back(edge_json(edge));
  root["proofs"] = proofs_json(patchset);
  root["outcomes"] = outcomes_json(proof_states(patchset, catalog));
  root["unproven"] = unproven_json(patchset);
  return root;
}

std::string list_report(const Catalog& catalog, const std::string& kind, Format format) {
  const Listing listing = list_kind(catalog, kind);
  return format == Format::json ? report_json({{"schema", 1}, {kind, listing.objects}}) : text_table(listing.rows);
}

std::string show_board(const Board& board, Format format) {
  return format == Format::json ? report_json(board_json(board)) : board_text(board);
}

std::string show_issue(const Issue& issue, Format format) {
  return format == Format::json ? report_json(issue_json(issue)) : issue_text(issue);
}

std::string show_patchset(const Patchset& patchset, const Catalog& catalog, Format format) {
  return format == Format::json ? report_json(patchset_json(patchset, catalog))
                                : patchset_text(patchset, proof_states(patchset, catalog));
}

std::string show_release(const Release& release, Format format) {
  return format == Format::json ? report_json(release_json(release)) : release_text(release);
}

}  // namespace torchpatch::report
