// SPDX-License-Identifier: BSD-3-Clause
/// patch new, patch edit and patch refresh: a repository with the pinned files that patches touch and a commit for each
/// patch, and the patches made of it again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/patch_work.h"
#include "record/json.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "support/json_fields.h"
#include "support/object_id.h"
#include "support/text.h"

namespace torchpatch::upkeep {

/// The id of a commit, or empty. Somebody may have handed the file over: git is to take it for nothing else.
struct CommitName {
  std::string& id;
  Json json() const { return id; }
  void read(const JsonPlace& place) const {
    if (!place.is(Json::Kind::string)) return;
    id = place.value.string;
    if (!id.empty() && !ObjectId::parse(id)) place.report(concat(quote(id), " is not the id of a commit"));
  }
};

/// The path of a file in its repository; empty: all of the repository.
struct PathInRepository {
  std::string& path;
  Json json() const { return path; }
  void read(const JsonPlace& place) const {
    if (place.value.kind != Json::Kind::string || !place.value.string.empty()) record::OutputPath{path}.read(place);
  }
};

/// A patch of the work.
struct WorkPatch {
  std::string file;  ///< relative to the patchset
  RepositoryPath repository;
  std::string sha256;  ///< of the file in the catalog; empty where it is a new one
  std::string commit;  ///< of the work, as it was written
};

template <typename Fields>
void fields(Fields& f, WorkPatch& patch) {
  f("file", record::OutputPath{patch.file});
  f("repository", patch.repository);
  f("sha256", patch.sha256);
  f("commit", CommitName{patch.commit});
}

/// A file that may change.
struct WorkFile {
  RepositoryPath repository;
  std::string path;
  auto operator<=>(const WorkFile&) const = default;
};
template <typename Fields>
void fields(Fields& f, WorkFile& file) {
  f("repository", file.repository);
  f("path", PathInRepository{file.path});
}

/// Where the catalog and the sources of a work come from.
struct WorkOrigin {
  std::vector<std::string> catalogs;  ///< of --catalog; directories absolute
  std::string source;
  std::vector<std::string> mirrors;  ///< absolute
};
FIELDS(WorkOrigin, catalogs, source, mirrors)

/// What a work directory says of itself: .git/torchpatch.json.
struct PatchWork {
  std::string patchset, variant, version;
  std::string directory;  ///< catalog directory that has the patchset, absolute
  WorkOrigin origin;
  std::string described;                    ///< sha256 of patchset.json; empty where the patchset is a new one
  std::string base;                         ///< commit of the pinned files
  std::map<std::string, std::string> pins;  ///< component → commit
  std::vector<WorkFile> files;
  std::vector<WorkPatch> patches;
};
template <typename Fields>
void fields(Fields& f, PatchWork& work) {
  f.schema(1);
  f("patchset", record::OutputPath{work.patchset});
  f("variant", work.variant);
  f("version", work.version);
  f("directory", work.directory);
  f("origin", work.origin);
  f("described", work.described);
  f("base", CommitName{work.base});
  f("pins", work.pins);
  f("files", work.files);
  f("patches", work.patches);
}

/// Raises environment where the directory is none that patch new or patch edit made, data where its state is damaged,
/// unsafe where that or anything in the directory leads to files elsewhere (git::refuse_traps).
PatchWork read_patch_work(const std::string& work);

struct NewPatchWork {
  std::string patchset;
  std::string variant;  ///< of a patchset that is there; empty: a new patchset with one variant
  std::string version;
  RepositoryPath repository;       ///< of the files, and of a new patch
  std::vector<std::string> files;  ///< that may change, besides those that the patches touch
  std::string work;                ///< an empty or new directory
  std::string into;                ///< of a new patchset: the catalog directory
  WorkOrigin origin;
  std::string today;  ///< "2026-11-25"
};

/// Writes the work; returns what it says of itself. Raises usage: unknown names, a variant that is not for the release,
/// an id that is taken; patch: a patch does not apply, a path that is a directory or submodule; source; environment.
PatchWork begin_patch_work(const NewPatchWork& wanted, const Catalog& catalog,
                           const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console);

/// Writes the patches of a work anew, with their digests, drops what was recorded of the old ones, and certifies the
/// work's release again, by one change_catalog; layers over the patchset's lose what was recorded there before that. A
/// patch that is as it was keeps its bytes. Raises patch, before anything is written: pins or patches changed since,
/// commits that are not one for each patch in their order, marks of conflicts, a change that is empty or outside the
/// work's files, a header that lint_patch has something against; and as certify_patches.
RefreshReport refresh_patch_work(const std::string& work, PatchWork state, const catalog::CatalogToCertify& loaded,
                                 const std::vector<catalog::Layer>& layers, source::ObjectSource& source,
                                 const std::string& today, int jobs, Console& console);

}  // namespace torchpatch::upkeep
