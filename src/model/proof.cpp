// SPDX-License-Identifier: BSD-3-Clause
#include "model/proof.h"

#include <algorithm>

#include "model/catalog.h"
#include "model/patchset.h"
#include "model/path_rule.h"
#include "model/release.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// Concatenated texts, each preceded by its length, so that different lists give different bytes.
class Record {
 public:
  void add(const std::vector<std::string>& texts) {
    bytes_ += concat(texts.size(), ":");
    for (const std::string& text : texts) bytes_ += concat(text.size(), ":", text);
  }
  Sha256 digest() const { return sha256(bytes_); }

 private:
  std::string bytes_;
};

/// Adds the commits; for pins by content the claimed ones, as for certificates: outcomes hold for both kinds of pin.
void add_pins(const Release& release, const Proof& proof, Record& record) {
  for (const ProofPart& part : proof.tree) {
    const ComponentPin* pin = release.find(part.repository.component);
    const std::optional<ObjectId> claimed = pin && pin->is_content() ? pin->other_commit() : std::nullopt;
    record.add({name_of(part.repository.component), pin ? claimed.value_or(pin->commit).hex() : ""});
  }
}

void add_variant(const Variant& variant, Record& record) {
  for (const Patch& patch : variant.patches) record.add({"patch", patch.sha256.hex(), patch.repository.text()});
  for (const AddedFile& file : variant.files)
    record.add({"file", file.sha256.hex(), file.repository.text(), file.path, file.is_executable ? "x" : ""});
  for (const SubmoduleOverride& each : variant.overrides)
    record.add({"override", each.repository.text(), each.commit.hex()});
}

void add_proof(const Proof& proof, const ProofSet& set, Record& record) {
  for (const ProofPart& part : proof.tree) {
    record.add({part.repository.text()});
    record.add(part.paths);
  }
  for (const std::vector<std::string>& command : proof.commands) record.add(command);
  record.add({proof.red});
  for (const auto& [path, bytes] : set.files) record.add({path, sha256(bytes).hex()});
}

const std::vector<std::string> kPlaceholders = {"tree", "proof", "work"};

/// Returns the placeholder that begins at a brace ("tree" for "{tree}/a"), or nothing if the brace is literal.
std::optional<std::string> placeholder_at(std::string_view text, std::size_t brace) {
  const std::size_t close = text.find('}', brace);
  const std::string_view name = text.substr(brace + 1, close == text.npos ? 0 : close - brace - 1);
  const bool is_name =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_name ? std::optional<std::string>(name) : std::nullopt;
}

void check_placeholders(ObjectReader& object, const std::string& text, const std::string& path) {
  for (std::size_t brace = text.find('{'); brace != text.npos; brace = text.find('{', brace + 1)) {
    const auto name = placeholder_at(text, brace);
    if (name && std::ranges::count(kPlaceholders, *name) == 0)
      object.report(path, concat("unknown placeholder {", *name, "}; use {tree}, {proof} or {work}"));
  }
}

ProofState state_of(const Patchset& patchset, const Release& release, const Variant& variant, const Proof& proof) {
  ProofState state{&release, &variant, &proof, nullptr, false};
  for (const ProofRecord& record : patchset.proof.records)
    if (record.release == release.version && record.proof == proof.id) state.record = &record;
  state.is_current = state.record && state.record->subject == proof_subject(release, variant, proof, patchset.proof);
  return state;
}

bool is_proven(const ProofState& state) { return state.is_current && state.record->verdict == ProofVerdict::proven; }

}  // namespace

const TextRule kTreePathRule{"a relative path", [](std::string_view text) { return !output_path_problem(text); },
                             "^[^/]"};

void check_fields(ObjectReader& object, const Proof& proof) {
  for (std::size_t i = 0; i < proof.commands.size(); ++i) {
    const std::vector<std::string>& command = proof.commands[i];
    const std::string path = concat("commands[", i, ']');
    for (std::size_t k = 0; k < command.size(); ++k) check_placeholders(object, command[k], concat(path, '[', k, ']'));
    // A program must be a tool that the proof lists, or made by an earlier command.
    if (!command.empty() && !command[0].starts_with('{') && std::ranges::count(proof.tools, command[0]) == 0)
      object.report(path, concat(quote(command[0]), " is not one of 'tools'"));
  }
}

void check_fields(ObjectReader& object, const ProofRecord& record) {
  const bool is_red = record.before_exit != 0, is_green = record.after_exit == 0;
  const std::string name = quote(name_of(record.verdict));
  if (object.is_reported("verdict")) return;
  if (record.verdict == ProofVerdict::no_tool)
    object.report("verdict", concat(name, " is not one of proven, not_red and not_green"));
  else if ((record.verdict == ProofVerdict::proven && !(is_red && is_green)) ||
           (record.verdict == ProofVerdict::not_green && !(is_red && !is_green)))
    object.report("verdict", concat(name, " does not follow from the exit codes"));
}

void check_fields(ObjectReader& object, const ProofSet& set) {
  for (std::size_t i = 0; i < set.proofs.size(); ++i) {
    const std::string& id = set.proofs[i].id;
    const auto* const first = find_where(set.proofs, [&](const Proof& proof) { return proof.id == id; });
    if (!id.empty() && first != &set.proofs[i])
      object.report(concat("proofs[", i, "].id"), concat("the proof ", quote(id), " is listed twice"));
  }
  if (set.proofs.empty() && set.unproven.empty()) object.report("proofs", "add a proof, or a reason in 'unproven'");
}

Sha256 proof_subject(const Release& release, const Variant& variant, const Proof& proof, const ProofSet& set) {
  Record record;
  record.add({"torchpatch proof 1"});
  add_pins(release, proof, record);
  add_variant(variant, record);
  add_proof(proof, set, record);
  return record.digest();
}

const Variant* variant_made_for(const Patchset& patchset, const Version& release) {
  const auto found = std::find_if(patchset.variants.begin(), patchset.variants.end(),
                                  [&](const Variant& variant) { return variant.releases.contains(release); });
  return found == patchset.variants.end() ? nullptr : &*found;
}

std::vector<ProofState> proof_states(const Patchset& patchset, const Catalog& catalog) {
  std::vector<ProofState> states;
  for (const auto& [version, release] : catalog.releases) {
    const Variant* variant = variant_made_for(patchset, version);
    for (const Proof& proof : patchset.proof.proofs)
      if (variant && proof.releases.contains(version)) states.push_back(state_of(patchset, release, *variant, proof));
  }
  return states;
}

std::string state_name(const ProofState& state) {
  if (!state.record) return "not recorded";
  return state.is_current ? name_of(state.record->verdict) : "outdated";
}

std::string coverage_text(const Patchset& patchset, const Catalog& catalog) {
  const std::vector<ProofState> states = proof_states(patchset, catalog);
  std::size_t made_for = 0, proven = 0;
  for (const auto& [version, release] : catalog.releases) {
    if (!variant_made_for(patchset, version)) continue;
    ++made_for;
    const auto is_here = [&, wanted = &release](const ProofState& state) { return state.release == wanted; };
    const bool has_proof = std::any_of(states.begin(), states.end(), is_here);
    const bool has_gap = std::any_of(states.begin(), states.end(),
                                     [&](const ProofState& state) { return is_here(state) && !is_proven(state); });
    proven += has_proof && !has_gap;
  }
  return concat("proven at ", proven, " of ", made_for, made_for == 1 ? " release" : " releases");
}

}  // namespace torchpatch
