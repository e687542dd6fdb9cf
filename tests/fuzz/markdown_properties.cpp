// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "document/html.h"
#include "document/text.h"
#include "fuzz/html_scanner.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// Generous for a machine that does other things as well; what is quadratic needs far longer.
constexpr auto kLongest = std::chrono::seconds(5);

void require_clean(std::string_view html) {
  const std::optional<std::string> problem = html_problem(html);
  require(!problem, "no foreign HTML: " + problem.value_or(""));
}

/// Text that becomes part of a page is read as that text again, and as no markup; behind a word, for what begins a
/// block there is nobody's to escape.
void check_escaped(std::string_view input) {
  std::string words = "x" + printable(input.substr(0, 1000));
  words = words.substr(0, words.find_last_not_of(' ') + 1);
  require(markdown_html(markdown_text(words)) == "<p>" + html_text(words) + "</p>\n", "escaped text is that text");
}

}  // namespace

void check_markdown_html(std::string_view markdown) {
  const Clock::time_point start = Clock::now();
  require_clean(markdown_html(markdown));
  MarkdownOptions options;
  options.heading_above = 3;
  options.anchor_prefix = "cause-";
  options.code_links = {{"code", "https://example.org/code"}, {"a", "#a"}};
  require_clean(markdown_html(markdown, options));
  require(Clock::now() - start < kLongest, "text becomes HTML in bounded time");
  require_clean(html_text(markdown));
  check_escaped(markdown);
}

}  // namespace torchpatch::fuzz
