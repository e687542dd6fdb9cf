// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/certificate_file.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// One edge of a file under reading.
struct EdgeReport {
  const DataFile& file;
  std::size_t index;
  Findings& findings;

  void add(const std::string& key, std::string message) const {
    const std::string path = concat("edges[", index, "].", key);
    findings.add(file.path, line_of(file.json, path), path, std::move(message));
  }
};

const Release* find_release(const Catalog& catalog, const std::string& version) {
  const auto number = Version::parse(version);
  const auto found = number ? catalog.releases.find(*number) : catalog.releases.end();
  return found == catalog.releases.end() ? nullptr : &found->second;
}

bool is_patch_of_catalog(const Catalog& catalog, const Sha256& digest) {
  return std::any_of(catalog.patchsets.begin(), catalog.patchsets.end(),
                     [&](const auto& entry) { return find_patch(entry.second, digest) != nullptr; });
}

void check_patch(const CertificateEdge& edge, const Patchset& patchset, const Catalog& catalog,
                 const EdgeReport& report) {
  const Patch* patch = find_patch(patchset, edge.patch);
  if (patch == nullptr) {
    report.add("patch", concat("patchset ", quote(patchset.id), " has no patch ", edge.patch.hex()));
  } else if (patch->repository != edge.repository) {
    report.add("repository", concat("is ", quote(edge.repository.text()), ", but the patch is rooted in ",
                                    quote(patch->repository.text())));
  }
  if (edge.follows && !is_patch_of_catalog(catalog, *edge.follows))
    report.add("follows", concat("there is no patch ", edge.follows->hex()));
}

void check_commit(const CertificateEdge& edge, const Release& release, const EdgeReport& report) {
  const ComponentPin* pin = release.find(edge.repository.component);
  const char* component = component_name(edge.repository.component);
  if (pin == nullptr)
    report.add("repository", concat("release ", release.version.text(), " has no ", component));
  else if (!pin->commit.is_null() && pin->commit != edge.commit)
    report.add("commit", concat("release ", release.version.text(), " pins ", component, " at ", pin->commit.hex()));
}

/// True where some variant takes the repository, or one that it lies in, at `commit`.
bool has_override(const Patchset& patchset, const RepositoryPath& repository, const ObjectId& commit) {
  return std::any_of(patchset.variants.begin(), patchset.variants.end(), [&](const Variant& variant) {
    return std::any_of(variant.overrides.begin(), variant.overrides.end(), [&](const SubmoduleOverride& each) {
      return each.commit == commit && lies_in(repository, each.repository);
    });
  });
}

void check_override(const CertificateEdge& edge, const Catalog& catalog, const EdgeReport& report) {
  const bool is_known =
      !edge.overridden || std::any_of(catalog.patchsets.begin(), catalog.patchsets.end(), [&](const auto& entry) {
        return has_override(entry.second, edge.repository, *edge.overridden);
      });
  if (!is_known) {
    report.add("override", concat("no patchset takes ", quote(edge.repository.text()), ", or what it lies in, at ",
                                  edge.overridden->hex()));
  }
}

/// True where both edges start from the same content of the same file.
bool have_one_start(const CertificateEdge& a, const CertificateEdge& b) {
  const bool is_one_file = a.commit == b.commit && a.repository == b.repository && a.path == b.path;
  return is_one_file && a.overridden == b.overridden && a.follows == b.follows && (!a.follows || a.before == b.before);
}

/// Pinned content is one blob, and a patch makes one blob of another.
void check_agreement(const CertificateEdge& edge, const Catalog& catalog, const EdgeReport& report) {
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const CertificateEdge& known : patchset.certificates) {
      if (!have_one_start(edge, known)) continue;
      if (known.before != edge.before) {
        report.add("before",
                   concat("patchset ", quote(id), " has another blob for the pinned content of ", quote(edge.path)));
        return;
      }
      if (known.patch == edge.patch && known.after != edge.after) {
        report.add("after", concat("another edge has another blob for ", quote(edge.path), " after this patch"));
        return;
      }
    }
  }
}

/// Checks an edge by itself; `release` is null where there is none.
void check_edge(const CertificateEdge& edge, const Patchset& patchset, const Release* release, const Catalog& catalog,
                const EdgeReport& report) {
  check_patch(edge, patchset, catalog, report);
  if (release != nullptr) check_commit(edge, *release, report);
  check_override(edge, catalog, report);
}

bool is_same_edge(const CertificateEdge& a, const CertificateEdge& b) {
  return have_one_start(a, b) && a.before == b.before && a.patch == b.patch && a.after == b.after;
}

}  // namespace

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
  if (patchset == assembly.catalog.patchsets.end()) return;  // a finding of its folder
  const Release* release = find_release(assembly.catalog, certificates.release);
  if (release == nullptr && !assembly.is_known(release_entry(certificates.release))) {
    findings.add(file.path, line_of(file.json, "release"), "release",
                 concat("there is no release ", quote(certificates.release)));
  }
  const bool is_all_stale = !stale.empty();
  std::vector<CertificateEdge>& known = patchset->second.certificates;
  for (std::size_t i = 0; i < certificates.edges.size(); ++i) {
    const CertificateEdge& edge = certificates.edges[i];
    if (!is_all_stale) stale = {};
    const EdgeReport report{file, i, findings};
    check_edge(edge, patchset->second, release, assembly.catalog, report);
    check_agreement(edge, assembly.catalog, report);
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
  const DataFile nowhere{};
  check_edge(edge, patchset->second, release, catalog, {nowhere, 0, findings});
  return findings.empty();
}

}  // namespace torchpatch::catalog
