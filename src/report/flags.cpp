// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"
#include "report/shown.h"
#include "report/words.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

const char* mechanism_text(FlagMechanism mechanism) {
  static constexpr const char* kTexts[] = {"Python code of the build reads the environment",
                                           "the build passes it to CMake", "CMake reads the environment",
                                           "the build of torchvision reads it", "the build of torchaudio reads it"};
  return entry_of(kTexts, mechanism);
}

bool is_misspelt(const FlagFact& flag) { return flag.read_at.empty() && flag.unread.empty() && !flag.near.empty(); }

std::string names_text(const std::vector<std::string>& names) { return join(collect(names, quote), " or "); }

std::string reading_of(const FlagFact& flag) {
  if (!flag.read_at.empty()) return mechanism_text(flag.mechanism);
  if (!flag.unread.empty())
    return flag.instead.empty() ? flag.unread : concat(flag.unread, "; this release reads ", names_text(flag.instead));
  if (is_misspelt(flag)) return concat("no known release reads it; did you mean ", names_text(flag.near), "?");
  return flag.releases.empty() ? "unknown variable" : "not known to be read; its sources were not checked";
}

const char* problem_text(FlagProblem problem) {
  return problem == FlagProblem::not_exported ? "not exported" : name_of(problem);
}

}  // namespace

Terms setting_terms(const Setting* known, const FlagFact* reading, const std::string& release, const Catalog& catalog) {
  Terms terms;
  if (known) terms.rows.push_back({"kind", said(known->kind)});
  if (reading) {
    const bool is_fact = known && !known->releases;
    const std::string at = reading->read_at.empty() ? "" : reading->read_at + ": ";
    terms.rows.push_back(
        {"release " + release, said(is_fact ? "a fact, not a variable of the build" : at + reading_of(*reading))});
  }
  if (!known) return terms;
  terms.rows.push_back({"read by releases", said(readers_of(*known, catalog))});
  terms.rows.push_back({"tested by issues", said(join(known->issues, ", "))});
  terms.rows.push_back({"set by fixes", said(join(known->fixes, ", "))});
  return terms;
}

Document named_flags_document(const FlagsReport& report, const Catalog& catalog) {
  const std::vector<Setting> settings = settings_of(catalog);
  Document page;
  for (const FlagFact& flag : report.flags) {
    const Setting* const known = find_where(settings, [&](const Setting& each) { return each.name == flag.name; });
    add_section(page.blocks, concat("setting ", visible(flag.name)),
                {setting_terms(known, &flag, report.release, catalog)});
  }
  return page;
}

Document flags_document(const FlagsReport& report) {
  Rows rows;
  for (const FlagFact& flag : report.flags) {
    rows.push_back({visible(flag.name), flag.read_at.empty() ? "-" : flag.read_at, reading_of(flag),
                    flag.releases.empty() ? "" : "in " + flag.releases});
  }
  Document page;
  page.blocks.push_back(plain_table(rows));
  return page;
}

Document flag_check_document(const FlagCheckReport& report) {
  Document page;
  std::vector<std::string> lines;
  for (const FlagFinding& finding : report.findings) {
    lines.push_back(concat(printable(report.file), ":", finding.line, ": ", finding.name, "=", printable(finding.value),
                           ": ", problem_text(finding.problem), ": ", finding.why, "; ", finding.fix));
  }
  for (const SkippedPart& part : report.skipped)
    lines.push_back(concat(printable(report.file), ":", part.line, ": not read: ", part.what));
  if (!lines.empty()) page.blocks.push_back(plain_items(lines));
  if (!report.unset.empty()) {
    const auto line = [](const PlannedSetting& each) {
      return concat(each.name, "=", each.value, " (", each.origin, ")");
    };
    page.blocks.push_back(
        Paragraph{{text(concat("the script does not set, but the plan for ", report.board, " does:"))}});
    page.blocks.push_back(plain_items(collect(report.unset, line)));
  }
  const std::string verdict =
      concat(report.findings.empty() ? "no problems" : counted(report.findings.size(), "finding"), " in ",
             counted(report.assignments, "assignment"), " for release ", report.release);
  page.blocks.push_back(Paragraph{{text(verdict)}});
  return page;
}

}  // namespace torchpatch::report
