// SPDX-License-Identifier: BSD-3-Clause
/// load_catalog(): data files → Catalog, layer by layer, with all findings at once.
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
  bool is_own = true;  ///< the user's; else it comes with torchpatch
};

/// Loads the layers one over the other. A layer may add entries; one whose id is already there is an error unless it
/// says
/// `"replaces": "<sha256 of the file it replaces>"`. Raises data with all findings of all files.
Catalog load_catalog(const std::vector<Layer>& layers);

/// Returns the names of what a catalog may consist of, folders with a slash at their end.
const std::vector<std::string>& catalog_parts();

// Places that a person has yet to fill: what `board new`, `issue new` and `patch new` mark.

/// What marks such a place; ": " and what belongs there follow.
inline constexpr const char* kMarker = "FILL-IN";

/// Returns the findings of loading the layers with one for each marked place of boards, issues and patchsets, which
/// takes the place of all else that was found in its line; sorted by file and line. Raises environment.
std::vector<Finding> with_marked_places(const std::vector<Layer>& layers, std::vector<Finding> findings);

// What is recorded of patchsets, some of which may go with what the catalog was before it changed.

/// A certificates/<release>.json or proofs/<release>.json.
struct RecordedFile {
  std::string path;
  std::string patchset;
  std::string release;
  bool is_proofs = false;
  bool has_stale = false;              ///< it had more than what is in place
  std::vector<CertificateEdge> edges;  ///< that are in place
  std::vector<CertificateEdge> stale;  ///< that are not
  std::vector<ProofRecord> records;    ///< of proofs, variants and releases that are there; the subject may be another
};

struct CatalogToCertify {
  Catalog catalog;
  std::vector<RecordedFile> recorded;
  std::vector<Finding> findings{};  ///< sorted; a catalog with some is not whole
};

/// Loads with the findings as values. Of `to_certify` as load_catalog_to_certify().
CatalogToCertify load_catalog_with_findings(const std::vector<Layer>& layers,
                                            const std::set<std::string>& to_certify = {});

/// Loads as load_catalog(), but certificates and outcomes of proofs of `patchsets` that go with other patches, pins or
/// proofs than there are now are left out, and are no findings. Raises data for all else.
CatalogToCertify load_catalog_to_certify(const std::vector<Layer>& layers, const std::set<std::string>& patchsets);

/// Returns a loaded catalog as it is after a change of releases and patchsets: recorded are those certificates and
/// outcomes stale that go with what is not there any more.
CatalogToCertify with_change(CatalogToCertify loaded, Catalog changed);

/// A catalog while its layers are loaded.
struct Assembly {
  Catalog catalog;
  Findings findings;
  /// The file of each entry of `catalog.origins`, for the lines of later findings.
  std::map<std::string, DataFile> files;
  /// Entries whose file is there but cannot be read; what refers to them is not to blame.
  std::set<std::string> unreadable;
  /// Patchsets whose stale certificates and outcomes are left out.
  std::set<std::string> to_certify = {};
  std::vector<RecordedFile> recorded = {};

  bool is_known(const std::string& entry) const {
    return catalog.origins.count(entry) > 0 || unreadable.count(entry) > 0;
  }
  /// Adds a finding at a key of an entry's file.
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

/// Loads a layer over the assembly by the layer rule (docs/formats.md); what is wrong is findings.
void load_layer(const Layer& layer, Assembly& assembly);

// The rules that cross files, checked when all layers are laid.

/// Findings: a fix whose patchset is not there or is of another kind, fix ids and board names that occur twice, board
/// names in a `when`, `after` that names nothing or goes in a circle, two patchsets that add one file.
void check_references(Assembly& assembly);

}  // namespace torchpatch::catalog
