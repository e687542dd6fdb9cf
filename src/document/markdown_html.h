// SPDX-License-Identifier: BSD-3-Clause
/// CommonMark → HTML, for text that nobody has vouched for.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace torchpatch {

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
/// 4000 opening brackets (for which cmark may take quadratic time, reliability §3.6) or that is not UTF-8 is shown as
/// it is, in a code block.
std::string markdown_html(std::string_view markdown, const MarkdownOptions& options = {});

}  // namespace torchpatch
