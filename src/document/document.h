// SPDX-License-Identifier: BSD-3-Clause
/// Documents: pages as values, independent of their format. Rendered as text, HTML, GitHub's Markdown and manual pages.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/audit.h"

namespace torchpatch {

enum class PageKind { index, symptoms, issue, boards, board, releases, release, patchsets, patchset, coverage };

/// Identifies a page of the site; the id is empty if there is only one of its kind.
struct PageRef {
  PageKind kind = PageKind::index;
  std::string id{};
  auto operator<=>(const PageRef&) const = default;
};

/// The colour of a word or cell.
enum class Tone { none, good, caution, bad, soft };

/// A piece of a line.
struct Inline {
  enum class Kind { text, code, strong, tag, page, web, place, line_end } kind = Kind::text;
  std::string text{};
  PageRef page{};         ///< if kind is page
  std::string address{};  ///< if kind is web: accepted by is_safe_link(); if place: an anchor on the same page
  Tone tone = Tone::none;
};
using Line = std::vector<Inline>;

Inline text(std::string words);
Inline code(std::string words);
Inline strong(std::string words);
Inline tag(std::string words, Tone tone);
Inline toned(std::string words, Tone tone);
/// A link within the page, if the format has them.
Inline link_here(std::string anchor, std::string words);
/// A line break.
Inline line_end();
Inline link_to(PageRef page, std::string words);
/// A link if is_safe_link() accepts the address, else its text.
Inline web_link(std::string address, std::string words);

/// Returns the lines joined by `separator`.
Line joined(const std::vector<Line>& lines, const std::string& separator);
/// Returns the lines joined by line breaks.
Line stacked(const std::vector<Line>& lines);

struct Heading {
  int level = 2;  ///< at least 2: the title is the only one of level 1
  std::string words;
  std::string anchor{};  ///< empty: derived from the words, and not displayed
};
struct Paragraph {
  Line line;
  /// Plain ones are prose, with empty lines around them in text; a note is highlighted.
  enum class Style { plain, lead, note } style = Style::plain;
};
/// A list. In text it has no bullets: one item per line, with hanging indents.
struct Items {
  std::vector<Line> items;
};
/// Terms and descriptions; terms with an empty line are omitted.
struct Terms {
  std::vector<std::pair<std::string, Line>> rows;
};
struct Cell {
  Line line{};
  Tone tone = Tone::none;
};
/// The first cell of each row is its header. Captions are unique on a page. A table without heads is only for text.
struct Table {
  std::string caption;
  std::vector<std::string> heads;
  std::vector<std::vector<Cell>> rows;
};
/// Preformatted text, to be copied.
struct Literal {
  std::string words;
};
/// CommonMark from the catalog.
struct Markdown {
  std::string words;
};
struct PatchText {
  std::string words;
};
/// A note on a line of a hunk.
struct HunkNote {
  std::size_t line = 0;  ///< index in the hunk
  std::string name, words;
};
struct Hunk {
  AuditHunk lines;
  std::string name;    ///< "lines 17–36 become 17–37"
  std::string anchor;  ///< on a page
  std::vector<HunkNote> notes{};
};
/// Changed lines of the file or patch named by `subject`, with line numbers and changed words marked.
struct Hunks {
  std::string subject;
  std::vector<Hunk> hunks;
};
struct Block;
/// Collapsible content.
struct Fold {
  std::string summary;
  std::vector<Block> blocks;
  bool is_open = false;
};
struct Block : std::variant<Heading, Paragraph, Items, Terms, Table, Literal, Markdown, PatchText, Hunks, Fold> {
  using variant::variant;
};

/// Returns rows of plain text as table rows.
std::vector<std::vector<Cell>> plain_rows(const std::vector<std::vector<std::string>>& rows);
/// Adds a heading of level 2 and its content; nothing if `content` is only empty lists, terms and tables.
void add_section(std::vector<Block>& blocks, std::string heading, std::vector<Block> content);

struct Document {
  PageRef self{};
  std::string title{};        ///< may be empty in text: no title
  std::string description{};  ///< one sentence, plain text
  std::vector<Block> blocks{};
  std::optional<std::pair<PageRef, std::string>> previous{}, next{};  ///< with their titles
};

/// Context for renderers: page addresses relative to this page, and names in code spans that are pages (issue ids).
struct Surroundings {
  std::function<std::string(const PageRef&)> address{};
  std::vector<std::pair<std::string, PageRef>> names{};
};

/// Returns the content of <main>: title, blocks, a table of contents if there are three or more sections, and links to
/// the neighbouring pages.
std::string document_html(const Document& document, const Surroundings& around);
/// Returns only the blocks.
std::string blocks_html(const std::vector<Block>& blocks, const Surroundings& around = {});
/// Returns a page of CommonMark with GitHub's tables.
std::string document_markdown(const Document& document, const Surroundings& around = {});

// Numbers for people.

/// Returns "1 file", "2 files"; `many`: an irregular plural ("2 repositories").
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = "");

/// Returns "12 min", or "1 h 5 min".
std::string minutes_text(std::uint64_t minutes);

/// Returns a number of bytes: "512 B", "3.4 kB", "61.0 MB", "1.2 GB".
std::string size_text(std::uint64_t bytes);

}  // namespace torchpatch
