// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/patchset_file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "catalog/conditions.h"
#include "catalog/fields.h"
#include "model/path_rule.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

bool is_relative_path(std::string_view text) { return !output_path_problem(text); }
bool is_patch_path(std::string_view text) { return is_relative_path(text) && ends_with(text, ".patch"); }
bool is_added_path(std::string_view text) { return is_relative_path(text) && starts_with(text, "files/"); }

const TextRule kPatchPath{"the relative path of a .patch file", is_patch_path};
const TextRule kAddedPath{"a relative path below files/", is_added_path};

/// What reading one patchset needs and collects.
struct PatchsetReader {
  const std::string& directory;
  Findings& findings;
  std::set<std::string> named;  ///< files of the directory that patchset.json names

  std::string read_listed(ObjectReader& item, const std::string& name, const std::optional<Sha256>& expected);
  Patch read_patch(ObjectReader& item);
  AddedFile read_added_file(ObjectReader& item);
  Variant read_variant(ObjectReader& item);
  void check_unlisted();
};

/// Returns the bytes of a file that the patchset names.
std::string PatchsetReader::read_listed(ObjectReader& item, const std::string& name,
                                        const std::optional<Sha256>& expected) {
  if (name.empty()) return {};
  named.insert(name);
  const std::optional<std::string> bytes = read_bytes_below(directory, name, kMaxPatchBytes, findings);
  if (!bytes) return {};
  if (const Sha256 actual = sha256(*bytes); expected && actual != *expected)
    item.report("sha256", concat("is not that of ", quote(name), ", which is ", actual.hex()));
  return *bytes;
}

Patch PatchsetReader::read_patch(ObjectReader& item) {
  Patch patch;
  patch.file = required_text(item, "file", kPatchPath);
  const std::optional<Sha256> digest = read_as<Sha256>(item, "sha256", Presence::required);
  patch.repository = required_as<RepositoryPath>(item, "repository");
  patch.text = read_listed(item, patch.file, digest);
  patch.sha256 = digest.value_or(Sha256{});
  return patch;
}

AddedFile PatchsetReader::read_added_file(ObjectReader& item) {
  AddedFile file;
  file.file = required_text(item, "file", kAddedPath);
  const std::optional<Sha256> digest = read_as<Sha256>(item, "sha256", Presence::required);
  file.repository = required_as<RepositoryPath>(item, "repository");
  file.path = required_path(item, "path");
  file.is_executable = item.optional_boolean("executable", false);
  file.bytes = read_listed(item, file.file, digest);
  file.sha256 = digest.value_or(Sha256{});
  return file;
}

/// Variants may share a patch; within one, a patch can only be applied once.
void add_patch(ObjectReader& item, Patch patch, Variant& variant) {
  const auto is_same = [&](const Patch& other) { return other.sha256 == patch.sha256; };
  if (std::any_of(variant.patches.begin(), variant.patches.end(), is_same))
    item.report("file", concat("the patch ", quote(patch.file), " is there twice"));
  variant.patches.push_back(std::move(patch));
}

SubmoduleOverride read_override(ObjectReader& item) {
  SubmoduleOverride what;
  what.repository = required_as<RepositoryPath>(item, "repository");
  what.replaces = required_as<ObjectId>(item, "replaces");
  what.url = required_text(item, "url", kUrl);
  what.commit = required_as<ObjectId>(item, "commit");
  return what;
}

/// The release alone pins a component's own repository.
void add_override(ObjectReader& item, SubmoduleOverride what, Variant& variant) {
  const std::string name = what.repository.text();
  const auto is_same = [&](const SubmoduleOverride& other) { return other.repository == what.repository; };
  if (std::any_of(variant.overrides.begin(), variant.overrides.end(), is_same))
    item.report("repository", concat(quote(name), " is overridden twice"));
  if (what.repository.path.empty() && !name.empty())
    item.report("repository", concat(quote(name), " is a component itself, which only the release pins"));
  if (what.commit == what.replaces && !what.commit.is_null()) item.report("commit", "is the one that it replaces");
  variant.overrides.push_back(std::move(what));
}

Variant PatchsetReader::read_variant(ObjectReader& item) {
  Variant variant;
  variant.id = required_text(item, "id", kName);
  variant.releases = required_as<VersionRange>(item, "releases", VersionRange::parse);
  variant.ends = optional_text(item, "ends", kLine);
  read_objects(item, "patches", Presence::optional,
               [&](ObjectReader& patch) { add_patch(patch, read_patch(patch), variant); });
  read_objects(item, "files", Presence::optional,
               [&](ObjectReader& file) { variant.files.push_back(read_added_file(file)); });
  read_objects(item, "overrides", Presence::optional,
               [&](ObjectReader& override) { add_override(override, read_override(override), variant); });
  if (variant.patches.empty() && variant.files.empty() && variant.overrides.empty())
    item.report("id", concat("variant ", quote(variant.id), " has no patches, files or overrides"));
  return variant;
}

/// Returns true for a file that stands in the directory in order to be named.
bool must_be_named(const std::string& path) { return ends_with(path, ".patch") || starts_with(path, "files/"); }

void PatchsetReader::check_unlisted() try {
  namespace fs = std::filesystem;
  for (const auto& found : fs::recursive_directory_iterator(directory)) {
    const std::string path = found.path().lexically_relative(directory).generic_string();
    const bool is_folder = found.symlink_status().type() == fs::file_type::directory;
    if (!is_folder && must_be_named(path) && named.count(path) == 0)
      findings.add(found.path().string(), 0, "", "stands here, but patchset.json does not name it");
  }
} catch (const std::filesystem::filesystem_error& error) {
  throw Error(ErrorKind::environment, concat("listing ", quote(directory), ": ", error.code().message()));
}

/// Two variants for one release would make the choice depend on their order.
void check_variants(ObjectReader& reader, const std::vector<Variant>& variants) {
  for (auto one = variants.begin(); one != variants.end(); ++one) {
    for (auto other = variants.begin(); other != one; ++other) {
      if (!one->id.empty() && one->id == other->id) {
        reader.report("variants", concat("variant ", quote(one->id), " is there twice"));
      } else if (have_common_release(one->releases, other->releases)) {
        reader.report("variants", concat("the releases of ", quote(other->id), " (", other->releases.text(),
                                         ") and of ", quote(one->id), " (", one->releases.text(), ") overlap"));
      }
    }
  }
}

using Patchsets = std::map<std::string, Patchset>;

/// Returns the shortest way from `start` back to itself along `after`, or nothing.
std::vector<std::string> find_circle(const Patchsets& patchsets, const std::string& start) {
  std::vector<std::vector<std::string>> ways = {{start}};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto patchset = patchsets.find(ways[i].back());
    if (patchset == patchsets.end()) continue;
    for (const std::string& next : patchset->second.after) {
      std::vector<std::string> way = ways[i];
      way.push_back(next);
      if (next == start) return way;
      if (seen.insert(next).second) ways.push_back(std::move(way));
    }
  }
  return {};
}

/// A place that a patchset adds a file to.
struct AddedPlace {
  std::string patchset;
  std::string key;
  const Variant* variant;
  const AddedFile* file;
};

std::vector<AddedPlace> added_places(const Patchsets& patchsets) {
  std::vector<AddedPlace> places;
  for (const auto& [id, patchset] : patchsets) {
    for (std::size_t v = 0; v < patchset.variants.size(); ++v) {
      const Variant& variant = patchset.variants[v];
      for (std::size_t f = 0; f < variant.files.size(); ++f)
        places.push_back({id, concat("variants[", v, "].files[", f, "].path"), &variant, &variant.files[f]});
    }
  }
  return places;
}

bool is_same_place(const AddedPlace& a, const AddedPlace& b) {
  return std::tie(a.file->repository, a.file->path) == std::tie(b.file->repository, b.file->path) &&
         have_common_release(a.variant->releases, b.variant->releases);
}

}  // namespace

Entry<Patchset> read_patchset(const DataFile& file, const std::string& directory, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  PatchsetReader parts{directory, findings, {}};
  Entry<Patchset> entry;
  reader.require_schema();
  entry.replaces = optional_as<Sha256>(reader, "replaces");
  Patchset& patchset = entry.value;
  patchset.id = required_id(reader, "id", base_name(directory));
  patchset.summary = required_text(reader, "summary", kLine);
  patchset.after = optional_texts(reader, "after", kId);
  read_objects(reader, "variants", Presence::required,
               [&](ObjectReader& item) { patchset.variants.push_back(parts.read_variant(item)); });
  reader.finish();
  check_variants(reader, patchset.variants);
  parts.check_unlisted();
  return entry;
}

void check_order(Assembly& assembly) {
  const Patchsets& patchsets = assembly.catalog.patchsets;
  for (const auto& [id, patchset] : patchsets) {
    for (const std::string& earlier : patchset.after)
      if (!assembly.is_known(patchset_entry(earlier)))
        assembly.report(patchset_entry(id), "after", concat("there is no patchset ", quote(earlier)));
    const std::vector<std::string> circle = find_circle(patchsets, id);
    // Once for each circle: where it begins with the first of its ids.
    if (!circle.empty() && id == *std::min_element(circle.begin(), circle.end()))
      assembly.report(patchset_entry(id), "after", concat("goes in a circle: ", join(circle, " after ")));
  }
}

void check_added_files(Assembly& assembly) {
  const std::vector<AddedPlace> places = added_places(assembly.catalog.patchsets);
  for (auto one = places.begin(); one != places.end(); ++one) {
    const auto other =
        std::find_if(places.begin(), one, [&](const AddedPlace& place) { return is_same_place(place, *one); });
    if (other != one && !one->file->path.empty()) {
      assembly.report(patchset_entry(one->patchset), one->key,
                      concat("patchset ", quote(other->patchset), " adds ", quote(one->file->path), " too"));
    }
  }
}

}  // namespace torchpatch::catalog
