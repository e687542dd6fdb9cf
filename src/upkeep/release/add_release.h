// SPDX-License-Identifier: BSD-3-Clause
/// add_release(): creates a release file from that of an older release and the sources of the new pins, which
/// resolve_pins() finds. carry_places() carries cited places over, by line mapping (line_map) and by the variables that
/// a file reads (variables_read).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/console.h"
#include "support/fields.h"

namespace torchpatch::upkeep {

/// A requested pin of a component.
struct WantedPin {
  std::string version{};             ///< empty: the release must not include it
  std::string tag{};                 ///< empty: "v" and the version
  std::optional<ObjectId> commit{};  ///< nothing: the tag's

  /// Parses "0.12.0", "0.12.0=COMMIT" or "none"; returns nothing for other text.
  static std::optional<WantedPin> parse(const std::string& text);
};

struct AddReleaseOptions {
  std::string version;
  std::string like;                       ///< empty: the previous release in the catalog
  std::map<Component, WantedPin> wanted;  ///< at least torch; other companions are looked up
  /// The network to query for tags; nothing: only local copies are read.
  std::optional<source::NetworkOptions> network{};
  std::string directory;  ///< catalog directory to write into
  std::string pins{};     ///< table of submodules: components with an archive are pinned by content; empty: none
  int jobs = 1;
};

/// Writes releases/<version>.json in options.directory: pins, dates, CMake's minimum, variables and modules at their
/// new places; what is carried over without verification is marked as unverified. An existing file with the same pins
/// is kept. Raises usage if it has others, the catalog has the release elsewhere, or has no previous one; source if the
/// pins or cited files are not available, or tags are ambiguous; environment.
ReleaseDraft add_release(const Catalog& whole, const AddReleaseOptions& options, source::ObjectSource& source,
                         Console& console);

/// A table of torch's submodules: lines "PATH COMMIT URL", or "PATH -" if no commit is known; "#" begins a line with
/// the table's source. Or nixpkgs' src.nix, recognised by name, which has the same information.
struct PinTable {
  std::map<std::string, SubmodulePin> gitlinks;
  std::vector<std::string> absent;
  std::string source;
};
/// Raises data with every line that is malformed, repeats a path, or has the commit of another line's repository.
PinTable read_pin_table(std::string_view text, const std::string& name);

/// Returns the content pin of each component with an archive in `source`, and writes their commits into the archives'
/// folders. Rows whose files are in the archive are skipped; entries of the archive's .gitmodules without a row are
/// absent. If it has no .gitmodules, URLs are spelled as in the newest release of `catalog` with them, else with ".git"
/// on github.com, so that a table gives one tree for any spelling. Raises usage if there is no archive of torch, or a
/// row's URL differs from .gitmodules.
std::map<Component, ContentPin> pin_contents(const PinTable& table, const Catalog& catalog,
                                             const source::ObjectSource& source);

// Commits for a new release: the given ones, else those of upstream's tags; and the torchvision or torchaudio that
// belongs to a torch, from their own tables: READMEs, and torchaudio's documentation.

/// A table row for one torch.
struct CompanionRow {
  std::string torch;      ///< as written: "1.10.2", "<=1.0.1", "2.1"
  std::string companion;  ///< "0.11.3"; "0.16" in a row for all of 2.1
};
FIELDS(CompanionRow, torch, companion)

/// Returns the rows for `torch` in tables of torch and `component` in a README.md, README.rst or .rst of the
/// documentation, in order: tables with '|' between cells, and list-tables.
std::vector<CompanionRow> companion_rows(std::string_view text, Component component, const Version& torch);

/// Returns whether a row gives exactly one torch and one version of the companion.
bool is_exact(const CompanionRow& row);

/// Returns the pin of a component in `like`, or in the newest release that has it, or null.
const ComponentPin* pin_before(const Catalog& catalog, const Release& like, Component component);

/// Sets the draft's pins and open companions. Searches the repositories of `source` for tags and tables; if the network
/// may be used, upstream is queried for tags instead.
///
/// Tables are read from the copies of a component at HEAD, in the branches main, master and release/…, at release tags,
/// and at the pins. Of those with a row for exactly this release the newest commit's is used, unless it lists several
/// versions; a row such as 2.1 → 0.16 decides nothing.
///
/// Raises usage if no release of the catalog has a requested component; source if the tag of a requested one is not
/// found or ambiguous, or a copy is damaged; and as tags_of_copies, tags_of_upstream.
void resolve_pins(const Catalog& catalog, const Release& like, const AddReleaseOptions& options,
                  const source::ObjectSource& source, Console& console, ReleaseDraft& draft);

/// Lines [first, end), from 1.
struct LineRange {
  std::size_t first = 0, end = 0;
  bool operator==(const LineRange&) const = default;
};

/// Indexed by line of the old file, from 1; element 0 is empty.
struct LineMap {
  std::vector<std::size_t> same;   ///< its new line number; 0 if it was removed or changed
  std::vector<LineRange> instead;  ///< the lines that replaced it, if it was removed or changed
};

/// Maps the lines of a file to those in another version of it.
LineMap line_map(const std::vector<std::string>& before, const std::vector<std::string>& after);

/// Returns the similarity of two lines, from 0 to 1, by words and punctuation; all quotation marks are equal.
double line_likeness(std::string_view a, std::string_view b);

/// Returns whether a line contains only a comment, by the file's name: Python, CMake, shell, or C++.
bool is_comment(std::string_view line, std::string_view file);

struct ReadVariable {
  std::string name;
  std::size_t line = 0;  ///< from 1
};

/// Returns the variables that the lines of a file read, in order, possibly several times: by getenv, os.environ and
/// similar, $ENV{X}, DEFINED ENV{X} and `PATHS ENV X` of CMake; CMake options USE_X and BUILD_X, which torch's build
/// takes from the environment; and single quoted names, as in the table of variables passed on. Comments and
/// assignments are ignored.
std::vector<ReadVariable> variables_read(const std::vector<std::string>& lines, std::string_view file);

/// Places cited in older releases, carried to a new release's sources.
struct CarriedPlaces {
  std::map<std::string, std::string> flags;  ///< as in Release, at their new places; only those found
  std::map<Component, std::map<std::string, std::string>> imports;
  std::vector<ChangedPlace> changed;  ///< those of them whose line changed
  std::vector<LostPlace> lost;
  std::vector<std::string> first;  ///< variables first named in these sources
  Citations citations;             ///< those that hold for the new release
  std::vector<WrongCitation> lost_citations;
  std::string cmake;  ///< the minimum version in torch's CMakeLists.txt, or empty
  PagesAtRelease pages;
  std::set<Component> older{};  ///< components of the older release with available sources
};

/// Carries the places of `like` over to the pins of `release`; those of components that it lacks are omitted. A changed
/// line maps to the most similar of the lines that replaced it that still names the variable, or to the only line of
/// the file that does. A citation holds if its line's successor contains its words. For each issue that affects the
/// release: what its page cites of the nearest earlier release must still be in the file, on any line, and what it
/// cites as absent must still be. Without the sources of a component of `like`, a place moves to the nearest line of
/// its file that names the variable. Reads in a worker. Raises source for missing objects, except files only cited or
/// searched for new variables.
CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::ObjectSource& source, Console& console);

}  // namespace torchpatch::upkeep
