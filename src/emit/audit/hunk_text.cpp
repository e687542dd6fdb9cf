// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/hunk_text.h"

#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// Tabs stay; all else that would move a cursor is escaped.
std::string harmless(std::string_view text) {
  std::string out;
  for (const std::string& part : split(text, '\t')) out += plain_line(part) + "\t";
  out.pop_back();
  return out;
}

struct Paints {
  Paint line, word;
};

Paints paints_of(char kind) {
  return kind == '+' ? Paints{Paint::added, Paint::added_word} : Paints{Paint::removed, Paint::removed_word};
}

/// The text of a line in its colour, the changed words apart.
std::string line_text(const AuditLine& line, TextColor color) {
  if (color == TextColor::none || line.kind == ' ') return concat(line.kind, harmless(line.text));
  const Paints paints = paints_of(line.kind);
  std::string out = painted(std::string(1, line.kind), paints.line, color);
  const std::string_view text = line.text;
  std::size_t at = 0;
  for (const auto& [begin, end] : line.changed) {
    out += painted(harmless(text.substr(at, begin - at)), paints.line, color);
    out += painted(harmless(text.substr(begin, end - begin)), paints.word, color);
    at = end;
  }
  return out + painted(harmless(text.substr(at)), paints.line, color);
}

/// The first number of a side and how many lines of it there are: "12,7".
std::string range(const AuditHunk& hunk, std::uint32_t AuditLine::*number) {
  std::uint32_t first = 0, count = 0;
  for (const AuditLine& line : hunk) {
    if (line.*number == 0) continue;
    if (count++ == 0) first = line.*number;
  }
  return concat(first, ",", count);
}

}  // namespace

std::string hunk_text(const AuditHunk& hunk, TextColor color) {
  std::string out;
  for (const AuditLine& line : hunk) {
    const std::uint32_t shown = line.after > 0 ? line.after : line.before;
    const std::string digits = shown > 0 ? concat(shown) : "";
    const std::string number = std::string(digits.size() < 6 ? 6 - digits.size() : 0, ' ') + digits;
    out += concat(painted(number, Paint::faint, color), " ", line_text(line, color), "\n");
    if (!line.has_newline) out += "       \\ no newline at the end of the file\n";
  }
  return out;
}

std::string hunk_diff(const AuditHunk& hunk) {
  std::string out = concat("@@ -", range(hunk, &AuditLine::before), " +", range(hunk, &AuditLine::after), " @@\n");
  for (const AuditLine& line : hunk) {
    out += concat(line.kind, line.text, "\n", line.has_newline ? "" : "\\ No newline at end of file\n");
  }
  return out;
}

}  // namespace torchpatch::emit
