// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/check.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "support/file.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

/// Longest part of a line that is reported.
constexpr std::size_t kMaxFound = 100;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool has_text(std::string_view line, std::string_view text) { return line.find(text) != std::string_view::npos; }

bool has_quoted(std::string_view line, std::string_view text) {
  return has_text(line, concat('\'', text, '\'')) || has_text(line, concat('"', text, '"'));
}

}  // namespace

CitedFile parse_cited_file(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto component = colon == std::string::npos ? std::nullopt : parse_name<Component>(text.substr(0, colon));
  return component ? CitedFile{{*component, ""}, text.substr(colon + 1)} : CitedFile{{}, text};
}

std::string cited_file_text(const CitedFile& file) {
  const Component component = file.repository.component;
  return component == Component::torch ? file.path : concat(name_of(component), ":", file.path);
}

CitedPlace parse_cited_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return {parse_cited_file(text.substr(0, colon)), parse_decimal(std::string_view(text).substr(colon + 1)).value_or(0)};
}

const std::string* find_cited_file(const Release& release, const CitedFile& file, source::PinnedLookup& lookup) {
  RepositoryPath repository = file.repository;
  if (!release.find(repository.component)) return nullptr;
  std::string path = file.path;
  while (const source::LocatedRepository* located = lookup.find_repository(release, repository)) {
    const auto entry = lookup.find(*located, path);
    if (entry) {
      const bool is_file = entry->mode == FileMode::regular || entry->mode == FileMode::executable;
      return is_file ? &lookup.read_blob(*located, *entry) : nullptr;
    }
    // The file is in a submodule: find the shortest prefix that is a gitlink.
    std::size_t slash = path.find('/');
    for (; slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const auto above = lookup.find(*located, path.substr(0, slash));
      if (above && above->mode == FileMode::gitlink) break;
    }
    if (slash == std::string::npos) return nullptr;
    repository.path = join_path(repository.path, path.substr(0, slash));
    path.erase(0, slash + 1);
  }
  return nullptr;
}

std::string absence_problem(const std::string* text, const std::string& words) {
  if (!text) return {};
  if (words.empty()) return "the file exists";
  const std::size_t at = text->find(words);
  if (at == std::string::npos) return {};
  return concat("line ", 1 + std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(at), '\n'),
                " has it");
}

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(line[at - 1]);
    if (begins && (end == line.size() || !is_word_character(line[end]))) return true;
  }
  return false;
}

bool line_reads(std::string_view line, const std::string& variable, const VariableTable& table) {
  if (has_word(line, variable)) return true;
  if (const std::string* const by = table.find_implied(variable); by && has_text(line, *by)) return true;
  const std::size_t prefix = variable.find('_');
  if (prefix == std::string::npos) return false;
  return has_quoted(line, variable.substr(0, prefix + 1)) || has_quoted(line, variable.substr(prefix + 1));
}

CitationCheck check_citations(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup) {
  CitationCheck check;
  const std::string& version = release.version.text();
  // Counts the result of a citation; missing objects are counted separately, and stand-ins, which lack upstream's
  // lines, are not checked.
  const auto note = [&](const std::string& file, const Citation& citation, std::int64_t& count, const auto& problem) {
    try {
      std::string found = release.stand_in ? "" : problem();
      ++(release.stand_in ? check.not_here : count);
      if (!found.empty())
        check.wrong.push_back({file, "", citation.release, citation.place, citation.words, std::move(found)});
    } catch (const source::MissingObject&) {
      ++check.not_here;
    }
  };
  const auto problem_at = [&](const std::string& text, const auto& holds) -> std::string {
    const CitedPlace place = parse_cited_place(text);
    const std::string* const content = find_cited_file(release, place.file, lookup);
    if (!content) return "no such file";
    const std::vector<std::string> lines = split(*content, '\n');
    if (place.line == 0 || place.line > lines.size()) return concat("the file has ", lines.size(), " lines");
    const std::string& line = lines[place.line - 1];
    return holds(line) ? "" : concat("found line ", quote(std::string(trim(line)).substr(0, kMaxFound)));
  };
  const auto read = [&](const std::string& file, const Citations& citations, std::int64_t& count) {
    for (const Citation& each : citations.present) {
      const auto holds = [&](const std::string& line) { return has_text(line, each.words); };
      if (each.release == version) note(file, each, count, [&] { return problem_at(each.place, holds); });
    }
    for (const Citation& each : citations.absent)
      if (each.release == version)
        note(file, each, check.absences, [&] {
          return absence_problem(find_cited_file(release, parse_cited_file(each.place), lookup), each.words);
        });
  };

  const std::string own = concat("releases/", version, ".json");
  for (const auto& entry : release.flags) {
    const auto holds = [&](const std::string& line) { return line_reads(line, entry.first, catalog.variables); };
    note(own, {version, entry.second, entry.first}, check.flags, [&] { return problem_at(entry.second, holds); });
  }
  for (const auto& [component, modules] : release.imports) {
    for (const auto& entry : modules) {
      const auto holds = [&](const std::string& line) { return has_word(line, entry.first); };
      note(own, {version, entry.second, entry.first}, check.flags, [&] { return problem_at(entry.second, holds); });
    }
  }
  read(own, release.citations, check.releases);
  for (const auto& [id, other] : catalog.releases)
    if (&other != &release) read(concat("releases/", id.text(), ".json"), other.citations, check.releases);
  for (const auto& [id, issue] : catalog.issues) read(concat("known_issues/", id, ".md"), issue.citations, check.pages);
  for (const auto& [id, board] : catalog.boards) read(concat("boards/", id, ".json"), board.citations, check.boards);
  for (const auto& [id, advisory] : catalog.advisories) read("advisories.json", advisory.citations, check.advisories);
  return check;
}

void add(CitationCheck& sum, CitationCheck part) {
  sum.flags += part.flags;
  sum.pages += part.pages;
  sum.releases += part.releases;
  sum.boards += part.boards;
  sum.advisories += part.advisories;
  sum.absences += part.absences;
  sum.not_here += part.not_here;
  std::ranges::move(part.wrong, std::back_inserter(sum.wrong));
}

}  // namespace torchpatch::upkeep
