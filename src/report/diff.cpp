// SPDX-License-Identifier: BSD-3-Clause
#include "report/diff.h"

#include <algorithm>

#include "document/markdown.h"
#include "document/text.h"
#include "record/json.h"
#include "support/text.h"

namespace torchpatch::report {

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

struct LevelWords {
  const char* name;
  const char* heading;
};

LevelWords words_of(DiffLevel level) {
  switch (level) {
    case DiffLevel::request:
      return {"request", "what was asked for, and what follows from it"};
    case DiffLevel::catalog:
      return {"catalog", "entries that each catalog has its own of"};
    case DiffLevel::pin:
      return {"pin", "pinned commits"};
    case DiffLevel::replacement:
      return {"override", "submodules taken at another commit"};
    case DiffLevel::patch:
      return {"patch", "patches"};
    case DiffLevel::added_file:
      return {"added_file", "added files"};
    case DiffLevel::patched_file:
      return {"patched_file", "patched files"};
    case DiffLevel::setting:
      return {"setting", "variables of the build"};
    case DiffLevel::tool_bound:
      return {"tool_bound", "versions of build tools"};
    case DiffLevel::issue:
      return {"issue", "known issues"};
    case DiffLevel::warning:
      return {"warning", "warnings"};
    case DiffLevel::manifest:
      return {"manifest", "the rest of the manifests"};
    case DiffLevel::file:
      break;
  }
  return {"file", "files"};
}

Json side_json(const DiffSide& side) {
  return {
      {"name", side.name},   {"kind", side.kind},   {"release", side.release}, {"genuine", side.is_genuine},
      {"board", side.board}, {"image", side.image}, {"plan", side.plan.hex()}, {"tree", record::id_or_null(side.tree)}};
}

Json entry_json(const DiffEntry& entry) {
  Json json = {{"level", diff_level_name(entry.level)},
               {"subject", entry.subject},
               {"change", entry.change},
               {"a", record::text_or_null(entry.a)},
               {"b", record::text_or_null(entry.b)}};
  if (entry.counts) {
    json["files"] = {{"changed", entry.counts->changed},
                     {"only_in_a", entry.counts->only_in_a},
                     {"only_in_b", entry.counts->only_in_b}};
  }
  json["issues"] = entry.issues;
  json["patchsets"] = entry.patchsets;
  json["because"] = record::text_or_null(entry.because);
  return json;
}

std::string diff_json(const DiffReport& report) {
  Json root = {{"schema", 1},
               {"equal", report.entries.empty()},
               {"a", side_json(report.a)},
               {"b", side_json(report.b)},
               {"counts", {{"differences", report.entries.size()}, {"unexplained", count_unexplained(report)}}},
               {"differences", Json::array()},
               {"notes", report.notes}};
  for (const DiffEntry& entry : report.entries) root["differences"].push_back(entry_json(entry));
  return report_json(root);
}

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

const char* diff_level_name(DiffLevel level) { return words_of(level).name; }
const char* diff_heading(DiffLevel level) { return words_of(level).heading; }

std::size_t count_unexplained(const DiffReport& report) {
  return static_cast<std::size_t>(std::count_if(report.entries.begin(), report.entries.end(),
                                                [](const DiffEntry& entry) { return entry.because.empty(); }));
}

char diff_mark(const DiffEntry& entry) {
  if (entry.change == "only_in_a") return '-';
  return entry.change == "only_in_b" ? '+' : '~';
}

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

std::string diff_verdict(const DiffReport& report) {
  if (report.entries.empty()) return "no difference";
  const std::size_t count = report.entries.size(), unexplained = count_unexplained(report);
  return concat(count, count == 1 ? " difference, " : " differences, ",
                unexplained == 0 ? std::string("all explained") : concat(unexplained, " unexplained"));
}

std::string diff_target(const DiffSide& side) {
  return concat(side.release, " for ", side.board, " (", side.image, ")");
}

std::string diff_report(const DiffReport& report, Format format) {
  return format == Format::json ? diff_json(report) : diff_text(report);
}

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

}  // namespace torchpatch::report
