// SPDX-License-Identifier: BSD-3-Clause
#include "ops/check/citations.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Longest part of a line that is told.
constexpr std::size_t kMaxFound = 100;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// True where `word` stands in the line and no other letter, digit or '_' touches it.
bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(line[at - 1]);
    if (begins && (end == line.size() || !is_word_character(line[end]))) return true;
  }
  return false;
}

bool has_text(std::string_view line, std::string_view text) { return line.find(text) != std::string_view::npos; }

bool has_quoted(std::string_view line, std::string_view text) {
  return has_text(line, concat('\'', text, '\'')) || has_text(line, concat('"', text, '"'));
}

/// "vision:setup.py:97", in parts.
struct CitedPlace {
  RepositoryPath repository;
  std::string path;  ///< in the repository
  std::size_t line = 0;
};

CitedPlace parse_cited_place(const std::string& text, bool has_line) {
  CitedPlace place;
  place.path = text;
  if (has_line) {
    const std::size_t colon = text.rfind(':');
    place.path = text.substr(0, colon);
    place.line = parse_decimal(std::string_view(text).substr(colon + 1)).value_or(0);
  }
  const std::size_t colon = place.path.find(':');
  if (colon == std::string::npos) return place;
  if (const auto component = parse_component(place.path.substr(0, colon))) {
    place.repository.component = *component;
    place.path.erase(0, colon + 1);
  }
  return place;
}

/// Looks at the citations of one release.
class CitationReader {
 public:
  CitationReader(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), release_(release), lookup_(lookup) {}

  void read_release();
  void read(const std::string& file, const Citations& citations, std::int64_t CitationCheck::*count);
  CitationCheck take() { return std::move(check_); }

 private:
  /// Returns the content of a file, null where there is none. Raises MissingObject.
  const std::string* find_file(const CitedPlace& place);
  /// Returns what is wrong with `place`, or empty text; `holds` is asked about its line.
  template <typename Holds>
  std::string problem_at(const CitedPlace& place, Holds holds);
  std::string absence_problem(const Citation& absence);
  /// Counts what `problem` says of a citation; what is nowhere is counted as such.
  template <typename Problem>
  void note(const std::string& file, const Citation& citation, std::int64_t CitationCheck::*count, Problem problem);

  const Catalog& catalog_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  CitationCheck check_;
};

const std::string* CitationReader::find_file(const CitedPlace& place) {
  RepositoryPath repository = place.repository;
  if (!release_.find(repository.component)) return nullptr;
  std::string path = place.path;
  while (const source::LocatedRepository* located = lookup_.find_repository(release_, repository)) {
    const auto entry = lookup_.find(*located, path);
    if (entry)
      return (entry->mode == FileMode::regular || entry->mode == FileMode::executable)
                 ? &lookup_.read_blob(*located, *entry)
                 : nullptr;
    // The file of a submodule: the shortest beginning that is a gitlink.
    std::size_t slash = path.find('/');
    for (; slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const auto above = lookup_.find(*located, path.substr(0, slash));
      if (above && above->mode == FileMode::gitlink) break;
    }
    if (slash == std::string::npos) return nullptr;
    repository.path = join_path(repository.path, path.substr(0, slash));
    path.erase(0, slash + 1);
  }
  return nullptr;
}

template <typename Holds>
std::string CitationReader::problem_at(const CitedPlace& place, Holds holds) {
  const std::string* text = find_file(place);
  if (!text) return "there is no such file";
  const std::vector<std::string> lines = split(*text, '\n');
  if (place.line == 0 || place.line > lines.size()) return concat("the file has ", lines.size(), " lines");
  const std::string& line = lines[place.line - 1];
  return holds(line) ? "" : concat("the line is ", quote(std::string(trim(line)).substr(0, kMaxFound)));
}

std::string CitationReader::absence_problem(const Citation& absence) {
  const std::string* text = find_file(parse_cited_place(absence.place, false));
  if (!text) return {};
  if (absence.words.empty()) return "the file is there";
  const std::size_t at = text->find(absence.words);
  if (at == std::string::npos) return {};
  return concat("line ", 1 + std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(at), '\n'),
                " has it");
}

template <typename Problem>
void CitationReader::note(const std::string& file, const Citation& citation, std::int64_t CitationCheck::*count,
                          Problem problem) {
  try {
    std::string found = problem();
    ++(check_.*count);
    if (!found.empty())
      check_.wrong.push_back({file, citation.release, citation.place, citation.words, std::move(found)});
  } catch (const source::MissingObject&) {
    ++check_.not_here;
  }
}

void CitationReader::read(const std::string& file, const Citations& citations, std::int64_t CitationCheck::*count) {
  const std::string& version = release_.version.text();
  for (const Citation& each : citations.present) {
    if (each.release != version) continue;
    const auto holds = [&](const std::string& line) { return has_text(line, each.words); };
    note(file, each, count, [&] { return problem_at(parse_cited_place(each.place, true), holds); });
  }
  for (const Citation& each : citations.absent)
    if (each.release == version) note(file, each, &CitationCheck::absences, [&] { return absence_problem(each); });
}

void CitationReader::read_release() {
  const std::string& version = release_.version.text();
  const std::string file = concat("releases/", version, ".json");
  for (const BuildFlag& flag : release_.flags) {
    const auto holds = [&](const std::string& line) { return line_reads(line, flag.name, catalog_.variables); };
    note(file, {version, flag.read_at, flag.name}, &CitationCheck::flags,
         [&] { return problem_at(parse_cited_place(flag.read_at, true), holds); });
  }
  for (const auto& [component, modules] : release_.imports) {
    for (const auto& [module, place] : modules) {
      const auto holds = [&, &name = module](const std::string& line) { return has_word(line, name); };
      note(file, {version, place, module}, &CitationCheck::flags,
           [&, &at = place] { return problem_at(parse_cited_place(at, true), holds); });
    }
  }
  read(file, release_.citations, &CitationCheck::releases);
}

}  // namespace

bool line_reads(std::string_view line, const std::string& variable, const VariableTable& table) {
  if (has_word(line, variable)) return true;
  if (const auto by = table.implied.find(variable); by != table.implied.end() && has_text(line, by->second))
    return true;
  const std::size_t prefix = variable.find('_');
  if (prefix == std::string::npos) return false;
  return has_quoted(line, variable.substr(0, prefix + 1)) || has_quoted(line, variable.substr(prefix + 1));
}

CitationCheck check_citations(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup) {
  CitationReader reader(catalog, release, lookup);
  reader.read_release();
  for (const auto& [version, other] : catalog.releases)
    if (&other != &release)
      reader.read(concat("releases/", version.text(), ".json"), other.citations, &CitationCheck::releases);
  for (const auto& [id, issue] : catalog.issues)
    reader.read(concat("known_issues/", id, ".md"), issue.citations, &CitationCheck::pages);
  for (const auto& [id, board] : catalog.boards)
    reader.read(concat("boards/", id, ".json"), board.citations, &CitationCheck::boards);
  return reader.take();
}

void add(CitationCheck& sum, CitationCheck part) {
  sum.flags += part.flags;
  sum.pages += part.pages;
  sum.releases += part.releases;
  sum.boards += part.boards;
  sum.absences += part.absences;
  sum.not_here += part.not_here;
  std::ranges::move(part.wrong, std::back_inserter(sum.wrong));
}

}  // namespace torchpatch::ops
