// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <set>

#include "document/document.h"
#include "document/html.h"
#include "report/audit/audit_report.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

constexpr const char* kNoSources =
    "not available: context lines come from the patches (--mirror DIR shows the pinned files)";

/// Lines of the file after the change, each run as [first, last].
std::vector<std::pair<std::uint32_t, std::uint32_t>> changed_runs(const AuditFile& file) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  const auto add = [&](std::uint32_t line) {
    if (!runs.empty() && line <= runs.back().second + 1)
      runs.back().second = std::max(runs.back().second, line);
    else
      runs.emplace_back(line, line);
  };
  for (const AuditHunk& hunk : file.hunks) {
    std::uint32_t next = 1;  // where a line would stand that is removed
    for (const AuditLine& line : hunk) {
      if (line.after > 0) next = line.after + 1;
      if (line.kind == '+') add(line.after);
      if (line.kind == '-') add(next);
    }
  }
  return runs;
}

std::string file_words(const AuditUpstreamFile& file) {
  if (!file.blob) return concat(file.path, " does not exist there either");
  return concat(file.path, " is blob ", file.blob->hex(),
                file.is_same ? ", the same as with the patch" : ", which has this change and others");
}

/// Many releases are told by their ends; all of them are in the JSON.
std::string releases_words(const std::vector<std::string>& releases) {
  if (releases.size() <= 4) return join(releases, ", ");
  return concat(releases.size(), " releases between ", releases.front(), " and ", releases.back());
}

/// What later releases have of it, in sentences without a final period.
std::vector<std::string> upstream_words(const AuditUpstream& upstream) {
  std::vector<std::string> words;
  if (!upstream.since.empty()) {
    const bool is_one = !upstream.is_newest && upstream.until == upstream.since;
    const std::string end = upstream.is_newest ? " on" : is_one ? "" : " to " + upstream.until;
    std::vector<std::string> files;
    for (const AuditUpstreamFile& file : upstream.files) files.push_back(file_words(file));
    words.push_back(concat("upstream has it ", is_one ? "only in" : "from", " release ", upstream.since, end, ": at ",
                           upstream.since, " ", join(files, "; ")));
    if (!upstream.is_newest)
      words.push_back(concat("after ", upstream.until, " the files differ; the change may still be there"));
  } else if (upstream.looked_at > 0) {
    words.push_back(concat("not found in the ", counted(upstream.looked_at, "later release"),
                           "; upstream may have fixed it in another way"));
  }
  if (!upstream.not_looked_at.empty())
    words.push_back(concat("not checked (commits unavailable): ", releases_words(upstream.not_looked_at)));
  return words;
}

/// Of a mere removal the line before which it was: "line 512", "lines 423-430, 512"; empty where no line changes.
std::string touched_words(const AuditFile& file) {
  std::vector<std::string> texts;
  for (const auto& [first, last] : changed_runs(file))
    texts.push_back(first == last ? concat(first) : concat(first, "-", last));
  if (texts.empty()) return {};
  const bool is_one = texts.size() == 1 && texts[0].find('-') == std::string::npos;
  return (is_one ? "line " : "lines ") + join(texts, ", ");
}

/// Returns "413–440": the lines of one side that the hunk shows; empty where there are none.
std::string span_of(const AuditHunk& hunk, std::uint32_t AuditLine::*number) {
  std::uint32_t first = 0, last = 0;
  for (const AuditLine& line : hunk) {
    if (line.*number == 0) continue;
    if (first == 0) first = line.*number;
    last = line.*number;
  }
  if (first == 0) return {};
  return first == last ? concat(first) : concat(first, "\u2013", last);
}

/// Returns "lines 17–36 become 17–37", "new lines 1–20", …
std::string hunk_name(const AuditHunk& hunk) {
  const std::string before = span_of(hunk, &AuditLine::before), after = span_of(hunk, &AuditLine::after);
  if (before.empty()) return "new lines " + after;
  if (after.empty()) return "lines " + before + " removed";
  return before == after ? "lines " + after : concat("lines ", before, " become ", after);
}

/// Names the patch in the page: "cuda-threads-t2-0001-cap-threads".
std::string patch_anchor(const AuditPatch& patch) {
  std::string name = patch_name(patch);
  if (ends_with(name, ".patch")) name.resize(name.size() - 6);
  return html_anchor(name);
}

std::string file_anchor(const AuditPatch& patch, std::size_t file) {
  return concat(patch_anchor(patch), "-file-", file + 1);
}

std::string hunk_anchor(const AuditPatch& patch, std::size_t file, std::size_t hunk) {
  return concat(file_anchor(patch, file), "-hunk-", hunk + 1);
}

/// "70a7d05b… becomes a1cd6e2a…", with full ids; "none" for no file; empty where nothing is known.
std::string blob_words(const std::optional<ObjectId>& before, const std::optional<ObjectId>& after) {
  if (!before && !after) return {};
  return concat(before ? before->hex() : "none", " becomes ", after ? after->hex() : "none");
}

Line code_or_nothing(const std::string& words) { return words.empty() ? Line{} : Line{code(words)}; }

Line broken_lines(const std::vector<std::string>& texts) {
  return stacked(collect(texts, [](const std::string& each) { return Line{text(each)}; }));
}

Line line_counts(std::size_t added, std::size_t removed) {
  return {toned(concat("+", added), Tone::good), text(" "), toned(concat("-", removed), Tone::bad)};
}

/// Counts of one patch, or of all.
struct Counts {
  std::size_t files = 0, added = 0, removed = 0, things = 0;
  void add(const AuditPatch& patch) {
    files += patch.files.size();
    things += patch.risks.size() + patch.lint.size();
    for (const AuditFile& file : patch.files) {
      added += file.added;
      removed += file.removed;
    }
  }
};

Line lead(const AuditReport& report) {
  Counts counts;
  for (const AuditPatch& patch : report.patches) counts.add(patch);
  std::string words = counted(report.patches.size(), "patch", "patches");
  if (!report.overrides.empty())
    words += concat(", ", counted(report.overrides.size(), "submodule"), " at another commit");
  if (!report.added_files.empty()) words += concat(", ", counted(report.added_files.size(), "added file"));
  if (report.patches.empty()) return {text(words)};
  return joined({{text(concat(words, ", ", counted(counts.files, "changed file")))},
                 line_counts(counts.added, counts.removed),
                 {text(counted(counts.things, "warning"))}},
                ", ");
}

/// The field that says what the patch is for.
const std::pair<std::string, std::string>* description_of(const AuditPatch& patch) {
  const auto field = std::find_if(patch.fields.begin(), patch.fields.end(), [](const auto& each) {
    return (each.first == "Description" || each.first == "Subject") && !each.second.empty();
  });
  return field == patch.fields.end() ? nullptr : &*field;
}

/// What a patch is for in a few words: the first line of its description, else its name.
std::string patch_title(const AuditPatch& patch) {
  const auto* const field = description_of(patch);
  return field == nullptr ? patch_name(patch) : field->second.substr(0, field->second.find('\n'));
}

/// The description behind its first line, each paragraph on its line. DEP-3: a full stop alone is an empty line.
Line description(const std::string& text_of_field) {
  const std::vector<std::string> lines = split(text_of_field, '\n');
  std::vector<Line> paragraphs;
  bool is_open = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    const bool is_empty = line.empty() || line == ".";
    if (!is_empty && is_open)
      paragraphs.back().front().text += concat(" ", line);
    else if (!is_empty)
      paragraphs.push_back({text(std::string(line))});
    is_open = !is_empty;
  }
  return stacked(paragraphs);
}

const char* approval_words(const AuditApproval& approval) { return approval.key.empty() ? "not approved" : "approved"; }

/// What it says of the patch of another variant that it is compared with.
std::string relative_words(const AuditRelative& relative) {
  if (relative.change == SeriesChange::same) return "same as " + relative.name;
  if (relative.change != SeriesChange::shifted) return "changed against " + relative.name;
  return concat("shifted: the changes of ", relative.name, " at other lines");
}

/// The state of a patch at a glance.
Line state(const AuditReport& report, std::size_t index) {
  const AuditPatch& patch = report.patches[index];
  std::vector<Line> words = {{patch.is_certified ? toned("certified", Tone::good) : toned("not certified", Tone::bad)}};
  words.push_back({is_proven(patch) ? toned("proven", Tone::good)
                                    : toned(patch.proofs.empty() ? "no proof" : "not proven", Tone::caution)});
  if (!patch.is_in_catalog) words.push_back({toned("not in the catalog", Tone::bad)});
  if (!patch.origin_kind.empty()) words.push_back({text("origin " + patch.origin_kind)});
  if (patch.upstream && !patch.upstream->since.empty())
    words.push_back({text("upstream from " + patch.upstream->since)});
  if (!patch.lint.empty()) words.push_back({toned(counted(patch.lint.size(), "lint finding"), Tone::caution)});
  if (!patch.risks.empty()) words.push_back({toned(counted(patch.risks.size(), "warning"), Tone::caution)});
  if (report.approvals) {  // its list begins with the patches
    const AuditApproval& approval = report.approvals->of.at(index);
    words.push_back({toned(approval_words(approval), approval.key.empty() ? Tone::caution : Tone::good)});
  }
  if (patch.spread && patch.spread->relative) words.push_back({text(name_of(patch.spread->relative->change))});
  return joined(words, ", ");
}

Table patch_contents(const AuditReport& report) {
  Table table{"Contents", {"Patch", "Changes", "State"}, {}};
  for (std::size_t i = 0; i < report.patches.size(); ++i) {
    const AuditPatch& patch = report.patches[i];
    Counts counts;
    counts.add(patch);
    const Line name = {link_here(patch_anchor(patch), patch_title(patch)), line_end(), code(patch_name(patch))};
    const Line changes =
        joined({{text(counted(counts.files, "file"))}, line_counts(counts.added, counts.removed)}, ", ");
    table.rows.push_back({{name}, {changes}, {state(report, i)}});
  }
  return table;
}

Line issues_line(const AuditPatch& patch) {
  if (patch.issues.empty()) return {text("none")};
  std::vector<Line> lines;
  for (const AuditIssue& issue : patch.issues) {
    lines.push_back({code(issue.id), text(concat(issue.title.empty() ? "" : ": " + issue.title,
                                                 issue.severity.empty() ? "" : concat(" (", issue.severity, ")")))});
  }
  return stacked(lines);
}

Line origin(const AuditPatch& patch) {
  Line line = {text(patch.origin_kind.empty() ? "unknown" : patch.origin_kind)};
  if (patch.origin_source.empty()) return line;
  return joined({line, {web_link(patch.origin_source, patch.origin_source)}}, ", ");
}

/// The proofs of the patch's variant, listed at its first patch: a proof is of all its patches together.
Line proofs(const AuditReport& report, const AuditPatch& patch) {
  if (patch.proofs.empty()) return {text("none at this release")};
  const auto is_of_same = [&](const AuditPatch& each) {
    return each.patchset == patch.patchset && each.variant == patch.variant;
  };
  const AuditPatch& first = *std::ranges::find_if(report.patches, is_of_same);
  const std::string count = counted(patch.proofs.size(), "proof");
  if (&first != &patch)
    return {text(concat(count, " of all patches of ", patch.patchset, ": see ")),
            link_here(patch_anchor(first), first.file)};
  std::vector<Line> lines;
  if (std::ranges::count_if(report.patches, is_of_same) > 1)
    lines.push_back({text(concat(count, " of all patches of ", patch.patchset, ":"))});
  for (const AuditProof& proof : patch.proofs) {
    const std::string since = proof.date.empty() ? "" : " since " + proof.date;
    lines.push_back({code(proof.id), text(concat(", ", proof.state, since, ": ", proof.claim))});
  }
  return stacked(lines);
}

Line touches(const AuditPatch& patch) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < patch.files.size(); ++i) {
    const std::string touched = touched_words(patch.files[i]);
    lines.push_back({link_here(file_anchor(patch, i), patch.files[i].path)});
    if (!touched.empty()) lines.back().push_back(text(", " + touched));
  }
  return stacked(lines);
}

/// A risk's line is one of the new file, of a removal one of the old: changed lines go before unchanged ones.
std::optional<std::pair<std::size_t, std::size_t>> find_line(const AuditFile& file, std::uint32_t number) {
  for (const char kind : {'+', '-', ' '}) {
    for (std::size_t hunk = 0; hunk < file.hunks.size(); ++hunk) {
      for (std::size_t i = 0; i < file.hunks[hunk].size(); ++i) {
        const AuditLine& line = file.hunks[hunk][i];
        if (line.kind == kind && (kind == '-' ? line.before : line.after) == number) return std::pair(hunk, i);
      }
    }
  }
  return std::nullopt;
}

bool is_removed(const AuditPatch& patch, const AuditRisk& risk) {
  const auto* const file = find_where(patch.files, [&](const AuditFile& each) { return each.path == risk.path; });
  const auto place = file ? find_line(*file, risk.line) : std::nullopt;
  return place && file->hunks[place->first][place->second].kind == '-';
}

Line things_to_look_at(const AuditPatch& patch) {
  std::vector<Line> lines;
  for (const AuditLint& finding : patch.lint)
    lines.push_back({toned("lint", Tone::caution), text(": " + lint_words(finding))});
  for (const AuditRisk& risk : patch.risks) {
    const std::string place = risk.line > 0 ? concat(risk.path, ":", risk.line) : risk.path;
    const std::string removed = is_removed(patch, risk) ? " (removed, old line)" : "";
    lines.push_back({toned(risk.kind, Tone::caution), text(", "), code(place), text(concat(removed, ": ", risk.why))});
  }
  return stacked(lines);
}

Line places(const AuditSpread& spread) {
  std::vector<std::string> lines;
  for (const AuditPlaces& each : spread.places)
    lines.push_back(concat(join(each.releases, ", "), ": ", join(each.boards, ", ")));
  return broken_lines(lines);
}

/// The fields of the header, but for what is told elsewhere.
void add_fields(const AuditPatch& patch, Terms& terms) {
  for (const auto& field : patch.fields) {
    const auto& [name, value] = field;
    if (name == "Origin") continue;
    std::vector<Line> lines;
    for (const std::string& line : split(value, '\n')) lines.push_back({web_link(line, line)});
    terms.rows.emplace_back(name, &field == description_of(patch) ? description(value) : stacked(lines));
  }
}

Terms facts(const AuditReport& report, const AuditPatch& patch) {
  Terms terms{{{"Patch", {code(patch_name(patch)), text(" in "), code(patch.repository.text())}}}};
  add_fields(patch, terms);
  terms.rows.emplace_back("Origin", origin(patch));
  terms.rows.emplace_back("Issues", issues_line(patch));
  terms.rows.emplace_back("SHA-256", Line{code(patch.sha256.hex())});
  if (!patch.is_in_catalog)
    terms.rows.emplace_back("Catalog", Line{toned("missing", Tone::bad), text(concat(": ", kNotInCatalog))});
  terms.rows.emplace_back("Certificate", patch.is_certified
                                             ? Line{toned("yes", Tone::good)}
                                             : Line{toned("none", Tone::bad), text(concat(": ", kNoCertificate))});
  terms.rows.emplace_back("Proof", proofs(report, patch));
  if (const auto& spread = patch.spread) {
    terms.rows.emplace_back(
        "Shown in", Line{text(spread->shown_in.empty() ? "no release: it is not applied anywhere" : spread->shown_in)});
    terms.rows.emplace_back("Applies", places(*spread));
    if (spread->relative) terms.rows.emplace_back("Variants", Line{text(relative_words(*spread->relative))});
  }
  if (patch.upstream) terms.rows.emplace_back("Later releases", broken_lines(upstream_words(*patch.upstream)));
  terms.rows.emplace_back("Overlaps", broken_lines(patch.overlaps));
  terms.rows.emplace_back("Touches", touches(patch));
  terms.rows.emplace_back("Warnings", things_to_look_at(patch));
  return terms;
}

Fold certificates(const AuditSpread& spread) {
  Items items;
  for (const AuditCertificate& each : spread.certificates) {
    items.items.push_back({code(each.path), text(concat(": ", blob_words(each.before, each.after))), line_end(),
                           text("at " + join(each.releases, ", "))});
  }
  return {counted(spread.certificates.size(), "certified change") + " of a file", {std::move(items)}};
}

/// The changes of a file, what there is to look at below the lines that it is at.
Hunks patch_hunks(const AuditPatch& patch, std::size_t index) {
  const AuditFile& file = patch.files[index];
  Hunks changes{file.path, {}};
  for (std::size_t i = 0; i < file.hunks.size(); ++i)
    changes.hunks.push_back({file.hunks[i], hunk_name(file.hunks[i]), hunk_anchor(patch, index, i)});
  for (const AuditRisk& risk : patch.risks) {
    if (risk.path != file.path || risk.line == 0) continue;
    if (const auto place = find_line(file, risk.line))
      changes.hunks[place->first].notes.push_back({place->second, risk.kind, risk.why});
  }
  return changes;
}

void add_file(const AuditPatch& patch, std::size_t index, std::vector<Block>& blocks) {
  const AuditFile& file = patch.files[index];
  blocks.push_back(Heading{3, concat(file.path, ": ", file.change, ", +", file.added, " -", file.removed),
                           file_anchor(patch, index)});
  blocks.push_back(Terms{{{"From", code_or_nothing(file.old_path)},
                          {"Mode", said(file.mode)},
                          {"Blob", code_or_nothing(blob_words(file.before, file.after))},
                          {"Content", said(file.is_binary ? "binary" : "")}}});
  blocks.push_back(patch_hunks(patch, index));
}

/// Adds the hunks, if there are any, each with its name by `name_of_hunk` and a numbered anchor.
template <typename NameOf>
void add_hunks(const std::string& subject, const std::vector<AuditHunk>& all, const std::string& anchor,
               NameOf name_of_hunk, std::vector<Block>& blocks) {
  Hunks hunks{subject, {}};
  for (const AuditHunk& hunk : all)
    hunks.hunks.push_back({hunk, name_of_hunk(hunk), concat(anchor, "-", hunks.hunks.size() + 1), {}});
  if (!all.empty()) blocks.push_back(std::move(hunks));
}

/// What differs from upstream's own change, where it is not the same file.
void add_upstream(const AuditPatch& patch, std::vector<Block>& blocks) {
  for (const AuditUpstreamFile& file : patch.upstream->files) {
    if (!file.blob || file.is_same) continue;
    const std::string anchor = concat(patch_anchor(patch), "-upstream-", html_anchor(file.path));
    blocks.push_back(
        Heading{3, concat("From this patch to upstream's own ", file.path, " at ", patch.upstream->since), anchor});
    if (file.hunks.empty())
      blocks.push_back(Paragraph{{text("The files are equal around the change; they differ elsewhere.")}});
    add_hunks(
        file.path, file.hunks, anchor, [](const AuditHunk&) { return "around the change"; }, blocks);
  }
}

void add_patch(const AuditReport& report, std::size_t index, std::vector<Block>& blocks) {
  const AuditPatch& patch = report.patches[index];
  blocks.push_back(Heading{2, concat("Patch ", index + 1, " of ", report.patches.size(), ": ", patch_title(patch)),
                           patch_anchor(patch)});
  blocks.push_back(facts(report, patch));
  if (patch.spread && !patch.spread->certificates.empty()) blocks.push_back(certificates(*patch.spread));
  for (std::size_t i = 0; i < patch.files.size(); ++i) add_file(patch, i, blocks);
  if (patch.upstream) add_upstream(patch, blocks);
}

/// Every variable that the build gets.
Table variables(const AuditRuns& runs) {
  Table table{"Variables", {"Variable", "Value", "From", "Why", "Read at"}, {}};
  for (const PlannedSetting& each : runs.variables) {
    const std::string alone = each.component ? concat(" (", name_of(*each.component), " alone)") : "";
    table.rows.push_back(
        {{{code(each.name), text(alone)}},
         {{code(each.value)}},
         {{text(each.origin)}},
         {{text(each.why)}},
         {each.read_at.empty()
              ? Line{toned(each.unread.empty() ? "no place is known" : reading_text(each), Tone::caution)}
              : Line{code(each.read_at)}}});
  }
  return table;
}

/// The lines that a hunk adds and removes: scripts have parts in common, at other lines.
std::vector<std::string> changes_of(const AuditHunk& hunk) {
  std::vector<std::string> lines;
  for (const AuditLine& line : hunk)
    if (line.kind != ' ') lines.push_back(line.kind + line.text);
  return lines;
}

/// `shown`: what the scripts before it change.
void add_script(const AuditScript& script, std::set<std::vector<std::string>>& shown, std::vector<Block>& blocks) {
  const std::string anchor = html_anchor("script-" + script.name);
  blocks.push_back(Heading{3, script.name, anchor});
  std::vector<AuditHunk> hunks = script.hunks;
  std::erase_if(hunks, [&](const AuditHunk& hunk) { return !shown.insert(changes_of(hunk)).second; });
  if (script.hunks.empty()) blocks.push_back(Paragraph{{text("The same for every plan of this release.")}});
  if (const std::size_t repeated = script.hunks.size() - hunks.size(); repeated > 0)
    blocks.push_back(Paragraph{{text(concat(counted(repeated, "change"), " as in a script above."))}});
  if (hunks.empty()) return;
  Fold fold{counted(hunks.size(), "change"), {}};
  add_hunks(script.name, hunks, anchor, hunk_name, fold.blocks);
  blocks.push_back(std::move(fold));
}

void add_what_runs(const AuditReport& report, std::vector<Block>& blocks) {
  const AuditRuns& runs = report.runs;
  std::vector<Block> section;
  if (report.tree && !report.tree->differences.empty())
    section.push_back(Paragraph{{text("The tree differs from what was prepared, so what it would run is unknown.")}});
  if (!runs.variables.empty()) section.push_back(variables(runs));
  for (const AuditCommands& each : runs.commands) {
    section.push_back(Heading{3, "Commands " + each.name, html_anchor("commands-" + each.name)});
    section.push_back(Fold{counted(each.lines.size(), "line"), {Literal{join(each.lines, "\n") + "\n"}}});
  }
  if (!runs.scripts.empty()) {
    section.push_back(
        Paragraph{{text("The scripts in torchpatch/, compared with those of a plain plan of this release (no fix, "
                        "board or option):")}});
  }
  std::set<std::vector<std::string>> shown;
  for (const AuditScript& script : runs.scripts) add_script(script, shown, section);
  if (!section.empty()) add_section(blocks, "What will run", std::move(section));
}

constexpr const char* kAllApproved =
    "Everything is approved. Approvals do not cover build.sh and check.sh; without --unapproved, the audit shows how "
    "they differ from those of a plain plan of the release.";

void add_approvals(const AuditReport& report, std::vector<Block>& blocks) {
  if (!report.approvals) return;
  Table table{"Approvals", {"What", "Name", "Approved by", "SHA-256"}, {}};
  for (const AuditApproval& each : report.approvals->of) {
    const Line by = each.key.empty() ? Line{toned("no one", Tone::caution)}
                                     : Line{text(concat(signature_text(each.signer, each.key), ", ", each.date)),
                                            line_end(), code(each.file)};
    table.rows.push_back(
        {{{text(name_of(each.what.kind))}}, {{code(each.what.name)}}, {by}, {{code(each.what.sha256.hex())}}});
  }
  std::vector<Block> section;
  if (table.rows.empty())
    section.push_back(Paragraph{{text(is_unapproved_alone(report) ? kAllApproved : "Nothing runs.")}});
  else
    section.push_back(std::move(table));
  if (report.approvals->are_none_read)
    section.push_back(Paragraph{{text("No approvals found; pass the catalog that has them with --catalog DIR.")}});
  Items refused;
  for (const std::string& why : report.approvals->refused) refused.items.push_back({text(why)});
  if (!refused.items.empty()) {
    section.push_back(Paragraph{{text("Rejected approvals:")}});
    section.push_back(std::move(refused));
  }
  add_section(blocks, "Approvals", std::move(section));
}

void add_row(Table& table, const std::vector<Line>& cells) {
  table.rows.push_back(collect(cells, [](const Line& line) { return Cell{line}; }));
}

Table added_files(const AuditReport& report) {
  Table table{"Added files", {"File", "Size", "Of", "For", "SHA-256"}, {}};
  for (const AuditAddedFile& file : report.added_files) {
    Line name = {code(concat(file.repository.text(), ":", file.path))};
    if (file.is_executable) name.push_back(toned(", executable", Tone::caution));
    const std::string of = concat(file.patchset, " ", file.variant);
    add_row(table, {name,
                    {text(concat(file.size, " bytes"))},
                    {text(of)},
                    {text(join(file.issues, ", "))},
                    {code(file.sha256.hex())}});
  }
  return table;
}

Table overrides(const AuditReport& report) {
  Table table{"Submodules at other commits", {"Submodule", "Pinned", "Taken", "From", "Of", "For"}, {}};
  for (const auto& [patchset, variant, what, issues, digest] : report.overrides)
    add_row(table, {{code(what.repository.text())},
                    {code(what.replaces.hex())},
                    {code(what.commit.hex())},
                    {code(what.url)},
                    {text(concat(patchset, " ", variant))},
                    {text(join(issues, ", "))}});
  return table;
}

void add_tree(const AuditedTree& tree, Terms& about) {
  std::vector<Line> verdict = {
      {tree.differences.empty() ? toned("verified", Tone::good)
                                : toned("not verified, " + counted(tree.differences.size(), "difference"), Tone::bad)}};
  for (const Difference& difference : tree.differences) verdict.push_back({text(difference_text(difference))});
  about.rows.emplace_back("Verify", stacked(verdict));
  about.rows.push_back({"Tree", {code(tree.tree.hex())}});
  about.rows.push_back({"Manifest", {code(tree.manifest.hex())}});
  if (!tree.options.empty())
    about.rows.emplace_back("Set by whoever prepared it; cannot be verified", broken_lines(tree.options));
}

void add_sign_off(const Sha256& digest, std::vector<Block>& blocks) {
  add_section(blocks, "Sign-off",
              {Paragraph{{text("The digest "), code(digest.hex()),
                          text(" covers all of the above: it is the SHA-256 of the report as JSON. To sign this "
                               "report, saved as REPORT, with an SSH or minisign key, and to check the signature:")}},
               Literal{"ssh-keygen -Y sign -n torchpatch-audit -f ~/.ssh/id_ed25519 REPORT\n"
                       "ssh-keygen -Y verify -n torchpatch-audit -f allowed_signers -I NAME -s REPORT.sig <REPORT\n"
                       "minisign -S -s minisign.key -t torchpatch-audit -m REPORT\n"
                       "minisign -V -p minisign.pub -m REPORT    # prints the trusted comment: torchpatch-audit\n"},
               Terms{{{"Reviewer", {text("____________________")}}, {"Date", {text("____________________")}}}}});
}

}  // namespace

Document audit_document(const AuditReport& report) {
  const Sha256 digest = audit_digest(report);
  Document document;
  document.title = "Audit of " + audit_subject(report);
  document.description = "Every changed line of " + audit_subject(report);
  std::vector<Block>& blocks = document.blocks;
  blocks.push_back(Paragraph{lead(report), Paragraph::Style::lead});
  Terms about;
  if (report.tree) add_tree(*report.tree, about);
  about.rows.push_back({"Plan", code_or_nothing(report.plan ? report.plan->hex() : "")});
  about.rows.push_back({"Digest", {code(digest.hex())}});
  about.rows.emplace_back("Sources", said(report.has_sources ? "" : kNoSources));
  for (const std::string& content : report.contents) about.rows.emplace_back("No commit", Line{text(content)});
  if (is_unapproved_alone(report)) about.rows.emplace_back("Shown", Line{text("only what is not approved")});
  blocks.push_back(std::move(about));
  add_section(blocks, "Contents", {patch_contents(report)});
  for (std::size_t i = 0; i < report.patches.size(); ++i) add_patch(report, i, blocks);
  add_section(blocks, "Submodules at other commits than the release pins", {overrides(report)});
  add_section(blocks, "Added files", {added_files(report)});
  add_what_runs(report, blocks);
  add_approvals(report, blocks);
  add_sign_off(digest, blocks);
  add_section(blocks, "Glossary", {audit_glossary(report)});
  return document;
}

}  // namespace torchpatch::report
