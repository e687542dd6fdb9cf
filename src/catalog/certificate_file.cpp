// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/certificate_file.h"

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

/// Reads a blob id; null says that there is no file.
std::optional<ObjectId> read_blob(ObjectReader& reader, const std::string& key) {
  const JsonValue* value = reader.optional_any(key);
  if (value && value->kind == JsonValue::Kind::null) {
    return std::nullopt;
  }
  return read_as<ObjectId>(reader, key, Presence::required);
}

CertificateEdge read_edge(ObjectReader& reader) {
  CertificateEdge edge;
  edge.commit = required_as<ObjectId>(reader, "commit");
  edge.repository = required_as<RepositoryPath>(reader, "repository");
  edge.overridden = optional_as<ObjectId>(reader, "override");
  edge.path = required_path(reader, "path");
  edge.patch = required_as<Sha256>(reader, "patch");
  edge.follows = optional_as<Sha256>(reader, "follows");
  edge.before = read_blob(reader, "before");
  edge.after = read_blob(reader, "after");
  return edge;
}

}  // namespace

CertificateFile read_certificates(const DataFile& file, const std::string& patchset, const std::string& release,
                                  Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  CertificateFile certificates;
  reader.require_schema();
  certificates.patchset = required_id(reader, "patchset", patchset);
  certificates.release = required_id(reader, "release", release);
  read_objects(reader, "edges", Presence::required, [&](ObjectReader& item) {
    certificates.edges.push_back(read_edge(item));
    const CertificateEdge& edge = certificates.edges.back();
    if (!edge.before && !edge.after && !edge.path.empty()) {
      item.report("after", "must not be null where 'before' is null");
    }
  });
  reader.finish();
  return certificates;
}

}  // namespace torchpatch::catalog
