// SPDX-License-Identifier: BSD-3-Clause
#include "emit/diff/diff_text.h"
#include "emit/format/markdown_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string side_line(const char* letter, const DiffSide& side) {
  std::string out = concat("* ", letter, ": ", side.kind, " ", code_span(side.name), ", ",
                           markdown_text(diff_target(side)), ", plan ", code_span(side.plan.hex()));
  if (side.tree) out += concat(", tree ", code_span(side.tree->hex()));
  return out + (side.is_genuine ? "\n" : ", a stand-in for PyTorch\n");
}

std::string entry_item(const DiffEntry& entry) {
  std::string out = concat("* ", code_span(printable(entry.subject)), ", ", markdown_text(entry.change));
  if (entry.counts) out += concat(": ", diff_counts_text(*entry.counts));
  out += "\n";
  if (!entry.a.empty()) out += concat("  * A: ", markdown_text(entry.a), "\n");
  if (!entry.b.empty()) out += concat("  * B: ", markdown_text(entry.b), "\n");
  if (!entry.because.empty()) out += concat("  * because ", markdown_text(entry.because), "\n");
  return out;
}

}  // namespace

std::string diff_markdown(const DiffReport& report) {
  std::string out = concat("# Differences\n\n", side_line("A", report.a), side_line("B", report.b), "\n**",
                           diff_verdict(report), "**\n");
  std::string heading;
  for (const DiffEntry& entry : report.entries) {
    const std::string next = concat(entry.because.empty() ? "Unexplained: " : "", diff_heading(entry.level));
    if (next != heading) out += concat("\n## ", next, "\n\n");
    heading = next;
    out += entry_item(entry);
  }
  if (!report.notes.empty()) out += "\n";
  for (const std::string& note : report.notes) out += concat("Note: ", markdown_text(note), "\n\n");
  return out;
}

}  // namespace torchpatch::emit
