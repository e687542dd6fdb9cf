// SPDX-License-Identifier: BSD-3-Clause
#include "emit/manifest/manifest_reader.h"

#include "model/path_rule.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Kind = JsonValue::Kind;

template <typename Id>
Id parse_id(ObjectReader& object, const std::string& key, const JsonValue* member) {
  if (member == nullptr) return {};
  const std::optional<Id> id = Id::parse(member->string);
  if (!id)
    object.report(key, concat("must be ", sizeof(Id) * 2, " lower-case hex digits, not ", quote(member->string)));
  return id.value_or(Id{});
}

}  // namespace

bool ManifestReader::boolean(ObjectReader& object, const std::string& key) {
  const JsonValue* const member = object.required(key, Kind::boolean);
  return member != nullptr && member->boolean;
}

std::string ManifestReader::base64(ObjectReader& object, const std::string& key) {
  const JsonValue* const member = object.required(key, Kind::string);
  if (member == nullptr) return {};
  const std::optional<std::string> bytes = base64_decode(member->string);
  if (!bytes) object.report(key, "must be base64");
  return bytes.value_or("");
}

ObjectId ManifestReader::object_id(ObjectReader& object, const std::string& key) {
  return parse_id<ObjectId>(object, key, object.required(key, Kind::string));
}

std::optional<ObjectId> ManifestReader::object_id_or_null(ObjectReader& object, const std::string& key) {
  const JsonValue* const member = object.optional_any(key);
  if (member != nullptr && member->kind == Kind::null) return std::nullopt;
  return object_id(object, key);
}

Sha256 ManifestReader::sha256(ObjectReader& object, const std::string& key) {
  return parse_id<Sha256>(object, key, object.required(key, Kind::string));
}

std::string ManifestReader::text_or_null(ObjectReader& object, const std::string& key) {
  const JsonValue* const member = object.optional_any(key);
  if (member != nullptr && member->kind == Kind::null) return {};
  return object.required_string(key);
}

Component ManifestReader::component(ObjectReader& object, const std::string& key, const std::string& name) {
  const std::optional<Component> component = parse_component(name);
  if (!component) object.report(key, concat("must be 'torch', 'vision' or 'audio', not ", quote(name)));
  return component.value_or(Component::torch);
}

RepositoryPath ManifestReader::repository(ObjectReader& object, const std::string& key) {
  const JsonValue* const member = object.required(key, Kind::string);
  if (member == nullptr) return {};
  const std::optional<RepositoryPath> path = RepositoryPath::parse(member->string);
  if (!path) {
    refuse(object, key,
           concat(quote(member->string), " is not the path of a repository, such as 'torch:third_party/onnx'"));
    return {};
  }
  if (!path->path.empty()) {
    if (const auto problem = output_path_problem(path->path))
      refuse(object, key, concat(quote(path->path), " ", *problem));
  }
  return *path;
}

std::string ManifestReader::path(ObjectReader& object, const std::string& key) {
  const JsonValue* const member = object.required(key, Kind::string);
  if (member == nullptr) return {};
  if (const auto problem = output_path_problem(member->string)) {
    refuse(object, key, concat(quote(member->string), " ", *problem));
  }
  return member->string;
}

std::vector<std::pair<std::string, std::string>> ManifestReader::string_map(ObjectReader& object,
                                                                            const std::string& key) {
  if (object.required(key, Kind::object) == nullptr) return {};
  return object.optional_string_map(key);
}

void ManifestReader::each_object(ObjectReader& object, const std::string& key,
                                 const std::function<void(ObjectReader&)>& read) {
  const JsonValue* const array = object.required(key, Kind::array);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->array.size(); ++i) {
    ObjectReader item(array->array[i], file_, concat(object.key_path(key), "[", i, "]"), findings_);
    if (array->array[i].kind != Kind::object) continue;
    read(item);
    item.finish();
  }
}

void ManifestReader::refuse(ObjectReader& object, const std::string& key, const std::string& problem) {
  refuse(object.line_of(key), object.key_path(key), problem);
}

void ManifestReader::refuse(int line, const std::string& key, const std::string& problem) {
  is_refused_ = true;
  findings_.add(file_, line, key, problem);
}

void ManifestReader::raise_if_any() const {
  try {
    findings_.raise_if_any("reading the manifest");
  } catch (const Error& error) {
    const ErrorKind kind = is_refused_ ? ErrorKind::unsafe : ErrorKind::data;
    throw Error(kind, error.message(), "torchpatch writes this file; prepare the tree again instead of editing it");
  }
}

}  // namespace torchpatch::emit
