// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// What the plan says of an issue: "answered in the tree by …", "not expected for 1.1.0: …".
std::string decision_text(const Match& match, const Diagnosis& diagnosis) {
  const IssueDecision& decision = *match.decision;
  const bool is_change = decision.kind != FixKind::advice;
  switch (decision.status) {
    case IssueStatus::applied:
      if (!is_change) return "action needed";
      return concat(diagnosis.is_tree ? "already fixed in this tree: " : "prepare fixes it: ",
                    fix_text(decision.kind, decision.fix, decision.variant),
                    diagnosis.is_tree ? "; if this is the tree's own log, remove pytorch/build and build again" : "");
    case IssueStatus::not_affected:
      if (!match.is_refuted && match.origin == Origin::run)
        return concat("the running torch was probably not built from this plan: ", decision.reason);
      if (!match.is_refuted)
        return concat("the plan expects otherwise (", decision.reason, "); compare this machine: torchpatch doctor");
      if (diagnosis.release.empty() || diagnosis.board.empty()) return "not expected here: " + decision.reason;
      return concat("not expected here: ", decision.reason, "; ",
                    match.issue->severity == "build-failure"
                        ? "this build probably did not use this plan"
                        : "the running torch was probably not built from this plan");
    case IssueStatus::undecided:
    case IssueStatus::declined:
    case IssueStatus::uncertified:
      break;
  }
  return decision.reason;
}

/// True where prepare does what is to be done.
bool is_answered(const Match& match) {
  return match.decision && match.decision->status == IssueStatus::applied && match.decision->kind != FixKind::advice;
}

/// "USE_NCCL=0": a patch has to be in the tree, a variable anyone can set.
std::string settings_text(const Fix& fix) {
  std::vector<std::string> settings;
  for (const EnvironmentSetting& setting : fix.environment)
    settings.push_back(concat(setting.name, "=", shell_quote(setting.value)));
  return join(settings, " ");
}

/// What is to be done, or what prepare does; fixes of one summary or with the same variables, for different releases,
/// are one. With a wheel, if the line can come from a program that runs; when building, unless it does.
std::vector<Line> what_to_do(const Match& match, bool is_tree) {
  const bool has_wheel = !match.issue->with_a_wheel.empty() && !is_tree && match.origin != Origin::build;
  const bool is_wheel_alone = has_wheel && match.origin == Origin::run && !is_answered(match);
  const Line wheel = {text("with a wheel: " + match.issue->with_a_wheel)};
  std::vector<Line> lines;
  if (!match.package.empty()) lines.push_back({text("do: install the package " + match.package)});
  if (has_wheel && !is_answered(match)) lines.push_back(wheel);
  std::set<std::string> told;
  const char* const who = is_answered(match) ? "fix: " : has_wheel ? "when you build: " : "do: ";
  for (const Fix* const fix : match.remedies) {
    const std::string settings = settings_text(*fix);
    const bool is_told = !told.insert(fix->summary).second || (!settings.empty() && !told.insert(settings).second);
    if (is_wheel_alone || is_told) continue;
    const bool is_to_set = !settings.empty() && !is_answered(match);
    lines.push_back({text(concat(who, fix->summary,
                                 settings.empty() ? ""
                                 : is_to_set      ? ": set "
                                                  : ": ",
                                 settings, is_to_set ? ", remove pytorch/build and build again" : ""))});
  }
  if (has_wheel && is_answered(match)) lines.push_back(wheel);
  return lines;
}

/// A line as it stands in the log; what would move the cursor is a blank. Of a long one its beginning.
std::string shown_line(std::string_view line) {
  constexpr std::size_t kRoom = 160;
  std::string shown;
  for (std::size_t at = 0; at < line.size();) {
    if (shown.size() >= kRoom) return shown + "…";
    const std::optional<CodePoint> point = decode_utf8(line, at);
    const bool is_shown = point && !is_hidden(point->value);
    const std::size_t length = point ? point->length : 1;
    shown += is_shown ? line.substr(at, length) : point ? " " : "\xEF\xBF\xBD";
    at += length;
  }
  return shown;
}

Line match_lines(const Match& match, const Diagnosis& diagnosis) {
  const bool is_match = match.confidence == Confidence::match;
  std::vector<Line> lines = {{is_match ? toned("match   ", Tone::good) : toned("possible", Tone::caution),
                              text(concat(" ", match.issue->id, ": ", match.issue->title))},
                             {text(match.score == 0 ? "example log line: " + shown_line(match.symptom)
                                                    : concat("line ", match.number, ": ", shown_line(match.line)))}};
  if (match.decision) lines.push_back({text(decision_text(match, diagnosis))});
  for (Line& line : what_to_do(match, diagnosis.is_tree)) lines.push_back(std::move(line));
  lines.push_back({text("details: torchpatch show issue " + match.issue->id)});
  return stacked(lines);
}

/// ", for PyTorch 1.1.0 for tx2 (jetpack-3.3)"; of what is named.
std::string for_whom(const Diagnosis& diagnosis) {
  const std::string& image = diagnosis.image;
  if (diagnosis.release.empty())
    return diagnosis.board.empty() ? "" : concat(", for ", diagnosis.board, image.empty() ? "" : " (" + image + ")");
  if (diagnosis.board.empty()) return ", for PyTorch " + diagnosis.release;
  return ", for PyTorch " + target_text(diagnosis.release, diagnosis.board, image);
}

}  // namespace

Document diagnosis_document(const Diagnosis& diagnosis) {
  Document page{.title = concat("Matching known issues", for_whom(diagnosis))};
  if (diagnosis.matches.empty()) {
    page.title = "No known issue matches this text";
    page.blocks.push_back(
        plain_items({"Pass the end of the log, or its first line with \"error\", unchanged.",
                     "torchpatch doctor --version V --board B compares this machine with the build's requirements.",
                     "torchpatch list issues prints all titles; torchpatch docs writes an index of symptoms.",
                     "To add it, write a page for it, or report the lines with release, board and image: "
                     "docs/adding-an-issue.md."}));
    return page;
  }
  Items items;
  for (const Match& match : diagnosis.matches) items.items.push_back(match_lines(match, diagnosis));
  page.blocks.push_back(std::move(items));
  if (const std::optional<LoggedLine>& last = diagnosis.unanswered)
    page.blocks.push_back(plain_items(
        {concat("No known issue matches the last error, line ", last->number, ": ", shown_line(last->line))}));
  const bool has_release = !diagnosis.release.empty(), has_board = !diagnosis.board.empty();
  if (!has_release || !has_board)
    page.blocks.push_back(
        plain_items({concat("More exact with ", has_release ? "" : "--version", has_release || has_board ? "" : " and ",
                            has_board ? "" : "--board", ".")}));
  if (diagnosis.is_image_assumed) page.blocks.push_back(plain_items({"image " + image_assumed_text(diagnosis.image)}));
  return page;
}

}  // namespace torchpatch::report
