// SPDX-License-Identifier: BSD-3-Clause
/// manifest.json: model's Manifest ↔ canonical JSON (docs/formats.md, docs/schema/manifest.schema.json).
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"
#include "model/repository_path.h"
#include "support/json.h"
#include "support/object_id.h"
#include "support/text.h"

namespace torchpatch::record {

/// Returns the file's bytes: 2-space indent, fixed key order, one final newline; equal values give equal bytes. Lists
/// whose order means nothing (repositories, executables, links, side files, origins) are sorted. An issue
/// that no fix answers carries neither fix nor kind nor variant. Raises unsafe for text that is not UTF-8.
std::string manifest_json(const Manifest& manifest);

/// Reads it back, strictly; nothing in it is trusted. What manifest_json sorts must be sorted and without duplicates,
/// every repository that is named must be listed, and the last byte must be the newline. Raises with all findings and
/// their lines (`file` names the bytes): unsafe where the path rule refuses a path or a link, data otherwise.
Manifest parse_manifest(std::string_view bytes, const std::string& file);

// Reads the members of manifest.json one by one and notes what is wrong with them.

/// The findings of one file. Each reading function takes the object and the key, reports what is wrong there, and then
/// returns a default.
class ManifestReader {
 public:
  explicit ManifestReader(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  Findings& findings() { return findings_; }

  bool boolean(ObjectReader& object, const std::string& key);
  std::string base64(ObjectReader& object, const std::string& key);
  ObjectId object_id(ObjectReader& object, const std::string& key);
  /// Null stands for nothing; the key must be there.
  std::optional<ObjectId> object_id_or_null(ObjectReader& object, const std::string& key);
  Sha256 sha256(ObjectReader& object, const std::string& key);
  /// Null stands for empty text; the key must be there.
  std::string text_or_null(ObjectReader& object, const std::string& key);
  Component component(ObjectReader& object, const std::string& key, const std::string& name);
  RepositoryPath repository(ObjectReader& object, const std::string& key);
  /// A path that the rule for what is written into OUT allows.
  std::string path(ObjectReader& object, const std::string& key);
  std::vector<std::pair<std::string, std::string>> string_map(ObjectReader& object, const std::string& key);
  /// Calls `read` with each object of the array at `key`, then reports its unknown keys.
  void each_object(ObjectReader& object, const std::string& key, const std::function<void(ObjectReader&)>& read);
  /// Reports at `key` what the path rule refuses: kind unsafe.
  void refuse(ObjectReader& object, const std::string& key, const std::string& problem);
  void refuse(int line, const std::string& key, const std::string& problem);

  /// Raises with all findings, if there are any: unsafe where something was refused, else data.
  void raise_if_any() const;

 private:
  std::string file_;
  Findings findings_;
  bool is_refused_ = false;
};

/// Reports at `key` the first of `items` whose key, by `of`, stands twice or before a smaller one.
template <typename Items, typename Key>
void require_sorted(ObjectReader& object, const std::string& key, const Items& items, Key of) {
  const auto unsorted =
      std::adjacent_find(items.begin(), items.end(), [of](const auto& a, const auto& b) { return !(of(a) < of(b)); });
  if (unsorted == items.end()) return;
  object.report(key, concat("entry ", std::distance(items.begin(), unsorted) + 2, " stands twice or not in order"));
}

}  // namespace torchpatch::record
