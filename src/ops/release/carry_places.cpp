// SPDX-License-Identifier: BSD-3-Clause
#include "ops/release/carry_places.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "ops/check/citations.h"
#include "patch/context.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Candidates that are told of a place that is gone, and the longest part of their lines.
constexpr std::size_t kMaxCandidates = 3, kMaxCandidate = 90;

/// Returns the variable of the environment, or option of CMake, that a line reads; or empty text.
std::string variable_read_in(const std::string& line) {
  static const std::regex kReads(
      R"((?:getenv|environ\.get|check_env_flag|check_negative_env_flag)\(\s*['"]([A-Z][A-Z0-9_]+)['"]|)"
      R"(environ\[['"]([A-Z][A-Z0-9_]+)['"]|ENV\{([A-Z][A-Z0-9_]+)\}|^\s*option\(\s*((?:USE|BUILD)_[A-Z0-9_]+)\b)");
  std::smatch match;
  std::string name;
  if (std::regex_search(line, match, kReads))
    for (std::size_t group = 1; group < match.size(); ++group) name += match[group].str();
  return name;
}

/// The text of a file in two releases, and where its lines went.
struct FilePair {
  std::vector<std::string> before, after;
  std::vector<std::size_t> map;
};

/// The files of both releases, each read once.
class PlaceCarrier {
 public:
  PlaceCarrier(const Catalog& catalog, const Release& like, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), like_(like), release_(release), lookup_(lookup) {}

  /// Returns the new place, or nothing (and notes what is lost).
  std::optional<std::string> carry(const std::string& name, const std::string& place);
  CarriedPlaces take() { return std::move(result_); }
  void find_first(std::set<std::string> known);
  void find_cmake();

 private:
  std::string read(const Release& release, const CitedFile& file) {
    const std::string* text = find_cited_file(release, file, lookup_);
    return text ? *text : "";
  }
  const FilePair& pair_of(const CitedFile& file);
  std::vector<std::string> candidates(const std::string& name, const std::string& file, const FilePair& pair) const;

  const Catalog& catalog_;
  const Release& like_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  std::map<CitedFile, FilePair> pairs_;
  CarriedPlaces result_;
};

const FilePair& PlaceCarrier::pair_of(const CitedFile& file) {
  const auto [place, is_new] = pairs_.try_emplace(file);
  if (is_new) {
    const std::string before = read(like_, file), after = read(release_, file);
    place->second = {split(before, '\n'), split(after, '\n'), line_map(before, after)};
  }
  return place->second;
}

std::vector<std::string> PlaceCarrier::candidates(const std::string& name, const std::string& file,
                                                  const FilePair& pair) const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < pair.after.size() && found.size() < kMaxCandidates; ++i) {
    if (!line_reads(pair.after[i], name, catalog_.variables)) continue;
    found.push_back(concat(file, ":", i + 1, ": ", std::string(trim(pair.after[i])).substr(0, kMaxCandidate)));
  }
  return found;
}

std::optional<std::string> PlaceCarrier::carry(const std::string& name, const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const std::string file = place.substr(0, colon);
  const CitedFile cited = parse_cited_file(file);
  if (!release_.find(cited.repository.component)) return std::nullopt;
  const FilePair& pair = pair_of(cited);
  const std::size_t line = parse_decimal(place.substr(colon + 1)).value_or(0);
  const std::size_t moved = line < pair.map.size() ? pair.map[line] : 0;
  if (moved > 0) return concat(file, ":", moved);
  result_.lost.push_back({name, place, candidates(name, file, pair)});
  return std::nullopt;
}

/// Looks for variables that the cited files read for the first time.
void PlaceCarrier::find_first(std::set<std::string> known) {
  for (const auto& [file, pair] : pairs_)
    for (const std::string& line : pair.before) known.insert(variable_read_in(line));
  for (const auto& [file, pair] : pairs_) {
    for (std::size_t i = 0; i < pair.after.size(); ++i)
      if (const std::string name = variable_read_in(pair.after[i]); known.insert(name).second)
        result_.first.push_back(concat(name, " at ", cited_file_text(file), ":", i + 1));
  }
}

void PlaceCarrier::find_cmake() {
  static const std::regex kMinimum(R"(cmake_minimum_required\(VERSION ([0-9]+(?:\.[0-9]+)+))");
  const std::string text = read(release_, {{Component::torch, ""}, "CMakeLists.txt"});
  std::smatch match;
  if (std::regex_search(text, match, kMinimum)) result_.cmake = match[1];
}

}  // namespace

std::vector<std::size_t> line_map(std::string_view before, std::string_view after) {
  const std::vector<std::string> old_lines = split(std::string(before), '\n');
  const std::vector<std::string> new_lines = split(std::string(after), '\n');
  std::vector<std::size_t> map(old_lines.size() + 1, 0);
  std::size_t old_line = 1, new_line = 1;
  const auto pass_equal = [&](std::size_t end) {
    while (old_line < end) map[old_line++] = new_line++;
  };
  for (const patch::Hunk& hunk : patch::diff_lines(old_lines, new_lines, 0)) {
    // A hunk that removes nothing stands behind the line that it names.
    pass_equal(hunk.old_count > 0 ? hunk.old_start : hunk.old_start + 1);
    old_line += hunk.old_count;
    new_line += hunk.new_count;
  }
  pass_equal(old_lines.size() + 1);
  return map;
}

CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::PinnedLookup& lookup) {
  PlaceCarrier carrier(catalog, like, release, lookup);
  std::vector<BuildFlag> flags;
  std::vector<CarriedImport> imports;
  std::set<std::string> known = {""};  // of lines that read none
  for (const BuildFlag& flag : like.flags) {
    known.insert(flag.name);
    if (auto place = carrier.carry(flag.name, flag.read_at)) flags.push_back({flag.name, std::move(*place)});
  }
  for (const auto& [component, modules] : like.imports) {
    if (!release.find(component)) continue;
    for (const auto& [module, at] : modules)
      if (auto place = carrier.carry(module, at)) imports.push_back({component, {module, std::move(*place)}});
  }
  carrier.find_first(std::move(known));
  carrier.find_cmake();
  CarriedPlaces result = carrier.take();
  result.flags = std::move(flags);
  result.imports = std::move(imports);
  return result;
}

}  // namespace torchpatch::ops
