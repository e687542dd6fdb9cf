// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "catalog/issue_file.h"
#include "catalog/patchset_file.h"
#include "fuzz/encoded_json.h"
#include "fuzz/finding_properties.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "model/path_rule.h"
#include "support/file.h"

namespace torchpatch::fuzz {
namespace {

using namespace torchpatch::catalog;

/// What the file's path says: releases/1.1.0.json, patchsets/a/….
constexpr const char* kRelease = "1.1.0";
constexpr const char* kId = "a";

/// The patchset that proofs and their records belong to.
Patchset patchset() {
  Patchset set;
  set.id = kId;
  Variant variant;
  variant.id = "default";
  set.variants.push_back(variant);
  Proof proof;
  proof.id = kId;
  set.proof.proofs.push_back(proof);
  return set;
}

/// A patchset's directory without files: those of patchset.json are absent.
const std::string& empty_directory() {
  static const TempDir parent;
  static const std::string directory = [] {
    make_directories(parent.path() + "/" + kId);
    return parent.path() + "/" + kId;
  }();
  return directory;
}

Assembly assembly() {
  Assembly made;
  made.catalog.patchsets.emplace(kId, patchset());
  made.catalog.origins.emplace(release_entry(kRelease), EntryOrigin{});
  return made;
}

/// Reads a file of one kind; returns what is written of it again, where there is something that writes it.
using Reader = std::string (*)(const DataFile& file, Findings& findings);

std::string read_certificates_again(const DataFile& file, Findings& findings) {
  const CertificateFile read = read_certificates(file, kId, kRelease, findings);
  for (const CertificateEdge& edge : read.edges)
    require(!findings.empty() || !output_path_problem(edge.path), "certified paths pass the rule");
  return file_bytes(read, "certificates");
}

std::string read_results_again(const DataFile& file, Findings& findings) {
  const auto read = read_value<ResultFile>(file, findings);
  require_name(file, "release", read.release, kRelease, findings);
  return file_bytes(read, "results");
}

std::string read_proofs_again(const DataFile& file, Findings& findings) {
  Assembly made = assembly();
  add_proof_records(file, kId, kRelease, made);
  findings = made.findings;
  return file_bytes(ProofRecordFile{kId, kRelease, made.catalog.patchsets.at(kId).proof.records}, "proofs");
}

/// What a file of this kind describes is written as what it was read from.
template <typename Value>
std::string read_again(const DataFile& file, Findings& findings) {
  return file_bytes(read_value<Value>(file, findings), "a data file");
}

std::string read_patchset_file(const DataFile& file, Findings& findings) {
  const Patchset read = read_patchset(file, empty_directory(), findings);
  for (const Variant& variant : read.variants) {
    for (const Patch& patch : variant.patches) require(patch.text.empty(), "a patch is read in its directory alone");
    for (const AddedFile& added : variant.files) require(added.bytes.empty(), "a file is read in its directory alone");
  }
  return {};
}

std::string read_proof_file(const DataFile& file, Findings& findings) {
  read_proofs(file, patchset(), findings);
  return {};
}

const std::map<std::string_view, Reader> kReaders = {
    {"release", read_again<Release>}, {"board", read_again<Board>},   {"moved", read_again<MovedRepositories>},
    {"patchset", read_patchset_file}, {"proof", read_proof_file},     {"certificates", read_certificates_again},
    {"proofs", read_proofs_again},    {"results", read_results_again}};

std::vector<std::string> messages_of(const Findings& findings) {
  std::vector<std::string> messages;
  for (const Finding& finding : findings.list()) messages.push_back(finding.key + ": " + finding.message);
  return messages;
}

void check_issue(const std::string& page) {
  Findings findings;
  const std::optional<IssueFile> issue = parse_issue(page, "fuzz.md", kId, findings);
  check_findings(findings, 1, 1 + static_cast<int>(std::count(page.begin(), page.end(), '\n')));
  require(issue || !findings.empty(), "what is not read has a finding");
  if (!findings.empty()) return;
  require(issue->issue.id == kId && issue->issue.sections.size() == 4, "an issue has its four sections");
}

/// Returns the JSON with its lists of objects in one order: results and proofs are written in theirs.
nlohmann::json sorted_lists(std::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text.begin(), text.end());
  for (const char* key : {"edges", "results", "proofs"})
    if (json.contains(key)) std::sort(json[key].begin(), json[key].end());
  return json;
}

/// Recorded data are written with all that they had, and read again. Of what stands twice one is kept.
void check_written(Reader read, std::string_view text, const std::string& written) {
  const nlohmann::json before = sorted_lists(text), after = sorted_lists(written);
  for (const char* key : {"edges", "results", "proofs"}) {
    const bool is_whole = before.contains(key) && before[key].size() == after[key].size();
    require(!is_whole || before == after, "recorded data are written as they were read");
  }
  Findings findings;
  std::optional<Json> json = parse_json(written, "fuzz.json", 1, findings);
  require(json.has_value(), "what is written is JSON");
  const std::string again = read(DataFile{"fuzz.json", {}, std::move(*json)}, findings);
  require(findings.empty() && again == written, "what is written is read to the same");
}

void check_data_file(Reader read, std::string_view text) {
  Findings findings;
  std::optional<Json> json = parse_json(text, "fuzz.json", 1, findings);
  if (!json || !findings.empty()) return;
  DataFile file{"fuzz.json", {}, std::move(*json)};
  const std::string written = read(file, findings);
  check_findings(findings, 1, 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')));

  Findings of_other_layout;
  encode_on_lines(file.json);
  read(file, of_other_layout);
  require(messages_of(findings) == messages_of(of_other_layout), "the layout of the JSON makes no difference");
  if (findings.empty() && !written.empty()) check_written(read, text, written);
}

}  // namespace

void check_catalog(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const auto reader = kReaders.find(input.substr(0, end));
  if (reader != kReaders.end()) check_data_file(reader->second, text);
  if (input.substr(0, end) == "issue") check_issue(std::string(text));
}

}  // namespace torchpatch::fuzz
