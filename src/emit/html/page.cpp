// SPDX-License-Identifier: BSD-3-Clause
#include "emit/html/page.h"

#include "emit/html/assets.h"
#include "emit/html/html_text.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// https://www.w3.org/TR/CSP3/#grammardef-hash-source
std::string hash_source(const std::string& text) {
  return concat(" 'sha256-", base64_encode(*from_hex(sha256(text).hex())), "'");
}

/// `inlined` goes between the tags: the hash is of exactly this text.
std::string source_list(const char* directive, const std::string& inlined, const std::vector<std::string>& files) {
  if (inlined.empty() && files.empty()) return {};
  return concat("; ", directive, inlined.empty() ? "" : hash_source(inlined), files.empty() ? "" : " 'self' file:");
}

std::string on_its_lines(const std::string& text) { return text.empty() ? "" : "\n" + text; }

std::string head(const HtmlPage& page, const std::string& style, const std::string& script) {
  std::string html = concat(
      "<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'",
      source_list("style-src", style, page.style_files), source_list("script-src", script, page.script_files),
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", html_text(page.title),
      "</title>\n");
  if (!page.description.empty()) {
    html += concat("<meta name=\"description\" content=\"", html_text(page.description), "\">\n");
  }
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  for (const std::string& file : page.style_files) {
    html += concat("<link rel=\"stylesheet\" href=\"", html_text(file), "\">\n");
  }
  if (!style.empty()) html += concat("<style>", style, "</style>\n");
  for (const std::string& file : page.script_files) {
    html += concat("<script src=\"", html_text(file), "\" defer></script>\n");
  }
  return html + "</head>\n";
}

std::string header(const HtmlPage& page) {
  if (page.home.text.empty() && page.navigation.empty()) return {};
  std::string html = "<header class=\"site-header\">\n";
  if (page.home.href.empty()) {
    html += concat("<span class=\"home\">", html_text(page.home.text), "</span>\n");
  } else {
    html += concat("<a class=\"home\" href=\"", html_text(page.home.href), "\">", html_text(page.home.text), "</a>\n");
  }
  if (page.navigation.empty()) return html + "</header>\n";
  html += "<nav aria-label=\"Site\">\n<ul>\n";
  for (const NavigationLink& link : page.navigation) {
    html += concat("<li><a href=\"", html_text(link.href), "\"", link.is_current ? " aria-current=\"true\"" : "", ">",
                   html_text(link.text), "</a></li>\n");
  }
  return html + "</ul>\n</nav>\n</header>\n";
}

}  // namespace

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

}  // namespace torchpatch::emit
