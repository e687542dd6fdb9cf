// SPDX-License-Identifier: BSD-3-Clause
/// add_release(): a release file by the one of an older release and the sources of the new pins, which are found by
/// resolve_pins(). carry_places() carries places in sources over, by where lines went (line_map) and which variables a
/// file reads (variables_read).
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

/// What is asked of a component.
struct WantedPin {
  std::string version{};             ///< empty: the release shall not have it
  std::string tag{};                 ///< empty: "v" and the version
  std::optional<ObjectId> commit{};  ///< nothing: that of the tag

  /// Returns the pin of "0.12.0", "0.12.0=COMMIT" or "none", or nothing.
  static std::optional<WantedPin> parse(const std::string& text);
};

struct AddReleaseOptions {
  std::string version;
  std::string like;                       ///< empty: the newest release of the catalog before it
  std::map<Component, WantedPin> wanted;  ///< torch at least; companions that are not here are looked up
  /// Where the network may be asked for tags; nothing: only the local copies are read.
  std::optional<source::NetworkOptions> network{};
  std::string directory;  ///< catalog directory to write into
  std::string pins{};  ///< table of submodules: the archives of components are pinned by content; empty: they are not
  int jobs = 1;
};

/// Writes releases/<version>.json below options.directory: pins, dates, CMake's minimum, variables and modules at the
/// places that they moved to; what is carried over without having been derived is marked as not verified. A file that
/// is there with the same pins stays. Raises usage where it has others, the catalog has the release elsewhere, or none
/// is before it;
/// source where the pins or the files that are cited are nowhere, or tags do not say which commit is meant;
/// environment.
ReleaseDraft add_release(const Catalog& whole, const AddReleaseOptions& options, source::ObjectSource& source,
                         Console& console);

/// Submodules of torch, as a table says: lines "PATH COMMIT URL", or "PATH -" where no commit is known; "#" begins a
/// line that says where the others come from. Or a src.nix of nixpkgs, by its name, which has the same facts.
struct PinTable {
  std::map<std::string, SubmodulePin> gitlinks;
  std::vector<std::string> absent;
  std::string source;
};
/// Raises data with every line that is none, names a path again, or has the commit of another line's repository.
PinTable read_pin_table(std::string_view text, const std::string& name);

/// Returns the content pin of each component that an archive of `source` is for, and writes their commits into the
/// folders of the archives. A row with files in the archive is left out; what .gitmodules of the archive names and the
/// table does not is absent. Where the archive has no .gitmodules, a URL is spelled as in the newest release of
/// `catalog` that has it, else with ".git" on github.com: one table gives one tree, however it spells them. Raises
/// usage where no archive is torch's, or a row has another URL than .gitmodules.
std::map<Component, ContentPin> pin_contents(const PinTable& table, const Catalog& catalog,
                                             const source::ObjectSource& source);

// Which commits a new release pins: those that were given, else those of upstream's tags; and which torchvision or
// torchaudio goes with a torch, as their own tables say: README, and torchaudio's documentation.

/// What a row of a table says of one torch.
struct CompanionRow {
  std::string torch;      ///< as it stands there: "1.10.2", "<=1.0.1", "2.1"
  std::string companion;  ///< "0.11.3"; "0.16" in a row for all of 2.1
};
FIELDS(CompanionRow, torch, companion)

/// Returns the rows for `torch` of the tables of torch and `component` in a README.md, README.rst or .rst of the
/// documentation, in order: tables with '|' between their cells, and list-tables.
std::vector<CompanionRow> companion_rows(std::string_view text, Component component, const Version& torch);

/// Returns whether a row names this torch and one version of the companion, so that nothing is left to choose.
bool is_exact(const CompanionRow& row);

/// Returns what the catalog says of a component in `like`, or in its newest release that has it, or null.
const ComponentPin* pin_before(const Catalog& catalog, const Release& like, Component component);

/// Fills in the draft's pins and open companions. Looks for tags and tables in the repositories of `source`; for tags
/// upstream is asked instead where the network may be used.
///
/// The tables are those that the copies of a component have at HEAD, in the branches main, master and release/…, at the
/// tags of releases, and at the pins. Of those that have a row for that very release the newest commit's counts, unless
/// it names several versions; a row such as 2.1 → 0.16 decides nothing.
///
/// Raises usage where no release of the catalog has a component that is asked for; source where the tag of what is
/// asked for is nowhere or is not the same everywhere, or a copy is damaged; and as tags_of_copies, tags_of_upstream.
void resolve_pins(const Catalog& catalog, const Release& like, const AddReleaseOptions& options,
                  const source::ObjectSource& source, Console& console, ReleaseDraft& draft);

/// Lines [first, end), from 1.
struct LineRange {
  std::size_t first = 0, end = 0;
  bool operator==(const LineRange&) const = default;
};

/// Both for each line of the old file, from 1; element 0 is empty.
struct LineMap {
  std::vector<std::size_t> same;   ///< the line that it became; 0 where it is gone or was changed
  std::vector<LineRange> instead;  ///< what stands there now where it is gone or was changed
};

/// Returns where the lines of a file went in another version of it.
LineMap line_map(const std::vector<std::string>& before, const std::vector<std::string>& after);

/// Returns how much two lines have in common, from 0 to 1, by their words and signs; one quotation mark is like
/// another.
double line_likeness(std::string_view a, std::string_view b);

/// Returns whether a line of a file has nothing but a comment, by the file's name: Python, CMake, shell, or C++.
bool is_comment(std::string_view line, std::string_view file);

struct ReadVariable {
  std::string name;
  std::size_t line = 0;  ///< from 1
};

/// Returns what the lines of a file read, in order, perhaps one name at several lines: by getenv, os.environ and their
/// likes, $ENV{X}, DEFINED ENV{X} and `PATHS ENV X` of CMake; CMake's options USE_X and BUILD_X, which torch's build
/// takes from the environment; and names alone in quotes, as in the table of those that it passes on. Comments and what
/// sets a variable read nothing.
std::vector<ReadVariable> variables_read(const std::vector<std::string>& lines, std::string_view file);

/// What the sources of a new release say of what older ones cite.
struct CarriedPlaces {
  std::map<std::string, std::string> flags;  ///< as Release has them, at their new places; those that were found
  std::map<Component, std::map<std::string, std::string>> imports;
  std::vector<ChangedPlace> changed;  ///< of these, those whose line is another
  std::vector<LostPlace> lost;
  std::vector<std::string> first;  ///< variables that these sources name for the first time
  Citations citations;             ///< those that hold, of the new release
  std::vector<WrongCitation> lost_citations;
  std::string cmake;  ///< lowest version that torch's CMakeLists.txt takes, or empty
  PagesAtRelease pages;
  std::set<Component> older{};  ///< components of the older release whose sources are available
};

/// Carries the places of `like` over to the pins of `release`; variables and modules of components that it has not are
/// left out. A line that was changed is carried over to the one in its place that is most like it and still names the
/// variable, or to the only line of the file that does. Citations hold where the line that theirs became has their
/// words. Of each issue that affects the release: what its page cites of the nearest release before must be in the file
/// still, on whatever line, and what it says is absent must not have come.
/// Without the sources of a component of `like`, a place moves to the nearest line of its file that names the variable.
/// Reads in a worker. Raises source for what is nowhere, but for files that are only cited or looked at for new
/// variables.
CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::ObjectSource& source, Console& console);

}  // namespace torchpatch::upkeep
