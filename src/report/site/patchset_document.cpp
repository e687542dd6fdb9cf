// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "document/document.h"
#include "model/proof.h"
#include "report/site/site_pages.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::vector<Block> contents_of(const Variant& variant) {
  std::vector<Block> blocks;
  for (const Patch& patch : variant.patches) {
    blocks.push_back(Paragraph{{code(patch.file), text(" for "), code(patch.repository.text())}});
    blocks.push_back(PatchText{patch.text});
  }
  Items items;
  for (const AddedFile& file : variant.files)
    items.items.push_back({text("adds "), code(file.path), text(" to "), code(file.repository.text())});
  for (const SubmoduleOverride& what : variant.overrides) {
    items.items.push_back({text("uses "), code(what.repository.text()), text(" at "), code(short_id(what.commit)),
                           text(" of "), web_link(what.url, what.url), text(" instead of "),
                           code(short_id(what.replaces))});
  }
  if (!items.items.empty()) blocks.push_back(std::move(items));
  return blocks;
}

/// Equal outcomes of one proof.
struct Outcome {
  const Proof* proof;
  std::string state;
  std::string date;
  std::vector<bool> releases;
};

std::vector<Outcome> outcomes_of(const SiteData& data, const Patchset& patchset) {
  std::vector<Outcome> outcomes;
  for (const Proof& proof : patchset.proof.proofs) {
    for (const ProofState& state : proof_states(patchset, *data.catalog)) {
      if (state.proof != &proof) continue;
      const std::string name = state_name(state), date = state.record ? state.record->date : "";
      std::size_t place = 0;
      while (place < outcomes.size() &&
             (outcomes[place].proof != &proof || outcomes[place].state != name || outcomes[place].date != date))
        ++place;
      if (place == outcomes.size()) outcomes.push_back({&proof, name, date, std::vector<bool>(data.releases.size())});
      for (std::size_t i = 0; i < data.releases.size(); ++i)
        if (data.releases[i] == state.release) outcomes[place].releases[i] = true;
    }
  }
  return outcomes;
}

Tone state_tone(const std::string& state) {
  if (state == "proven") return Tone::good;
  return state == "not_red" || state == "not_green" ? Tone::bad : Tone::caution;
}

std::string state_words(const std::string& state) {
  if (state == "not_red") return "passes without the patch";
  if (state == "not_green") return "fails with the patch";
  if (state == "no_tool") return "no tool to run it";
  return state;
}

std::vector<Line> users_of(const Catalog& catalog, const Patchset& patchset) {
  std::vector<Line> users;
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes)
      if (fix.patchset == patchset.id) users.push_back({issue_link(issue), text(", as "), code(fix.id)});
  }
  return users;
}

Line after_words(const Patchset& patchset) {
  std::vector<Line> names;
  for (const std::string& id : patchset.after) names.push_back({patchset_link(id)});
  return joined(names, ", ");
}

}  // namespace

std::vector<Block> variant_blocks(const Patchset& patchset) {
  std::vector<Block> blocks;
  const bool is_open = patchset.variants.size() == 1;
  for (const Variant& variant : patchset.variants) {
    blocks.push_back(Fold{concat("Variant ", variant.id, ", made for ", variant.releases.text(), ": ",
                                 counted(variant.patches.size(), "patch", "patches"),
                                 variant.files.empty() ? "" : ", " + counted(variant.files.size(), "added file")),
                          contents_of(variant), is_open});
  }
  return blocks;
}

std::vector<Block> proof_blocks(const SiteData& data, const Patchset& patchset) {
  std::vector<Block> blocks = {Heading{3, "Proof"}};
  const std::string coverage = coverage_text(patchset, *data.catalog);
  blocks.push_back(Paragraph{
      {text(concat("A proof fails on the pinned tree without the patch and passes with it: ", coverage, "."))}});
  Table table{concat("Proofs of ", patchset.id), {"Proof", "Outcome", "Releases", "Since", "What it shows"}, {}};
  for (const Outcome& outcome : outcomes_of(data, patchset)) {
    table.rows.push_back(
        {cell({code(outcome.proof->id)}), cell({tag(state_words(outcome.state), state_tone(outcome.state))}),
         cell(release_runs(data.releases, outcome.releases)), cell(outcome.date), cell(outcome.proof->claim)});
  }
  blocks.push_back(std::move(table));
  Items unproven;
  for (const Unproven& each : patchset.proof.unproven)
    unproven.items.push_back({text(concat("No proof for ", each.releases.text(), ": ", each.why, "."))});
  blocks.push_back(std::move(unproven));
  return blocks;
}

Document patchset_document(const SiteData& data, const Patchset& patchset) {
  Document page{{PageKind::patchset, patchset.id}, "Patchset " + patchset.id, patchset.summary + "."};
  std::set<ObjectId> commits;
  for (const CertificateEdge& edge : patchset.certificates) commits.insert(edge.commit);
  page.blocks = {
      Paragraph{{text(patchset.summary + ".")}, Paragraph::Style::lead},
      Terms{{{"Applied after", after_words(patchset)},
             {"Certificates",
              {text(concat(counted(patchset.certificates.size(), "file"), " at ",
                           counted(commits.size(), "pinned commit"), ": content before and after, by blob id"))}}}},
      Heading{2, "Issues that it fixes"}, Items{users_of(*data.catalog, patchset)}, Heading{2, "Patches"}};
  for (Block& block : variant_blocks(patchset)) page.blocks.push_back(std::move(block));
  page.blocks.push_back(Heading{2, "Proofs"});
  std::vector<Block> proofs = proof_blocks(data, patchset);
  page.blocks.insert(page.blocks.end(), proofs.begin() + 1, proofs.end());
  return page;
}

Document patchsets_document(const SiteData& data) {
  Document page{{PageKind::patchsets}, "Patches", "Every patchset, what it fixes, and its proofs.", {}, {}, {}};
  Table table{"Patchsets", {"Patchset", "What it does", "Proof"}, {}};
  for (const auto& [id, patchset] : data.catalog->patchsets) {
    table.rows.push_back(
        {cell({patchset_link(id)}), cell(patchset.summary), cell(coverage_text(patchset, *data.catalog))});
  }
  page.blocks = {Paragraph{{text("The page of each patchset has the full patches with their headers, the variants, and "
                                 "the results of the proofs.")}},
                 std::move(table)};
  return page;
}

}  // namespace torchpatch::report
