// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/result_file.h"

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

std::map<Component, ObjectId> read_trees(ObjectReader& reader) {
  std::map<Component, ObjectId> trees;
  read_object(reader, "trees", Presence::required, [&](ObjectReader& object) {
    for (const Component component : {Component::torch, Component::vision, Component::audio}) {
      if (const auto tree = optional_as<ObjectId>(object, component_name(component))) {
        trees.emplace(component, *tree);
      }
    }
  });
  return trees;
}

}  // namespace

std::vector<RecordedResult> read_results(const DataFile& file, const std::string& release, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  std::vector<RecordedResult> results;
  reader.require_schema();
  required_id(reader, "release", release);
  read_objects(reader, "results", Presence::required, [&](ObjectReader& item) {
    RecordedResult result;
    result.plan = required_as<Sha256>(item, "plan");
    result.trees = read_trees(item);
    results.push_back(std::move(result));
  });
  reader.finish();
  return results;
}

}  // namespace torchpatch::catalog
