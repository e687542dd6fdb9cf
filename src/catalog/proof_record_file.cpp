// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/proof_record_file.h"

#include <algorithm>
#include <tuple>

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

constexpr int kMaxExit = 255;

template <typename T>
bool has_id(const std::vector<T>& list, const std::string& id) {
  return std::any_of(list.begin(), list.end(), [&](const T& entry) { return entry.id == id; });
}

/// Reads the exit codes and the verdict that follows from them, but for not_red: a red run must also print its reason.
void read_outcome(ObjectReader& reader, ProofRecord& record) {
  record.before_exit = static_cast<int>(reader.required_integer("before_exit", 0, kMaxExit));
  record.after_exit = static_cast<int>(reader.required_integer("after_exit", 0, kMaxExit));
  const std::string name = required_text(reader, "verdict", kName);
  const auto verdict = parse_verdict(name);
  if (!name.empty() && (!verdict || *verdict == ProofVerdict::no_tool)) {
    reader.report("verdict", concat(quote(name), " is not one of proven, not_red and not_green"));
    return;
  }
  record.verdict = verdict.value_or(ProofVerdict::proven);
  const bool is_red = record.before_exit != 0, is_green = record.after_exit == 0;
  if ((record.verdict == ProofVerdict::proven && !(is_red && is_green)) ||
      (record.verdict == ProofVerdict::not_green && !(is_red && !is_green))) {
    reader.report("verdict", concat(quote(name), " does not follow from the exit codes"));
  }
}

ProofRecord read_record(ObjectReader& reader, const Patchset& patchset) {
  ProofRecord record;
  record.proof = required_text(reader, "proof", kId);
  record.variant = required_text(reader, "variant", kName);
  record.subject = required_as<Sha256>(reader, "subject");
  read_outcome(reader, record);
  for (auto& [tool, version] : reader.optional_string_map("tools")) record.tools.emplace(tool, version);
  record.date = required_text(reader, "date", kDate);
  if (!record.proof.empty() && !has_id(patchset.proof.proofs, record.proof)) {
    reader.report("proof", concat("patchset ", quote(patchset.id), " has no proof ", quote(record.proof)));
  }
  if (!record.variant.empty() && !has_id(patchset.variants, record.variant)) {
    reader.report("variant", concat("patchset ", quote(patchset.id), " has no variant ", quote(record.variant)));
  }
  return record;
}

void lay_record(ProofRecord record, std::vector<ProofRecord>& records) {
  const auto key = [](const ProofRecord& each) { return std::tie(each.release, each.proof); };
  const auto place = std::lower_bound(records.begin(), records.end(), record,
                                      [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (place != records.end() && key(*place) == key(record)) {
    *place = std::move(record);
  } else {
    records.insert(place, std::move(record));
  }
}

}  // namespace

void add_proof_records(const DataFile& file, const std::string& patchset, const std::string& release,
                       Assembly& assembly) {
  const auto found = assembly.catalog.patchsets.find(patchset);
  if (found == assembly.catalog.patchsets.end()) {
    return;  // a finding of its folder
  }
  ObjectReader reader(file.json, file.path, "", assembly.findings);
  reader.require_schema();
  required_id(reader, "patchset", patchset);
  required_id(reader, "release", release);
  const auto version = Version::parse(release);
  if (!assembly.is_known(release_entry(release))) {
    reader.report("release", concat("there is no release ", quote(release)));
  }
  std::set<std::string> seen;
  read_objects(reader, "proofs", Presence::required, [&](ObjectReader& item) {
    ProofRecord record = read_record(item, found->second);
    record.release = version.value_or(Version{});
    if (!record.proof.empty() && !seen.insert(record.proof).second) {
      item.report("proof", concat("the proof ", quote(record.proof), " is there twice"));
    }
    lay_record(std::move(record), found->second.proof.records);
  });
  reader.finish();
}

}  // namespace torchpatch::catalog
