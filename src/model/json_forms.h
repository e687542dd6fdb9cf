// SPDX-License-Identifier: BSD-3-Clause
/// Types with their own JSON form, such as Base64 (support/json_fields.h); require_sorted, for lists in a fixed order.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "model/path_rule.h"
#include "model/repository_path.h"
#include "support/json.h"
#include "support/json_fields.h"

namespace torchpatch {

/// The URL of a repository that may be fetched from.
struct RepositoryUrl {
  std::string& url;
  Json json() const { return url; }
  void read(const JsonPlace& place) const;
};

/// A text that is constant, or follows from other fields.
struct Always {
  std::string text;
  Json json() const { return text; }
  void read(const JsonPlace& place) const {
    if (place.is(Json::Kind::string) && place.value.string != text) place.report("must be " + quote(text));
  }
};

/// A text; empty is written as null.
struct TextOrNull {
  std::string& text;
  Json json() const { return text.empty() ? Json(nullptr) : Json(text); }
  void read(const JsonPlace& place) const;
};

struct Base64 {
  std::string& bytes;
  Json json() const;
  void read(const JsonPlace& place) const;
};

/// A file mode in git's notation, one of `allowed`.
struct ModeOutOf {
  FileMode& mode;
  std::vector<FileMode> allowed;
  Json json() const { return name_of(mode); }
  void read(const JsonPlace& place) const;
};

/// An object with a value for each of `components`.
template <typename Value>
struct OfComponents {
  const std::vector<Component>& components;
  std::map<Component, Value>& values;
};
template <typename Value>
OfComponents(const std::vector<Component>&, std::map<Component, Value>&) -> OfComponents<Value>;
template <typename Fields, typename Value>
void fields(Fields& f, OfComponents<Value>& each) {
  for (const Component component : each.components) f(name_of(component), each.values[component]);
}

/// Reports at `key` the first item whose key, by `of`, is a duplicate or smaller than the one before it.
template <typename Items, typename Key>
void require_sorted(ObjectReader& object, const std::string& key, const Items& items, Key of) {
  const auto unsorted = std::adjacent_find(items.begin(), items.end(), [&of](const auto& a, const auto& b) {
    return !(std::invoke(of, a) < std::invoke(of, b));
  });
  if (unsorted == items.end()) return;
  object.report(key, concat("entry ", std::distance(items.begin(), unsorted) + 2, " is listed twice or out of order"));
}

}  // namespace torchpatch
