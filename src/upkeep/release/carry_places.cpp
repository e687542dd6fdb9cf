// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/add_release.h"

#include <algorithm>
#include <functional>
#include <set>

#include "support/text.h"
#include "support/wire.h"
#include "upkeep/check/check.h"

namespace torchpatch::upkeep {

FIELDS(CarriedPlaces, flags, imports, changed, lost, first, ("present", self.citations.present),
       ("absent", self.citations.absent), lost_citations, cmake, pages, older)

namespace {

/// Limits of reported candidates per lost place, and of the length of a reported line.
constexpr std::size_t kMaxCandidates = 3, kMaxLine = 90;
/// Limit of files of the same name to search if the file with a place is gone.
constexpr std::size_t kMaxNamesakes = 8;
/// Minimum similarity of a changed line to be the same place.
constexpr double kSamePlace = 0.5;

/// A file in two releases, with the mapping of its lines.
struct FilePair {
  std::vector<std::string> before, after;
  LineMap map;
  bool is_compared = true;            ///< false: the older text is not available
  std::vector<ReadVariable> reads{};  ///< of the new text
};

std::string place_at(const CitedFile& file, std::size_t line) { return concat(cited_file_text(file), ":", line); }

std::string shortened(const std::string& line) { return std::string(trim(line)).substr(0, kMaxLine); }

/// Returns "setup.py:14: os.getenv('NAME')".
std::string place_with_line(const CitedFile& file, std::size_t line, const FilePair& pair) {
  return concat(place_at(file, line), ": ", shortened(pair.after[line - 1]));
}

/// Returns the lines in a range of the new file, without comments, for which `holds` is true, most similar to the old
/// one first.
template <typename Holds>
std::vector<std::size_t> likely_lines(const FilePair& pair, const std::string& file, const std::string& old_line,
                                      LineRange range, Holds holds) {
  std::vector<std::size_t> found;
  for (std::size_t line = range.first; line < range.end; ++line)
    if (!is_comment(pair.after[line - 1], file) && holds(pair.after[line - 1])) found.push_back(line);
  std::map<std::size_t, double> likeness;
  for (const std::size_t line : found) likeness[line] = line_likeness(old_line, pair.after[line - 1]);
  std::ranges::stable_sort(found, std::greater<>(), [&](std::size_t line) { return likeness[line]; });
  return found;
}

LineRange all_lines(const FilePair& pair) { return {1, pair.after.size() + 1}; }

/// Returns the line that is clearly the same, or 0.
std::size_t same_line(const FilePair& pair, const std::string& old_line, const std::vector<std::size_t>& lines) {
  const auto likeness = [&](std::size_t line) { return line_likeness(old_line, pair.after[line - 1]); };
  if (lines.empty() || likeness(lines[0]) < kSamePlace) return 0;
  return lines.size() == 1 || likeness(lines[1]) < likeness(lines[0]) ? lines[0] : 0;
}

/// Carries places from one release to another, reading each file once.
class PlaceCarrier {
 public:
  PlaceCarrier(const Catalog& catalog, const Release& like, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), like_(like), release_(release), lookup_(lookup) {}

  CarriedPlaces carry() {
    for (const auto& [component, pin] : like_.components)
      if (release_.find(component) && is_there(component)) result_.older.insert(component);
    std::set<std::string> known;
    for (const auto& [name, at] : like_.flags) {
      known.insert(name);
      if (const std::string place = carry_place(name, at); !place.empty()) result_.flags[name] = place;
    }
    for (const auto& [component, modules] : like_.imports) {
      if (!release_.find(component)) continue;
      for (const auto& [module, at] : modules)
        if (const std::string place = carry_place(module, at); !place.empty())
          result_.imports[component][module] = place;
    }
    read_more();
    for (LostPlace& place : result_.lost) place.candidates = candidates_for(place);
    find_first(std::move(known));
    find_cmake();
    for (const Citation& each : like_.citations.present)
      carry_citation(each, result_.citations.present, [&](std::string& found) { return cited_place(each, found); });
    for (const Citation& each : like_.citations.absent)
      carry_citation(each, result_.citations.absent, [&](std::string& found) {
        found = absence_problem(find_cited_file(release_, parse_cited_file(each.place), lookup_), each.words);
        return found.empty() ? each.place : "";
      });
    return std::move(result_);
  }

 private:
  /// Returns whether a component's commit in the older release is available.
  bool is_there(Component component) try {
    return lookup_.find_repository(like_, {component, ""}) != nullptr;
  } catch (const source::MissingObject&) {
    return false;
  }

  std::vector<std::string> read(const Release& release, const CitedFile& file) {
    const std::string* text = find_cited_file(release, file, lookup_);
    return split(text ? *text : "", '\n');
  }

  const FilePair& pair_of(const CitedFile& file) {
    if (const auto known = pairs_.find(file); known != pairs_.end()) return known->second;
    FilePair pair;
    try {
      pair.is_compared = result_.older.contains(file.repository.component);
      if (pair.is_compared) pair.before = read(like_, file);
    } catch (const source::MissingObject&) {
      pair.is_compared = false;
    }
    pair.after = read(release_, file);
    pair.map = line_map(pair.before, pair.after);
    pair.reads = variables_read(pair.after, file.path);
    return pairs_[file] = std::move(pair);
  }

  /// Returns the line of the new file nearest to the old place for which `holds` is true, or 0.
  template <typename Holds>
  static std::size_t nearest_line(const FilePair& pair, const CitedPlace& place, Holds holds) {
    const auto distance = [&](std::size_t line) { return std::max(line, place.line) - std::min(line, place.line); };
    std::size_t nearest = 0;
    for (std::size_t line = 1; line <= pair.after.size(); ++line)
      if (holds(line) && (nearest == 0 || distance(line) < distance(nearest))) nearest = line;
    return nearest;
  }

  /// Returns the new place, or empty text if it is lost or the release lacks its component.
  std::string carry_place(const std::string& name, const std::string& place) {
    const CitedPlace parts = parse_cited_place(place);
    if (!release_.find(parts.file.repository.component)) return {};
    const FilePair& pair = pair_of(parts.file);
    if (!pair.is_compared) {
      const auto reads = [&](std::size_t line) {
        return std::ranges::any_of(pair.reads,
                                   [&](const ReadVariable& each) { return each.name == name && each.line == line; });
      };
      const auto names = [&](std::size_t line) {  // possibly just to print it
        return !is_comment(pair.after[line - 1], parts.file.path) &&
               line_reads(pair.after[line - 1], name, catalog_.variables);
      };
      std::size_t nearest = nearest_line(pair, parts, reads);
      if (nearest == 0) nearest = nearest_line(pair, parts, names);
      if (nearest > 0) {
        result_.changed.push_back({name, place, place_at(parts.file, nearest), shortened(pair.after[nearest - 1])});
        return result_.changed.back().after;
      }
    } else if (parts.line > 0 && parts.line < pair.map.same.size()) {
      if (const std::size_t moved = pair.map.same[parts.line]) return place_at(parts.file, moved);
      const std::string& line = pair.before[parts.line - 1];
      const bool is_named = has_word(line, name);  // not only a part of it
      const auto names = [&](const std::string& each) {
        return is_named ? has_word(each, name) : line_reads(each, name, catalog_.variables);
      };
      std::size_t changed =
          same_line(pair, line, likely_lines(pair, parts.file.path, line, pair.map.instead[parts.line], names));
      if (changed == 0) {
        const auto says = [&](const std::string& each) { return has_word(each, name); };
        const std::vector<std::size_t> all = likely_lines(pair, parts.file.path, line, all_lines(pair), says);
        if (all.size() == 1) changed = same_line(pair, line, all);
      }
      if (changed > 0) {
        result_.changed.push_back({name, place, place_at(parts.file, changed), shortened(pair.after[changed - 1])});
        return result_.changed.back().after;
      }
    }
    result_.lost.push_back({name, place, {}});
    return {};
  }

  /// Reads the files that may have new variables.
  void read_more() {
    const source::LocatedRepository* torch = lookup_.find_repository(release_, {Component::torch, ""});
    if (!torch) return;
    const auto folder = lookup_.find(*torch, "cmake");
    if (!folder || folder->mode != FileMode::directory) return;
    for (const source::PinnedEntry& entry : lookup_.list(*torch, "cmake")) {
      if (!ends_with(entry.path, ".cmake") && !ends_with(entry.path, "CMakeLists.txt")) continue;
      try {
        pair_of({{Component::torch, ""}, entry.path});
      } catch (const source::MissingObject&) {
      }  // not cited
    }
  }

  /// Returns where a variable may be read now: in its file; if that is gone, in files of the same name; anywhere.
  std::vector<std::string> candidates_for(const LostPlace& place) {
    const CitedFile file = parse_cited_place(place.before).file;
    std::vector<std::string> found = candidates_in(place, file, pair_of(file));
    if (found.empty()) found = candidates_in_namesakes(place, file);
    if (found.empty()) {
      std::vector<std::string> other;  // components
      for (const auto& [each, pair] : pairs_)
        for (const ReadVariable& read : pair.reads)
          if (read.name == place.name)
            (each.repository.component == file.repository.component ? found : other)
                .push_back(place_with_line(each, read.line, pair));
      std::ranges::move(other, std::back_inserter(found));
    }
    found.resize(std::min(found.size(), kMaxCandidates));
    return found;
  }

  std::vector<std::string> candidates_in(const LostPlace& place, const CitedFile& file, const FilePair& pair) const {
    const std::size_t line = parse_cited_place(place.before).line;
    const std::string old_line = line > 0 && line <= pair.before.size() ? pair.before[line - 1] : "";
    const auto names = [&](const std::string& text) { return line_reads(text, place.name, catalog_.variables); };
    std::vector<std::string> found;
    for (const std::size_t each : likely_lines(pair, file.path, old_line, all_lines(pair), names))
      if (found.size() < kMaxCandidates) found.push_back(place_with_line(file, each, pair));
    return found;
  }

  /// For a file that is gone: returns candidates in files of its name, which may be its new location; none if there are
  /// many.
  std::vector<std::string> candidates_in_namesakes(const LostPlace& place, const CitedFile& gone) {
    std::vector<std::string> found, paths;
    try {
      if (find_cited_file(release_, gone, lookup_)) return {};
      const std::string name = gone.path.substr(gone.path.rfind('/') + 1);
      const source::LocatedRepository* located = lookup_.find_repository(release_, gone.repository);
      if (!located) return {};
      for (const source::PinnedEntry& entry : lookup_.list(*located, ""))
        if (entry.path == name || ends_with(entry.path, "/" + name)) paths.push_back(entry.path);
      if (paths.size() > kMaxNamesakes) return {};
      for (const std::string& path : paths) {
        const CitedFile file{gone.repository, path};
        const FilePair pair{pair_of(gone).before, read(release_, file), {}};
        std::ranges::move(candidates_in(place, file, pair), std::back_inserter(found));
      }
    } catch (const source::MissingObject&) {
    }  // missing: no candidates
    return found;
  }

  void find_first(std::set<std::string> known) {
    for (const auto& [file, pair] : pairs_)
      for (const ReadVariable& each : variables_read(pair.before, file.path)) known.insert(each.name);
    for (const auto& [file, pair] : pairs_) {
      if (!pair.is_compared) continue;  // unknown which are new
      for (const ReadVariable& each : pair.reads)
        if (known.insert(each.name).second)
          result_.first.push_back(concat(each.name, " at ", place_with_line(file, each.line, pair)));
    }
  }

  /// Parses cmake_minimum_required(VERSION 3.5 FATAL_ERROR).
  void find_cmake() {
    constexpr std::string_view kStart = "cmake_minimum_required(VERSION ";
    const std::string text = join(read(release_, {{Component::torch, ""}, "CMakeLists.txt"}), "\n");
    std::string_view rest = text;
    for (std::size_t at = rest.find(kStart); at != std::string_view::npos; at = rest.find(kStart)) {
      rest.remove_prefix(at + kStart.size());
      std::string_view version = rest.substr(0, rest.find_first_not_of("0123456789."));
      version = version.substr(0, version.find(".."));  // VERSION 3.5...3.20 allows later policies
      if (version.ends_with('.')) version.remove_suffix(1);
      if (version.starts_with('.') || version.find('.') == std::string_view::npos) continue;
      result_.cmake = version;
      return;
    }
  }

  /// Records the result for a citation. `carry(found)` returns its new place, or empty text with the actual line set.
  template <typename Carry>
  void carry_citation(const Citation& citation, std::vector<Citation>& held, Carry carry) {
    if (citation.release != like_.version.text()) return;
    std::string place, found;
    try {
      place = carry(found);
    } catch (const source::MissingObject& missing) {
      found = missing.message();
    }
    if (place.empty())
      result_.lost_citations.push_back({.place = citation.place, .words = citation.words, .found = found});
    else
      held.push_back({release_.version.text(), place, citation.words});
  }

  std::string cited_place(const Citation& citation, std::string& found) {
    const CitedPlace parts = parse_cited_place(citation.place);
    const FilePair& pair = pair_of(parts.file);
    if (!pair.is_compared) {
      const auto has_words = [&](std::size_t line) {
        return pair.after[line - 1].find(citation.words) != std::string::npos;
      };
      const std::size_t nearest = nearest_line(pair, parts, has_words);
      return nearest > 0 ? place_at(parts.file, nearest) : "";
    }
    if (parts.line == 0 || parts.line >= pair.map.same.size()) return {};
    if (const std::size_t moved = pair.map.same[parts.line]) return place_at(parts.file, moved);
    const std::string& old_line = pair.before[parts.line - 1];
    const std::vector<std::size_t> lines = likely_lines(pair, parts.file.path, old_line, pair.map.instead[parts.line],
                                                        [](const std::string&) { return true; });
    for (const std::size_t each : lines)
      if (pair.after[each - 1].find(citation.words) != std::string::npos) return place_at(parts.file, each);
    if (!lines.empty() && line_likeness(old_line, pair.after[lines[0] - 1]) >= kSamePlace)
      found = concat("line ", lines[0], " is ", quote(shortened(pair.after[lines[0] - 1])));
    return {};
  }

  const Catalog& catalog_;
  const Release& like_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  std::map<CitedFile, FilePair> pairs_;
  CarriedPlaces result_;
};

/// Returns the newest release before `version` that a page cites, as written there; or empty text.
std::string nearest_cited(const Citations& citations, const Version& version) {
  std::optional<Version> nearest;
  for (const auto* list : {&citations.present, &citations.absent}) {
    for (const Citation& each : *list) {
      const auto cited = Version::parse(each.release);
      if (cited && *cited < version && (!nearest || *nearest < *cited)) nearest = cited;
    }
  }
  return nearest ? nearest->text() : "";
}

/// Checks the pages of the issues that affect a release; missing objects are skipped.
PagesAtRelease look_at_pages(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup) {
  PagesAtRelease pages;
  for (const auto& [id, issue] : catalog.issues) {
    if (!affects(issue, release.version)) continue;
    ++pages.affecting;
    const std::string cited = nearest_cited(issue.citations, release.version);
    if (cited.empty()) continue;
    ++pages.cited;
    for (const auto* list : {&issue.citations.present, &issue.citations.absent}) {
      for (const Citation& each : *list) {
        if (each.release != cited) continue;
        try {
          const bool is_absence = list == &issue.citations.absent;
          const CitedFile file = is_absence ? parse_cited_file(each.place) : parse_cited_place(each.place).file;
          const std::string* const text = find_cited_file(release, file, lookup);
          std::string found;
          if (is_absence) {
            found = absence_problem(text, each.words);
            if (!found.empty()) found += concat(", and the page states that ", each.release, " lacks it");
          } else if (!text) {
            found = "no such file";
          } else if (text->find(each.words) == std::string::npos) {
            found = "no line has it";
          }
          if (!found.empty()) pages.doubts.push_back({"", id, each.release, each.place, each.words, found});
        } catch (const source::MissingObject&) {
        } catch (const source::RefusedUrl&) {  // reported in the draft
        }
      }
    }
  }
  return pages;
}

}  // namespace

CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::ObjectSource& source, Console& console) {
  const auto task = [&](source::PinnedLookup& lookup, std::size_t) {
    CarriedPlaces places = PlaceCarrier(catalog, like, release, lookup).carry();
    places.pages = look_at_pages(catalog, release, lookup);
    return to_wire(places);
  };
  const source::LookupResult result =
      source::run_lookups(1, task, catalog.moved_repositories, source, 1, console).front();
  if (result.bytes.empty())
    throw Error(ErrorKind::source,
                concat("adding release ", release.version.text(), ": ", source::missing_text(result.missing[0])),
                concat(source.hint(), "; pass a release whose sources are available with --like"));
  return from_wire<CarriedPlaces>(result.bytes);
}

}  // namespace torchpatch::upkeep
