// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/carry_places.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "support/text.h"
#include "upkeep/check/citations.h"
#include "upkeep/release/line_map.h"
#include "upkeep/release/read_variables.h"

namespace torchpatch::upkeep {

namespace {

/// Candidates that are told of a place that is gone, and the longest part of a line that is told.
constexpr std::size_t kMaxCandidates = 3, kMaxLine = 90;
/// Files of a name that are looked at where the file with a place is gone.
constexpr std::size_t kMaxNamesakes = 8;
/// How much of a changed line has to be as it was for it to be the same place.
constexpr double kSamePlace = 0.5;

/// The text of a file in two releases, and where its lines went.
struct FilePair {
  std::vector<std::string> before, after;
  LineMap map;
};

std::string place_at(const CitedFile& file, std::size_t line) { return concat(cited_file_text(file), ":", line); }

std::string shortened(const std::string& line) { return std::string(trim(line)).substr(0, kMaxLine); }

/// The files of both releases, each read once.
class FilePairs {
 public:
  FilePairs(const Release& like, const Release& release, source::PinnedLookup& lookup)
      : like_(like), release_(release), lookup_(lookup) {}

  const FilePair& of(const CitedFile& file) {
    if (const auto known = pairs_.find(file); known != pairs_.end()) return known->second;
    FilePair pair{split(read(like_, file), '\n'), split(read(release_, file), '\n'), {}};
    pair.map = line_map(pair.before, pair.after);
    return pairs_[file] = std::move(pair);
  }
  const std::map<CitedFile, FilePair>& all() const { return pairs_; }
  std::string read(const Release& release, const CitedFile& file) {
    const std::string* text = find_cited_file(release, file, lookup_);
    return text ? *text : "";
  }

 private:
  const Release& like_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  std::map<CitedFile, FilePair> pairs_;
};

LineRange all_lines(const FilePair& pair) { return {1, pair.after.size() + 1}; }

/// A line of the new file, and how much it is like the old one.
struct LikelyLine {
  double likeness = 0;
  std::size_t line = 0;
};

/// Returns the lines of a part of the new file that `holds` is true for, the likeliest first; comments are none.
template <typename Holds>
std::vector<LikelyLine> likely_lines(const FilePair& pair, const std::string& file, const std::string& old_line,
                                     LineRange range, Holds holds) {
  std::vector<LikelyLine> found;
  for (std::size_t line = range.first; line < range.end; ++line) {
    const std::string& text = pair.after[line - 1];
    if (!is_comment(text, file) && holds(text)) found.push_back({line_likeness(old_line, text), line});
  }
  std::ranges::stable_sort(found, std::greater<>(), &LikelyLine::likeness);
  return found;
}

/// Returns the one that is clearly the same line, or 0.
std::size_t same_line(const std::vector<LikelyLine>& lines) {
  if (lines.empty() || lines[0].likeness < kSamePlace) return 0;
  const bool is_only = lines.size() == 1 || lines[1].likeness < lines[0].likeness;
  return is_only ? lines[0].line : 0;
}

class PlaceCarrier {
 public:
  PlaceCarrier(const Catalog& catalog, const Release& like, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), release_(release), lookup_(lookup), pairs_(like, release, lookup) {}

  /// Returns the new place, or nothing (and notes what is lost).
  std::optional<std::string> carry(const std::string& name, const std::string& place);
  /// Reads the files that may have new variables.
  void read_more();
  void find_candidates();
  void find_first(std::set<std::string> known);
  void find_cmake();
  CarriedPlaces take() { return std::move(result_); }

 private:
  std::vector<std::string> candidates_in(const LostPlace& place, const CitedFile& file, const FilePair& pair) const;
  std::vector<std::string> namesakes(const RepositoryPath& repository, const std::string& name);
  std::vector<std::string> candidates_in_namesakes(const LostPlace& place);
  std::vector<std::string> candidates_elsewhere(const LostPlace& place);

  const Catalog& catalog_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  FilePairs pairs_;
  CarriedPlaces result_;
};

std::optional<std::string> PlaceCarrier::carry(const std::string& name, const std::string& place) {
  const CitedPlace parts = parse_cited_place(place);
  if (!release_.find(parts.file.repository.component)) return std::nullopt;
  const FilePair& pair = pairs_.of(parts.file);
  if (parts.line > 0 && parts.line < pair.map.same.size()) {
    if (const std::size_t moved = pair.map.same[parts.line]) return place_at(parts.file, moved);
    const std::string& line = pair.before[parts.line - 1];
    const bool is_named = has_word(line, name);  // not by a part of it alone
    const auto names = [&](const std::string& each) {
      return is_named ? has_word(each, name) : line_reads(each, name, catalog_.variables);
    };
    std::size_t changed = same_line(likely_lines(pair, parts.file.path, line, pair.map.instead[parts.line], names));
    if (changed == 0) {
      const auto says = [&](const std::string& each) { return has_word(each, name); };
      const std::vector<LikelyLine> all = likely_lines(pair, parts.file.path, line, all_lines(pair), says);
      if (all.size() == 1) changed = same_line(all);
    }
    if (changed > 0) {
      result_.changed.push_back({name, place, place_at(parts.file, changed), shortened(pair.after[changed - 1])});
      return result_.changed.back().after;
    }
  }
  result_.lost.push_back({name, place, {}});
  return std::nullopt;
}

void PlaceCarrier::read_more() {
  const source::LocatedRepository* torch = lookup_.find_repository(release_, {Component::torch, ""});
  if (!torch) return;
  const auto folder = lookup_.find(*torch, "cmake");
  if (!folder || folder->mode != FileMode::directory) return;
  for (const source::PinnedEntry& entry : lookup_.list(*torch, "cmake")) {
    if (!ends_with(entry.path, ".cmake") && !ends_with(entry.path, "CMakeLists.txt")) continue;
    try {
      pairs_.of({{Component::torch, ""}, entry.path});
    } catch (const source::MissingObject&) {
    }  // nobody names it
  }
}

std::vector<std::string> PlaceCarrier::candidates_in(const LostPlace& place, const CitedFile& file,
                                                     const FilePair& pair) const {
  const std::size_t line = parse_cited_place(place.before).line;
  const std::string old_line = line > 0 && line <= pair.before.size() ? pair.before[line - 1] : "";
  const auto names = [&](const std::string& text) { return line_reads(text, place.name, catalog_.variables); };
  std::vector<std::string> found;
  for (const LikelyLine& each : likely_lines(pair, file.path, old_line, all_lines(pair), names))
    if (found.size() < kMaxCandidates)
      found.push_back(concat(place_at(file, each.line), ": ", shortened(pair.after[each.line - 1])));
  return found;
}

/// Of a file that is gone: what files of its name have, into which it may have become.
std::vector<std::string> PlaceCarrier::candidates_in_namesakes(const LostPlace& place) {
  const CitedFile gone = parse_cited_place(place.before).file;
  std::vector<std::string> found;
  try {
    if (find_cited_file(release_, gone, lookup_)) return {};
    const std::string end = gone.path.substr(gone.path.rfind('/') + 1);
    for (const std::string& path : namesakes(gone.repository, end)) {
      const CitedFile file{gone.repository, path};
      const FilePair pair{pairs_.of(gone).before, split(pairs_.read(release_, file), '\n'), {}};
      std::ranges::move(candidates_in(place, file, pair), std::back_inserter(found));
    }
  } catch (const source::MissingObject&) {
  }  // what is nowhere has no candidates
  found.resize(std::min(found.size(), kMaxCandidates));
  return found;
}

/// Returns the paths of the files of a name, none where many are called so.
std::vector<std::string> PlaceCarrier::namesakes(const RepositoryPath& repository, const std::string& name) {
  const source::LocatedRepository* located = lookup_.find_repository(release_, repository);
  std::vector<std::string> paths;
  if (!located) return paths;
  for (const source::PinnedEntry& entry : lookup_.list(*located, ""))
    if (entry.path == name || ends_with(entry.path, "/" + name)) paths.push_back(entry.path);
  if (paths.size() > kMaxNamesakes) paths.clear();
  return paths;
}

std::vector<std::string> PlaceCarrier::candidates_elsewhere(const LostPlace& place) {
  const Component component = parse_cited_place(place.before).file.repository.component;
  std::vector<std::string> same, other;
  for (const auto& [file, pair] : pairs_.all()) {
    for (const ReadVariable& each : variables_read(pair.after, file.path)) {
      if (each.name != place.name) continue;
      (file.repository.component == component ? same : other)
          .push_back(concat(place_at(file, each.line), ": ", shortened(pair.after[each.line - 1])));
    }
  }
  std::ranges::move(other, std::back_inserter(same));
  same.resize(std::min(same.size(), kMaxCandidates));
  return same;
}

void PlaceCarrier::find_candidates() {
  for (LostPlace& place : result_.lost) {
    const CitedPlace parts = parse_cited_place(place.before);
    place.candidates = candidates_in(place, parts.file, pairs_.of(parts.file));
    if (place.candidates.empty()) place.candidates = candidates_in_namesakes(place);
    if (place.candidates.empty()) place.candidates = candidates_elsewhere(place);
  }
}

void PlaceCarrier::find_first(std::set<std::string> known) {
  for (const auto& [file, pair] : pairs_.all())
    for (const ReadVariable& each : variables_read(pair.before, file.path)) known.insert(each.name);
  for (const auto& [file, pair] : pairs_.all())
    for (const ReadVariable& each : variables_read(pair.after, file.path))
      if (known.insert(each.name).second)
        result_.first.push_back(
            concat(each.name, " at ", place_at(file, each.line), ": ", shortened(pair.after[each.line - 1])));
}

/// cmake_minimum_required(VERSION 3.5 FATAL_ERROR)
void PlaceCarrier::find_cmake() {
  constexpr std::string_view kStart = "cmake_minimum_required(VERSION ";
  const std::string text = pairs_.read(release_, {{Component::torch, ""}, "CMakeLists.txt"});
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

/// Carries what the texts of a release cite.
class CitationCarrier {
 public:
  CitationCarrier(const Release& like, const Release& release, source::PinnedLookup& lookup)
      : release_(release), lookup_(lookup), pairs_(like, release, lookup) {}

  void carry(const Citations& citations, const std::string& version, CarriedPlaces& result) {
    const std::string& now = release_.version.text();
    for (const Citation& each : citations.present) {
      if (each.release != version) continue;
      Answer answer = answer_of([&] { return find(each); });
      if (!answer.place.empty())
        result.citations.present.push_back({now, answer.place, each.words});
      else
        result.lost_citations.push_back({each.place, each.words, answer.found});
    }
    for (const Citation& each : citations.absent) {
      if (each.release != version) continue;
      const Answer answer = answer_of([&] { return find_absence(each); });
      if (!answer.place.empty())
        result.citations.absent.push_back({now, each.place, each.words});
      else
        result.lost_citations.push_back({each.place, each.words, answer.found});
    }
  }

 private:
  struct Answer {
    std::string place;  ///< or empty: it does not hold
    std::string found;  ///< what stands there instead
  };

  template <typename Find>
  Answer answer_of(Find find_it) {
    try {
      return find_it();
    } catch (const source::MissingObject& missing) {
      return {"", missing.message()};
    }
  }

  Answer find(const Citation& citation) {
    const CitedPlace parts = parse_cited_place(citation.place);
    const FilePair& pair = pairs_.of(parts.file);
    if (parts.line == 0 || parts.line >= pair.map.same.size()) return {};
    if (const std::size_t moved = pair.map.same[parts.line]) return {place_at(parts.file, moved), ""};
    const auto any = [](const std::string&) { return true; };
    const std::vector<LikelyLine> lines =
        likely_lines(pair, parts.file.path, pair.before[parts.line - 1], pair.map.instead[parts.line], any);
    const auto same = std::ranges::find_if(lines, [&](const LikelyLine& each) {
      return pair.after[each.line - 1].find(citation.words) != std::string::npos;
    });
    if (same != lines.end()) return {place_at(parts.file, same->line), ""};
    if (lines.empty() || lines[0].likeness < kSamePlace) return {};
    return {"", concat("line ", lines[0].line, " is ", quote(shortened(pair.after[lines[0].line - 1])))};
  }

  Answer find_absence(const Citation& absence) {
    const std::string* text = find_cited_file(release_, parse_cited_file(absence.place), lookup_);
    const std::string problem = absence_problem(text, absence.words);
    return problem.empty() ? Answer{absence.place, ""} : Answer{"", problem};
  }

  const Release& release_;
  source::PinnedLookup& lookup_;
  FilePairs pairs_;
};

}  // namespace

CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::PinnedLookup& lookup) {
  PlaceCarrier carrier(catalog, like, release, lookup);
  std::map<std::string, std::string> flags;
  std::map<Component, std::map<std::string, std::string>> imports;
  std::set<std::string> known;
  for (const auto& [name, at] : like.flags) {
    known.insert(name);
    if (auto place = carrier.carry(name, at)) flags[name] = std::move(*place);
  }
  for (const auto& [component, modules] : like.imports) {
    if (!release.find(component)) continue;
    for (const auto& [module, at] : modules)
      if (auto place = carrier.carry(module, at)) imports[component][module] = std::move(*place);
  }
  carrier.read_more();
  carrier.find_candidates();
  carrier.find_first(std::move(known));
  carrier.find_cmake();
  CarriedPlaces result = carrier.take();
  result.flags = std::move(flags);
  result.imports = std::move(imports);
  CitationCarrier(like, release, lookup).carry(like.citations, like.version.text(), result);
  return result;
}

}  // namespace torchpatch::upkeep
