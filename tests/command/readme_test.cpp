// SPDX-License-Identifier: BSD-3-Clause
// The figures of README.md are those of the catalog.
#include <algorithm>
#include <numeric>
#include <regex>

#include "catalog/load_catalog.h"
#include "model/proof.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;

TEST_CASE("README.md: its figures are those of the catalog") {
  const std::string root = test::source_directory();
  const Catalog catalog = catalog::load_catalog({{"shipped", root}});
  std::size_t variants = 0;
  int proven = 0, of = 0;
  for (const auto& [id, patchset] : catalog.patchsets) {
    variants += patchset.variants.size();
    std::smatch figures;
    const std::string coverage = coverage_text(patchset, catalog);
    REQUIRE(std::regex_search(coverage, figures, std::regex("proven at ([0-9]+) of ([0-9]+) ")));
    proven += std::stoi(figures[1]);
    of += std::stoi(figures[2]);
  }
  const auto sizes = std::ranges::minmax(catalog.build_sizes.builds, {}, &BuildSize::disk_mib);
  const std::string readme = read_file(root + "/README.md") + read_file(root + "/docs/recipes.md");
  for (const std::string& figure :
       {concat(catalog.boards.size(), " boards, ", catalog.releases.size(), " releases of PyTorch (",
               catalog.releases.begin()->first.text(), " to ", catalog.releases.rbegin()->first.text(), "), ",
               catalog.issues.size(), " known issues"),
        concat("a build takes ", sizes.min.disk_mib / 1000, " to ", sizes.max.disk_mib / 1000, " GB"),
        concat(variants, " variants of ", catalog.patchsets.size(), " patchsets"),
        concat(proven, " of ", of, " pairs of patchset and release are proven")}) {
    INFO(figure);
    CHECK(readme.find(figure) != std::string::npos);
  }
}
