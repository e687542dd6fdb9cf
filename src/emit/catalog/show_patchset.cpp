// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "emit/format/text_table.h"
#include "emit/run/proof_state.h"
#include "emit/run/reports.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

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
  object["before"] = id_or_null(edge.before);
  object["after"] = id_or_null(edge.after);
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

std::string patchset_json(const Patchset& patchset, const std::vector<ProofState>& states) {
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
  root["outcomes"] = outcomes_json(states);
  root["unproven"] = unproven_json(patchset);
  return report_json(root);
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

}  // namespace

std::string show_patchset(const Patchset& patchset, const Catalog& catalog, Format format) {
  const std::vector<ProofState> states = proof_states(patchset, catalog);
  return format == Format::json ? patchset_json(patchset, states) : patchset_text(patchset, states);
}

}  // namespace torchpatch::emit
