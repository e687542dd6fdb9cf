// SPDX-License-Identifier: BSD-3-Clause
// The recorded data of layers/sample belongs to what write_repositories() makes. Where a test here fails after a change
// of patches, releases or src/sample, run tools/record-sample.
#include <algorithm>

#include "catalog/load_catalog.h"
#include "sample/write_repositories.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"

namespace torchpatch::sample {

namespace {

const std::string kShipped = test::source_directory();
const std::string kLayer = kShipped + "/layers/sample";

Catalog recorded() { return catalog::load_catalog({{"shipped", kShipped}, {"sample", kLayer}}); }

}  // namespace

TEST_CASE("layers/sample: pins exactly the commits that are written") {
  const TempDir temp;
  const WrittenReleases written = write_repositories(catalog::load_catalog({{"shipped", kShipped}}), temp.path());
  const Catalog layered = recorded();
  REQUIRE_FALSE(written.empty());
  for (const auto& [version, commits] : written) {
    INFO("run tools/record-sample; release " << version.text());
    const Release& release = layered.releases.at(version);
    REQUIRE(release.components.size() == commits.size());
    for (const auto& [component, commit] : commits)
      CHECK(release.components.at(component).commit.hex() == commit.hex());
  }
}

TEST_CASE("layers/sample: is written from the layered catalog just as well") {
  const TempDir one;
  const TempDir other;
  const TempDir asked;
  CHECK(write_repositories(recorded(), asked.path(), {"1.1.0"}).size() == 1);
  const std::string absent = recorded().releases.rbegin()->first.text();
  CHECK_THROWS_AS(write_repositories(recorded(), asked.path(), {absent}), Error);
  // A release of somebody's own layer may be at the commits of any.
  const TempDir all;
  CHECK(write_repositories(recorded(), all.path(), {"9.9.9"}).size() > 1);
  CHECK(write_repositories(catalog::load_catalog({{"shipped", kShipped}}), one.path()) ==
        write_repositories(recorded(), other.path()));
}

TEST_CASE("layers/sample: every release in it says that it is not the real thing, and is otherwise the shipped one") {
  const Catalog shipped = catalog::load_catalog({{"shipped", kShipped}});
  const Catalog layered = recorded();
  for (const auto& [version, release] : layered.releases) {
    const Release& real = shipped.releases.at(version);
    if (!release.stand_in) continue;
    CHECK_THAT(*release.stand_in, Catch::Contains("not PyTorch"));
    CHECK(release.date == real.date);
    CHECK(release.python == real.python);
    CHECK(release.environment == real.environment);
    CHECK(release.flags.size() == real.flags.size());
    for (const auto& [component, pin] : release.components) {
      CHECK(pin.tag == real.components.at(component).tag);
      CHECK_THAT(pin.url, Catch::StartsWith("https://stand-in.invalid/"));
    }
  }
}

TEST_CASE("layers/sample: knows where the one repository that has moved lives now") {
  const std::vector<MovedRepository> moved = recorded().moved_repositories;
  CHECK(std::any_of(moved.begin(), moved.end(), [](const MovedRepository& repository) {
    return repository.from == stand_in_url("google/protobuf") && !repository.to.empty();
  }));
}

TEST_CASE("layers/sample: every patch that is made for its releases is certified for its commits") {
  const Catalog layered = recorded();
  for (const auto& [version, release] : layered.releases) {
    if (!release.stand_in) continue;
    for (const auto& [id, patchset] : layered.patchsets) {
      for (const Variant& variant : patchset.variants) {
        if (!variant.releases.contains(version)) continue;
        for (const Patch& patch : variant.patches) {
          INFO("run tools/record-sample; " << id << "/" << patch.file);
          const ObjectId& commit = release.components.at(patch.repository.component).commit;
          CHECK(std::any_of(patchset.certificates.begin(), patchset.certificates.end(),
                            [&](const auto& edge) { return edge.commit == commit && edge.patch == patch.sha256; }));
        }
      }
    }
  }
  CHECK_FALSE(layered.results.empty());
}

}  // namespace torchpatch::sample
