// SPDX-License-Identifier: BSD-3-Clause
/// HTML: escaped text and links, CommonMark, whole pages, patches and changed lines. xml_text() is for XML 1.0.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace torchpatch {

/// Returns `text` for the content of an element or an attribute in double quotes. What XML cannot hold (control bytes,
/// https://www.w3.org/TR/xml/#charsets) is quoted first.
std::string xml_text(std::string_view text);

// Text and links of HTML.

/// Returns `text` for the content of an element or an attribute in double quotes; lines and tabs stay. What HTML cannot
/// hold or what would deceive a reader becomes visible: control characters and bidirectional overrides (CVE-2021-42574)
/// as "\u202E", bytes that are not UTF-8 as "\xFF".
std::string html_text(std::string_view text);

/// Returns `<a href="…">…</a>`; the text is escaped, and so is the address, which the caller must have judged.
std::string html_link(std::string_view href, std::string_view text);

/// Returns the class of style sheets for a tone; empty for plain text.
const char* tone_class(Tone tone);

/// Returns a path as a relative URI (RFC 3986).
std::string uri_of(const std::string& path);

/// Returns `<code>…</code>`.
std::string html_code(std::string_view text);

/// Returns `text` as an id for #fragments: a lower-case letter, then such, digits and single
/// hyphens; "section" where none is left.
std::string html_anchor(std::string_view text);

// CommonMark → HTML, for text that nobody has vouched for.

struct MarkdownOptions {
  /// Level of the page's own heading above the text: its level-one headings become one level below.
  int heading_above = 1;
  /// Goes before the ids of headings, so that several texts can stand on one page: "cause-".
  std::string anchor_prefix{};
  /// Code spans that are exactly one of these link to an address of ours: "nccl-device-link" → "nccl-device-link.html".
  std::map<std::string, std::string> code_links{};
};

/// Returns `markdown` (CommonMark 0.30, and GitHub's tables outside of lists and quotes) as HTML of a few harmless
/// elements without attributes but href, id and class, and the tabindex of code blocks, which scroll. Raw HTML becomes
/// text, an image its description, a link that is_safe_link() refuses the text it has. Text of more than 256 KiB or
/// 4000 opening brackets (for which cmark may take quadratic time) or that is not UTF-8 is shown as
/// it is, in a code block.
std::string markdown_html(std::string_view markdown, const MarkdownOptions& options = {});

// The style sheets of this directory, as embedded by cmake/embed.cmake.

extern const std::string_view kTokensCss;  ///< colours as custom properties, light and dark; serves SVG as well
extern const std::string_view kBaseCss;    ///< everything that all pages share; needs the tokens
extern const std::string_view kPatchCss;   ///< of patch_html(); needs the tokens

// The frame that all pages share.

struct NavigationLink {
  std::string text;
  std::string href;
  bool is_current = false;  ///< the page itself, or the part of the site that it belongs to
};

struct HtmlPage {
  std::string title;        ///< of the window
  std::string description;  ///< one sentence for those who have not opened the page; may be empty
  NavigationLink home{};    ///< the name at the head of the page; without an href plain text, empty: none
  std::vector<NavigationLink> navigation{};
  std::string below_navigation{};           ///< HTML; may be empty
  std::string main;                         ///< HTML; has the level-one heading
  std::string footer{};                     ///< HTML; empty: none
  std::string style{};                      ///< CSS, written into the page
  std::string script{};                     ///< JavaScript, written into the page behind all else
  std::vector<std::string> style_files{};   ///< addresses of style sheets
  std::vector<std::string> script_files{};  ///< addresses of scripts, run in order when the page is there
  bool has_worker = false;                  ///< its scripts may run a part of themselves beside the page
};

/// Returns a complete document, the same bytes for the same values. Its content security policy lets in nothing but the
/// styles and scripts above (by their hashes, and the files beside the page), so that what slips through an escape does
/// nothing; style attributes and event handlers have no effect either.
std::string html_page(const HtmlPage& page);

/// Returns the style sheet of a page: the colours and what all pages share, then `more`.
std::string page_style(std::string_view more = "");

// A patch as highlighted text.

/// Returns a git patch in a `<pre class="patch">`, each line in a `<span>` of its kind: head (the header and git's own
/// lines), file, hunk, added, removed or none; no line is left out. Kinds go by the counts of the hunks, so that a
/// removed line "-- x" is not taken for a file's name. kPatchCss has the colours.
std::string patch_html(std::string_view patch);

// Changed lines in both views, side by side and as one column (the page's style shows one of them).

struct Hunk;

/// Returns the lines as tables that are named `caption`, with the notes below their lines; a long run of unchanged
/// lines is folded in the middle.
std::string hunk_html(const Hunk& hunk, const std::string& caption);

/// Returns the choice between the views; the page's style does what it says.
std::string view_switch();

}  // namespace torchpatch
