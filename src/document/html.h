// SPDX-License-Identifier: BSD-3-Clause
/// HTML: escaping (html_text) and links, CommonMark, whole pages, patches and changed lines. xml_text() is for XML 1.0.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace torchpatch {

/// Escapes `text` for the content of an element or an attribute in double quotes. Text with characters not allowed in
/// XML (control bytes, https://www.w3.org/TR/xml/#charsets) is quoted first.
std::string xml_text(std::string_view text);

// Text and links of HTML.

/// Escapes `text` for the content of an element or an attribute in double quotes; newlines and tabs are kept. What HTML
/// cannot contain or what would deceive a reader becomes visible: control characters and bidirectional overrides
/// (CVE-2021-42574) as "\u202E", invalid UTF-8 as "\xFF".
std::string html_text(std::string_view text);

/// Returns `<a href="…">…</a>` with text and address escaped; the caller must have checked the address.
std::string html_link(std::string_view href, std::string_view text);

/// Returns the CSS class for a tone; empty for plain text.
const char* tone_class(Tone tone);

/// Returns a path as a relative URI (RFC 3986).
std::string uri_of(const std::string& path);

/// Returns `<code>…</code>`.
std::string html_code(std::string_view text);

/// Returns `text` as an id for #fragments: a lower-case letter, then lower-case letters, digits and single hyphens;
/// "section" if nothing is left.
std::string html_anchor(std::string_view text);

// CommonMark → HTML, for untrusted text.

struct MarkdownOptions {
  /// Level of the page's heading above the text; level-one headings of the text become one level lower.
  int heading_above = 1;
  /// Prefix for the ids of headings, so that a page can contain several texts: "cause-".
  std::string anchor_prefix{};
  /// Code spans that equal a key become links to our address: "nccl-device-link" → "nccl-device-link.html".
  std::map<std::string, std::string> code_links{};
};

/// Renders `markdown` (CommonMark 0.30, and GitHub's tables outside lists and quotes) as HTML with only harmless
/// elements and the attributes href, id and class, plus tabindex of code blocks, which scroll. Raw HTML becomes text,
/// an image its description, a link that is_safe_link() refuses its text. Text of more than 256 KiB or 4000 opening
/// brackets (for which cmark may need quadratic time) or with invalid UTF-8 is shown verbatim, in a code block.
std::string markdown_html(std::string_view markdown, const MarkdownOptions& options = {});

// The style sheets in this directory, as embedded by cmake/embed.cmake.

extern const std::string_view kTokensCss;  ///< colours as custom properties, light and dark; also for SVG
extern const std::string_view kBaseCss;    ///< styles common to all pages; needs the tokens
extern const std::string_view kPatchCss;   ///< for patch_html(); needs the tokens

// The frame of all pages.

struct NavigationLink {
  std::string text;
  std::string href;
  bool is_current = false;  ///< this page, or its part of the site
};

struct HtmlPage {
  std::string title;        ///< of the window
  std::string description;  ///< one sentence, for link previews and search results; may be empty
  NavigationLink home{};    ///< the name at the top; plain text without href; empty: none
  std::vector<NavigationLink> navigation{};
  std::string below_navigation{};           ///< HTML; may be empty
  std::string main;                         ///< HTML; includes the level-one heading
  std::string footer{};                     ///< HTML; empty: none
  std::string style{};                      ///< CSS, inlined
  std::string script{};                     ///< JavaScript, inlined at the end
  std::vector<std::string> style_files{};   ///< addresses of style sheets
  std::vector<std::string> script_files{};  ///< addresses of scripts, run in order after the page is parsed
  bool has_worker = false;                  ///< its scripts may start a worker
};

/// Returns a complete document; equal values give equal bytes. Its content security policy allows only the styles and
/// scripts above (by hash, or files next to the page), so that a failed escape has no effect; style attributes and
/// event handlers are blocked too.
std::string html_page(const HtmlPage& page);

/// Returns the style sheet of a page: colours and common styles, then `more`.
std::string page_style(std::string_view more = "");

// A patch as highlighted text.

/// Renders a git patch as `<pre class="patch">`, each line in a `<span>` of its kind: head (the header and git's own
/// lines), file, hunk, added, removed or none; no line is omitted. Kinds follow the hunks' line counts, so that a
/// removed line "-- x" is not mistaken for a file name. kPatchCss has the colours.
std::string patch_html(std::string_view patch);

// Changed lines in two views, side by side and in one column (the page's style shows one of them).

struct Hunk;

/// Renders the lines as tables named `caption`, with the notes below their lines; long runs of unchanged lines are
/// collapsed.
std::string hunk_html(const Hunk& hunk, const std::string& caption);

/// Returns the switch between the views; the page's style implements it.
std::string view_switch();

}  // namespace torchpatch
