// SPDX-License-Identifier: BSD-3-Clause
#include "document/html.h"

#include <algorithm>
#include <set>

#include "document/document.h"
#include "document/text.h"
#include "document/writer.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// Returns `text` with markup characters as entities.
std::string with_entities(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    const std::string_view entity = c == '&'   ? "&amp;"
                                    : c == '<' ? "&lt;"
                                    : c == '>' ? "&gt;"
                                    : c == '"' ? "&quot;"
                                               : "";
    out += entity.empty() ? std::string_view(&c, 1) : entity;
  }
  return out;
}

/// `inlined` is the exact text between the tags, as hashed.
std::string source_list(const char* directive, const std::string& inlined, const std::vector<std::string>& files) {
  if (inlined.empty() && files.empty()) return {};
  // https://www.w3.org/TR/CSP3/#grammardef-hash-source
  const std::string hash = concat(" 'sha256-", base64_encode(sha256(inlined).view()), "'");
  return concat("; ", directive, inlined.empty() ? "" : hash, files.empty() ? "" : " 'self' file:");
}

std::string on_its_lines(const std::string& text) { return text.empty() ? "" : "\n" + text; }

std::string head(const HtmlPage& page, const std::string& style, const std::string& script) {
  std::string html = concat(
      "<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'",
      source_list("style-src", style, page.style_files), source_list("script-src", script, page.script_files),
      page.has_worker ? "; worker-src blob:" : "",
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", html_text(page.title),
      "</title>\n");
  if (!page.description.empty())
    html += concat("<meta name=\"description\" content=\"", html_text(page.description), "\">\n");
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  for (const std::string& file : page.style_files)
    html += concat("<link rel=\"stylesheet\" href=\"", html_text(file), "\">\n");
  if (!style.empty()) html += concat("<style>", style, "</style>\n");
  for (const std::string& file : page.script_files)
    html += concat("<script src=\"", html_text(file), "\" defer></script>\n");
  return html + "</head>\n";
}

std::string header(const HtmlPage& page) {
  if (page.home.text.empty() && page.navigation.empty()) return {};
  std::string html = "<header class=\"site-header\">\n";
  if (page.home.href.empty())
    html += concat("<span class=\"home\">", html_text(page.home.text), "</span>\n");
  else
    html += concat("<a class=\"home\" href=\"", html_text(page.home.href), "\">", html_text(page.home.text), "</a>\n");
  if (page.navigation.empty()) return html + page.below_navigation + "</header>\n";
  html += "<nav aria-label=\"Site\">\n<ul>\n";
  for (const NavigationLink& link : page.navigation) {
    html += concat("<li><a href=\"", html_text(link.href), "\"", link.is_current ? " aria-current=\"true\"" : "", ">",
                   html_text(link.text), "</a></li>\n");
  }
  return concat(html, "</ul>\n</nav>\n", page.below_navigation, "</header>\n");
}

/// Remaining lines of the hunk on both sides.
struct Rest {
  std::uint64_t before = 0, after = 0;
  bool is_inside() const { return before > 0 || after > 0; }
};

/// Returns the count in "-3,7" or "+3": 7, or 1.
std::uint64_t count_of(std::string_view range) {
  const std::size_t comma = range.find(',');
  if (comma == std::string_view::npos) return 1;
  return parse_decimal(range.substr(comma + 1)).value_or(0);
}

const char* kind_inside_hunk(std::string_view line, Rest& rest) {
  const char first = line.empty() ? ' ' : line[0];
  if (first == '\\') return "head";
  if (first != '+') rest.before -= std::min<std::uint64_t>(rest.before, 1);
  if (first != '-') rest.after -= std::min<std::uint64_t>(rest.after, 1);
  return first == '+' ? "added" : first == '-' ? "removed" : "";
}

const char* kind_of(std::string_view line, Rest& rest) {
  if (rest.is_inside()) return kind_inside_hunk(line, rest);
  if (starts_with(line, "@@ -")) {
    const std::vector<std::string> words = split(line, ' ');  // "@@ -3,7 +3,9 @@ …"
    rest = words.size() < 3 ? Rest{} : Rest{count_of(words[1]), count_of(words[2])};
    return "hunk";
  }
  if (starts_with(line, "diff --git ")) return "file";
  return "head";
}

std::string class_attribute(std::string_view classes) {
  return classes.empty() ? "" : concat(" class=\"", classes, "\"");
}

/// A name, a number or two short words are not wrapped, however narrow the column.
bool is_brief(const Cell& cell) {
  if (cell.line.size() != 1) return false;
  const std::string& words = cell.line.front().text;
  return words.size() <= 14 || (words.size() <= 20 && words.find(' ') == std::string::npos);
}

std::string cell_classes(const Cell& cell) {
  const std::string tone = tone_class(cell.tone);
  if (!is_brief(cell)) return tone;
  return tone.empty() ? "brief" : tone + " brief";
}

std::string anchor_link(const std::string& id, const std::string& what) {
  return concat(" <a class=\"anchor\" href=\"#", id, "\" aria-label=\"Link to ", html_text(what), "\">#</a>");
}

/// Writes blocks and keeps track of used anchors.
class HtmlWriter : public BlockWriter<HtmlWriter> {
 public:
  explicit HtmlWriter(const Surroundings& around) : BlockWriter(around) {
    for (const auto& [name, page] : around.names) code_links_[name] = around.address(page);
  }

  const std::vector<std::pair<std::string, std::string>>& sections() { return sections_; }

  std::string operator()(const Heading& heading) {
    const std::string wanted = !heading.anchor.empty() ? heading.anchor
                               : heading.level == 2 || section_.empty()
                                   ? html_anchor(heading.words)
                                   : concat(section_, "-", html_anchor(heading.words));
    std::string anchor = wanted;
    for (int number = 2; !anchors_.insert(anchor).second; ++number) anchor = concat(wanted, "-", number);
    level_ = heading.level;
    if (heading.level == 2) {
      section_ = anchor;
      sections_.emplace_back(anchor, heading.words);
    }
    return concat("<h", heading.level, " id=\"", anchor, "\">", html_text(heading.words),
                  heading.anchor.empty() ? "" : anchor_link(anchor, heading.words), "</h", heading.level, ">\n");
  }

  std::string operator()(const Paragraph& paragraph) {
    if (paragraph.style == Paragraph::Style::note)
      return concat("<div class=\"note\"><p>", line(paragraph.line), "</p></div>\n");
    const char* style = paragraph.style == Paragraph::Style::lead ? "lead" : "";
    return concat("<p", class_attribute(style), ">", line(paragraph.line), "</p>\n");
  }

  std::string operator()(const Items& items) {
    if (items.items.empty()) return {};
    std::string html = "<ul>\n";
    for (const Line& item : items.items) html += concat("<li>", line(item), "</li>\n");
    return html + "</ul>\n";
  }

  std::string operator()(const Terms& facts) {
    std::string rows;
    for (const auto& [term, said] : facts.rows) {
      if (said.empty()) continue;
      rows += concat("<dt>", html_text(term), "</dt>\n<dd>", line(said), "</dd>\n");
    }
    return rows.empty() ? "" : concat("<dl class=\"facts\">\n", rows, "</dl>\n");
  }

  std::string operator()(const Table& table) {
    if (table.rows.empty()) return {};
    std::string html = concat("<section class=\"wide\" tabindex=\"0\" aria-label=\"", html_text(table.caption),
                              "\">\n<table>\n<thead>\n<tr>");
    for (const std::string& head : table.heads)
      html += head.empty() ? "<td></td>" : concat("<th scope=\"col\">", html_text(head), "</th>");
    html += "</tr>\n</thead>\n<tbody>\n";
    for (const std::vector<Cell>& row : table.rows) {
      html += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const char* element = i == 0 ? "th" : "td";
        html += concat("<", element, i == 0 ? " scope=\"row\"" : "", class_attribute(cell_classes(row[i])), ">",
                       line(row[i].line), "</", element, ">");
      }
      html += "</tr>\n";
    }
    return html + "</tbody>\n</table>\n</section>\n";
  }

  std::string operator()(const Literal& literal) {
    return concat("<pre tabindex=\"0\"><code>", html_text(literal.words), "</code></pre>\n");
  }

  std::string operator()(const Markdown& markdown) {
    const MarkdownOptions options{level_, section_.empty() ? "text-" : section_ + "-", code_links_};
    return markdown_html(markdown.words, options);
  }

  std::string operator()(const PatchText& patch) { return patch_html(patch.words); }

  std::string operator()(const Hunks& hunks) {
    std::string html;
    for (const Hunk& hunk : hunks.hunks) {
      html += concat("<div class=\"hunk\" id=\"", hunk.anchor, "\" tabindex=\"-1\">\n<p class=\"hunk-head\">",
                     html_text(hunk.name), anchor_link(hunk.anchor, hunk.name), "</p>\n",
                     hunk_html(hunk, concat(hunks.subject, ", ", hunk.name)), "</div>\n");
    }
    return html;
  }

  std::string operator()(const Fold& fold) {
    return concat("<details", fold.is_open ? " open" : "", ">\n<summary>", html_text(fold.summary), "</summary>\n",
                  blocks(fold.blocks), "</details>\n");
  }

  std::string piece(const Inline& part) {
    switch (part.kind) {
      case Inline::Kind::text:
        if (part.tone == Tone::none) return html_text(part.text);
        return concat("<span class=\"", tone_class(part.tone), "\">", html_text(part.text), "</span>");
      case Inline::Kind::code:
        return html_code(part.text);
      case Inline::Kind::strong:
        return concat("<strong>", html_text(part.text), "</strong>");
      case Inline::Kind::tag:
        return concat("<span class=\"tag ", tone_class(part.tone), "\">", html_text(part.text), "</span>");
      case Inline::Kind::place:
        return html_link("#" + part.address, part.text);
      case Inline::Kind::line_end:
        return "<br>\n";
      case Inline::Kind::page:
        return html_link(around_.address(part.page), part.text);
      case Inline::Kind::web:
        return html_link(part.address, part.text);
    }
    return {};
  }

 private:
  std::map<std::string, std::string> code_links_;
  std::set<std::string> anchors_;
  std::vector<std::pair<std::string, std::string>> sections_;  ///< anchor and words of each level-2 heading
  std::string section_;                                        ///< anchor of the open one
  int level_ = 1;                                              ///< of the last heading
};

std::string contents(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string html = "<nav class=\"contents\" aria-label=\"On this page\">\n<p>On this page</p>\n<ul>\n";
  for (const auto& [anchor, words] : sections) html += concat("<li>", html_link("#" + anchor, words), "</li>\n");
  return html + "</ul>\n</nav>\n";
}

std::string neighbour(const char* role, const std::optional<std::pair<PageRef, std::string>>& page,
                      const Surroundings& around) {
  if (!page) return {};
  return concat("<a class=\"", role, "\" rel=\"", role, "\" href=\"", html_text(around.address(page->first)),
                "\"><span class=\"small soft\">", std::string_view(role) == "prev" ? "Previous" : "Next", "</span> ",
                html_text(page->second), "</a>\n");
}

constexpr std::size_t kKept = 12;    ///< unchanged lines kept next to a change
constexpr std::size_t kFolded = 16;  ///< shorter runs are not collapsed

/// Lines [begin, end) of a hunk.
struct Segment {
  std::size_t begin = 0, end = 0;
  bool is_folded = false;
};

/// Splits a hunk at long runs of unchanged lines.
std::vector<Segment> segments_of(const AuditHunk& hunk) {
  std::vector<Segment> segments = {{0, 0, false}};
  for (std::size_t begin = 0; begin < hunk.size();) {
    std::size_t end = begin;
    while (end < hunk.size() && hunk[end].kind == ' ') ++end;
    const std::size_t first = begin + (begin == 0 ? 0 : kKept);
    const std::size_t last = end - std::min(end, end == hunk.size() ? 0 : kKept);
    if (end > begin && last >= first + kFolded) {
      segments.back().end = first;
      segments.push_back({first, last, true});
      segments.push_back({last, end, false});
    }
    begin = end + (end == begin ? 1 : 0);
    segments.back().end = begin;
  }
  std::erase_if(segments, [](const Segment& each) { return each.begin == each.end; });
  return segments;
}

/// Returns the text of a line; in added or removed ones, the changes are marked, the whole line or words.
std::string line_html(const AuditLine& line) {
  std::string out;
  if (line.kind == ' ') {
    out = html_text(line.text);
  } else {
    const std::string tag = line.kind == '+' ? "ins" : "del";
    const std::string_view text = line.text;
    if (line.changed.empty() && !text.empty()) out = concat("<", tag, ">", html_text(text), "</", tag, ">");
    std::size_t at = 0;
    for (const auto& [begin, end] : line.changed) {
      out += concat(html_text(text.substr(at, begin - at)), "<", tag, " class=\"word\">",
                    html_text(text.substr(begin, end - begin)), "</", tag, ">");
      at = end;
    }
    if (!line.changed.empty()) out += html_text(text.substr(at));
  }
  return out + (line.has_newline ? "" : "<span class=\"end\"> no newline at the end of the file</span>");
}

std::string number_cell(std::uint32_t number) {
  return concat("<td class=\"number\">", number > 0 ? concat(number) : "", "</td>");
}

std::string code_cell(const AuditLine& line) {
  if (line.kind == ' ') return concat("<td class=\"code\">", line_html(line), "</td>");
  const bool is_added = line.kind == '+';
  return concat("<td class=\"code ", is_added ? "added" : "removed", "\"><span class=\"sign\">",
                is_added ? "+" : "\u2212", "</span>", line_html(line), "</td>");
}

std::string note_rows(const Hunk& hunk, std::size_t line, int columns) {
  std::string notes;
  for (const HunkNote& note : hunk.notes) {
    if (note.line != line) continue;
    notes += concat("<p class=\"note\"><strong>", html_text(note.name), "</strong> ", html_text(note.words), "</p>\n");
  }
  return notes.empty() ? "" : concat("<tr class=\"callout\"><td colspan=\"", columns, "\">", notes, "</td></tr>\n");
}

std::string unified_rows(const Hunk& of, const Segment& segment) {
  const AuditHunk& hunk = of.lines;
  std::string rows;
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    rows += concat("<tr>", number_cell(hunk[i].before), number_cell(hunk[i].after), code_cell(hunk[i]), "</tr>\n",
                   note_rows(of, i, 3));
  }
  return rows;
}

std::string half(const AuditHunk& hunk, std::size_t line, std::size_t end, std::uint32_t AuditLine::*number) {
  if (line >= end) return "<td class=\"number none\"></td><td class=\"code none\"></td>";
  return number_cell(hunk[line].*number) + code_cell(hunk[line]);
}

std::string split_rows(const Hunk& of, const Segment& segment) {
  const AuditHunk& hunk = of.lines;
  std::string rows;
  for (std::size_t i = segment.begin; i < segment.end;) {
    if (hunk[i].kind == ' ') {
      rows += concat("<tr>", half(hunk, i, i + 1, &AuditLine::before), half(hunk, i, i + 1, &AuditLine::after),
                     "</tr>\n", note_rows(of, i, 4));
      ++i;
      continue;
    }
    const auto run_end = [&](std::size_t from, char kind) {
      while (from < segment.end && hunk[from].kind == kind) ++from;
      return from;
    };
    const std::size_t middle = run_end(i, '-'), end = run_end(middle, '+');
    for (std::size_t row = 0; row < std::max(middle - i, end - middle); ++row) {
      rows += concat("<tr>", half(hunk, i + row, middle, &AuditLine::before),
                     half(hunk, middle + row, end, &AuditLine::after), "</tr>\n");
      if (i + row < middle) rows += note_rows(of, i + row, 4);
      if (middle + row < end) rows += note_rows(of, middle + row, 4);
    }
    i = end;
  }
  return rows;
}

/// The name is not a caption: Chromium changes the layout of a table with a hidden caption.
std::string lines_table(const std::string& view, const std::string& name, const std::string& rows) {
  return concat("<table class=\"lines ", view, "\" aria-label=\"", html_text(name), "\">\n<tbody>\n", rows,
                "</tbody>\n</table>\n");
}

}  // namespace

std::string xml_text(std::string_view text) { return with_entities(plain_line(std::string(text))); }

std::string html_text(std::string_view text) { return with_entities(visible(text)); }

std::string html_link(std::string_view href, std::string_view text) {
  return concat("<a href=\"", html_text(href), "\">", html_text(text), "</a>");
}

const char* tone_class(Tone tone) {
  constexpr const char* kClasses[] = {"", "good", "caution", "bad", "soft"};
  return kClasses[static_cast<std::size_t>(tone)];
}

std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += concat("%", kDigits[byte >> 4], kDigits[byte & 15]);
  }
  return uri;
}

std::string html_code(std::string_view text) { return concat("<code>", html_text(text), "</code>"); }

std::string html_anchor(std::string_view text) {
  std::string anchor;
  for (const char c : lower_case(text)) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_kept)
      anchor += c;
    else if (!anchor.empty() && anchor.back() != '-')
      anchor += '-';
  }
  if (ends_with(anchor, "-")) anchor.pop_back();
  const bool begins_with_letter = !anchor.empty() && (anchor[0] < '0' || anchor[0] > '9');
  if (begins_with_letter) return anchor;
  return anchor.empty() ? "section" : "section-" + anchor;
}

std::string html_page(const HtmlPage& page) {
  const std::string style = on_its_lines(page.style), script = on_its_lines(page.script);
  std::string html = concat("<!DOCTYPE html>\n<html lang=\"en\">\n", head(page, style, script),
                            "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n", header(page),
                            "<main id=\"main\" tabindex=\"-1\">\n", page.main, "</main>\n");
  if (!page.footer.empty()) html += concat("<footer class=\"site-footer\">\n", page.footer, "</footer>\n");
  if (!script.empty()) html += concat("<script>", script, "</script>\n");
  return html + "</body>\n</html>\n";
}

std::string page_style(std::string_view more) { return concat(kTokensCss, kBaseCss, more); }

std::string patch_html(std::string_view patch) {
  if (ends_with(patch, "\n")) patch.remove_suffix(1);
  // Focusable, so that it can be scrolled with the keyboard (WCAG 2.1, 2.1.1).
  std::string html = "<pre class=\"patch\" tabindex=\"0\"><code>";
  Rest rest;
  for (const std::string& line : split(patch, '\n')) {
    const std::string_view kind = kind_of(line, rest);
    html += kind.empty() ? "<span>" : concat("<span class=\"", kind, "\">");
    html += concat(html_text(line), "\n</span>");
  }
  return html + "</code></pre>\n";
}

std::string blocks_html(const std::vector<Block>& blocks, const Surroundings& around) {
  return HtmlWriter(around).blocks(blocks);
}

std::string document_html(const Document& document, const Surroundings& around) {
  HtmlWriter writer(around);
  std::string body = concat("<h1>", html_text(document.title), "</h1>\n", writer.blocks(document.blocks));
  if (document.previous || document.next) {
    body += concat("<nav class=\"neighbours\" aria-label=\"Neighbours\">\n",
                   neighbour("prev", document.previous, around), neighbour("next", document.next, around), "</nav>\n");
  }
  if (writer.sections().size() < 3) return body;
  return concat("<div class=\"with-contents\">\n", contents(writer.sections()), "<div>\n", body, "</div>\n</div>\n");
}

std::string hunk_html(const Hunk& hunk, const std::string& caption) {
  const bool is_bare = std::all_of(hunk.lines.begin(), hunk.lines.end(),
                                   [](const AuditLine& line) { return line.before == 0 && line.after == 0; });
  const std::string bare = is_bare ? " bare" : "";
  std::string html;
  for (const Segment& segment : segments_of(hunk.lines)) {
    const std::string tables = lines_table("split" + bare, caption + ", side by side", split_rows(hunk, segment)) +
                               lines_table("unified" + bare, caption, unified_rows(hunk, segment));
    if (segment.is_folded) {
      html += concat("<details class=\"fold\">\n<summary>", counted(segment.end - segment.begin, "unchanged line"),
                     "</summary>\n", tables, "</details>\n");
    } else {
      html += tables;
    }
  }
  return html;
}

std::string view_switch() {
  return "<fieldset class=\"view screen-only\">\n<legend>Changes</legend>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-auto\" checked> by width</label>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-split\"> side by side</label>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-unified\"> unified</label>\n"
         "<span class=\"keys\" hidden><kbd>n</kbd> next, <kbd>p</kbd> previous change</span>\n</fieldset>\n";
}

}  // namespace torchpatch
