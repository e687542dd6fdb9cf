// SPDX-License-Identifier: BSD-3-Clause
#include "record/bundle_index.h"

#include <limits>

#include "model/url.h"
#include "record/json.h"
#include "record/manifest_file.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

/// The year 9999, as for commits.
constexpr std::int64_t kMaxObjects = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxPackBytes = std::int64_t{1} << 40;

Json override_json(const SubmoduleOverride& override) {
  return {{"repository", override.repository.text()},
          {"replaces", override.replaces.hex()},
          {"url", override.url},
          {"commit", override.commit.hex()}};
}

Json closure_json(const BundleClosure& closure) {
  Json components = Json::object(), overrides = Json::array();
  for (const BundlePin& pin : closure.components) {
    components[component_name(pin.component)] = {{"url", pin.url}, {"commit", pin.commit.hex()}};
  }
  for (const SubmoduleOverride& override : closure.overrides) overrides.push_back(override_json(override));
  return {{"release", closure.release}, {"components", components}, {"overrides", overrides}};
}

Json repository_json(const BundleRepository& repository) {
  Json commits = Json::array();
  for (const BundleCommit& commit : repository.commits) {
    commits.push_back({{"commit", commit.commit.hex()}, {"tree", commit.tree.hex()}});
  }
  return {{"url", repository.url},         {"member", repository.member()},
          {"size", repository.size},       {"sha256", repository.sha256.hex()},
          {"objects", repository.objects}, {"commits", commits}};
}

std::string read_url(ObjectReader& object) {
  std::string url = object.required_string("url");
  if (const auto problem = url_problem(url)) {
    object.report("url", concat("the URL ", redact_url(url), " is refused: ", *problem));
    return "https://refused.invalid/x";  // a form that the rest can work with; the finding stays
  }
  return url;
}

SubmoduleOverride read_submodule_override(ManifestReader& reader, ObjectReader& object) {
  SubmoduleOverride override;
  override.repository = reader.repository(object, "repository");
  override.replaces = reader.object_id(object, "replaces");
  override.commit = reader.object_id(object, "commit");
  override.url = read_url(object);
  return override;
}

BundleClosure read_closure(ManifestReader& reader, ObjectReader& object) {
  BundleClosure closure;
  closure.release = object.required_string("release");
  if (!Version::parse(closure.release)) object.report("release", "must be a version");
  const Json* const components = object.required("components", Json::Kind::object);
  if (components != nullptr) {
    if (components->members.empty()) object.report("components", "must name a component");
    for (const JsonMember& member : components->members) {
      ObjectReader pin(member.value, reader.file(), object.key_path("components") + "." + member.name,
                       reader.findings());
      closure.components.push_back(
          {reader.component(object, "components", member.name), read_url(pin), reader.object_id(pin, "commit")});
      pin.finish();
    }
  }
  reader.each_object(object, "overrides",
                     [&](ObjectReader& each) { closure.overrides.push_back(read_submodule_override(reader, each)); });
  require_sorted(object, "components", closure.components, [](const BundlePin& pin) { return pin.component; });
  require_sorted(object, "overrides", closure.overrides, [](const SubmoduleOverride& each) { return each; });
  return closure;
}

BundleRepository read_repository(ManifestReader& reader, ObjectReader& object) {
  BundleRepository repository;
  repository.url = read_url(object);
  if (object.required_string("member") != repository.member()) {
    object.report("member", concat("must be ", quote(repository.member())));
  }
  repository.size = static_cast<std::uint64_t>(object.required_integer("size", 1, kMaxPackBytes));
  repository.sha256 = reader.sha256(object, "sha256");
  repository.objects = static_cast<std::uint64_t>(object.required_integer("objects", 1, kMaxObjects));
  reader.each_object(object, "commits", [&](ObjectReader& each) {
    repository.commits.push_back({reader.object_id(each, "commit"), reader.object_id(each, "tree")});
  });
  if (repository.commits.empty()) object.report("commits", "must name a commit");
  require_sorted(object, "commits", repository.commits, [](const BundleCommit& each) { return each.commit; });
  return repository;
}

}  // namespace

std::string BundleRepository::member() const { return concat("packs/", url_file_path(url), ".pack"); }

std::string bundle_index_json(const BundleIndex& index) {
  Json closures = Json::array(), repositories = Json::array();
  for (const BundleClosure& closure : index.closures) closures.push_back(closure_json(closure));
  for (const BundleRepository& repository : index.repositories) repositories.push_back(repository_json(repository));
  const Json root = {{"schema", 1},
                     {"what", "torchpatch bundle"},
                     {"timestamp", index.timestamp},
                     {"closures", closures},
                     {"repositories", repositories}};
  return canonical_json(root, "the bundle's index");
}

BundleIndex parse_bundle_index(std::string_view bytes, const std::string& file) {
  ManifestReader reader(file);
  BundleIndex index;
  if (const auto value = parse_json(bytes, file, 1, reader.findings())) {
    ObjectReader object(*value, file, "", reader.findings());
    object.require_schema();
    if (object.required_string("what") != "torchpatch bundle") object.report("what", "must be 'torchpatch bundle'");
    index.timestamp = object.required_integer("timestamp", 0, kLastTimestamp);
    reader.each_object(object, "closures",
                       [&](ObjectReader& each) { index.closures.push_back(read_closure(reader, each)); });
    reader.each_object(object, "repositories",
                       [&](ObjectReader& each) { index.repositories.push_back(read_repository(reader, each)); });
    if (index.closures.empty()) object.report("closures", "must name a release");
    require_sorted(object, "repositories", index.repositories,
                   [](const BundleRepository& each) { return url_file_path(each.url); });
    object.finish();
  }
  reader.findings().raise_if_any("reading the index of a bundle");
  if (bundle_index_json(index) != bytes) {
    throw Error(ErrorKind::data,
                concat("reading the index of a bundle: ", quote(file), " is not laid out as torchpatch writes it"));
  }
  return index;
}

}  // namespace torchpatch::record
