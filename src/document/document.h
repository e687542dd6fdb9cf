// SPDX-License-Identifier: BSD-3-Clause
/// Documents: pages as values, apart from their form. Rendered as text, HTML, GitHub's Markdown and manual pages.
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

/// Names a page of the site; the id is empty for a kind of which there is one.
struct PageRef {
  PageKind kind = PageKind::index;
  std::string id{};
  auto operator<=>(const PageRef&) const = default;
};

/// How a word or a cell is coloured, besides what it says.
enum class Tone { none, good, caution, bad, soft };

/// A piece of a line.
struct Inline {
  enum class Kind { text, code, strong, tag, page, web, place, line_end } kind = Kind::text;
  std::string text{};
  PageRef page{};         ///< where kind is page
  std::string address{};  ///< where kind is web: is_safe_link() holds; where it is place: an anchor of the same page
  Tone tone = Tone::none;
};
using Line = std::vector<Inline>;

Inline text(std::string words);
Inline code(std::string words);
Inline strong(std::string words);
Inline tag(std::string words, Tone tone);
Inline toned(std::string words, Tone tone);
/// A link within the page, where the form has such.
Inline link_here(std::string anchor, std::string words);
/// What follows stands on a line of its own.
Inline line_end();
Inline link_to(PageRef page, std::string words);
/// A link where is_safe_link() allows it, else its text.
Inline web_link(std::string address, std::string words);

/// Returns the lines one after the other, with `separator` between them.
Line joined(const std::vector<Line>& lines, const std::string& separator);
/// Returns each on a line of its own.
Line stacked(const std::vector<Line>& lines);

struct Heading {
  int level = 2;  ///< 2 or more: the title is the only one of level 1
  std::string words;
  std::string anchor{};  ///< empty: made from the words, and not shown
};
struct Paragraph {
  Line line;
  /// Plain ones are prose, with empty lines around them in text; a note stands out.
  enum class Style { plain, lead, note } style = Style::plain;
};
/// In text without bullets: a list is a line after the other, and lines of an item hang.
struct Items {
  std::vector<Line> items;
};
/// Terms and what is said of them; terms with an empty line are left out.
struct Terms {
  std::vector<std::pair<std::string, Line>> rows;
};
struct Cell {
  Line line{};
  Tone tone = Tone::none;
};
/// The first cell of each row is its head. Captions differ within a page. Without heads it is for text alone.
struct Table {
  std::string caption;
  std::vector<std::string> heads;
  std::vector<std::vector<Cell>> rows;
};
/// Text that stays as it is, to be copied.
struct Literal {
  std::string words;
};
/// CommonMark of the catalog.
struct Markdown {
  std::string words;
};
struct PatchText {
  std::string words;
};
/// What there is to say of a line of a hunk.
struct HunkNote {
  std::size_t line = 0;  ///< index in the hunk
  std::string name, words;
};
struct Hunk {
  AuditHunk lines;
  std::string name;    ///< "lines 17–36 become 17–37"
  std::string anchor;  ///< of it in a page
  std::vector<HunkNote> notes{};
};
/// Changed lines of one file or patch, which `subject` names; each line with its numbers, changed words apart.
struct Hunks {
  std::string subject;
  std::vector<Hunk> hunks;
};
struct Block;
/// What is shown when asked for.
struct Fold {
  std::string summary;
  std::vector<Block> blocks;
  bool is_open = false;
};
struct Block : std::variant<Heading, Paragraph, Items, Terms, Table, Literal, Markdown, PatchText, Hunks, Fold> {
  using variant::variant;
};

/// Returns rows of plain text as a table's.
std::vector<std::vector<Cell>> plain_rows(const std::vector<std::vector<std::string>>& rows);
/// Adds a heading of level 2 and what stands below it; nothing where `content` is empty lists, terms and tables.
void add_section(std::vector<Block>& blocks, std::string heading, std::vector<Block> content);

struct Document {
  PageRef self{};
  std::string title{};        ///< may be empty in text: then there is none
  std::string description{};  ///< one sentence, plain text
  std::vector<Block> blocks{};
  std::optional<std::pair<PageRef, std::string>> previous{}, next{};  ///< with their titles
};

/// What a renderer must know of the pages around: the address of a page as seen from this one, and the names in code
/// spans that are pages (issue ids).
struct Surroundings {
  std::function<std::string(const PageRef&)> address{};
  std::vector<std::pair<std::string, PageRef>> names{};
};

/// Returns the content of <main>: title, blocks, a list of contents where there are three sections or more, and links
/// to the neighbours.
std::string document_html(const Document& document, const Surroundings& around);
/// Returns the blocks alone.
std::string blocks_html(const std::vector<Block>& blocks, const Surroundings& around = {});
/// Returns a page of CommonMark with GitHub's tables.
std::string document_markdown(const Document& document, const Surroundings& around = {});

// Numbers for people.

/// Returns "1 file", "2 files"; `many`: where an s is not enough ("2 repositories").
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = "");

/// Returns "12 min", or "1 h 5 min".
std::string minutes_text(std::uint64_t minutes);

/// Returns a number of bytes: "512 B", "3.4 kB", "61.0 MB", "1.2 GB".
std::string size_text(std::uint64_t bytes);

}  // namespace torchpatch
