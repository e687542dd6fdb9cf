// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/audit_html.h"

#include <algorithm>

#include "emit/audit/assets.h"
#include "emit/audit/audit_words.h"
#include "emit/format/number_text.h"
#include "emit/html/html_text.h"
#include "emit/html/page.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string tag(const std::string& text, const char* kind) {
  return concat("<span class=\"tag", kind[0] ? " " : "", kind, "\">", html_text(text), "</span>");
}

struct LineCount {
  std::size_t added = 0, removed = 0;
};

LineCount count_lines(const AuditPatch& patch) {
  LineCount count;
  for (const AuditFile& file : patch.files) {
    count.added += file.added;
    count.removed += file.removed;
  }
  return count;
}

std::string page_title(const AuditReport& report) { return "Audit of " + audit_subject(report); }

std::string lead(const AuditReport& report) {
  if (report.patches.empty()) return concat("<p class=\"lead\">", audit_counts(report), "</p>\n");
  LineCount lines;
  std::size_t files = 0, risks = 0;
  for (const AuditPatch& patch : report.patches) {
    const LineCount count = count_lines(patch);
    lines.added += count.added;
    lines.removed += count.removed;
    files += patch.files.size();
    risks += patch.risks.size() + patch.lint.size();
  }
  return concat("<p class=\"lead\">", audit_counts(report), ", ", counted(files, "changed file"), ", ",
                line_counts(lines.added, lines.removed), ", ", counted(risks, "thing"), " to look at twice</p>\n");
}

std::string facts(const AuditReport& report) {
  std::string html = "<dl class=\"facts\">\n";
  if (report.plan) html += concat("<dt>Plan</dt>\n<dd>", html_code(report.plan->hex()), "</dd>\n");
  html += concat("<dt>Digest</dt>\n<dd>", html_code(audit_digest(report).hex()), "</dd>\n");
  if (!report.has_sources) html += "<dt>Sources</dt>\n<dd>none: the context is that of the patches</dd>\n";
  return html + "</dl>\n";
}

std::string contents_row(const AuditPatch& patch, std::size_t number) {
  const LineCount count = count_lines(patch);
  return concat("<tr><td class=\"figure\">", number, "</td><th scope=\"row\"><a href=\"#", patch_anchor(patch), "\">",
                html_text(patch_title(patch)), "</a><br>", html_code(patch_name(patch)), "</th><td>",
                counted(patch.files.size(), "file"), " ", line_counts(count.added, count.removed), "</td><td>",
                patch_tags(patch), "</td></tr>\n");
}

std::string contents(const AuditReport& report) {
  if (report.patches.empty() && report.added_files.empty()) return "<p>No patch is applied here.</p>\n";
  std::string html =
      "<section class=\"overview\" id=\"contents\" aria-labelledby=\"contents-title\">\n<h2 "
      "id=\"contents-title\">Contents</h2>\n"
      "<table>\n<thead>\n<tr><th scope=\"col\" class=\"figure\">No.</th><th scope=\"col\">Patch</th><th "
      "scope=\"col\">Changes</th><th scope=\"col\">State</th></tr>\n</thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.patches.size(); ++i) html += contents_row(report.patches[i], i + 1);
  html += "</tbody>\n</table>\n<ul class=\"also\">\n";
  if (!report.added_files.empty()) {
    html += concat("<li><a href=\"#added-files\">", counted(report.added_files.size(), "added file"), "</a></li>\n");
  }
  return html + "<li><a href=\"#sign-off\">Sign-off</a></li>\n</ul>\n</section>\n";
}

std::string added_files(const AuditReport& report) {
  if (report.added_files.empty()) return {};
  std::string html =
      "<section id=\"added-files\" aria-labelledby=\"added-files-title\">\n<h2 id=\"added-files-title\">Added "
      "files</h2>\n<section class=\"wide\" tabindex=\"0\" aria-label=\"Table of added "
      "files\">\n<table>\n<thead>\n<tr><th "
      "scope=\"col\">File</th><th scope=\"col\">Size</th><th scope=\"col\">Of</th><th scope=\"col\">For</th><th "
      "scope=\"col\">SHA-256</th></tr>\n</thead>\n<tbody>\n";
  for (const AuditAddedFile& file : report.added_files) {
    html += concat("<tr><th scope=\"row\">", html_code(concat(file.repository.text(), ":", file.path)),
                   file.is_executable ? " " + tag("executable", "caution") : "", "</th><td>", file.size, "</td><td>",
                   html_text(concat(file.patchset, " ", file.variant)), "</td><td>", html_text(join(file.issues, ", ")),
                   "</td><td>", html_code(file.sha256.hex()), "</td></tr>\n");
  }
  return html + "</tbody>\n</table>\n</section>\n</section>\n";
}

}  // namespace

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

std::string anchor_link(const std::string& id, const std::string& what) {
  return concat("<a class=\"anchor\" href=\"#", id, "\" aria-label=\"Link to ", html_text(what), "\">#</a>");
}

std::string patch_title(const AuditPatch& patch) {
  for (const auto& [name, value] : patch.fields) {
    if ((name == "Description" || name == "Subject") && !value.empty()) return value.substr(0, value.find('\n'));
  }
  return patch_name(patch);
}

std::string patch_tags(const AuditPatch& patch) {
  std::vector<std::string> tags = {patch.is_certified ? tag("certified", "good") : tag("not certified", "bad")};
  const bool is_proven =
      !patch.proofs.empty() &&
      std::all_of(patch.proofs.begin(), patch.proofs.end(), [](const auto& proof) { return proof.state == "proven"; });
  tags.push_back(is_proven ? tag("proven", "good") : tag(patch.proofs.empty() ? "no proof" : "not proven", "caution"));
  if (!patch.is_in_catalog) tags.push_back(tag("not in the catalog", "bad"));
  if (!patch.origin.kind.empty()) tags.push_back(tag("origin " + patch.origin.kind, ""));
  if (patch.upstream && !patch.upstream->since.empty()) {
    tags.push_back(tag("upstream from " + patch.upstream->since, ""));
  }
  if (!patch.lint.empty()) tags.push_back(tag(counted(patch.lint.size(), "lint finding"), "caution"));
  if (!patch.risks.empty()) tags.push_back(tag(concat(patch.risks.size(), " to look at"), "caution"));
  return join(tags, " ");
}

std::string line_counts(std::size_t added, std::size_t removed) {
  return concat("<span class=\"counts\"><span class=\"plus\">+", added, "</span> <span class=\"minus\">\u2212", removed,
                "</span></span>");
}

std::string view_switch() {
  return "<fieldset class=\"view screen-only\">\n<legend>Changes</legend>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-auto\" checked> by width</label>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-split\"> side by side</label>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-unified\"> unified</label>\n"
         "<span class=\"keys\" hidden><kbd>n</kbd> next, <kbd>p</kbd> previous change</span>\n</fieldset>\n";
}

std::string sign_off_section(const AuditReport& report) {
  const Sha256 digest = audit_digest(report);
  std::string html = concat(
      "<section class=\"sign-off\" id=\"sign-off\" aria-labelledby=\"sign-off-title\">\n<h2 "
      "id=\"sign-off-title\">Sign-off</h2>\n<p>This digest stands for all of the above: it is the SHA-256 of the "
      "report as "
      "JSON.</p>\n<p class=\"digest\">",
      html_code(digest.hex()), "</p>\n");
  for (const SignOffStep& step : sign_off_steps("audit.html")) {
    html += concat("<p>To ", html_text(step.what), ":</p>\n<pre tabindex=\"0\"><code>", html_text(step.command),
                   "</code></pre>\n");
  }
  return concat(
      html, "<div class=\"signature\">\n", kSignatureBegin, "\n<p>Not signed yet.</p>\n", kSignatureEnd,
      "\n</div>\n<dl class=\"hand\">\n<dt>Reviewer</dt>\n<dd></dd>\n<dt>Date</dt>\n<dd></dd>\n</dl>\n</section>\n");
}

std::string audit_html(const AuditReport& report) {
  HtmlPage page;
  page.title = page_title(report);
  page.description = concat("Every changed line of ", audit_subject(report), ": ", audit_counts(report));
  page.home = {"torchpatch audit", ""};
  page.main = concat("<h1>", html_text(page_title(report)), "</h1>\n", lead(report), facts(report), contents(report));
  if (!report.patches.empty()) page.main += view_switch();
  for (std::size_t i = 0; i < report.patches.size(); ++i) page.main += patch_section(report, i);
  page.main += added_files(report) + sign_off_section(report);
  page.style = page_style(kAuditCss);
  page.script = std::string(kAuditScript);
  return html_page(page);
}

}  // namespace torchpatch::emit
