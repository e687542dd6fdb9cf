// SPDX-License-Identifier: BSD-3-Clause
/// patch certify and results record: the commands that write recorded data from real sources (certify_patches,
/// record_results), and what those that change recorded data have in common.
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

/// Returns the releases of these names, or all. Raises usage as Catalog::release.
std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names);

/// Returns patchsets/<id>.
std::string patchset_path(const std::string& id);

/// Writes files of a catalog directory by one change_catalog; returns their paths. Raises as that.
std::vector<std::string> write_recorded(const std::string& directory, const tree::FileChanges& files, Console& console);

struct CertifyOptions {
  std::string directory;              ///< catalog directory to write into (a layer)
  std::vector<std::string> releases;  ///< empty = every release of the catalog
  int jobs = 1;
  std::vector<std::string> patchsets = {};  ///< certify_patches alone; empty = every patchset
};

struct CertifyReport {
  std::vector<std::string> written;
  std::vector<std::string> removed;   ///< files of which nothing holds any more
  std::vector<std::string> left_out;  ///< objects that no source has, so that what needs them was not certified
};

/// What becomes of the recorded files of a catalog directory; elsewhere they stay.
struct StaleFiles {
  tree::FileChanges changes;           ///< the rest of those that have something stale
  std::vector<std::string> elsewhere;  ///< paths of those with something stale that lie in other directories
};

/// Rids the recorded files in a catalog directory of what is stale, of certificates that build on what a stale one
/// made, and of outcomes of the proofs of `patchsets` that are of other bytes than there are now.
StaleFiles drop_stale(const catalog::CatalogToCertify& loaded, const std::string& directory,
                      const std::set<std::string>& patchsets);

struct CertifiedChange {
  std::set<std::string> failures;  ///< everything that does not apply; where there is some, all else is empty
  tree::FileChanges certified;     ///< new files of options.directory
  StaleFiles stale;                ///< for options.patchsets; a file that is certified too is written as that
  std::vector<std::string> left_out;
};

/// Computes patchsets/<id>/certificates/<release>.json: an edge for every chain that some board, image and flag of the
/// release reaches, for each fitting variant alone, and for those that meet in a file together (where these do not
/// apply, that is a warning). With options.patchsets only those of these, and of a patchset that meets one of them in a
/// file where that gives new edges. Writes nothing. Raises usage for a name that the catalog does not have; source
/// if no source has the objects that patches touch: those of a release in options.releases, unless `goes_on` certifies
/// the chains that have all of theirs, or those of every release.
CertifiedChange certify_in_memory(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                                  const CertifyOptions& options, Console& console, bool goes_on = false);

/// Returns the error that names such failures; of kind patch.
Error certificate_error(const std::set<std::string>& failures);

/// The same, written below options.directory. Raises environment as well, and certificate_error.
CertifyReport certify_patches(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                              const CertifyOptions& options, Console& console);

/// Writes results/<release>.json below options.directory: plan digest → trees for every certified (release, board,
/// image). What is nowhere is told by warnings: a file counts by its id, a component with a submodule that is nowhere
/// has no tree. Returns the files written.
std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console);

}  // namespace torchpatch::upkeep
