// SPDX-License-Identifier: BSD-3-Clause
#include "emit/document/document.h"

#include "emit/html/html_text.h"

namespace torchpatch::emit {

Inline text(std::string words) { return {.kind = Inline::Kind::text, .text = std::move(words)}; }
Inline code(std::string words) { return {.kind = Inline::Kind::code, .text = std::move(words)}; }
Inline strong(std::string words) { return {.kind = Inline::Kind::strong, .text = std::move(words)}; }
Inline tag(std::string words, Tone tone) { return {.kind = Inline::Kind::tag, .text = std::move(words), .tone = tone}; }
Inline link_to(PageRef page, std::string words) {
  return {.kind = Inline::Kind::page, .text = std::move(words), .page = std::move(page)};
}
Inline web_link(std::string address, std::string words) {
  if (!is_safe_link(address)) return text(std::move(words));
  return {.kind = Inline::Kind::web, .text = std::move(words), .address = std::move(address)};
}

Line joined(const std::vector<Line>& lines, const std::string& separator) {
  Line all;
  for (const Line& line : lines) {
    if (!all.empty()) all.push_back(text(separator));
    all.insert(all.end(), line.begin(), line.end());
  }
  return all;
}

}  // namespace torchpatch::emit
