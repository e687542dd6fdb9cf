// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/manifest/recorded_files.h"
#include "ops/prove.h"
#include "ops/recorded_data.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

ProofRecord record_of(const emit::ProofOutcome& outcome, const std::string& today) {
  return {outcome.proof,   outcome.release,     outcome.variant,
          outcome.subject, outcome.before.exit, outcome.after.exit,
          outcome.verdict, outcome.tools,       today};
}

/// What is recorded of one patchset and release: what was known, with what is new laid over it.
std::vector<ProofRecord> merged(const Patchset& patchset, const Version& release, std::vector<ProofRecord> records) {
  for (const ProofRecord& known : patchset.proof.records) {
    if (known.release != release) continue;
    const auto same =
        std::find_if(records.begin(), records.end(), [&](const auto& record) { return record.proof == known.proof; });
    if (same == records.end()) {
      records.push_back(known);
    } else {
      ProofRecord dated = *same;
      dated.date = known.date;
      if (dated == known) *same = known;
    }
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.proof < b.proof; });
  return records;
}

}  // namespace

std::vector<std::string> record_proofs(const Catalog& catalog, const emit::ProveReport& report,
                                       const std::string& directory, const std::string& today) {
  std::map<std::pair<std::string, Version>, std::vector<ProofRecord>> all;
  for (const emit::ProofOutcome& outcome : report.proofs) {
    if (outcome.verdict == ProofVerdict::no_tool) continue;
    all[{outcome.patchset, outcome.release}].push_back(record_of(outcome, today));
  }
  std::vector<std::string> written;
  for (auto& [key, records] : all) {
    const auto& [id, release] = key;
    const std::string path = concat(directory, "/patchsets/", id, "/proofs/", release.text(), ".json");
    const std::vector<ProofRecord> all_records = merged(catalog.patchset(id), release, std::move(records));
    written.push_back(write_recorded(path, emit::proof_records_json(id, release.text(), all_records)));
  }
  return written;
}

}  // namespace torchpatch::ops
