// SPDX-License-Identifier: BSD-3-Clause
#include "emit/diff/diff_text.h"

#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

constexpr std::size_t kShort = 60;  ///< both values on one line

std::string side_line(char letter, const DiffSide& side) {
  return concat(letter, "  ", side.kind, " ", quote(side.name), ": ", diff_target(side),
                side.is_genuine ? "" : ", a stand-in for PyTorch", "\n   plan ", side.plan.hex(),
                side.tree ? concat("\n   tree ", side.tree->hex()) : "", "\n");
}

std::string value(const std::string& text) { return text.empty() ? "nothing" : plain_line(text); }

/// What each side has: on the same line where that is short.
std::string values_text(const DiffEntry& entry) {
  const bool is_one_sided = diff_mark(entry) != '~';
  if (is_one_sided && (entry.a.empty() || entry.b.empty())) {
    const std::string& only = entry.a.empty() ? entry.b : entry.a;
    return only.empty() ? "\n" : concat(": ", plain_line(only), "\n");
  }
  if (entry.a.size() + entry.b.size() <= kShort) return concat(": ", value(entry.a), " -> ", value(entry.b), "\n");
  return concat("\n      A  ", value(entry.a), "\n      B  ", value(entry.b), "\n");
}

std::string entry_text(const DiffEntry& entry) {
  std::string out = concat("  ", diff_mark(entry), " ", printable(entry.subject));
  if (diff_mark(entry) == '~' && entry.change != "changed") out += concat(" (", entry.change, ")");
  out += entry.counts ? concat(": ", diff_counts_text(*entry.counts), "\n") : values_text(entry);
  // The heading says it of these.
  const bool is_obvious = entry.level == DiffLevel::request || entry.level == DiffLevel::catalog;
  if (!entry.because.empty() && !is_obvious) out += concat("      because ", plain_line(entry.because), "\n");
  return out;
}

}  // namespace

std::string diff_text(const DiffReport& report) {
  std::string out = side_line('A', report.a) + side_line('B', report.b);
  std::string heading;
  for (const DiffEntry& entry : report.entries) {
    const std::string next = concat(entry.because.empty() ? "UNEXPLAINED: " : "", diff_heading(entry.level));
    if (next != heading) out += concat("\n", next, "\n");
    heading = next;
    out += entry_text(entry);
  }
  out += "\n";
  for (const std::string& note : report.notes) out += concat("note: ", plain_line(note), "\n");
  return concat(out, diff_verdict(report), "\n");
}

}  // namespace torchpatch::emit
