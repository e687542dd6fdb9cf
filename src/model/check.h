// SPDX-License-Identifier: BSD-3-Clause
/// What check found: CheckReport, by CheckCell for each release, board, image and issue.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/citation.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

enum class CellStatus {
  applied,         ///< a patch, and it gives what its certificate says
  environment,     ///< variables of the build, or a step after it
  files,           ///< files are added
  advice,          ///< the user has to act: an advice, or a fix to be asked for
  not_affected,    ///< release or condition says no, or what the fix changes is not there
  fixed_upstream,  ///< the pinned content is what the patch would make
  uncertified,     ///< applies, but no certificate says what the patch makes
  broken,          ///< the patch does not apply, or makes something else than its certificate says
  undecided,       ///< a fact is unknown, or an object that decides is nowhere
};
NAMES(CellStatus, applied, environment, files, advice, not_affected, fixed_upstream, uncertified, broken, undecided)

/// What becomes of one issue for one release, board and image.
struct CheckCell {
  std::string release;
  std::string board;
  std::string image;
  std::string issue;
  CellStatus status = CellStatus::not_affected;
  std::string fix;      ///< or empty
  std::string variant;  ///< of its patchset, or empty
  std::string reason;
};
FIELDS(CheckCell, release, board, image, issue, status, ("fix", self.fix, kNullIfNothing),
       ("variant", self.variant, kNullIfNothing), reason)

/// A commit of a release's closure, or of an override that decides cells, that is nowhere or not whole.
struct MissingCommit {
  std::string release;
  std::string text;         ///< repository, commit, URL, and why
  bool has_commit = false;  ///< it is there, and files of it are nowhere
};
FIELDS(MissingCommit, release, ("reason", self.text))

/// What nobody has looked at yet of a release.
struct LeftToDo {
  std::string release;
  std::vector<std::string> sources{};    ///< keys of the unverified entries, those of one entry joined
  std::vector<std::string> patchsets{};  ///< with a variant for it, and neither a proof nor a reason why there is none
  std::vector<std::string> unported{};   ///< without a variant for it, although they fix an issue that affects it
};
FIELDS(LeftToDo, release, ("unverified", derived([&] { return self.sources.size(); })),
       ("unproven", derived([&] { return self.patchsets.size(); })), sources, patchsets, unported)

/// What became of the places in upstream's sources that the catalog names; numbers of places that were looked at.
struct CitationCheck {
  std::int64_t flags = 0;     ///< of releases: where variables are read and modules imported
  std::int64_t pages = 0;     ///< of issues
  std::int64_t releases = 0;  ///< of the sources' texts of releases
  std::int64_t boards = 0;    ///< and of boards
  std::int64_t advisories = 0;
  std::int64_t absences = 0;  ///< what is said not to be there, of any file
  std::int64_t not_here = 0;  ///< whose commits or files are nowhere, and that were not looked at
  std::vector<WrongCitation> wrong;

  std::int64_t checked() const { return flags + pages + releases + boards + advisories + absences; }
};
FIELDS(CitationCheck, ("checked", derived([&] { return self.checked(); })), flags, pages, releases, boards, advisories,
       absences, wrong, not_here)

struct CheckReport {
  bool has_sources = false;            ///< false: no patch was applied
  std::vector<Finding> findings;       ///< of the data; where there are any in the catalog, there are no cells
  std::vector<std::string> releases;   ///< that were checked, in order
  std::vector<std::string> boards;     ///< that were checked, in order
  std::vector<CheckCell> cells;        ///< by release, board, image, issue
  std::vector<MissingCommit> missing;  ///< by release
  CitationCheck citations;             ///< with sources
  std::vector<LeftToDo> left;          ///< of the releases that were named, those with something
};
/// Returns the number of cells of each status.
inline std::map<CellStatus, std::size_t> count_cells(const CheckReport& report) {
  std::map<CellStatus, std::size_t> counts;
  for (const auto& [status, name] : kNamesOf<CellStatus>) counts[status] = 0;
  for (const CheckCell& cell : report.cells) ++counts[cell.status];
  return counts;
}
/// The cells: hundreds of thousands, which report/check writes one a line.
struct CellLines {
  Json json() const { return Json::array(); }
};
FIELDS(CheckReport, ("schema", SchemaVersion{}), ("sources", self.has_sources), releases, boards,
       ("counts", derived([&] { return count_cells(self); })), findings, missing, left, citations,
       ("cells", CellLines{}))

}  // namespace torchpatch
