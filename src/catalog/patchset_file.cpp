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

void check_unlisted(const std::string& directory, const std::set<std::string>& named, Findings& findings) try {
  namespace fs = std::filesystem;
  for (const auto& found : fs::recursive_directory_iterator(directory)) {
    const std::string path = found.path().lexically_relative(directory).generic_string();
    const bool is_folder = found.symlink_status().type() == fs::file_type::directory;
    const bool must_be_named = ends_with(path, ".patch") || starts_with(path, "files/");
    if (!is_folder && must_be_named && !named.contains(path))
      findings.add(found.path().string(), 0, "", "is not listed in patchset.json");
  }
} catch (const std::filesystem::filesystem_error& error) {
  throw Error(ErrorKind::environment, concat("listing ", quote(directory), ": ", error.code().message()));
}

/// With two variants for one release the choice would depend on their order.
void check_variants(ObjectReader& reader, const std::vector<Variant>& variants) {
  for (auto one = variants.begin(); one != variants.end(); ++one) {
    for (auto other = variants.begin(); other != one; ++other) {
      if (!one->id.empty() && one->id == other->id) {
        reader.report("variants", concat("variant ", quote(one->id), " is listed twice"));
      } else if (have_common_release(one->releases, other->releases)) {
        reader.report("variants", concat("the releases of ", quote(other->id), " (", other->releases.text(),
                                         ") and of ", quote(one->id), " (", one->releases.text(), ") overlap"));
      }
    }
  }
}

using Patchsets = std::map<std::string, Patchset>;

/// Finds cycles of `after`, following each edge once: linear time for any input.
class CircleSearch {
 public:
  explicit CircleSearch(const Patchsets& patchsets) : patchsets_(patchsets) {}

  /// Returns cycles, at least one if there is any, each from its first id back to that id.
  std::vector<std::vector<std::string>> run() {
    for (const auto& [id, patchset] : patchsets_) {
      enter(id);
      while (!way_.empty()) step();
    }
    return std::move(circles_);
  }

 private:
  struct Stop {
    std::string id;
    std::size_t next;  ///< index into its `after`
  };

  void enter(const std::string& id) {
    if (is_on_way_.emplace(id, true).second) way_.push_back({id, 0});
  }

  void step() {
    Stop& last = way_.back();
    const auto patchset = patchsets_.find(last.id);
    if (patchset == patchsets_.end() || last.next == patchset->second.after.size()) {
      is_on_way_[last.id] = false;
      way_.pop_back();
      return;
    }
    const std::string& id = patchset->second.after[last.next++];
    if (const auto known = is_on_way_.find(id); known != is_on_way_.end() && known->second) add_circle(id);
    enter(id);
  }

  void add_circle(const std::string& id) {
    std::vector<std::string> circle;
    for (auto stop = std::ranges::find(way_, id, &Stop::id); stop != way_.end(); ++stop) circle.push_back(stop->id);
    std::rotate(circle.begin(), std::ranges::min_element(circle), circle.end());
    circle.push_back(circle.front());
    circles_.push_back(std::move(circle));
  }

  const Patchsets& patchsets_;
  std::map<std::string, bool> is_on_way_;  ///< false: everything it comes after was visited
  std::vector<Stop> way_;
  std::vector<std::vector<std::string>> circles_;
};

/// A path that a patchset adds a file at.
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

const Release* find_release(const Catalog& catalog, const std::string& version) {
  const auto number = Version::parse(version);
  const auto found = number ? catalog.releases.find(*number) : catalog.releases.end();
  return found == catalog.releases.end() ? nullptr : &found->second;
}

void check_patch(const CertificateEdge& edge, const Patchset& patchset, const Catalog& catalog, ObjectReader& reader) {
  const Patch* patch = find_patch(patchset, edge.patch);
  if (patch == nullptr) {
    reader.report("patch", concat("patchset ", quote(patchset.id), " has no patch ", edge.patch.hex()));
  } else if (patch->repository != edge.repository) {
    reader.report("repository", concat("is ", quote(edge.repository.text()), ", but the patch is rooted in ",
                                       quote(patch->repository.text())));
  }
  const auto has_it = [&](const auto& entry) { return find_patch(entry.second, *edge.follows) != nullptr; };
  if (edge.follows && std::ranges::none_of(catalog.patchsets, has_it))
    reader.report("follows", concat("no patch ", edge.follows->hex()));
}

void check_commit(const CertificateEdge& edge, const Release& release, ObjectReader& reader) {
  const ComponentPin* pin = release.find(edge.repository.component);
  const char* component = name_of(edge.repository.component);
  if (pin == nullptr)
    reader.report("repository", concat("release ", release.version.text(), " has no ", component));
  else if (!pin->commit.is_null() && !pin->is_at(edge.commit))
    reader.report("commit", concat("release ", release.version.text(), " pins ", component, " at ", pin->commit.hex()));
}

/// Returns whether a variant overrides the repository, or one around it, with `commit`.
bool has_override(const Patchset& patchset, const RepositoryPath& repository, const ObjectId& commit) {
  return std::any_of(patchset.variants.begin(), patchset.variants.end(), [&](const Variant& variant) {
    return std::any_of(variant.overrides.begin(), variant.overrides.end(), [&](const SubmoduleOverride& each) {
      return each.commit == commit && lies_in(repository, each.repository);
    });
  });
}

void check_override(const CertificateEdge& edge, const Catalog& catalog, ObjectReader& reader) {
  const bool is_known =
      !edge.overridden || std::any_of(catalog.patchsets.begin(), catalog.patchsets.end(), [&](const auto& entry) {
        return has_override(entry.second, edge.repository, *edge.overridden);
      });
  if (!is_known) {
    reader.report("override", concat("no patchset uses ", quote(edge.repository.text()),
                                     ", or a repository that contains it, at ", edge.overridden->hex()));
  }
}

/// Returns whether both edges start from the same content of the same file.
bool have_one_start(const CertificateEdge& a, const CertificateEdge& b) {
  const bool is_one_file = a.commit == b.commit && a.repository == b.repository && a.path == b.path;
  return is_one_file && a.overridden == b.overridden && a.follows == b.follows && (!a.follows || a.before == b.before);
}

/// Reports conflicting edges: pinned content is one blob, and a patch turns one blob into exactly one other.
void check_agreement(const CertificateEdge& edge, const Catalog& catalog, ObjectReader& reader) {
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const CertificateEdge& known : patchset.certificates) {
      if (!have_one_start(edge, known)) continue;
      if (known.before != edge.before) {
        reader.report("before", concat("patchset ", quote(id), " has a different blob for the pinned content of ",
                                       quote(edge.path)));
        return;
      }
      if (known.patch == edge.patch && known.after != edge.after) {
        reader.report("after", concat("another edge has a different blob for ", quote(edge.path), " after this patch"));
        return;
      }
    }
  }
}

/// Checks an edge on its own; `release` is null if it does not exist.
void check_edge(const CertificateEdge& edge, const Patchset& patchset, const Release* release, const Catalog& catalog,
                ObjectReader& reader) {
  check_patch(edge, patchset, catalog, reader);
  if (release != nullptr) check_commit(edge, *release, reader);
  check_override(edge, catalog, reader);
}

bool is_same_edge(const CertificateEdge& a, const CertificateEdge& b) {
  return have_one_start(a, b) && a.before == b.before && a.patch == b.patch && a.after == b.after;
}

/// Returns the files for {proof}: all of them, since a proof runs with all.
std::map<std::string, std::string> read_proof_files(const std::string& directory, Findings& findings) {
  std::map<std::string, std::string> files;
  for (const std::string& path : list_files_below(directory))
    if (const auto bytes = read_bytes_below(directory, path, kMaxPatchBytes, findings)) files.emplace(path, *bytes);
  return files;
}

template <typename T>
bool has_id(const std::vector<T>& list, const std::string& id) {
  return std::any_of(list.begin(), list.end(), [&](const T& entry) { return entry.id == id; });
}

bool has_subject(const ProofRecord& record, const Patchset& patchset) {
  return has_id(patchset.proof.proofs, record.proof) && has_id(patchset.variants, record.variant);
}

void add_record(ProofRecord record, std::vector<ProofRecord>& records) {
  const auto key = [](const ProofRecord& each) { return std::tie(each.release, each.proof); };
  const auto place = std::lower_bound(records.begin(), records.end(), record,
                                      [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (place != records.end() && key(*place) == key(record))
    *place = std::move(record);
  else
    records.insert(place, std::move(record));
}

}  // namespace

Patchset read_patchset(const DataFile& file, const std::string& directory, Findings& findings) {
  auto patchset = read_value<Patchset>(file, findings);
  require_name(file, "id", patchset.id, base_name(directory), findings);
  patchset.id = base_name(directory);
  ObjectReader reader(file.json, file.path, "", findings);
  std::set<std::string> named;
  // Returns the bytes of the file listed at `path`.
  const auto read = [&](const std::string& name, const Sha256& expected, const std::string& path) -> std::string {
    if (name.empty()) return {};
    named.insert(name);
    const std::optional<std::string> bytes = read_bytes_below(directory, name, kMaxPatchBytes, findings);
    if (!bytes) return {};
    if (const Sha256 actual = sha256(*bytes); actual != expected)
      reader.report(path + ".sha256", concat("is not the digest of ", quote(name), ", which is ", actual.hex()));
    return *bytes;
  };
  for (std::size_t v = 0; v < patchset.variants.size(); ++v) {
    Variant& variant = patchset.variants[v];
    for (std::size_t i = 0; i < variant.patches.size(); ++i) {
      Patch& patch = variant.patches[i];
      patch.text = read(patch.file, patch.sha256, concat("variants[", v, "].patches[", i, ']'));
    }
    for (std::size_t i = 0; i < variant.files.size(); ++i) {
      AddedFile& added = variant.files[i];
      added.bytes = read(added.file, added.sha256, concat("variants[", v, "].files[", i, ']'));
    }
  }
  check_variants(reader, patchset.variants);
  check_unlisted(directory, named, findings);
  return patchset;
}

void check_order(Assembly& assembly) {
  const Patchsets& patchsets = assembly.catalog.patchsets;
  for (const auto& [id, patchset] : patchsets) {
    for (const std::string& earlier : patchset.after)
      if (!assembly.is_known(patchset_entry(earlier)))
        assembly.report(patchset_entry(id), "after", concat("no patchset ", quote(earlier)));
  }
  for (const std::vector<std::string>& circle : CircleSearch(patchsets).run())
    assembly.report(patchset_entry(circle.front()), "after", concat("forms a cycle: ", join(circle, " after ")));
}

void check_added_files(Assembly& assembly) {
  const std::vector<AddedPlace> places = added_places(assembly.catalog.patchsets);
  for (auto one = places.begin(); one != places.end(); ++one) {
    const auto other =
        std::find_if(places.begin(), one, [&](const AddedPlace& place) { return is_same_place(place, *one); });
    if (other != one && !one->file->path.empty()) {
      assembly.report(patchset_entry(one->patchset), one->key,
                      concat("patchset ", quote(other->patchset), " also adds ", quote(one->file->path)));
    }
  }
}

CertificateFile read_certificates(const DataFile& file, const std::string& patchset, const std::string& release,
                                  Findings& findings) {
  auto certificates = read_value<CertificateFile>(file, findings);
  require_name(file, "patchset", certificates.patchset, patchset, findings);
  require_name(file, "release", certificates.release, release, findings);
  certificates.patchset = patchset;
  certificates.release = release;
  return certificates;
}

const Patch* find_patch(const Patchset& patchset, const Sha256& digest) {
  for (const Variant& variant : patchset.variants) {
    for (const Patch& patch : variant.patches)
      if (patch.sha256 == digest) return &patch;
  }
  return nullptr;
}

void add_certificates(const DataFile& file, const CertificateFile& certificates, Assembly& assembly) {
  const bool is_to_certify = assembly.to_certify.contains(certificates.patchset);
  RecordedFile recorded{file.path, certificates.patchset, certificates.release, false, false, {}, {}, {}};
  Findings stale;
  Findings& findings = is_to_certify ? stale : assembly.findings;
  const auto patchset = assembly.catalog.patchsets.find(certificates.patchset);
  if (patchset == assembly.catalog.patchsets.end()) return;  // reported for its folder
  const Release* release = find_release(assembly.catalog, certificates.release);
  if (release == nullptr && !assembly.is_known(release_entry(certificates.release))) {
    findings.add(file.path, line_of(file.json, "release"), "release",
                 concat("no release ", quote(certificates.release)));
  }
  const bool is_all_stale = !stale.empty();
  std::vector<CertificateEdge>& known = patchset->second.certificates;
  for (std::size_t i = 0; i < certificates.edges.size(); ++i) {
    const CertificateEdge& edge = certificates.edges[i];
    if (!is_all_stale) stale = {};
    ObjectReader reader(file.json.find("edges")->items[i], file.path, concat("edges[", i, "]"), findings);
    check_edge(edge, patchset->second, release, assembly.catalog, reader);
    check_agreement(edge, assembly.catalog, reader);
    (stale.empty() ? recorded.edges : recorded.stale).push_back(edge);
    if (!stale.empty()) continue;
    if (std::none_of(known.begin(), known.end(), [&](const auto& other) { return is_same_edge(edge, other); }))
      known.push_back(edge);
  }
  recorded.has_stale = !recorded.stale.empty();
  assembly.recorded.push_back(std::move(recorded));
}

bool is_in_place(const CertificateEdge& edge, const RecordedFile& file, const Catalog& catalog) {
  const auto patchset = catalog.patchsets.find(file.patchset);
  const Release* const release = find_release(catalog, file.release);
  if (patchset == catalog.patchsets.end() || release == nullptr) return false;
  Findings findings;
  const Json no_file = Json::object();
  ObjectReader reader(no_file, "", "", findings);
  check_edge(edge, patchset->second, release, catalog, reader);
  return findings.empty();
}

ProofSet read_proofs(const DataFile& file, const Patchset& patchset, Findings& findings) {
  auto set = read_value<ProofSet>(file, findings);
  require_name(file, "patchset", set.patchset, patchset.id, findings);
  ObjectReader reader(file.json, file.path, "", findings);
  for (std::size_t i = 0; i < set.proofs.size(); ++i) {
    const VersionRange& releases = set.proofs[i].releases;
    const auto is_covered = [&](const Variant& variant) { return have_common_release(variant.releases, releases); };
    if (!patchset.variants.empty() && std::ranges::none_of(patchset.variants, is_covered)) {
      reader.report(concat("proofs[", i, "].releases"),
                    concat("no variant is for a release in ", quote(releases.text())));
    }
  }
  return set;
}

ProofSet read_proof_set(const std::string& directory, const Patchset& patchset, Findings& findings) {
  const std::string path = directory + "/proof.json", folder = directory + "/proof";
  if (!is_present(path)) {
    if (is_present(folder)) findings.add(folder, 0, "", "has no proof.json");
    return {};
  }
  const std::optional<DataFile> file = read_json_file(path, findings);
  if (!file) return {};
  ProofSet set = read_proofs(*file, patchset, findings);
  if (is_present(folder)) set.files = read_proof_files(folder, findings);
  return set;
}

void add_proof_records(const DataFile& file, const std::string& patchset, const std::string& release,
                       Assembly& assembly) {
  const auto found = assembly.catalog.patchsets.find(patchset);
  if (found == assembly.catalog.patchsets.end()) return;  // reported for its folder
  auto read = read_value<ProofRecordFile>(file, assembly.findings);
  require_name(file, "patchset", read.patchset, patchset, assembly.findings);
  require_name(file, "release", read.release, release, assembly.findings);
  const auto version = Version::parse(release);
  const bool is_to_certify = assembly.to_certify.contains(patchset);
  const bool is_release = assembly.is_known(release_entry(release));
  RecordedFile recorded{file.path, patchset, release, true, false, {}, {}, {}};
  ObjectReader reader(file.json, file.path, "", assembly.findings);
  if (!is_release && !is_to_certify) reader.report("release", concat("no release ", quote(release)));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < read.proofs.size(); ++i) {
    ProofRecord& record = read.proofs[i];
    if (is_to_certify && !(is_release && has_subject(record, found->second))) {
      recorded.has_stale = true;
      continue;
    }
    const std::string path = concat("proofs[", i, "].");
    if (!record.proof.empty() && !has_id(found->second.proof.proofs, record.proof))
      reader.report(path + "proof", concat("patchset ", quote(patchset), " has no proof ", quote(record.proof)));
    if (!record.variant.empty() && !has_id(found->second.variants, record.variant))
      reader.report(path + "variant", concat("patchset ", quote(patchset), " has no variant ", quote(record.variant)));
    record.release = version.value_or(Version{});
    if (!record.proof.empty() && !seen.insert(record.proof).second)
      reader.report(path + "proof", concat("the proof ", quote(record.proof), " is listed twice"));
    recorded.records.push_back(record);
    add_record(std::move(record), found->second.proof.records);
  }
  assembly.recorded.push_back(std::move(recorded));
}

bool is_in_place(const ProofRecord& record, const std::string& patchset, const Catalog& catalog) {
  const auto found = catalog.patchsets.find(patchset);
  return found != catalog.patchsets.end() && has_subject(record, found->second) &&
         catalog.releases.contains(record.release);
}

}  // namespace torchpatch::catalog
