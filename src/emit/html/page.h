// SPDX-License-Identifier: BSD-3-Clause
/// The frame that all pages share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::emit {

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
  std::string main;                         ///< HTML; has the level-one heading
  std::string footer{};                     ///< HTML; empty: none
  std::string style{};                      ///< CSS, written into the page
  std::string script{};                     ///< JavaScript, written into the page behind all else
  std::vector<std::string> style_files{};   ///< addresses of style sheets
  std::vector<std::string> script_files{};  ///< addresses of scripts, run in order when the page is there
};

/// Returns a complete document, the same bytes for the same values. Its content security policy lets in nothing but the
/// styles and scripts above (by their hashes, and the files beside the page), so that what slips through an escape does
/// nothing; style attributes and event handlers have no effect either.
std::string html_page(const HtmlPage& page);

/// Returns the style sheet of a page: the colours and what all pages share, then `more`.
std::string page_style(std::string_view more = "");

}  // namespace torchpatch::emit
