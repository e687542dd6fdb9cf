// SPDX-License-Identifier: BSD-3-Clause
#include "report/site/site.h"
#include "report/site/site_pages.h"
#include "support/catch.h"

using namespace torchpatch;
using namespace torchpatch::report;

namespace {

/// Releases 1.0 to 1.4, the boards big (images a and b), pi (c) and tx2 (d), and one issue.
struct Example {
  Example() {
    for (const char* version : {"1.0", "1.1", "1.2", "1.3", "1.4"}) {
      const Version parsed = *Version::parse(version);
      catalog.releases[parsed].version = parsed;
    }
    add_board("big", {"a", "b"});
    add_board("pi", {"c"});
    add_board("tx2", {"d"});
    data.catalog = &catalog;
    for (const auto& [version, release] : catalog.releases) data.releases.push_back(&release);
    for (const auto& [id, board] : catalog.boards)
      for (const Image& image : board.images) data.targets.push_back({&board, &image});
    data.answers = {{IssueStatus::not_affected, "", FixKind::advice, ""},
                    {IssueStatus::applied, "cap", FixKind::patch, "T1"},
                    {IssueStatus::applied, "say", FixKind::advice, ""}};
  }
  void add_board(const std::string& id, const std::vector<std::string>& images) {
    Board& board = catalog.boards[id];
    board.id = id;
    for (const std::string& image : images)
      board.images.push_back({image, image, "os", {}, {}, {}, {}, {}, {}, {}, {}, {}});
  }
  Catalog catalog;
  SiteData data;
};

std::string words(const Line& line) {
  std::string all;
  for (const Inline& part : line) all += part.text;
  return all;
}

std::vector<std::string> words(const std::vector<Cell>& cells) {
  std::vector<std::string> all;
  for (const Cell& each : cells) all.push_back(words(each.line));
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("release_runs: names releases that follow each other by the first and the last") {
  const Example example;
  CHECK(release_runs(example.data, {true, true, true, false, true}) == "1.0 to 1.2, 1.4");
  CHECK(release_runs(example.data, {false, false, true, true, false}) == "1.2, 1.3");
  CHECK(release_runs(example.data, {true, true, true, true, true}) == "every release");
  CHECK(release_runs(example.data, {false, false, false, false, false}).empty());
}

TEST_CASE("answer_table: images with the same answers share a row, releases a column") {
  Example example;
  constexpr int kNone = SiteData::kNoFit;
  example.data.matrix["one"] = {{1, 1, 2, 0, 0}, {0, 0, 2, 0, 0}, {0, 0, 0, 0, 0}, {kNone, 1, 2, kNone, kNone}};
  const Table table = answer_table(example.data, "one");
  CHECK(table.heads == Texts{"Boards", "1.0, 1.1", "1.2", "1.3, 1.4"});
  REQUIRE(table.rows.size() == 2);
  CHECK(words(table.rows[0]) == Texts{"big (a), tx2", "patch T1", "advice", "–"});
  CHECK(words(table.rows[1]) == Texts{"big (b)", "–", "advice", "–"});
}

TEST_CASE("answer_table: boards that only lack the release are not told to get what others get") {
  Example example;
  constexpr int kNone = SiteData::kNoFit;
  example.data.matrix["one"] = {
      {1, 1, 1, kNone, kNone}, {1, 1, 1, kNone, kNone}, {kNone, kNone, kNone, 0, 0}, {kNone, kNone, kNone, 2, 2}};
  const Table table = answer_table(example.data, "one");
  REQUIRE(table.rows.size() == 2);
  CHECK(words(table.rows[0]) == Texts{"big", "patch T1", "–"});
  CHECK(words(table.rows[1]) == Texts{"tx2", "–", "advice"});
}

TEST_CASE("answer_table: one row for all, and none where nothing applies") {
  Example example;
  example.data.matrix["all"].assign(4, {2, 2, 2, 2, 2});
  example.data.matrix["none"].assign(4, {0, 0, 0, 0, 0});
  const Table table = answer_table(example.data, "all");
  CHECK(table.heads == Texts{"Boards", "1.0 to 1.4"});
  CHECK(words(table.rows.at(0)) == Texts{"every board and image", "advice"});
  CHECK(answer_table(example.data, "none").rows.empty());
}

TEST_CASE("relative_address: leads from page to page") {
  CHECK(relative_address("index.html", "issues/a.html") == "issues/a.html");
  CHECK(relative_address("issues/a.html", "issues/b.html") == "b.html");
  CHECK(relative_address("issues/a.html", "boards/b.html") == "../boards/b.html");
  CHECK(relative_address("issues/a.html", "style.css") == "../style.css");
}

TEST_CASE("misfit_words: leaves the release's name out, so that reasons can be compared") {
  Release release;
  release.version = *Version::parse("1.1.0");
  SiteData data;
  data.misfits[{release.version, "b"}] = {"image 'x': release 1.1.0 needs CUDA <11, not 12",
                                          "release 1.1.0 builds with Python 3.5"};
  CHECK(misfit_words(data, release, "b") ==
        "image 'x': the release needs CUDA <11, not 12; the release builds with Python 3.5");
}
