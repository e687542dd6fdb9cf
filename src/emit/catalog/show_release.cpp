// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "emit/format/text_table.h"
#include "emit/run/reports.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

Json components_json(const Release& release) {
  Json object = Json::object();
  for (const auto& [component, pin] : release.components) {
    object[component_name(component)] = {{"url", pin.url},
                                         {"tag", pin.tag},
                                         {"version", pin.version},
                                         {"commit", pin.commit.hex()},
                                         {"environment", object_json(pin.environment)}};
  }
  return object;
}

std::string release_json(const Release& release) {
  Json root = {{"schema", 1}, {"version", release.version.text()}, {"date", release.date}, {"python", release.python}};
  if (release.cuda) root["cuda"] = release.cuda->text();
  root["components"] = components_json(release);
  root["build_tools"] = Json::object();
  for (const auto& [tool, range] : release.build_tools) root["build_tools"][tool] = range.text();
  root["flags"] = Json::object();
  for (const BuildFlag& flag : release.flags) root["flags"][flag.name] = flag.read_at;
  root["environment"] = object_json(release.environment);
  root["notes"] = release.notes;
  root["genuine"] = !release.stand_in.has_value();
  if (release.stand_in) root["stand_in"] = *release.stand_in;
  root["sources"] = sources_json(release.sources);
  return report_json(root);
}

Rows component_rows(const Release& release) {
  Rows rows;
  for (const auto& [component, pin] : release.components) {
    rows.push_back({component_name(component), pin.version, pin.tag, pin.commit.hex(), pin.url});
  }
  return rows;
}

Rows component_settings(const Release& release) {
  Rows rows;
  for (const auto& [component, pin] : release.components) {
    for (const auto& [name, value] : pin.environment) rows.push_back({component_name(component), name, value});
  }
  return rows;
}

std::string release_text(const Release& release) {
  Rows facts = {{"date", release.date}, {"Python", join(release.python, " ")}};
  if (release.cuda) facts.push_back({"CUDA", release.cuda->text()});
  Rows tools;
  for (const auto& [tool, range] : release.build_tools) tools.push_back({tool, range.text()});
  Rows flags;
  for (const BuildFlag& flag : release.flags) flags.push_back({flag.name, flag.read_at});
  Rows environment;
  for (const auto& [name, value] : release.environment) environment.push_back({name, value});
  Rows notes;
  for (const std::string& note : release.notes) notes.push_back({note});
  std::string out = concat("release ", release.version.text(), "\n");
  if (release.stand_in) out += concat("note: this is not PyTorch: ", plain_line(*release.stand_in), "\n");
  return concat(out, text_table(facts, "  "), text_section("components", component_rows(release)),
                text_section("bounds on build tools", tools), text_section("environment of every build", environment),
                text_section("environment of one component's build", component_settings(release)),
                text_section("variables the build reads, and where", flags), text_section("notes", notes),
                text_section("sources", source_rows(release.sources)));
}

}  // namespace

std::string show_release(const Release& release, Format format) {
  return format == Format::json ? release_json(release) : release_text(release);
}

}  // namespace torchpatch::emit
