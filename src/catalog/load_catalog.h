// SPDX-License-Identifier: BSD-3-Clause
/// load_catalog(): loads data files into a Catalog, layer by layer, and reports all findings together.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "catalog/data_file.h"
#include "model/catalog.h"
#include "support/error.h"

namespace torchpatch::catalog {

/// A directory with releases/ boards/ known_issues/ patchsets/ results/, moved_repositories.json, variables.json and
/// cores.json (each optional).
struct Layer {
  std::string name;  ///< "shipped", or for --catalog the directory's last component
  std::string directory;
  bool is_own = true;  ///< the user's; false: it comes with torchpatch
};

/// Loads the layers, each over the previous ones. A layer may add entries; an entry with an existing id is an error
/// unless it has `"replaces": "<sha256 of the file it replaces>"`. Raises data with all findings of all files.
Catalog load_catalog(const std::vector<Layer>& layers);

/// Returns the names of a catalog's parts, folders with a trailing slash.
const std::vector<std::string>& catalog_parts();

// Places that a person still has to fill in, as marked by `board new`, `issue new` and `patch new`.

/// The mark; it is followed by ": " and what belongs there.
inline constexpr const char* kMarker = "FILL-IN";

/// Returns the findings of loading the layers plus one for each marked place in boards, issues and patchsets, which
/// replaces other findings in its line; sorted by file and line. Raises environment.
std::vector<Finding> with_marked_places(const std::vector<Layer>& layers, std::vector<Finding> findings);

// Records of patchsets, some of which may belong to an earlier state of the catalog.

/// A certificates/<release>.json or proofs/<release>.json.
struct RecordedFile {
  std::string path;
  std::string patchset;
  std::string release;
  bool is_proofs = false;
  bool has_stale = false;              ///< it contained more than what is valid
  std::vector<CertificateEdge> edges;  ///< valid
  std::vector<CertificateEdge> stale;  ///< not valid
  std::vector<ProofRecord> records;    ///< of existing proofs, variants and releases; the subject may have changed
};

struct CatalogToCertify {
  Catalog catalog;
  std::vector<RecordedFile> recorded;
  std::vector<Finding> findings{};  ///< sorted; if there are any, the catalog is incomplete
};

/// Loads, and returns findings as values. `to_certify` as for load_catalog_to_certify().
CatalogToCertify load_catalog_with_findings(const std::vector<Layer>& layers,
                                            const std::set<std::string>& to_certify = {});

/// Loads as load_catalog(), but omits certificates and proof outcomes of `patchsets` that belong to other patches, pins
/// or proofs than the current ones, without findings. Raises data for everything else.
CatalogToCertify load_catalog_to_certify(const std::vector<Layer>& layers, const std::set<std::string>& patchsets);

/// Returns a loaded catalog after a change of releases and patchsets: certificates and outcomes that no longer match
/// become stale.
CatalogToCertify with_change(CatalogToCertify loaded, Catalog changed);

/// A catalog while its layers are being loaded.
struct Assembly {
  Catalog catalog;
  Findings findings;
  /// The file of each entry of `catalog.origins`, for the lines of later findings.
  std::map<std::string, DataFile> files;
  /// Entries whose file exists but cannot be read; references to them are not errors.
  std::set<std::string> unreadable;
  /// Patchsets whose stale certificates and outcomes are omitted.
  std::set<std::string> to_certify = {};
  std::vector<RecordedFile> recorded = {};

  bool is_known(const std::string& entry) const {
    return catalog.origins.count(entry) > 0 || unreadable.count(entry) > 0;
  }
  /// Adds a finding at a key in an entry's file.
  void report(const std::string& entry, const std::string& key_path, std::string message) {
    const DataFile& file = files.at(entry);
    findings.add(file.path, line_of(file.json, key_path), key_path, std::move(message));
  }
};

/// The names of entries in `origins`, `files` and findings.
inline std::string release_entry(const std::string& version) { return "release " + version; }
inline std::string board_entry(const std::string& id) { return "board " + id; }
inline std::string issue_entry(const std::string& id) { return "issue " + id; }
inline std::string patchset_entry(const std::string& id) { return "patchset " + id; }

/// Loads a layer on top of the assembly by the layer rule (docs/formats.md); problems become findings.
void load_layer(const Layer& layer, Assembly& assembly);

// Rules across files, checked after all layers are loaded.

/// Findings: a fix whose patchset is missing or of another kind, duplicate fix ids and board names, board names in a
/// `when`, `after` with an unknown patchset or a cycle, two patchsets that add the same file.
void check_references(Assembly& assembly);

}  // namespace torchpatch::catalog
