// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "emit/site/site_pages.h"
#include "emit/site/site_words.h"
#include "support/ascii.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// A symptom without what stands before its first letter or digit, in lower case: how a reader looks it up.
std::string sort_key(const std::string& symptom) {
  const std::string lower = lower_case(symptom);
  const auto first =
      std::find_if(lower.begin(), lower.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  return std::string(first, lower.end());
}

std::string initial(const std::string& key) {
  if (key.empty() || key[0] < 'a') return "0 to 9 and signs";
  return std::string(1, static_cast<char>(key[0] - 'a' + 'A'));
}

struct Symptom {
  std::string words;
  std::vector<Line> issues;
};

/// By key, then by the words themselves.
std::map<std::pair<std::string, std::string>, Symptom> collect_symptoms(const Catalog& catalog) {
  std::map<std::pair<std::string, std::string>, Symptom> symptoms;
  for (const auto& [id, issue] : catalog.issues) {
    for (const std::string& words : issue.symptoms) {
      Symptom& symptom = symptoms[{sort_key(words), words}];
      symptom.words = words;
      symptom.issues.push_back({issue_link(issue)});
    }
  }
  return symptoms;
}

}  // namespace

Document index_document(const SiteData& data) {
  Document page{{PageKind::index}, "Known issues of PyTorch on boards", {}, {}, {}, {}};
  page.description =
      "Paste an error of a PyTorch build on a Jetson, a Pi, a Zynq or an Arm server, and find the issue.";
  for (const Severity& severity : severities()) {
    Items items;
    for (const auto& [id, issue] : data.catalog->issues) {
      if (issue.severity == severity.id)
        items.items.push_back({issue_link(issue), text(" "), code(issue.symptoms.front())});
    }
    if (items.items.empty()) continue;
    page.blocks.push_back(Heading{2, severity.heading});
    page.blocks.push_back(std::move(items));
  }
  return page;
}

Document symptoms_document(const SiteData& data) {
  Document page{{PageKind::symptoms}, "Symptoms from A to Z", {}, {}, {}, {}};
  page.description = "Every message of the known issues, by its first letter.";
  page.blocks.push_back(Paragraph{{text("Texts as logs show them, by their first letter or digit.")}});
  std::string last;
  Items items;
  const auto flush = [&] {
    if (!items.items.empty()) page.blocks.push_back(std::move(items));
    items = {};
  };
  for (const auto& [key, symptom] : collect_symptoms(*data.catalog)) {
    if (const std::string letter = initial(key.first); letter != last) {
      flush();
      page.blocks.push_back(Heading{2, letter});
      last = letter;
    }
    Line line = {code(symptom.words), text(" ")};
    const Line issues = joined(symptom.issues, " · ");
    line.insert(line.end(), issues.begin(), issues.end());
    items.items.push_back(std::move(line));
  }
  flush();
  return page;
}

Document coverage_document(const SiteData& data) {
  Document page{{PageKind::coverage}, "Coverage", "Releases and boards at a glance.", {}, {}, {}};
  page.blocks = {Paragraph{{text(concat(
      "What torchpatch does for ", data.releases.size(), " releases on ", data.catalog->boards.size(),
      " boards, with the image that it takes where none is named: the number of issues that it answers in the tree "
      "itself, by patches or added files."))}}};
  return page;
}

std::vector<Document> site_documents(const SiteData& data) {
  std::vector<Document> pages = {index_document(data), symptoms_document(data)};
  const auto add_family = [&](std::vector<Document> family) {
    for (std::size_t i = 0; i < family.size(); ++i) {
      if (i > 0) family[i].previous = {family[i - 1].self, family[i - 1].title};
      if (i + 1 < family.size()) family[i].next = {family[i + 1].self, family[i + 1].title};
    }
    std::move(family.begin(), family.end(), std::back_inserter(pages));
  };
  std::vector<Document> issues, boards, releases, patchsets;
  for (const auto& [id, issue] : data.catalog->issues) issues.push_back(issue_document(data, issue));
  for (const auto& [id, board] : data.catalog->boards) boards.push_back(board_document(data, board));
  for (const Release* release : data.releases) releases.push_back(release_document(data, *release));
  for (const auto& [id, patchset] : data.catalog->patchsets) patchsets.push_back(patchset_document(data, patchset));
  add_family(std::move(issues));
  pages.push_back(boards_document(data));
  add_family(std::move(boards));
  pages.push_back(releases_document(data));
  add_family(std::move(releases));
  pages.push_back(patchsets_document(data));
  add_family(std::move(patchsets));
  pages.push_back(coverage_document(data));
  return pages;
}

}  // namespace torchpatch::emit
