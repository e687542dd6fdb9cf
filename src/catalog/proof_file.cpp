// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/proof_file.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "support/file.h"

namespace torchpatch::catalog {

namespace {

/// The files that {proof} is a copy of: all there are, for a proof is run with all of them.
std::map<std::string, std::string> read_proof_files(const std::string& directory, Findings& findings) {
  std::map<std::string, std::string> files;
  for (const std::string& path : list_files_below(directory))
    if (const auto bytes = read_bytes_below(directory, path, kMaxPatchBytes, findings)) files.emplace(path, *bytes);
  return files;
}

template <typename T>
bool has_id(const std::vector<T>& list, const std::string& id) {
  return std::any_of(list.begin(), list.end(), [&](const T& entry) { return entry.id == id; });
}

bool has_subject(const ProofRecord& record, const Patchset& patchset) {
  return has_id(patchset.proof.proofs, record.proof) && has_id(patchset.variants, record.variant);
}

void add_record(ProofRecord record, std::vector<ProofRecord>& records) {
  const auto key = [](const ProofRecord& each) { return std::tie(each.release, each.proof); };
  const auto place = std::lower_bound(records.begin(), records.end(), record,
                                      [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (place != records.end() && key(*place) == key(record))
    *place = std::move(record);
  else
    records.insert(place, std::move(record));
}

}  // namespace

ProofSet read_proofs(const DataFile& file, const Patchset& patchset, Findings& findings) {
  auto set = read_value<ProofSet>(file, findings);
  require_name(file, "patchset", set.patchset, patchset.id, findings);
  ObjectReader reader(file.json, file.path, "", findings);
  for (std::size_t i = 0; i < set.proofs.size(); ++i) {
    const VersionRange& releases = set.proofs[i].releases;
    const auto is_covered = [&](const Variant& variant) { return have_common_release(variant.releases, releases); };
    if (!patchset.variants.empty() && std::ranges::none_of(patchset.variants, is_covered)) {
      reader.report(concat("proofs[", i, "].releases"),
                    concat("no variant is made for a release of ", quote(releases.text())));
    }
  }
  return set;
}

ProofSet read_proof_set(const std::string& directory, const Patchset& patchset, Findings& findings) {
  const std::string path = directory + "/proof.json", folder = directory + "/proof";
  if (!is_present(path)) {
    if (is_present(folder)) findings.add(folder, 0, "", "stands here without a proof.json");
    return {};
  }
  const std::optional<DataFile> file = read_json_file(path, findings);
  if (!file) return {};
  ProofSet set = read_proofs(*file, patchset, findings);
  if (is_present(folder)) set.files = read_proof_files(folder, findings);
  return set;
}

void add_proof_records(const DataFile& file, const std::string& patchset, const std::string& release,
                       Assembly& assembly) {
  const auto found = assembly.catalog.patchsets.find(patchset);
  if (found == assembly.catalog.patchsets.end()) return;  // a finding of its folder
  auto read = read_value<ProofRecordFile>(file, assembly.findings);
  require_name(file, "patchset", read.patchset, patchset, assembly.findings);
  require_name(file, "release", read.release, release, assembly.findings);
  const auto version = Version::parse(release);
  const bool is_to_certify = assembly.to_certify.contains(patchset);
  const bool is_release = assembly.is_known(release_entry(release));
  RecordedFile recorded{file.path, patchset, release, true, false, {}, {}, {}};
  ObjectReader reader(file.json, file.path, "", assembly.findings);
  if (!is_release && !is_to_certify) reader.report("release", concat("there is no release ", quote(release)));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < read.proofs.size(); ++i) {
    ProofRecord& record = read.proofs[i];
    if (is_to_certify && !(is_release && has_subject(record, found->second))) {
      recorded.has_stale = true;
      continue;
    }
    const std::string path = concat("proofs[", i, "].");
    if (!record.proof.empty() && !has_id(found->second.proof.proofs, record.proof))
      reader.report(path + "proof", concat("patchset ", quote(patchset), " has no proof ", quote(record.proof)));
    if (!record.variant.empty() && !has_id(found->second.variants, record.variant))
      reader.report(path + "variant", concat("patchset ", quote(patchset), " has no variant ", quote(record.variant)));
    record.release = version.value_or(Version{});
    if (!record.proof.empty() && !seen.insert(record.proof).second)
      reader.report(path + "proof", concat("the proof ", quote(record.proof), " is there twice"));
    recorded.records.push_back(record);
    add_record(std::move(record), found->second.proof.records);
  }
  assembly.recorded.push_back(std::move(recorded));
}

bool is_in_place(const ProofRecord& record, const std::string& patchset, const Catalog& catalog) {
  const auto found = catalog.patchsets.find(patchset);
  return found != catalog.patchsets.end() && has_subject(record, found->second) &&
         catalog.releases.contains(record.release);
}

}  // namespace torchpatch::catalog
