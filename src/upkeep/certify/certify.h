// SPDX-License-Identifier: BSD-3-Clause
/// patch certify and results record: write recorded data from real sources (certify_patches, record_results), and what
/// commands that change recorded data share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "support/error.h"
#include "tree/staging.h"

namespace torchpatch::upkeep {

/// Returns the releases with these names, or all. Raises usage as Catalog::release.
std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names);

/// Returns patchsets/<id>.
std::string patchset_path(const std::string& id);

/// Writes files of a catalog directory by one change_catalog; returns their paths. Raises as change_catalog.
std::vector<std::string> write_recorded(const std::string& directory, const tree::FileChanges& files, Console& console);

struct CertifyOptions {
  std::string directory;              ///< catalog directory to write into (a layer)
  std::vector<std::string> releases;  ///< empty = all of the catalog
  int jobs = 1;
  std::vector<std::string> patchsets = {};  ///< for certify_patches; empty = all
};

struct CertifyReport {
  std::vector<std::string> written;
  std::vector<std::string> removed;   ///< files with nothing valid left
  std::vector<std::string> left_out;  ///< missing objects, so that what needs them was not certified
};

/// What happens to recorded files of a catalog directory; files elsewhere are kept.
struct StaleFiles {
  tree::FileChanges changes;           ///< what remains of those with stale entries
  std::vector<std::string> elsewhere;  ///< paths of files with stale entries in other directories
};

/// Removes from the recorded files of a catalog directory what is stale, certificates that build on a stale one, and
/// outcomes of proofs of `patchsets` for other bytes than the current ones.
StaleFiles drop_stale(const catalog::CatalogToCertify& loaded, const std::string& directory,
                      const std::set<std::string>& patchsets);

struct CertifiedChange {
  std::set<std::string> failures;  ///< everything that does not apply; if not empty, all else is empty
  tree::FileChanges certified;     ///< new files of options.directory
  StaleFiles stale;                ///< for options.patchsets; a file that is also certified is written as certified
  std::vector<std::string> left_out;
};

/// Computes patchsets/<id>/certificates/<release>.json: an edge for every chain reached by some board, image and flag
/// of the release, for each matching variant alone, and for those that share a file together (if these do not apply,
/// that is a warning). With options.patchsets only for those, and for patchsets that share a file with one of them if
/// that gives new edges. Writes nothing. Raises usage for unknown names; source if objects that patches touch are
/// missing: for any release in options.releases, unless `goes_on` certifies the chains that are complete, or for every
/// release.
CertifiedChange certify_in_memory(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                                  const CertifyOptions& options, Console& console, bool goes_on = false);

/// Returns the error of kind patch that lists such failures.
Error certificate_error(const std::set<std::string>& failures);

/// The same, and writes the result in options.directory. Also raises environment, and certificate_error.
CertifyReport certify_patches(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                              const CertifyOptions& options, Console& console);

/// Writes results/<release>.json in options.directory: plan digest → trees for every certified (release, board, image).
/// Missing objects are warnings: a file counts by its id, a component with a missing submodule has no tree. Returns the
/// files written.
std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console);

}  // namespace torchpatch::upkeep
