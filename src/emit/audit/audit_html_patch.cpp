// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/audit/audit_html.h"
#include "emit/audit/audit_words.h"
#include "emit/audit/hunk_html.h"
#include "emit/audit/risk_places.h"
#include "emit/format/number_text.h"
#include "emit/html/html_text.h"
#include "model/link_rule.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string term(const std::string& name, const std::string& html) {
  return concat("<dt>", name, "</dt>\n<dd>", html, "</dd>\n");
}

std::string text_or_link(const std::string& text) {
  return is_safe_link(text) ? html_link(text, text) : html_text(text);
}

std::string list(const std::vector<std::string>& items) {
  if (items.size() == 1) return items[0];
  std::string html = "<ul>\n";
  for (const std::string& item : items) html += concat("<li>", item, "</li>\n");
  return html + "</ul>\n";
}

bool same_name(const std::string& name, const char* other) { return name == other; }

/// The description behind its first line, as paragraphs of the lines it has.
std::string description(const AuditPatch& patch) {
  for (const auto& [name, value] : patch.fields) {
    if (!same_name(name, "Description") && !same_name(name, "Subject")) continue;
    const std::size_t end = value.find('\n');
    if (end == std::string::npos) return {};
    std::string html;
    for (const std::string& line : split(value.substr(end + 1), '\n')) {
      const bool is_empty = trim(line) == "." || trim(line).empty();  // DEP-3: a full stop alone is an empty line
      html += is_empty ? "</p>\n<p>" : html_text(line) + "\n";
    }
    return concat("<p>", html, "</p>\n");
  }
  return {};
}

std::string issues(const AuditPatch& patch) {
  if (patch.issues.empty()) return "none";
  std::vector<std::string> items;
  for (const AuditIssue& issue : patch.issues) {
    items.push_back(
        concat(html_code(issue.id), issue.title.empty() ? "" : " " + html_text(issue.title),
               issue.severity.empty() ? "" : concat(" <span class=\"soft\">(", html_text(issue.severity), ")</span>")));
  }
  return list(items);
}

std::string proofs(const AuditPatch& patch) {
  if (patch.proofs.empty()) return "none at this release";
  std::vector<std::string> items;
  for (const AuditProof& proof : patch.proofs) {
    items.push_back(concat(html_code(proof.id), " ", html_text(proof.state),
                           proof.date.empty() ? "" : " since " + html_text(proof.date), ". ", html_text(proof.claim)));
  }
  return list(items);
}

/// The fields that are told nowhere else.
std::string other_fields(const AuditPatch& patch) {
  std::string html;
  for (const auto& [name, value] : patch.fields) {
    if (same_name(name, "Description") || same_name(name, "Subject") || same_name(name, "Origin")) continue;
    html += term(html_text(name), text_or_link(value));
  }
  return html;
}

std::string certificates(const AuditPatch& patch) {
  std::string html = concat("<details class=\"certificates\">\n<summary>",
                            counted(patch.certificates.size(), "certified change"), " of a file</summary>\n<ul>\n");
  for (const AuditCertificate& each : patch.certificates) {
    html += concat("<li>", html_code(each.path), "<br>", html_code(blob_words(each.before, each.after)), "<br>at ",
                   html_text(join(each.releases, ", ")), "</li>\n");
  }
  return html + "</ul>\n</details>\n";
}

std::string of_catalog(const AuditPatch& patch) {
  std::string html =
      term("Shown in", patch.shown_in.empty() ? "no release: nobody gets it" : html_text(patch.shown_in));
  std::vector<std::string> places;
  for (const AuditPlaces& each : patch.places) places.push_back(html_text(places_words(each)));
  if (!places.empty()) html += term("Applies", list(places));
  if (!patch.certificates.empty()) html += term("Certificates", certificates(patch));
  return html;
}

std::string touches(const AuditPatch& patch) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < patch.files.size(); ++i) {
    const std::string lines = touched_words(patch.files[i]);
    items.push_back(concat("<a href=\"#", file_anchor(patch, i), "\">", html_code(patch.files[i].path), "</a>",
                           lines.empty() ? "" : " " + lines));
  }
  return list(items);
}

std::string facts(const AuditPatch& patch, AuditScope scope) {
  std::string html =
      concat("<dl class=\"facts\">\n", term("Issues", issues(patch)),
             term("Origin", concat(patch.origin.kind.empty() ? "not said" : html_text(patch.origin.kind),
                                   patch.origin.source.empty() ? "" : ", " + text_or_link(patch.origin.source))),
             other_fields(patch));
  html += term("Certificate",
               patch.is_certified ? "yes" : "<strong>none</strong>: nothing says what it makes of these pins");
  html += term("Proof", proofs(patch));
  if (scope == AuditScope::catalog) html += of_catalog(patch);
  if (patch.upstream) {
    std::vector<std::string> words;
    for (const std::string& each : upstream_words(*patch.upstream)) words.push_back(html_text(each));
    if (!words.empty()) html += term("Later releases", list(words));
  }
  std::vector<std::string> overlaps;
  for (const std::string& each : patch.overlaps) overlaps.push_back(html_text(each));
  if (!overlaps.empty()) html += term("Overlaps", list(overlaps));
  html += term("Touches", touches(patch));
  return html + term("SHA-256", html_code(patch.sha256.hex())) + "</dl>\n";
}

std::string note(const std::string& kind, const std::string& why) {
  return concat("<p class=\"note\"><strong>", html_text(kind), "</strong> ", html_text(why), "</p>\n");
}

/// What is wrong with the patch as such, and what is at no file that is shown.
std::string notes(const AuditPatch& patch) {
  std::string html;
  if (!patch.is_in_catalog) html += note("not in the catalog", "this catalog has no such patch");
  for (const AuditLint& finding : patch.lint) html += note("lint", lint_words(finding));
  for (const AuditRisk& risk : patch.risks) {
    const bool is_at_file = std::any_of(patch.files.begin(), patch.files.end(),
                                        [&](const AuditFile& file) { return file.path == risk.path; });
    if (!is_at_file) html += note(risk.kind, concat(risk.path, ": ", risk.why));
  }
  return html;
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
  if (after.empty()) return "lines " + before + " go";
  return before == after ? "lines " + after : concat("lines ", before, " become ", after);
}

std::string hunk_section(const AuditPatch& patch, std::size_t file, std::size_t index, const RiskPlaces& places) {
  const AuditHunk& hunk = patch.files[file].hunks[index];
  LineNotes line_notes;
  for (const auto& [place, risks] : places.at_lines) {
    if (place.first != index) continue;
    for (const AuditRisk* risk : risks) line_notes[place.second] += note(risk->kind, risk->why);
  }
  const std::string name = hunk_name(hunk), id = hunk_anchor(patch, file, index);
  return concat("<div class=\"hunk\" id=\"", id, "\" tabindex=\"-1\">\n<p class=\"hunk-head\">", name, " ",
                anchor_link(id, "this change"), "</p>\n",
                hunk_html(hunk, concat(patch.files[file].path, ", ", name), line_notes), "</div>\n");
}

std::string file_facts(const AuditFile& file) {
  std::vector<std::string> parts = {html_text(file.change)};
  if (!file.old_path.empty()) parts.push_back("from " + html_code(file.old_path));
  if (!file.mode.empty()) parts.push_back("mode " + html_text(file.mode));
  if (file.is_binary) parts.push_back("binary content");
  const std::string blobs = blob_words(file.before, file.after);
  if (!blobs.empty()) parts.push_back("blob " + html_code(blobs));
  return join(parts, ", ");
}

std::string file_section(const AuditPatch& patch, std::size_t index) {
  const AuditFile& file = patch.files[index];
  const std::string id = file_anchor(patch, index);
  const RiskPlaces places = place_risks(patch, file);
  // No landmark: several patches may change one file, and landmarks have names of their own.
  std::string html = concat("<section class=\"file\" id=\"", id, "\">\n<h3>", html_code(file.path), " ",
                            line_counts(file.added, file.removed), " ", anchor_link(id, file.path),
                            "</h3>\n<p class=\"file-facts\">", file_facts(file), "</p>\n");
  for (const AuditRisk* risk : places.of_file) html += note(risk->kind, risk->why);
  for (std::size_t i = 0; i < file.hunks.size(); ++i) html += hunk_section(patch, index, i, places);
  return html + "</section>\n";
}

}  // namespace

std::string patch_section(const AuditReport& report, std::size_t index) {
  const AuditPatch& patch = report.patches[index];
  const std::string id = patch_anchor(patch);
  std::string html =
      concat("<article class=\"audited\" id=\"", id, "\" aria-labelledby=\"", id, "-title\">\n",
             "<p class=\"position\">Patch ", index + 1, " of ", report.patches.size(),
             " <a class=\"screen-only\" href=\"#contents\">Contents</a></p>\n<h2 id=\"", id, "-title\">",
             html_text(patch_title(patch)), " ", anchor_link(id, "this patch"), "</h2>\n<p class=\"name\">",
             html_code(patch_name(patch)), " in ", html_code(patch.repository.text()), "</p>\n<p class=\"tags\">",
             patch_tags(patch), "</p>\n", description(patch), facts(patch, report.scope), notes(patch));
  for (std::size_t i = 0; i < patch.files.size(); ++i) html += file_section(patch, i);
  return html + "</article>\n";
}

}  // namespace torchpatch::emit
