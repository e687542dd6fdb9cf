// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::vector<std::string> news_lines(const ComponentNews& news) {
  std::vector<std::string> lines;
  for (const NewTag& tag : news.news)
    lines.push_back(concat("new: ", tag.tag, " at ", tag.commit.hex(), tag.time ? ", " + day_text(*tag.time) : ""));
  for (const StrayPin& pin : news.moved)
    lines.push_back(concat("moved: ", pin.tag, " is at ", pin.found->hex(), ", pinned is ", pin.pinned.hex()));
  for (const StrayPin& pin : news.missing) lines.push_back(concat("gone: ", pin.tag, ", pinned is ", pin.pinned.hex()));
  if (!news.problem.empty()) lines.push_back("not known: " + news.problem);
  if (lines.empty()) lines.push_back("no news");
  return lines;
}

}  // namespace

Document outdated_document(const OutdatedReport& report) {
  Document document;
  for (const ComponentNews& news : report.components) {
    const bool is_asked = news.asked == std::vector<std::string>{news.url};
    const std::string where = is_asked || news.asked.empty() ? "" : concat(", by ", join(news.asked, ", "));
    add_items(document.blocks, concat(component_name(news.component), ": ", news.url, where), news_lines(news));
  }
  return document;
}

}  // namespace torchpatch::report
