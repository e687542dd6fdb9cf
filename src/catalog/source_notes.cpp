// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/source_notes.h"

#include <algorithm>
#include <set>

#include "catalog/data_file.h"
#include "catalog/fields.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// A place in the file: its names from the root down, and its line.
struct Place {
  std::vector<std::string> names;
  int line = 0;
};

/// Returns the id of an element of a list, or empty text.
std::string id_of(const JsonValue& element) {
  for (const auto& [key, value] : element.object) {
    if (key == "id" && value.kind == JsonValue::Kind::string) {
      return value.string;
    }
  }
  return {};
}

/// Collects every named place below `value`.
void collect(const JsonValue& value, const std::vector<std::string>& names, std::vector<Place>& places) {
  const auto descend = [&](const std::string& name, const JsonValue& child) {
    std::vector<std::string> below = names;
    below.push_back(name);
    places.push_back({below, child.line});
    collect(child, below, places);
  };
  for (const auto& [name, child] : value.object) {
    descend(name, child);
  }
  for (const JsonValue& element : value.array) {
    if (const std::string id = id_of(element); !id.empty()) {
      descend(id, element);
    }
  }
}

/// `wanted`: the names of a pattern, of which "*" is any.
bool matches(const Place& place, const std::vector<std::string>& wanted) {
  return std::equal(wanted.begin(), wanted.end(), place.names.begin(), place.names.end(),
                    [](const std::string& want, const std::string& name) { return want == "*" || want == name; });
}

bool is_covered(const Place& place, const std::set<std::string>& keys) {
  std::vector<std::string> prefix;
  return std::any_of(place.names.begin(), place.names.end(), [&](const std::string& name) {
    prefix.push_back(name);
    return keys.count(join(prefix, ".")) > 0;
  });
}

}  // namespace

std::vector<SourceNote> read_source_notes(ObjectReader& reader) {
  std::vector<SourceNote> notes;
  read_objects(reader, "sources", Presence::required, [&](ObjectReader& item) {
    SourceNote note;
    note.keys = required_texts(item, "keys", kLine);
    note.source = required_text(item, "source", kLine);
    if (item.required("verified", JsonValue::Kind::boolean)) {
      note.verified = item.optional_boolean("verified", false);
    }
    notes.push_back(std::move(note));
  });
  return notes;
}

void check_figures(const JsonValue& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings) {
  std::vector<std::vector<std::string>> patterns;
  for (const std::string& figure : figures) patterns.push_back(split(figure, '.'));
  std::vector<Place> places;
  collect(root, {}, places);
  std::set<std::string> keys, known;
  for (const SourceNote& note : notes) {
    keys.insert(note.keys.begin(), note.keys.end());
  }
  for (const Place& place : places) {
    const std::string path = join(place.names, ".");
    known.insert(path);
    const bool is_figure =
        std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return matches(place, pattern); });
    if (is_figure && !is_covered(place, keys)) {
      findings.add(file, place.line, path, "no entry of 'sources' covers this figure");
    }
  }
  for (const std::string& key : keys) {
    if (known.count(key) == 0) {
      findings.add(file, line_of(root, "sources"), "sources", concat(quote(key), " names nothing in this file"));
    }
  }
}

}  // namespace torchpatch::catalog
