// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/proof_file.h"

#include <algorithm>

#include "catalog/fields.h"
#include "catalog/release_ranges.h"
#include "model/path_rule.h"
#include "support/file.h"

namespace torchpatch::catalog {

namespace {

constexpr int kMaxSeconds = 600;
constexpr int kMaxMemoryMib = 16384;

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

void check_placeholders(ObjectReader& reader, const JsonValue& argument, const std::string& path) {
  const std::string& text = argument.string;
  for (std::size_t brace = text.find('{'); brace != text.npos; brace = text.find('{', brace + 1)) {
    const auto name = placeholder_at(text, brace);
    if (name && std::find(kPlaceholders.begin(), kPlaceholders.end(), *name) == kPlaceholders.end()) {
      report_at(reader, argument, path,
                concat("there is no placeholder {", *name, "}; there are {tree}, {proof} and {work}"));
    }
  }
}

std::vector<std::string> read_command(ObjectReader& reader, const JsonValue& command, const std::string& path) {
  std::vector<std::string> argv;
  for (std::size_t i = 0; i < command.array.size(); ++i) {
    const JsonValue& argument = command.array[i];
    const std::string item = concat(path, '[', i, ']');
    if (argument.kind != JsonValue::Kind::string) {
      report_at(reader, argument, item, concat("must be a string, not ", argument.kind_name()));
    } else if (!kLine.holds(argument.string)) {
      report_at(reader, argument, item, concat(quote(argument.string), " is not ", kLine.description));
    } else {
      check_placeholders(reader, argument, item);
      argv.push_back(argument.string);
    }
  }
  if (command.array.empty()) {
    report_at(reader, command, path, "must not be empty");
  }
  return argv;
}

/// A program is a tool that the proof names, or one that an earlier command made.
void check_program(ObjectReader& reader, const JsonValue& command, const Proof& proof, const std::string& program,
                   const std::string& path) {
  const bool is_made = starts_with(program, "{");
  if (!is_made && std::find(proof.tools.begin(), proof.tools.end(), program) == proof.tools.end()) {
    report_at(reader, command, path, concat(quote(program), " is not one of 'tools'"));
  }
}

void read_commands(ObjectReader& reader, Proof& proof) {
  const JsonValue* list = member_of(reader, "commands", JsonValue::Kind::array, Presence::required);
  if (list && list->array.empty()) {
    reader.report("commands", "must not be empty");
  }
  for (std::size_t i = 0; list && i < list->array.size(); ++i) {
    const JsonValue& command = list->array[i];
    const std::string path = concat(reader.key_path("commands"), '[', i, ']');
    if (command.kind != JsonValue::Kind::array) {
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
        static_cast<int>(object.optional_integer("memory_mib", 16, kMaxMemoryMib).value_or(limits.memory_mib));
  });
  return limits;
}

Proof read_proof(ObjectReader& reader) {
  Proof proof;
  proof.id = required_text(reader, "id", kId);
  proof.claim = required_text(reader, "claim", kLine);
  proof.releases = required_as<VersionRange>(reader, "releases");
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
  if (!proof.id.empty() && std::any_of(set.proofs.begin(), set.proofs.end(), is_same)) {
    item.report("id", concat("the proof ", quote(proof.id), " is there twice"));
  }
  const auto is_covered = [&](const Variant& variant) { return have_common_release(variant.releases, proof.releases); };
  const auto& variants = patchset.variants;
  if (!variants.empty() && std::none_of(variants.begin(), variants.end(), is_covered)) {
    item.report("releases", concat("no variant is made for a release of ", quote(proof.releases.text())));
  }
}

/// The files that {proof} is a copy of: all there are, for a proof is run with all of them.
std::map<std::string, std::string> read_proof_files(const std::string& directory, Findings& findings) {
  std::map<std::string, std::string> files;
  for (const std::string& path : list_files_below(directory)) {
    if (const auto bytes = read_bytes_below(directory, path, kMaxPatchBytes, findings)) files.emplace(path, *bytes);
  }
  return files;
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
    set.unproven.push_back({required_as<VersionRange>(item, "releases"), required_text(item, "why", kLine)});
  });
  if (set.proofs.empty() && set.unproven.empty()) {
    reader.report("proofs", "there must be a proof, or a reason in 'unproven'");
  }
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

}  // namespace torchpatch::catalog
