// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/patchset_file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// Returns true for a file that stands in the directory in order to be named.
bool must_be_named(const std::string& path) { return ends_with(path, ".patch") || starts_with(path, "files/"); }

void check_unlisted(const std::string& directory, const std::set<std::string>& named, Findings& findings) try {
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

/// Reads the files that a patchset names.
class ListedFiles {
 public:
  ListedFiles(const DataFile& file, const std::string& directory, Findings& findings)
      : file_(file), directory_(directory), findings_(findings) {}

  /// Returns the bytes of one; its entry stands at `path`.
  std::string read(const std::string& name, const Sha256& expected, const std::string& path) {
    if (name.empty()) return {};
    named_.insert(name);
    const std::optional<std::string> bytes = read_bytes_below(directory_, name, kMaxPatchBytes, findings_);
    if (!bytes) return {};
    if (const Sha256 actual = sha256(*bytes); actual != expected) {
      const std::string key = path + ".sha256";
      findings_.add(file_.path, line_of(file_.json, key), key,
                    concat("is not that of ", quote(name), ", which is ", actual.hex()));
    }
    return *bytes;
  }
  const std::set<std::string>& named() const { return named_; }

 private:
  const DataFile& file_;
  const std::string& directory_;
  Findings& findings_;
  std::set<std::string> named_;
};

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

Patchset read_patchset(const DataFile& file, const std::string& directory, Findings& findings) {
  auto patchset = read_value<Patchset>(file, findings);
  require_name(file, "id", patchset.id, base_name(directory), findings);
  patchset.id = base_name(directory);
  ListedFiles files(file, directory, findings);
  for (std::size_t v = 0; v < patchset.variants.size(); ++v) {
    Variant& variant = patchset.variants[v];
    for (std::size_t i = 0; i < variant.patches.size(); ++i) {
      Patch& patch = variant.patches[i];
      patch.text = files.read(patch.file, patch.sha256, concat("variants[", v, "].patches[", i, ']'));
    }
    for (std::size_t i = 0; i < variant.files.size(); ++i) {
      AddedFile& added = variant.files[i];
      added.bytes = files.read(added.file, added.sha256, concat("variants[", v, "].files[", i, ']'));
    }
  }
  ObjectReader reader(file.json, file.path, "", findings);
  check_variants(reader, patchset.variants);
  check_unlisted(directory, files.named(), findings);
  return patchset;
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
