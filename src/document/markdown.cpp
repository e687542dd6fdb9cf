// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <utility>

#include "document/document.h"
#include "document/text.h"
#include "document/writer.h"
#include "support/text.h"

namespace torchpatch {

namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_punctuation(char c) { return c > ' ' && c < 0x7f && !is_alphanumeric(c); }

/// Returns the characters around a run of the character at `at`; null at the ends, where other pieces may follow.
std::pair<char, char> around_run(std::string_view text, std::size_t at) {
  std::size_t first = at, last = at;
  while (first > 0 && text[first - 1] == text[at]) --first;
  while (last + 1 < text.size() && text[last + 1] == text[at]) ++last;
  return {first > 0 ? text[first - 1] : '\0', last + 1 < text.size() ? text[last + 1] : '\0'};
}

/// Emphasis neither begins nor ends between spaces, nor at underscores inside a word, so names stay readable in the
/// source (https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis).
bool is_emphasis(std::string_view text, std::size_t at) {
  const auto [before, after] = around_run(text, at);
  if (before == ' ' && after == ' ') return false;
  return text[at] != '_' || !is_alphanumeric(before) || !is_alphanumeric(after);
}

/// Returns whether CommonMark would read a character as markup. Markers of quotes and headings count only at the start
/// of a line; at the end another piece may follow.
bool is_markup(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  switch (text[at]) {
    case '`':
    case '[':
    case ']':
    case '~':
      return true;
    case '>':
    case '#':
      return at == 0;
    case '*':
    case '_':
      return is_emphasis(text, at);
    case '<':  // a tag, a comment, or an autolink, possibly a mail address
      return next == '\0' || next == '/' || next == '!' || next == '?' || (is_alphanumeric(next) && next > '9') ||
             text.substr(at, text.find_first_of(" >", at) - at).find('@') != std::string_view::npos;
    case '&':  // an entity
      return next == '\0' || next == '#' || is_alphanumeric(next);
    case '\\':
      return next == '\0' || is_punctuation(next);
    default:
      return false;
  }
}

std::size_t longest_run_of_backticks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

/// Splits a row at '|'; an escaped one is part of a cell.
std::vector<std::string> cells_of(std::string_view row) {
  row = trim(row);
  if (starts_with(row, "|")) row.remove_prefix(1);
  if (ends_with(row, "|") && !ends_with(row, "\\|")) row.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row.substr(i, 2) == "\\|")
      cells.back() += row[++i];
    else if (row[i] == '|')
      cells.emplace_back();
    else
      cells.back() += row[i];
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

/// Returns whether it is the row below the heads: dashes in every cell, with optional colons at the ends.
bool is_rule(const std::string& row) {
  if (row.find('|') == std::string::npos) return false;
  const std::vector<std::string> cells = cells_of(row);
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return cell.find('-') != std::string::npos && cell.find_first_not_of("-:") == std::string::npos;
  });
}

std::vector<std::vector<std::string>> rows_of(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 1) continue;
    rows.push_back(cells_of(lines[i]));
    rows.back().resize(rows.front().size());
  }
  return rows;
}

/// Writes blocks, each followed by an empty line.
class MarkdownWriter : public BlockWriter<MarkdownWriter> {
 public:
  using BlockWriter::BlockWriter;

  std::string operator()(const Heading& heading) {
    return concat(std::string(static_cast<std::size_t>(heading.level), '#'), " ", markdown_text(heading.words), "\n\n");
  }

  std::string operator()(const Paragraph& paragraph) {
    return concat(paragraph.style == Paragraph::Style::note ? "> " : "", line(paragraph.line), "\n\n");
  }

  std::string operator()(const Items& items) {
    std::string list;
    for (const Line& item : items.items) list += concat("- ", line(item), "\n");
    return list.empty() ? "" : list + "\n";
  }

  std::string operator()(const Terms& facts) {
    std::string list;
    for (const auto& [term, said] : facts.rows)
      if (!said.empty()) list += concat("- ", markdown_text(term), ": ", line(said), "\n");
    return list.empty() ? "" : list + "\n";
  }

  std::string operator()(const Table& table) {
    if (table.rows.empty()) return {};
    std::string rows = "|", rule = "|";
    for (const std::string& head : table.heads) {
      rows += concat(" ", cell_text({text(head)}), " |");
      rule += "---|";
    }
    rows += concat("\n", rule, "\n");
    for (const std::vector<Cell>& row : table.rows) {
      rows += "|";
      for (const Cell& each : row) rows += concat(" ", cell_text(each.line), " |");
      rows += "\n";
    }
    return rows + "\n";
  }

  std::string operator()(const Literal& literal) { return code_block(literal.words, "text") + "\n"; }
  std::string operator()(const Markdown& markdown) { return markdown.words + "\n\n"; }
  std::string operator()(const PatchText& patch) { return code_block(patch.words, "diff") + "\n"; }

  std::string operator()(const Hunks& hunks) {
    const std::string diff = hunks_diff(hunks);
    return diff.empty() ? "" : code_block(diff, "diff") + "\n";
  }

  std::string operator()(const Fold& fold) {
    return concat("**", markdown_text(fold.summary), "**\n\n", blocks(fold.blocks));
  }

  /// Percent-encodes (RFC 3986) what would end an address in angle brackets.
  static std::string destination(std::string address) {
    replace_all(address, "<", "%3C");
    replace_all(address, ">", "%3E");
    replace_all(address, "\\", "%5C");
    return address;
  }

  std::string piece(const Inline& part) {
    switch (part.kind) {
      case Inline::Kind::text:
      case Inline::Kind::tag:
      case Inline::Kind::place:
        return markdown_text(part.text);
      case Inline::Kind::line_end:
        return "\\\n  ";  // both in a paragraph and in an item
      case Inline::Kind::code:
        return code_span(part.text);
      case Inline::Kind::strong:
        return concat("**", markdown_text(part.text), "**");
      case Inline::Kind::page:
        return concat("[", markdown_text(part.text), "](", around_.address(part.page), ")");
      case Inline::Kind::web:
        return concat("[", markdown_text(part.text), "](<", destination(part.address), ">)");
    }
    return {};
  }

 private:
  /// Escapes '|', which would end the cell, even in code spans (https://github.github.com/gfm/#tables-extension-).
  std::string cell_text(const Line& said) {
    std::string words;
    for (const Inline& part : said) {
      const std::string each = part.kind == Inline::Kind::line_end ? "<br>" : piece(part);
      for (const char c : each) words += c == '|' ? std::string("\\|") : std::string(1, c);
    }
    return words;
  }
};

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string line = comment_text(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_markup(line, i)) out += '\\';
    out += line[i];
  }
  return out;
}

std::string code_span(std::string_view text) {
  const std::string line = comment_text(text);
  const std::size_t run = longest_run_of_backticks(line);
  const std::string fence(run + 1, '`');
  // Spaces separate backticks at the ends from the fence; CommonMark strips them.
  const std::string space = run > 0 ? " " : "";
  return fence + space + line + space + fence;
}

std::string code_block(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run_of_backticks(text) + 1), '`');
  return concat(fence, language, "\n", text, ends_with(text, "\n") ? "" : "\n", fence, "\n");
}

std::vector<MarkdownPart> split_tables(std::string_view markdown) {
  const std::vector<std::string> lines = split(markdown, '\n');
  const CmarkNode document = parse_markdown(markdown);
  std::vector<MarkdownPart> parts;
  std::size_t done = 0;
  const auto take_text = [&](std::size_t end) {
    std::string text;
    for (; done < end; ++done) text += lines[done] + "\n";
    if (!trim(text).empty()) parts.push_back({std::move(text)});
  };
  for (cmark_node* node = cmark_node_first_child(document.get()); node; node = cmark_node_next(node)) {
    if (cmark_node_get_type(node) != CMARK_NODE_PARAGRAPH) continue;
    const auto first = static_cast<std::size_t>(cmark_node_get_start_line(node)) - 1;
    const auto end = static_cast<std::size_t>(cmark_node_get_end_line(node));
    if (end > lines.size() || end < first + 2 || !is_rule(lines[first + 1])) continue;
    take_text(first);
    parts.push_back({{},
                     rows_of({lines.begin() + static_cast<std::ptrdiff_t>(first),
                              lines.begin() + static_cast<std::ptrdiff_t>(end)})});
    done = end;
  }
  take_text(lines.size());
  return parts;
}

std::string document_markdown(const Document& document, const Surroundings& around) {
  MarkdownWriter writer(around);
  std::string page = concat("# ", markdown_text(document.title), "\n\n", writer.blocks(document.blocks));
  while (ends_with(page, "\n\n")) page.pop_back();
  return visible(page);
}

}  // namespace torchpatch
