// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/assets.h"
#include "emit/audit/audit_html.h"
#include "emit/audit/hunk_html.h"
#include "emit/audit/series_report.h"
#include "emit/audit/series_words.h"
#include "emit/html/html_text.h"
#include "emit/html/page.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string tag(const SeriesEntry& entry) {
  const char* kind = entry.change == SeriesChange::only_before  ? "bad"
                     : entry.change == SeriesChange::only_after ? "good"
                     : entry.change == SeriesChange::changed    ? "caution"
                                                                : "";
  return concat("<span class=\"tag", kind[0] ? " " : "", kind, "\">", series_words(entry), "</span>");
}

std::string entry_id(std::size_t index) { return concat("patch-", index + 1); }

std::string number(std::size_t place) { return place > 0 ? concat(place) : "\u2013"; }

/// The name of the patch, or what it was and what it became.
std::string names(const SeriesEntry& entry) {
  const bool has_two = entry.before > 0 && entry.after > 0 && entry.before_name != entry.after_name;
  if (!has_two) return html_code(series_name(entry));
  return concat(html_code(entry.before_name), " became ", html_code(entry.after_name));
}

std::string contents(const SeriesReport& report) {
  std::string html =
      "<section class=\"overview\" id=\"contents\" aria-labelledby=\"contents-title\">\n<h2 "
      "id=\"contents-title\">Contents</h2>\n"
      "<table>\n<thead>\n<tr><th scope=\"col\" class=\"figure\">Before</th><th scope=\"col\">Patch</th><th "
      "scope=\"col\">After</th><th scope=\"col\">What became of it</th></tr>\n</thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SeriesEntry& entry = report.entries[i];
    const std::string title = html_text(entry.title.empty() ? series_name(entry) : entry.title);
    html += concat("<tr><td class=\"figure\">", number(entry.before), "</td><th scope=\"row\">",
                   entry.hunks.empty() ? title : concat("<a href=\"#", entry_id(i), "\">", title, "</a>"), "<br>",
                   names(entry), "</th><td>", number(entry.after), "</td><td>", tag(entry), "</td></tr>\n");
  }
  return html + "</tbody>\n</table>\n</section>\n";
}

std::string section(const SeriesEntry& entry, std::size_t index) {
  const std::string id = entry_id(index);
  std::string html =
      concat("<article class=\"audited\" id=\"", id, "\" aria-labelledby=\"", id, "-title\">\n<h2 id=\"", id,
             "-title\">", html_text(entry.title), " ", anchor_link(id, "this patch"), "</h2>\n<p class=\"name\">",
             names(entry), "</p>\n<p class=\"tags\">", tag(entry), "</p>\n");
  for (std::size_t i = 0; i < entry.hunks.size(); ++i) {
    const std::string hunk = concat(id, "-hunk-", i + 1);
    html += concat("<div class=\"hunk\" id=\"", hunk, "\" tabindex=\"-1\">\n<p class=\"hunk-head\">difference ", i + 1,
                   " of ", entry.hunks.size(), " ", anchor_link(hunk, "this difference"), "</p>\n",
                   hunk_html(entry.hunks[i], concat(series_name(entry), ", difference ", i + 1), {}), "</div>\n");
  }
  return html + "</article>\n";
}

}  // namespace

std::string series_html(const SeriesReport& report) {
  HtmlPage page;
  page.title = series_title(report);
  page.description = "How the patches changed: " + series_counts(report);
  page.home = {"torchpatch audit", ""};
  page.main = concat("<h1>", html_text(page.title), "</h1>\n<p class=\"lead\">", series_counts(report), "</p>\n");
  if (!report.entries.empty()) page.main += contents(report);
  std::string sections;
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    if (!report.entries[i].hunks.empty()) sections += section(report.entries[i], i);
  }
  if (!sections.empty()) page.main += view_switch() + sections;
  page.style = page_style(kAuditCss);
  page.script = std::string(kAuditScript);
  return html_page(page);
}

}  // namespace torchpatch::emit
