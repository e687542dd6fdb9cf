// SPDX-License-Identifier: BSD-3-Clause
#include "record/recorded_files.h"

#include <algorithm>

#include "record/json.h"

namespace torchpatch::record {

namespace {

/// What is shown has every member, a file those that have something.
enum class Form { shown, file };

Json pins_json(const Release& release, Form form) {
  Json object = Json::object();
  for (const auto& [component, pin] : release.components) {
    Json& of = object[component_name(component)] = {
        {"url", pin.url}, {"tag", pin.tag}, {"version", pin.version}, {"commit", pin.commit.hex()}};
    if (form == Form::shown || !pin.environment.empty()) of["environment"] = object_json(pin.environment);
  }
  return object;
}

/// "citations" or "absences": release → place → words.
Json citations_json(const std::vector<Citation>& citations) {
  Json json = Json::object();
  for (const Citation& each : citations) json[each.release][each.place] = each.words;
  return json;
}

Json release_members(const Release& release, Form form) {
  Json root = {{"schema", 1}, {"version", release.version.text()}, {"date", release.date}, {"python", release.python}};
  if (release.cuda) root["cuda"] = release.cuda->text();
  root["components"] = pins_json(release, form);
  root["build_tools"] = Json::object();
  for (const auto& [tool, range] : release.build_tools) root["build_tools"][tool] = range.text();
  root["imports"] = Json::object();
  for (const auto& [component, modules] : release.imports) root["imports"][component_name(component)] = modules;
  root["flags"] = Json::object();
  for (const BuildFlag& flag : release.flags) root["flags"][flag.name] = flag.read_at;
  root["environment"] = object_json(release.environment);
  if (form == Form::shown || !release.notes.empty()) root["notes"] = release.notes;
  if (release.stand_in) root["stand_in"] = *release.stand_in;
  root["sources"] = sources_json(release.sources);
  return root;
}

}  // namespace

Json release_json(const Release& release) { return release_members(release, Form::shown); }

std::string release_file(const Release& release) {
  Json root = release_members(release, Form::file);
  if (!release.citations.present.empty()) root["citations"] = citations_json(release.citations.present);
  if (!release.citations.absent.empty()) root["absences"] = citations_json(release.citations.absent);
  return report_json(root);
}

std::string certificates_json(const std::string& patchset, const std::string& release,
                              const std::vector<CertificateEdge>& edges) {
  Json json = {{"schema", 1}, {"patchset", patchset}, {"release", release}, {"edges", Json::array()}};
  for (const CertificateEdge& edge : edges) {
    Json entry = {{"commit", edge.commit.hex()}, {"repository", edge.repository.text()}};
    if (edge.overridden) entry["override"] = edge.overridden->hex();
    entry["path"] = edge.path;
    entry["patch"] = edge.patch.hex();
    if (edge.follows) entry["follows"] = edge.follows->hex();
    entry["before"] = id_or_null(edge.before);
    entry["after"] = id_or_null(edge.after);
    json["edges"].push_back(std::move(entry));
  }
  return canonical_json(json, "certificates");
}

std::string proof_records_json(const std::string& patchset, const std::string& release,
                               const std::vector<ProofRecord>& records) {
  Json json = {{"schema", 1}, {"patchset", patchset}, {"release", release}, {"proofs", Json::array()}};
  for (const ProofRecord& record : records) {
    json["proofs"].push_back({{"proof", record.proof},
                              {"variant", record.variant},
                              {"subject", record.subject.hex()},
                              {"before_exit", record.before_exit},
                              {"after_exit", record.after_exit},
                              {"verdict", verdict_name(record.verdict)},
                              {"tools", record.tools},
                              {"date", record.date}});
  }
  return canonical_json(json, "proofs");
}

std::string results_json(const std::string& release, ReleaseResults results) {
  Json json = {{"schema", 1}, {"release", release}, {"results", Json::array()}};
  std::ranges::stable_sort(results.results, {}, &RecordedResult::plan);
  for (const RecordedResult& result : results.results) {
    Json entry = {{"plan", result.plan.hex()}, {"trees", Json::object()}};
    for (const auto& [component, tree] : result.trees) entry["trees"][component_name(component)] = tree.hex();
    json["results"].push_back(std::move(entry));
  }
  for (const auto& [commit, submodules] : results.submodules) {
    Json& list = json["submodules"][commit.hex()];
    for (const SubmodulePin& submodule : submodules) list.push_back(submodule.text());
  }
  return canonical_json(json, "results");
}

std::string approval_json(const Approval& approval) { return canonical_json(to_json(approval), "an approval"); }

}  // namespace torchpatch::record
