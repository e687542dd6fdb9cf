// SPDX-License-Identifier: BSD-3-Clause
#include "emit/html/patch_html.h"

#include <algorithm>
#include <vector>

#include "emit/html/html_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// Lines of the hunk that are still to come, on both sides.
struct Rest {
  std::uint64_t before = 0, after = 0;
  bool is_inside() const { return before > 0 || after > 0; }
};

/// Returns the count of "-3,7" or "+3": 7, or 1.
std::uint64_t count_of(std::string_view range) {
  const std::size_t comma = range.find(',');
  if (comma == std::string_view::npos) return 1;
  return parse_decimal(range.substr(comma + 1)).value_or(0);
}

/// Reads "@@ -3,7 +3,9 @@ …".
Rest read_hunk_head(std::string_view line) {
  const std::vector<std::string> words = split(line, ' ');
  if (words.size() < 3) return {};
  return {count_of(words[1]), count_of(words[2])};
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
    rest = read_hunk_head(line);
    return "hunk";
  }
  if (starts_with(line, "diff --git ")) return "file";
  return "head";
}

}  // namespace

std::string patch_html(std::string_view patch) {
  if (ends_with(patch, "\n")) patch.remove_suffix(1);
  // Focusable, so that the keyboard can scroll it (WCAG 2.1, 2.1.1).
  std::string html = "<pre class=\"patch\" tabindex=\"0\"><code>";
  Rest rest;
  for (const std::string& line : split(patch, '\n')) {
    const std::string_view kind = kind_of(line, rest);
    html += kind.empty() ? "<span>" : concat("<span class=\"", kind, "\">");
    html += concat(html_text(line), "\n</span>");
  }
  return html + "</code></pre>\n";
}

}  // namespace torchpatch::emit
