// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/diff/diff_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

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

}  // namespace

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

}  // namespace torchpatch::emit
