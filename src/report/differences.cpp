// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "report/words.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string verdict_text(const VerifyReport& report) {
  if (!report.differences.empty()) return counted(report.differences.size(), "difference");
  std::vector<std::string> changes;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) changes.push_back(counted(count, one, many));
  };
  add(report.manifest.patches.size(), "patch", "patches");
  add(report.manifest.added_files.size(), "added file", "added files");
  const bool has_content = std::ranges::any_of(report.manifest.repositories, [](const ManifestRepository& repository) {
    return repository.content.has_value();
  });
  const std::size_t missing = missing_paths(report.manifest).size();
  return concat("OK", missing == 0 ? "" : concat(" except ", counted(missing, "missing path")), ", matches the pinned ",
                has_content ? "content" : "commits", changes.empty() ? "" : " plus " + join(changes, " and "),
                report.added_by_build.empty() ? "" : "; the other files come from a build");
}

/// Limit of files that the command of prepare_again_text() moves individually.
constexpr std::size_t kMostMoves = 3;

std::string prepare_again_text(const VerifyReport& report) {
  std::string command;
  std::string root = report.root.substr(0, report.root.find_last_not_of('/') + 1);
  const std::string real = real_path(report.root);
  if (!real.empty() && starts_with(real_path(".") + "/", real + "/")) {  // which prepare --replace would pull away
    command = "cd / && ";
    root = real;
  }
  // Move away what prepare --replace refuses; if there are many files, or unprintable names, the whole tree.
  std::vector<std::pair<std::string, std::string>> moves;
  for (const Difference& extra : report.differences) {
    if (extra.reason != "extra") continue;
    std::string flat = extra.path;
    std::ranges::replace(flat, '/', '-');
    moves.emplace_back(concat(root, "/", extra.path), concat(root, "-", flat));
  }
  const bool is_printable = std::ranges::none_of(moves, [](const auto& move) { return has_hidden(move.first); });
  const bool moves_all = moves.size() > kMostMoves || !is_printable;
  if (moves_all) moves = {{root, root + "-before"}};
  for (const auto& [from, to] : moves) command += concat("mv -- ", shell_quote(from), " ", shell_quote(to), " && ");
  command += "torchpatch prepare";
  for (const std::string& word : prepare_words(report.manifest, report.layers))
    command += concat(" ", shell_quote(word));
  return concat(command, moves_all ? " --output " : " --replace --output ", shell_quote(root));
}

constexpr std::size_t kShort = 60;  ///< limit for both values on one line

/// Returns the heading for the entries of a level.
const char* heading_of(DiffLevel level) {
  static constexpr const char* kHeadings[] = {"options, and what follows from them",
                                              "entries that differ between the catalogs",
                                              "pinned commits",
                                              "submodules at another commit",
                                              "patches",
                                              "added files",
                                              "patched files",
                                              "variables of the build",
                                              "versions of build tools",
                                              "known issues",
                                              "warnings",
                                              "the rest of the manifests",
                                              "files"};
  return entry_of(kHeadings, level);
}

/// Returns '-' if only A has it, '+' if only B has it, '~' otherwise.
char diff_mark(const DiffEntry& entry) {
  if (entry.change == "only_in_a") return '-';
  return entry.change == "only_in_b" ? '+' : '~';
}

/// Returns "40 files differ, 3 only in B".
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

/// Returns the difference, with both values on the same line if short, and its explanation.
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
  // The heading already explains these.
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

std::string difference_text(const Difference& difference) {
  // A difference of the whole tree has no path.
  return concat(difference.reason, difference.path.empty() ? "" : " " + quote(difference.path),
                difference.detail.empty() ? "" : ": ", difference.detail);
}

Document verify_document(const VerifyReport& report) {
  const Manifest& manifest = report.manifest;
  std::vector<std::string> lines;
  std::multimap<std::string, const Difference*> followers;  // by the path they follow from, until printed
  for (const Difference& difference : report.differences)
    if (!difference.follows.empty()) followers.emplace(difference.follows, &difference);
  for (const Difference& difference : report.differences) {
    if (!difference.follows.empty()) continue;
    lines.push_back(difference_text(difference));
    const auto [first, last] = followers.equal_range(difference.path);
    for (auto follower = first; follower != last; ++follower)
      lines.push_back("  hence " + difference_text(*follower->second));
    followers.erase(first, last);
  }
  // Preparing again does not sign a tree, so an unsigned manifest cannot be restored.
  const bool is_signed = std::ranges::count(report.differences, "signature", &Difference::reason) == 0;
  if (is_signed && !report.differences.empty()) lines.push_back("to restore the tree: " + prepare_again_text(report));
  for (const std::string& path : report.added_by_build) lines.push_back("added by build " + quote(path));
  for (const std::string& option : report.options) lines.push_back(chosen_text(option));
  for (const std::string& note : report.notes) lines.push_back("note: " + note);
  for (const std::string& path : missing_paths(manifest)) lines.push_back("missing: " + quote(path));
  if (report.signature) lines.push_back(signature_text(report.signature->signer, report.signature->key));
  return {.blocks = {plain_items(lines), Heading{2, concat(quote(report.root), ": ", verdict_text(report))},
                     plain_items({concat(target_text(manifest.release, manifest.board, manifest.image), ", tree ",
                                         manifest.tree.hex()),
                                  concat(counted(manifest.repositories.size(), "repository", "repositories"), ", ",
                                         counted(manifest.patches.size(), "patch", "patches"), ", ",
                                         counted(report.files, "file"), ", ", counted(report.links, "link"), ", ",
                                         counted(report.bytes, "byte"))})}};
}

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
