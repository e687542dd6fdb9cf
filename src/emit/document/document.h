// SPDX-License-Identifier: BSD-3-Clause
/// Pages as values: what they say, apart from how. Rendered as HTML, as GitHub's Markdown and as manual pages.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace torchpatch::emit {

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
  enum class Kind { text, code, strong, tag, page, web } kind = Kind::text;
  std::string text{};
  PageRef page{};         ///< where kind is page
  std::string address{};  ///< where kind is web: is_safe_link() holds
  Tone tone = Tone::none;
};
using Line = std::vector<Inline>;

Inline text(std::string words);
Inline code(std::string words);
Inline strong(std::string words);
Inline tag(std::string words, Tone tone);
Inline link_to(PageRef page, std::string words);
/// A link where is_safe_link() allows it, else its text.
Inline web_link(std::string address, std::string words);

/// Returns the lines one after the other, with `separator` between them.
Line joined(const std::vector<Line>& lines, const std::string& separator);

struct Heading {
  int level = 2;  ///< 2 or more: the title is the only one of level 1
  std::string words;
};
struct Paragraph {
  Line line;
  enum class Style { plain, lead, note } style = Style::plain;
};
struct Items {
  std::vector<Line> items;
};
/// Terms and what is said of them; terms with an empty line are left out.
struct Facts {
  std::vector<std::pair<std::string, Line>> rows;
};
struct Cell {
  Line line{};
  Tone tone = Tone::none;
};
/// The first cell of each row is its head. Captions differ within a page.
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
struct Block;
/// What is shown when asked for.
struct Fold {
  std::string summary;
  std::vector<Block> blocks;
  bool is_open = false;
};
struct Block : std::variant<Heading, Paragraph, Items, Facts, Table, Literal, Markdown, PatchText, Fold> {
  using variant::variant;
};

struct Document {
  PageRef self;
  std::string title;
  std::string description;  ///< one sentence, plain text
  std::vector<Block> blocks;
  std::optional<std::pair<PageRef, std::string>> previous{}, next{};  ///< with their titles
};

/// What a renderer must know of the pages around: the address of a page as seen from this one, and the names in code
/// spans that are pages (issue ids).
struct Surroundings {
  std::function<std::string(const PageRef&)> address;
  std::vector<std::pair<std::string, PageRef>> names;
};

/// Returns the content of <main>: title, blocks, a list of contents where there are three sections or more, and links
/// to the neighbours. `lead_in`: HTML that goes before the blocks.
std::string document_html(const Document& document, const Surroundings& around, const std::string& lead_in = "");
/// Returns a page of CommonMark with GitHub's tables.
std::string document_markdown(const Document& document, const Surroundings& around);

}  // namespace torchpatch::emit
