// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/proof_file.h"

#include <algorithm>
#include <tuple>

#include "catalog/conditions.h"
#include "catalog/fields.h"
#include "model/path_rule.h"
#include "support/file.h"

namespace torchpatch::catalog {

namespace {

constexpr int kMaxSeconds = 600;
constexpr int kMaxProofMemoryMib = 16384;

const std::vector<std::string> kPlaceholders = {"tree", "proof", "work"};

bool is_tree_path(std::string_view text) { return !output_path_problem(text); }

const TextRule kTreePath{"a relative path", is_tree_path};

/// Returns the placeholder that begins at a brace, "tree" for "{tree}/a", or nothing where the brace is only a brace.
std::optional<std::string> placeholder_at(std::string_view text, std::size_t brace) {
  const std::size_t close = text.find('}', brace);
  const std::string_view name = text.substr(brace + 1, close == text.npos ? 0 : close - brace - 1);
  const bool is_name =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_name ? std::optional<std::string>(name) : std::nullopt;
}

void check_placeholders(ObjectReader& reader, const Json& argument, const std::string& path) {
  const std::string& text = argument.string;
  for (std::size_t brace = text.find('{'); brace != text.npos; brace = text.find('{', brace + 1)) {
    const auto name = placeholder_at(text, brace);
    if (name && std::find(kPlaceholders.begin(), kPlaceholders.end(), *name) == kPlaceholders.end()) {
      report_at(reader, argument, path,
                concat("there is no placeholder {", *name, "}; there are {tree}, {proof} and {work}"));
    }
  }
}

std::vector<std::string> read_command(ObjectReader& reader, const Json& command, const std::string& path) {
  std::vector<std::string> argv;
  for (std::size_t i = 0; i < command.items.size(); ++i) {
    const Json& argument = command.items[i];
    const std::string item = concat(path, '[', i, ']');
    if (argument.kind != Json::Kind::string) {
      report_at(reader, argument, item, concat("must be a string, not ", argument.kind_name()));
    } else if (!kLine.holds(argument.string)) {
      report_at(reader, argument, item, concat(quote(argument.string), " is not ", kLine.description));
    } else {
      check_placeholders(reader, argument, item);
      argv.push_back(argument.string);
    }
  }
  if (command.items.empty()) report_at(reader, command, path, "must not be empty");
  return argv;
}

/// A program is a tool that the proof names, or one that an earlier command made.
void check_program(ObjectReader& reader, const Json& command, const Proof& proof, const std::string& program,
                   const std::string& path) {
  const bool is_made = starts_with(program, "{");
  if (!is_made && std::find(proof.tools.begin(), proof.tools.end(), program) == proof.tools.end())
    report_at(reader, command, path, concat(quote(program), " is not one of 'tools'"));
}

void read_commands(ObjectReader& reader, Proof& proof) {
  const Json* list = member_of(reader, "commands", Json::Kind::array, Presence::required);
  if (list && list->items.empty()) reader.report("commands", "must not be empty");
  for (std::size_t i = 0; list && i < list->items.size(); ++i) {
    const Json& command = list->items[i];
    const std::string path = concat(reader.key_path("commands"), '[', i, ']');
    if (command.kind != Json::Kind::array) {
      report_at(reader, command, path, concat("must be an array, not ", command.kind_name()));
      continue;
    }
    std::vector<std::string> argv = read_command(reader, command, path);
    if (!argv.empty()) {
      check_program(reader, command, proof, argv.front(), path);
      proof.commands.push_back(std::move(argv));
    }
  }
}

ProofLimits read_limits(ObjectReader& reader) {
  ProofLimits limits;
  read_object(reader, "limits", Presence::optional, [&](ObjectReader& object) {
    limits.seconds = static_cast<int>(object.optional_integer("seconds", 1, kMaxSeconds).value_or(limits.seconds));
    limits.memory_mib =
        static_cast<int>(object.optional_integer("memory_mib", 16, kMaxProofMemoryMib).value_or(limits.memory_mib));
  });
  return limits;
}

Proof read_proof(ObjectReader& reader) {
  Proof proof;
  proof.id = required_text(reader, "id", kId);
  proof.claim = required_text(reader, "claim", kLine);
  proof.releases = required_as<VersionRange>(reader, "releases", VersionRange::parse);
  proof.tools = required_texts(reader, "tools", kName);
  read_objects(reader, "tree", Presence::optional, [&](ObjectReader& part) {
    proof.tree.push_back({required_as<RepositoryPath>(part, "repository"), optional_texts(part, "paths", kTreePath)});
  });
  read_commands(reader, proof);
  proof.red = required_text(reader, "red", kLine);
  proof.limits = read_limits(reader);
  return proof;
}

void check_proof(ObjectReader& item, const Proof& proof, const ProofSet& set, const Patchset& patchset) {
  const auto is_same = [&](const Proof& other) { return other.id == proof.id; };
  if (!proof.id.empty() && std::any_of(set.proofs.begin(), set.proofs.end(), is_same))
    item.report("id", concat("the proof ", quote(proof.id), " is there twice"));
  const auto is_covered = [&](const Variant& variant) { return have_common_release(variant.releases, proof.releases); };
  const auto& variants = patchset.variants;
  if (!variants.empty() && std::none_of(variants.begin(), variants.end(), is_covered))
    item.report("releases", concat("no variant is made for a release of ", quote(proof.releases.text())));
}

/// The files that {proof} is a copy of: all there are, for a proof is run with all of them.
std::map<std::string, std::string> read_proof_files(const std::string& directory, Findings& findings) {
  std::map<std::string, std::string> files;
  for (const std::string& path : list_files_below(directory))
    if (const auto bytes = read_bytes_below(directory, path, kMaxPatchBytes, findings)) files.emplace(path, *bytes);
  return files;
}

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
      (record.verdict == ProofVerdict::not_green && !(is_red && !is_green)))
    reader.report("verdict", concat(quote(name), " does not follow from the exit codes"));
}

ProofRecord read_record(ObjectReader& reader) {
  ProofRecord record;
  record.proof = required_text(reader, "proof", kId);
  record.variant = required_text(reader, "variant", kName);
  record.subject = required_as<Sha256>(reader, "subject");
  read_outcome(reader, record);
  for (auto& [tool, version] : reader.optional_string_map("tools")) record.tools.emplace(tool, version);
  record.date = required_text(reader, "date", kDate);
  return record;
}

bool has_subject(const ProofRecord& record, const Patchset& patchset) {
  return has_id(patchset.proof.proofs, record.proof) && has_id(patchset.variants, record.variant);
}

void check_subject(ObjectReader& reader, const ProofRecord& record, const Patchset& patchset) {
  if (!record.proof.empty() && !has_id(patchset.proof.proofs, record.proof))
    reader.report("proof", concat("patchset ", quote(patchset.id), " has no proof ", quote(record.proof)));
  if (!record.variant.empty() && !has_id(patchset.variants, record.variant))
    reader.report("variant", concat("patchset ", quote(patchset.id), " has no variant ", quote(record.variant)));
}

void lay_record(ProofRecord record, std::vector<ProofRecord>& records) {
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
  ObjectReader reader(file.json, file.path, "", findings);
  ProofSet set;
  reader.require_schema();
  required_id(reader, "patchset", patchset.id);
  read_objects(reader, "proofs", Presence::optional, [&](ObjectReader& item) {
    Proof proof = read_proof(item);
    check_proof(item, proof, set, patchset);
    set.proofs.push_back(std::move(proof));
  });
  read_objects(reader, "unproven", Presence::optional, [&](ObjectReader& item) {
    set.unproven.push_back(
        {required_as<VersionRange>(item, "releases", VersionRange::parse), required_text(item, "why", kLine)});
  });
  if (set.proofs.empty() && set.unproven.empty())
    reader.report("proofs", "there must be a proof, or a reason in 'unproven'");
  reader.finish();
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
  ObjectReader reader(file.json, file.path, "", assembly.findings);
  reader.require_schema();
  required_id(reader, "patchset", patchset);
  required_id(reader, "release", release);
  const auto version = Version::parse(release);
  const bool is_to_certify = assembly.to_certify.contains(patchset);
  const bool is_release = assembly.is_known(release_entry(release));
  RecordedFile recorded{file.path, patchset, release, true, false, {}, {}, {}};
  if (!is_release && !is_to_certify) reader.report("release", concat("there is no release ", quote(release)));
  std::set<std::string> seen;
  read_objects(reader, "proofs", Presence::required, [&](ObjectReader& item) {
    ProofRecord record = read_record(item);
    if (is_to_certify && !(is_release && has_subject(record, found->second))) {
      recorded.has_stale = true;
      return;
    }
    check_subject(item, record, found->second);
    record.release = version.value_or(Version{});
    if (!record.proof.empty() && !seen.insert(record.proof).second)
      item.report("proof", concat("the proof ", quote(record.proof), " is there twice"));
    recorded.records.push_back(record);
    lay_record(std::move(record), found->second.proof.records);
  });
  reader.finish();
  assembly.recorded.push_back(std::move(recorded));
}

bool is_in_place(const ProofRecord& record, const std::string& patchset, const Catalog& catalog) {
  const auto found = catalog.patchsets.find(patchset);
  return found != catalog.patchsets.end() && has_subject(record, found->second) &&
         catalog.releases.contains(record.release);
}

}  // namespace torchpatch::catalog
