// SPDX-License-Identifier: BSD-3-Clause
#include "document/text.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "support/text.h"

namespace torchpatch {

namespace {

/// Indexed by Paint; changed words are also underlined, so that they do not depend on colour alone.
constexpr const char* kCodes[] = {"1", "32", "31", "1;4;32", "1;4;31", "33", "1;31", "2"};

struct Range {
  char32_t first, last;
};
/// Unicode's combining marks and zero-width characters; its East Asian Wide characters and emoji, in whole blocks.
constexpr Range kCombining[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
                                {0x64B, 0x65F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};
constexpr Range kWide[] = {{0x1100, 0x115F},  {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
                           {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                           {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
                           {0x20000, 0x3FFFD}};

bool is_in(char32_t value, const Range* begin, const Range* end) {
  return std::any_of(begin, end, [&](const Range& range) { return value >= range.first && value <= range.last; });
}

std::size_t columns_of(char32_t value) {
  if (value < 0x300) return 1;
  if (is_in(value, std::begin(kCombining), std::end(kCombining))) return 0;
  return is_in(value, std::begin(kWide), std::end(kWide)) ? 2 : 1;
}

/// Quotes what would move the cursor, except tabs.
std::string harmless(std::string_view text) {
  std::string out;
  for (const std::string& part : split(text, '\t')) out += plain_line(part) + "\t";
  out.pop_back();
  return out;
}

using MaybePaint = std::optional<Paint>;

MaybePaint paint_of(Tone tone) {
  constexpr MaybePaint kPaints[] = {std::nullopt, Paint::added, Paint::warning, Paint::error, Paint::faint};
  return kPaints[static_cast<std::size_t>(tone)];
}

/// Runs of characters, each in one colour.
struct Painted {
  struct Run {
    std::string text;
    MaybePaint paint;
  };
  std::vector<Run> runs{};
  std::size_t width = 0;

  void add(std::string_view text, std::size_t columns, MaybePaint paint) {
    if (runs.empty() || runs.back().paint != paint) runs.push_back({"", paint});
    runs.back().text += text;
    width += columns;
  }
  void add_word(const Painted& word, std::size_t spaces) {
    const bool is_same = !runs.empty() && runs.back().paint == word.runs.front().paint;
    if (spaces > 0) add(std::string(spaces, ' '), spaces, is_same ? runs.back().paint : std::nullopt);
    for (const Run& run : word.runs) add(run.text, 0, run.paint);
    width += word.width;
  }
  std::string text(TextColor color) const {
    std::string out;
    for (const Run& run : runs) out += run.paint ? painted(run.text, *run.paint, color) : run.text;
    return out;
  }
};

/// Text without line breaks inside.
struct Word {
  Painted letters{};
  std::size_t spaces = 0;  ///< before it
  bool begins_line = false;
};

/// Splits a line into words: at spaces, and on both sides of a wide character.
class Words {
 public:
  Words(const Line& line, MaybePaint paint) {
    for (const Inline& part : line) add(part, paint);
  }
  std::vector<Word> take() { return std::move(words_); }

 private:
  void add(const Inline& part, MaybePaint paint) {
    using Kind = Inline::Kind;
    if (part.kind == Kind::line_end) {
      is_open_ = false;
      is_new_line_ = true;
      spaces_ = 0;
      return;
    }
    if (part.kind == Kind::strong) paint = Paint::heading;
    if (part.tone != Tone::none) paint = paint_of(part.tone);
    add(plain_line(part.text), paint);
    if (part.kind == Kind::web && part.address != part.text) add(concat(" <", plain_line(part.address), ">"), paint);
  }

  void add(std::string_view text, MaybePaint paint) {
    for (std::size_t i = 0; i < text.size();) {
      const std::optional<CodePoint> point = decode_utf8(text, i);
      const std::string_view bytes = text.substr(i, point ? point->length : 1);
      i += bytes.size();
      if (bytes == " ") {
        is_open_ = false;
        ++spaces_;
        continue;
      }
      const std::size_t columns = point ? columns_of(point->value) : 1;
      if (!is_open_ || columns == 2) {
        words_.push_back({{}, spaces_, is_new_line_});
        spaces_ = 0;
        is_new_line_ = false;
      }
      words_.back().letters.add(bytes, columns, paint);
      is_open_ = columns != 2;
    }
  }

  std::vector<Word> words_;
  std::size_t spaces_ = 0;
  bool is_open_ = false, is_new_line_ = false;
};

std::vector<Word> tokenize(const Line& line, MaybePaint paint = {}) { return Words(line, paint).take(); }

/// `width`: 0 = unlimited; lines after the first are narrower by `hang`.
std::vector<Painted> wrapped(const std::vector<Word>& words, std::size_t width, std::size_t hang = 0) {
  std::vector<Painted> lines(1);
  for (const Word& word : words) {
    const std::size_t room = lines.size() == 1 ? width : width - std::min(width, hang);
    const std::size_t wanted = lines.back().width + word.spaces + word.letters.width;
    const bool is_full = width > 0 && lines.back().width > 0 && wanted > room;
    if (word.begins_line || is_full) lines.emplace_back();
    lines.back().add_word(word.letters, is_full ? 0 : word.spaces);
  }
  return lines;
}

using WordRow = std::vector<std::vector<Word>>;

/// The widths of the widest cells; if there is not enough room, the widest columns shrink, down to their longest word.
std::vector<std::size_t> column_widths(const std::vector<WordRow>& rows, std::size_t room) {
  std::vector<std::size_t> widths, least;
  for (const WordRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    least.resize(widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (const Painted& line : wrapped(row[i], 0)) widths[i] = std::max(widths[i], line.width);
      for (const Word& word : row[i]) least[i] = std::max(least[i], word.letters.width);
    }
  }
  std::size_t total = 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  for (; room > 0 && total > room; --total) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) break;
    --widths[widest];
  }
  return widths;
}

/// Returns the lines of a row, each cell wrapped in its column.
std::string row_text(const WordRow& row, const std::vector<std::size_t>& widths, const std::string& indent,
                     TextColor color) {
  std::vector<std::vector<Painted>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells.push_back(wrapped(row[i], widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string out;
  for (std::size_t at = 0; at < height; ++at) {
    std::string gap = indent;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Painted cell = at < cells[i].size() ? cells[i][at] : Painted{};
      if (cell.width > 0) out += std::exchange(gap, "") + cell.text(color);
      gap += std::string(widths[i] - std::min(widths[i], cell.width) + 2, ' ');
    }
    out += "\n";
  }
  return out;
}

std::string number_text(std::uint32_t number) {
  const std::string digits = number > 0 ? concat(number) : "";
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, ' ') + digits;
}

/// Returns a line in its colour, with changed words highlighted.
std::string line_text(const AuditLine& line, TextColor color) {
  if (color == TextColor::none || line.kind == ' ') return concat(line.kind, harmless(line.text));
  const Paint paint = line.kind == '+' ? Paint::added : Paint::removed;
  const Paint word_paint = line.kind == '+' ? Paint::added_word : Paint::removed_word;
  std::string out = painted(std::string(1, line.kind), paint, color);
  const std::string_view text = line.text;
  std::size_t at = 0;
  for (const auto& [begin, end] : line.changed) {
    out += painted(harmless(text.substr(at, begin - at)), paint, color);
    out += painted(harmless(text.substr(begin, end - begin)), word_paint, color);
    at = end;
  }
  return out + painted(harmless(text.substr(at)), paint, color);
}

/// Each line with its number before and after the change.
std::string hunk_text(const Hunk& hunk, TextColor color) {
  const std::string gap(14, ' ');  // as wide as the numbers
  std::string out;
  for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
    const AuditLine& line = hunk.lines[i];
    const std::string numbers = number_text(line.before) + " " + number_text(line.after);
    out += concat(painted(numbers, Paint::faint, color), " ", line_text(line, color), "\n");
    if (!line.has_newline) out += gap + "\\ no newline at the end of the file\n";
    for (const HunkNote& note : hunk.notes) {
      if (note.line != i) continue;
      out += concat(gap, painted(plain_line(concat("! ", note.name, ": ", note.words)), Paint::warning, color), "\n");
    }
  }
  return out;
}

/// Returns the first line number and the number of lines of a side: "12,7".
std::string range_of(const AuditHunk& hunk, std::uint32_t AuditLine::*number) {
  std::uint32_t first = 0, count = 0;
  for (const AuditLine& line : hunk) {
    if (line.*number == 0) continue;
    if (count++ == 0) first = line.*number;
  }
  return concat(first, ",", count);
}

class TextWriter {
 public:
  explicit TextWriter(const TextStyle& style) : style_(style) {}

  void add(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) std::visit(*this, static_cast<const Block::variant&>(block));
  }
  void add_title(const std::string& title) {
    add_lines(tokenize({text(title)}, Paint::heading), 2);
    open_ = Open::heading;
    indent_ = 2;
  }
  const std::string& out() const { return out_; }

  void operator()(const Heading& heading) {
    if (!out_.empty()) out_ += "\n";
    indent_ = 2 * static_cast<std::size_t>(std::max(heading.level, 2) - 2);
    add_lines(tokenize({text(heading.words)}, Paint::heading), 2);
    indent_ = std::max<std::size_t>(2, indent_ + 2);
    open_ = Open::heading;
  }

  void operator()(const Paragraph& paragraph) {
    const bool is_note = paragraph.style == Paragraph::Style::note;
    if (!is_note) separate();
    add_lines(tokenize(paragraph.line, is_note ? paint_of(Tone::caution) : std::nullopt), is_note ? 4 : 0);
  }

  void operator()(const Items& items) {
    for (const Line& item : items.items) add_lines(tokenize(item), 4);
  }

  void operator()(const Terms& terms) {
    std::vector<WordRow> rows;
    for (const auto& [term, said] : terms.rows)
      if (!said.empty()) rows.push_back({tokenize({text(term)}), tokenize(said)});
    add_rows(rows);
  }

  void operator()(const Table& table) {
    if (table.rows.empty()) return;
    std::vector<WordRow> rows;
    if (std::any_of(table.heads.begin(), table.heads.end(), [](const std::string& head) { return !head.empty(); })) {
      rows.emplace_back();
      for (const std::string& head : table.heads) rows.back().push_back(tokenize({text(head)}, Paint::faint));
    }
    for (const std::vector<Cell>& row : table.rows) {
      rows.emplace_back();
      for (const Cell& cell : row) rows.back().push_back(tokenize(cell.line, paint_of(cell.tone)));
    }
    add_rows(rows);
  }

  void operator()(const Literal& literal) { add_as_it_is(literal.words, indent_ + 2); }

  void operator()(const Markdown& markdown) {
    separate();
    add_as_it_is(markdown.words, indent_);
  }

  void operator()(const PatchText& patch) { add_as_it_is(patch.words, indent_); }

  void operator()(const Hunks& hunks) {
    for (std::size_t i = 0; i < hunks.hunks.size(); ++i)
      out_ += concat(i > 0 ? "   ...\n" : "", hunk_text(hunks.hunks[i], style_.color));
    open_ = Open::lines;
  }

  void operator()(const Fold& fold) {
    add_lines(tokenize({text(fold.summary)}), 4);
    indent_ += 2;
    add(fold.blocks);
    indent_ -= 2;
  }

 private:
  enum class Open { nothing, heading, lines, aligned };

  std::size_t room() const {
    return style_.width == 0 ? 0 : std::max<std::size_t>(style_.width, indent_ + 20) - indent_;
  }
  void separate() {
    if (open_ == Open::lines || open_ == Open::aligned) out_ += "\n";
  }

  void add_lines(const std::vector<Word>& words, std::size_t hang) {
    std::size_t indent = indent_;
    for (const Painted& line : wrapped(words, room(), hang)) {
      if (line.width > 0) out_ += std::string(indent, ' ') + line.text(style_.color);
      out_ += "\n";
      indent = indent_ + hang;
    }
    open_ = Open::lines;
  }

  void add_rows(const std::vector<WordRow>& rows) {
    if (rows.empty()) return;
    if (open_ == Open::aligned) out_ += "\n";
    const std::vector<std::size_t> widths = column_widths(rows, room());
    for (const WordRow& row : rows) out_ += row_text(row, widths, std::string(indent_, ' '), style_.color);
    open_ = Open::aligned;
  }

  void add_as_it_is(std::string_view words, std::size_t indent) {
    if (ends_with(words, "\n")) words.remove_suffix(1);
    for (const std::string& line : split(words, '\n')) {
      if (!line.empty()) out_ += std::string(indent, ' ') + harmless(line);
      out_ += "\n";
    }
    open_ = Open::lines;
  }

  TextStyle style_;
  std::string out_;
  std::size_t indent_ = 0;
  Open open_ = Open::nothing;  ///< the preceding block
};

}  // namespace

std::string blocks_text(const std::vector<Block>& blocks, const TextStyle& style) {
  TextWriter writer(style);
  writer.add(blocks);
  return writer.out();
}

std::string document_text(const Document& document, const TextStyle& style) {
  TextWriter writer(style);
  if (!document.title.empty()) writer.add_title(document.title);
  writer.add(document.blocks);
  return writer.out();
}

std::string painted(const std::string& text, Paint paint, TextColor color) {
  if (color == TextColor::none || text.empty()) return text;
  return concat("\033[", kCodes[static_cast<std::size_t>(paint)], "m", text, "\033[0m");
}

std::string plain_line(const std::string& text) {
  // Quotes and backslashes, which quote() would escape too, are harmless.
  std::string rest = text;
  std::erase_if(rest, [](char c) { return c == '\'' || c == '\\'; });
  return printable(rest) == rest ? text : quote(text);
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::optional<CodePoint> point = decode_utf8(text, i);
    columns += point ? columns_of(point->value) : 1;
    i += point ? point->length : 1;
  }
  return columns;
}

std::string hunks_diff(const Hunks& hunks) {
  std::string out;
  for (const Hunk& each : hunks.hunks) {
    const AuditHunk& hunk = each.lines;
    const bool has_numbers =
        std::any_of(hunk.begin(), hunk.end(), [](const AuditLine& line) { return line.before > 0 || line.after > 0; });
    out += has_numbers
               ? concat("@@ -", range_of(hunk, &AuditLine::before), " +", range_of(hunk, &AuditLine::after), " @@\n")
               : "@@\n";
    for (const AuditLine& line : hunk)
      out += concat(line.kind, line.text, "\n", line.has_newline ? "" : "\\ No newline at end of file\n");
  }
  return out;
}

}  // namespace torchpatch
