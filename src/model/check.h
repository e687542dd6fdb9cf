// SPDX-License-Identifier: BSD-3-Clause
/// The result of check: CheckReport, with a CheckCell for each release, board, image and issue.
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
  applied,         ///< the patch gives what its certificate records
  environment,     ///< build variables, or a step after the build
  files,           ///< files are added
  advice,          ///< the user has to act: an advice, or an optional fix
  not_affected,    ///< excluded by release or condition, or the fix has nothing to change
  fixed_upstream,  ///< the pinned content equals the patch's result
  uncertified,     ///< applies, but has no certificate
  broken,          ///< the patch does not apply, or gives something other than its certificate records
  undecided,       ///< a fact is unknown, or a required object is not available
};
NAMES(CellStatus, applied, environment, files, advice, not_affected, fixed_upstream, uncertified, broken, undecided)

/// The result for one issue with one release, board and image.
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

/// A commit of a release's closure, or of an override that decides cells, that is unavailable or incomplete.
struct MissingCommit {
  std::string release;
  std::string text;         ///< repository, commit, URL, and why
  bool has_commit = false;  ///< it is available, but some of its files are not
};
FIELDS(MissingCommit, release, ("reason", self.text))

/// Open work on a release.
struct LeftToDo {
  std::string release;
  std::vector<std::string> sources{};    ///< keys of the unverified entries, joined per entry
  std::vector<std::string> patchsets{};  ///< that have a variant for it, but neither a proof nor a reason why not
  std::vector<std::string> unported{};   ///< without a variant for it, although they fix an issue that affects it
};
FIELDS(LeftToDo, release, ("unverified", derived([&] { return self.sources.size(); })),
       ("unproven", derived([&] { return self.patchsets.size(); })), sources, patchsets, unported)

/// The result of checking the places in upstream's sources that the catalog cites; numbers of places checked.
struct CitationCheck {
  std::int64_t flags = 0;     ///< of releases: where variables are read and modules are imported
  std::int64_t pages = 0;     ///< of issues
  std::int64_t releases = 0;  ///< in the sources' texts of releases
  std::int64_t boards = 0;    ///< in those of boards
  std::int64_t advisories = 0;
  std::int64_t absences = 0;  ///< places of any file cited as absent
  std::int64_t not_here = 0;  ///< not checked: commits or files not available
  std::vector<WrongCitation> wrong;

  std::int64_t checked() const { return flags + pages + releases + boards + advisories + absences; }
};
FIELDS(CitationCheck, ("checked", derived([&] { return self.checked(); })), flags, pages, releases, boards, advisories,
       absences, wrong, not_here)

struct CheckReport {
  bool has_sources = false;            ///< false: no patch was applied
  std::vector<Finding> findings;       ///< in the data; if the catalog has any, there are no cells
  std::vector<std::string> releases;   ///< checked, in order
  std::vector<std::string> boards;     ///< checked, in order
  std::vector<CheckCell> cells;        ///< by release, board, image, issue
  std::vector<MissingCommit> missing;  ///< by release
  CitationCheck citations;             ///< checked if there are sources
  std::vector<LeftToDo> left;          ///< open work on the named releases
};
/// Returns the number of cells of each status.
inline std::map<CellStatus, std::size_t> count_cells(const CheckReport& report) {
  std::map<CellStatus, std::size_t> counts;
  for (const auto& [status, name] : kNamesOf<CellStatus>) counts[status] = 0;
  for (const CheckCell& cell : report.cells) ++counts[cell.status];
  return counts;
}
/// The cells: hundreds of thousands, which report/check writes one per line.
struct CellLines {
  Json json() const { return Json::array(); }
};
FIELDS(CheckReport, ("schema", SchemaVersion{}), ("sources", self.has_sources), releases, boards,
       ("counts", derived([&] { return count_cells(self); })), findings, missing, left, citations,
       ("cells", CellLines{}))

}  // namespace torchpatch
