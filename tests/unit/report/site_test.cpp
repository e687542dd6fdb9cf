// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <variant>

#include "report/site/site.h"
#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/catch.h"
#include "support/text.h"

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
    data.answers = {{"", IssueStatus::not_affected, "", "", FixKind::advice, ""},
                    {"", IssueStatus::applied, "", "cap", FixKind::patch, "T1"},
                    {"", IssueStatus::applied, "", "say", FixKind::advice, ""}};
  }
  void add_board(const std::string& id, const std::vector<std::string>& images) {
    Board& board = catalog.boards[id];
    board.id = id;
    for (const std::string& image : images)
      board.images.push_back({image, image, "os", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
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

VersionRange range(const std::string& text) { return *VersionRange::parse(text); }

/// Returns the headings, and below each what its items say.
Texts outline(const std::vector<Block>& blocks) {
  Texts lines;
  for (const Block& block : blocks) {
    if (const auto* heading = std::get_if<Heading>(&block)) lines.push_back(heading->words);
    if (const auto* fold = std::get_if<Fold>(&block))
      for (const std::string& line : outline(fold->blocks)) lines.push_back(line);
    const auto* items = std::get_if<Items>(&block);
    if (!items) continue;
    for (const Line& item : items->items) lines.push_back("- " + words(item));
  }
  return lines;
}

Issue make_issue(const std::string& id, const std::string& title, const std::string& severity) {
  Issue issue;
  issue.id = id;
  issue.title = title;
  issue.severity = severity;
  issue.releases = {range(">=1.0 <1.4")};
  issue.symptoms = {"error: " + id};
  issue.sections = {{"Symptom", "S"}, {"Cause", "C"}, {"Fix", "F"}, {"How to verify", "V"}};
  return issue;
}

/// A patch for some releases, a variable for gcc 8, advice for what is left, and a step that must be asked for.
Issue issue_with_fixes() {
  Issue issue = make_issue("one", "One", "build-failure");
  issue.fixes.resize(4);
  issue.fixes[0] = {"cap", FixKind::patch, "Cap it", "caps", {{"USE_CAP", "0", "why"}}, {}, {}, false};
  issue.fixes[0].when = {{"release", range("<1.2"), "release <1.2"}};
  issue.fixes[1] = {"set", FixKind::environment, "Set it", "", {{"USE_IT", "1", "why"}}, {}, {}, false};
  issue.fixes[1].when = {{"release", range(">=1.2"), ""}, {"gcc", range(">=8 <9"), ""}};
  issue.fixes[2] = {"say", FixKind::advice, "Look at it", "", {}, {}, {}, false};
  issue.fixes[3] = {"do", FixKind::post_build, "Do it", "", {}, {"true"}, {}, true};
  return issue;
}

/// Plans for the board tx2: release 1.0 gets one patch, 1.1 another variant of it, 1.2 advice in its place; all get
/// `all`.
struct Planned : Example {
  Planned() {
    catalog.issues["limit"] = make_issue("limit", "A limit", "limitation");
    catalog.issues["all"] = make_issue("all", "Zero results", "silent-wrong-results");
    catalog.issues["some"] = make_issue("some", "Some of them", "build-failure");
    catalog.issues["cap"] = make_issue("cap", "Cap", "runtime-failure");
    catalog.boards["tx2"].title = "The board";
    plan(0, "T1", {});
    plan(1, "T2", {});
    plan(2, "T2", {"some", IssueStatus::applied, "", "say", FixKind::advice, ""});
  }
  void plan(std::size_t release, const std::string& variant, const IssueDecision& more) {
    const Board& board = catalog.boards["tx2"];
    Plan& plan = data.plans[{data.releases[release]->version, board.id}];
    plan.release = data.releases[release];
    plan.board = &board;
    plan.image = &board.images.front();
    plan.python = "3.6";
    plan.issues = {{"all", IssueStatus::applied, "", "set", FixKind::environment, ""},
                   {"cap", IssueStatus::applied, "", "cap", FixKind::patch, variant},
                   {"limit", IssueStatus::applied, "", "say", FixKind::advice, ""}};
    if (!more.issue.empty()) plan.issues.push_back(more);
    PlannedSetting setting;
    setting.name = "USE_ALL";
    setting.value = "0";
    setting.origin = "board tx2 and issue all";
    plan.environment = {setting};
  }
};

}  // namespace

TEST_CASE("condition_words: says conditions as people do") {
  const auto said = [](const std::string& fact, const decltype(Clause::expected)& expected) {
    return condition_words({{{fact, expected, fact + " as it is"}}});
  };
  CHECK(said("gcc", range(">=7 <9")) == "gcc 7 or later, below 9");
  CHECK(said("cudnn", range("<8")) == "cuDNN below 8");
  CHECK(said("python", range("3.5")) == "Python 3.5");
  CHECK(said("bits", range("==32")) == "32 bits");
  CHECK(said("memory_mib", range("<16384")) == "below 16384 MiB of memory");
  CHECK(said("registers_per_block", range(">=65536")) == "65536 or more registers per block");
  CHECK(said("gpu", true) == "with a GPU");
  CHECK(said("cross", false) == "built on the board");
  CHECK(said("arch", Texts{"aarch64", "armv7l"}) == "aarch64 or armv7l");
  CHECK(said("components", Texts{"vision"}) == "torchvision");
  CHECK(said("lacks", Texts{"nccl", "magma"}) == "without nccl and magma");
  CHECK(said("release", range("<2")).empty());
  CHECK(condition_words({{{"arch", Texts{"aarch64"}, ""}, {"gpu", false, ""}}}) == "aarch64, without a GPU");
}

TEST_CASE("what_to_do_blocks: a line a fix, with who does it, for which releases and where") {
  const Example example;
  CHECK(outline(what_to_do_blocks(example.catalog, issue_with_fixes())) ==
        Texts{"What to do", "- Patched by prepare: Cap it · USE_CAP=0 · patch caps · for 1.0, 1.1",
              "- Set by build.env: Set it · USE_IT=1 · for 1.2, 1.3, if gcc 8 or later, below 9",
              "- By hand: Look at it · otherwise",
              "- Optional: Done by build.sh, after the build: Do it · torchpatch prepare --with do"});
}

TEST_CASE("issue_document: what to do stands first, causes behind how to mend and verify") {
  Example example;
  example.data.matrix["one"] = {{1, 1, 2, 0, 0}, {0, 0, 2, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
  for (const char* board : {"big", "pi", "tx2"}) example.catalog.boards[board].title = concat("Board ", board);
  const Document page = issue_document(example.data, issue_with_fixes());
  Texts sections;
  for (const Block& block : page.blocks)
    if (const auto* heading = std::get_if<Heading>(&block); heading && heading->level == 2)
      sections.push_back(heading->words);
  CHECK(sections == Texts{"What to do", "Symptom", "Fix", "How to verify", "Releases and boards", "Cause"});
  CHECK(std::get<Literal>(page.blocks.at(3)).words ==
        "torchpatch prepare --version 1.1 --board big --image a --output out\n");
  const auto& facts = std::get<Terms>(page.blocks.at(4));
  CHECK(facts.rows.at(0).first == "Releases");
  CHECK(words(facts.rows.at(0).second) == "1.0 to 1.3");
  CHECK(words(facts.rows.at(1).second) == "every board but Board pi, Board tx2");
}

TEST_CASE("board_document: says once what holds for every release, the gravest first and by titles") {
  const Planned planned;
  const Document page = board_document(planned.data, planned.catalog.boards.at("tx2"));
  Texts lines = outline(page.blocks);
  CHECK(Texts(lines.begin(), lines.begin() + 2) == Texts{"Images", "- d d: no release of the catalog"});
  lines.erase(lines.begin(), std::ranges::find(lines, "Known issues of every release"));
  CHECK(lines == Texts{"Known issues of every release", "Silent wrong results",
                       "- Zero results · environment · USE_ALL=0", "Runtime failures", "- Cap · patch", "Limitations",
                       "- A limit · advice", "Known issues by release", "1.2",
                       "- Some of them · build failure · advice", "1.0, 1.1"});
}

TEST_CASE("board_document, index_document: each image with its releases and the command for the newest") {
  Planned planned;
  Board& board = planned.catalog.boards.at("tx2");
  board.cores = 6;
  board.cpu_flags = "-mcpu=cortex-a57 -mfpu=neon";
  board.memory_mib = 8192;
  board.gpu = Gpu{*Version::parse("6.2"), {}};
  board.vendor = "NVIDIA";
  const int none = SiteData::kNoFit;
  planned.data.answers.push_back({"", IssueStatus::uncertified, "", "cap", FixKind::patch, "T1"});
  planned.data.matrix["all"] = {{0, 0, 0, 0, 0}, {none, 0, 0, 0, none}, {3, 3, 3, 3, 3}, {1, 1, 3, none, none}};
  for (const char* id : {"cap", "limit", "some"}) planned.data.matrix[id] = planned.data.matrix["all"];
  const std::string command = "torchpatch prepare --version 1.1 --board tx2 --output out";
  const Document page = board_document(planned.data, board);
  CHECK(std::get<Literal>(page.blocks.at(3)).words == command + "\n");
  const Texts lines = outline(page.blocks);
  REQUIRE(lines.size() > 3);
  CHECK(lines[1] == "Images");
  CHECK(lines[2] == "- d d: 1.0 to 1.2" + command);
  CHECK(prepare_command(planned.data, {1, 3}, " --with x") ==
        "torchpatch prepare --version 1.3 --board big --image b --with x --output out");
  const Texts first = outline(index_document(planned.data).blocks);
  const auto card = std::ranges::find(first, "NVIDIA");
  REQUIRE(first.end() - card > 1);
  CHECK(*(card + 1) == "- The board6 cores, cortex-a57 · 8 GiBGPU: compute capability 6.2newest release: 1.1");
  CHECK(std::ranges::count(first, "Other") == 1);
}

TEST_CASE("coverage: what was run is marked beside what is planned") {
  Planned planned;
  for (const auto& [id, issue] : planned.catalog.issues) planned.data.matrix[id].assign(4, {0, 0, 0, 0, 0});
  planned.catalog.evidence = {{"1.0", "tx2", "d", EvidenceLevel::configured, "2026-01-01", "docs: A", ""},
                              {"1.0", "tx2", "d", EvidenceLevel::numerics, "2026-01-02", "docs: B", "alone"}};
  const HeatMap map = plan_map(planned.data);
  CHECK(map[0][2].label() == "1 ●");
  CHECK(map[1][2].label() == "1");
  CHECK_THAT(map[0][2].title, Catch::Contains("; d configured, 2026-01-01; d numerics passed, 2026-01-02 (alone)"));
  const std::string html = site_map_html(planned.data);
  CHECK_THAT(html, Catch::Contains("<td class=\"patched numerics\" title="));
  CHECK_THAT(html, Catch::Contains("<span class=\"numerics\">●</span> numerics passed</li>"));
  CHECK(html.find("class=\"legend\"") < html.find("<table"));
  CHECK_THAT(plan_data(planned.data), Catch::Contains(R"("evidence":[[0,3,"configured","configured, 2026-01-01"],)"));
}

TEST_CASE("release_runs: names releases that follow each other by the first and the last") {
  const Example example;
  CHECK(release_runs(example.data.releases, {true, true, true, false, true}) == "1.0 to 1.2, 1.4");
  CHECK(release_runs(example.data.releases, {false, false, true, true, false}) == "1.2, 1.3");
  CHECK(release_runs(example.data.releases, {true, true, true, true, true}) == "every release");
  CHECK(release_runs(example.data.releases, {false, false, false, false, false}).empty());
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
