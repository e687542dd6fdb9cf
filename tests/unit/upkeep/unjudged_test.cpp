// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/source_directory.h"
#include "upkeep/check/check.h"

using namespace torchpatch;

TEST_CASE("find_unjudged: every shipped advisory is judged for every release, and a new release has to be") {
  Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  REQUIRE(catalog.advisories.size() > 30);
  CHECK(upkeep::find_unjudged(catalog).empty());
  std::erase_if(catalog.advisories, [](const auto& entry) { return entry.first != "CVE-2022-45907"; });
  Release release = catalog.releases.begin()->second;
  for (const char* name : {"98.0.0", "99.0.0"}) {
    release.version = *Version::parse(name);
    catalog.releases.emplace(release.version, release);
  }
  REQUIRE(upkeep::find_unjudged(catalog).size() == 1);
  CHECK(upkeep::find_unjudged(catalog)[0].text() ==
        "advisories.json: CVE-2022-45907: is not judged for 98.0.0 to 99.0.0");
  for (auto& [version, each] : catalog.releases) each.stand_in = "A sample.";
  CHECK(upkeep::find_unjudged(catalog).empty());
}

TEST_CASE("find_unsourced: every shipped board has sources to read, and 'general knowledge' is none") {
  Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  REQUIRE(catalog.boards.size() > 20);
  CHECK(upkeep::find_unsourced(catalog).empty());
  Board& board = catalog.boards.at("tx2");
  board.sources = {{{"memory_mib", "images"}, "JetPack's release notes, from general knowledge", false},
                   {{"gpu"}, "https://developer.nvidia.com, not looked up", false}};
  REQUIRE(upkeep::find_unsourced(catalog).size() == 1);
  CHECK(upkeep::find_unsourced(catalog)[0].text() ==
        "boards/tx2.json: sources: memory_mib: 'general knowledge' is not a source: give one that others can read, or "
        "write 'not looked up'");
}
