// SPDX-License-Identifier: BSD-3-Clause
#include "record/json.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

Json new_tag_json(const NewTag& tag) {
  return {{"version", tag.version.text()},
          {"tag", tag.tag},
          {"commit", tag.commit.hex()},
          {"pre", tag.version.is_pre_release()},
          {"date", tag.time ? Json(day_text(*tag.time)) : Json(nullptr)}};
}

Json moved_pin_json(const StrayPin& pin) {
  return {{"version", pin.version}, {"tag", pin.tag}, {"pinned", pin.pinned.hex()}, {"found", pin.found->hex()}};
}

Json missing_tag_json(const StrayPin& pin) {
  return {{"version", pin.version}, {"tag", pin.tag}, {"pinned", pin.pinned.hex()}};
}

Json component_json(const ComponentNews& news) {
  return {{"component", component_name(news.component)},
          {"url", news.url},
          {"asked", news.asked},
          {"problem", record::text_or_null(news.problem)},
          {"new", record::array_of(news.news, new_tag_json)},
          {"moved", record::array_of(news.moved, moved_pin_json)},
          {"missing_tags", record::array_of(news.missing, missing_tag_json)}};
}

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

Json outdated_json(const OutdatedReport& report) {
  return {{"schema", 1}, {"components", record::array_of(report.components, component_json)}};
}

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
