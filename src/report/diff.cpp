// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

constexpr std::size_t kShort = 60;  ///< both values on one line

/// What entries of a level are.
const char* heading_of(DiffLevel level) {
  switch (level) {
    case DiffLevel::request:
      return "what was asked for, and what follows from it";
    case DiffLevel::catalog:
      return "entries that each catalog has its own of";
    case DiffLevel::pin:
      return "pinned commits";
    case DiffLevel::replacement:
      return "submodules taken at another commit";
    case DiffLevel::patch:
      return "patches";
    case DiffLevel::added_file:
      return "added files";
    case DiffLevel::patched_file:
      return "patched files";
    case DiffLevel::setting:
      return "variables of the build";
    case DiffLevel::tool_bound:
      return "versions of build tools";
    case DiffLevel::issue:
      return "known issues";
    case DiffLevel::warning:
      return "warnings";
    case DiffLevel::manifest:
      return "the rest of the manifests";
    case DiffLevel::file:
      break;
  }
  return "files";
}

/// '-' for what A alone has, '+' for what B alone has, '~' for the rest.
char diff_mark(const DiffEntry& entry) {
  if (entry.change == "only_in_a") return '-';
  return entry.change == "only_in_b" ? '+' : '~';
}

/// "40 files differ, 3 only in B"
std::string diff_counts_text(const DiffCounts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(concat(count, " ", count == 1 ? one : many));
  };
  add(counts.changed, "file differs", "files differ");
  add(counts.only_in_a, "file only in A", "files only in A");
  add(counts.only_in_b, "file only in B", "files only in B");
  return join(parts, ", ");
}

Line side_lines(const DiffSide& side) {
  std::vector<Line> lines = {
      {text(side.kind + " "), code(quote(side.name)), text(": " + target_text(side.release, side.board, side.image)),
       text(side.is_genuine ? "" : ", a stand-in for PyTorch")},
      {text("plan "), code(side.plan.hex())}};
  if (side.tree) lines.push_back({text("tree "), code(side.tree->hex())});
  return stacked(lines);
}

std::string value(const std::string& text) { return text.empty() ? "nothing" : text; }

/// The difference, with what each side has on the same line where that is short, and what explains it.
Line entry_lines(const DiffEntry& entry) {
  const char mark = diff_mark(entry);
  std::vector<Line> lines = {{code(std::string(1, mark)), text(" "), code(printable(entry.subject))}};
  const auto add = [&](const std::string& words) { lines.front().push_back(text(words)); };
  if (mark == '~' && entry.change != "changed") add(concat(" (", entry.change, ")"));
  if (entry.counts) {
    add(": " + diff_counts_text(*entry.counts));
  } else if (mark != '~' && (entry.a.empty() || entry.b.empty())) {
    if (!entry.a.empty() || !entry.b.empty()) add(concat(": ", entry.a, entry.b));
  } else if (entry.a.size() + entry.b.size() <= kShort) {
    add(concat(": ", value(entry.a), " -> ", value(entry.b)));
  } else {
    lines.push_back({text("A  " + value(entry.a))});
    lines.push_back({text("B  " + value(entry.b))});
  }
  // The heading says it of these.
  const bool is_obvious = entry.level == DiffLevel::request || entry.level == DiffLevel::catalog;
  if (!entry.because.empty() && !is_obvious) lines.push_back({text("because " + entry.because)});
  return stacked(lines);
}

std::string diff_verdict(const DiffReport& report) {
  if (report.entries.empty()) return "no difference";
  const std::size_t unexplained = count_unexplained(report);
  return concat(counted(report.entries.size(), "difference"), ", ",
                unexplained == 0 ? std::string("all explained") : concat(unexplained, " unexplained"));
}

}  // namespace

Document diff_document(const DiffReport& report) {
  Document page{.title = "Differences", .blocks = {Terms{{{"A", side_lines(report.a)}, {"B", side_lines(report.b)}}}}};
  std::vector<std::string> notes;
  for (const std::string& note : report.notes) notes.push_back("note: " + note);
  page.blocks.push_back(plain_items(notes));
  std::string heading;
  for (const DiffEntry& entry : report.entries) {
    const std::string next = concat(entry.because.empty() ? "UNEXPLAINED: " : "", heading_of(entry.level));
    if (next != heading) {
      page.blocks.push_back(Heading{2, next});
      page.blocks.push_back(Items{});
    }
    heading = next;
    std::get<Items>(page.blocks.back()).items.push_back(entry_lines(entry));
  }
  page.blocks.push_back(Heading{2, diff_verdict(report)});
  return page;
}

}  // namespace torchpatch::report
