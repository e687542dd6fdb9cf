// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"

using namespace torchpatch;

namespace {

const ObjectId kPin = *ObjectId::parse(std::string(40, '1'));
const RepositoryPath kTorch = *RepositoryPath::parse("torch");

std::optional<ObjectId> blob(char name) { return *ObjectId::parse(std::string(40, name)); }

/// Releases 1.0 and 1.1 pin one commit. The patchsets "a", "b" and "c" have a patch of their name each, which change
/// one file one after the other: a makes 3 of 2, b makes 4 of 3, c makes 5 of 4; all of it is certified at both
/// releases.
struct ChainedCatalog {
  ChainedCatalog() {
    for (const char* name : {"1.0", "1.1"}) {
      Release& release = loaded.catalog.releases[*Version::parse(name)];
      release.version = *Version::parse(name);
      release.components[Component::torch].commit = kPin;
    }
    char before = '2';
    std::optional<Sha256> follows;
    for (const std::string id : {"a", "b", "c"}) {
      Patchset& patchset = loaded.catalog.patchsets[id];
      patchset.id = id;
      patchset.variants = {{"V", *VersionRange::parse("*"), {{id + ".patch", sha256(id), kTorch, id}}, {}}};
      const char after = static_cast<char>(before + 1);
      const CertificateEdge edge{kPin, kTorch, "f", sha256(id), follows, blob(before), blob(after)};
      for (const char* release : {"1.0", "1.1"}) {
        const std::string path = concat(temp.path(), "/patchsets/", id, "/certificates/", release, ".json");
        make_directories(parent_path(path));
        write_file_atomically(path, "");
        loaded.recorded.push_back({path, id, release, false, false, {edge}, {}, {}});
      }
      before = after;
      follows = sha256(id);
    }
  }

  std::vector<std::string> stale(Catalog changed) const {
    std::vector<std::string> paths;
    const upkeep::StaleFiles files =
        upkeep::drop_stale(catalog::with_change(loaded, std::move(changed)), temp.path(), {});
    CHECK(files.elsewhere.empty());
    for (const auto& [path, bytes] : files.changes) paths.push_back(path + (bytes ? "" : " goes"));
    return paths;
  }

  TempDir temp;
  catalog::CatalogToCertify loaded;
};

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("drop_stale: what follows a patch that is another one now goes, and what builds on that") {
  const ChainedCatalog chained;
  CHECK(chained.stale(chained.loaded.catalog).empty());
  Catalog changed = chained.loaded.catalog;
  changed.patchsets["a"].variants[0].patches[0].sha256 = sha256("another");
  Paths all;
  for (const char* id : {"a", "b", "c"})
    for (const char* release : {"1.0", "1.1"})
      all.push_back(concat("patchsets/", id, "/certificates/", release, ".json goes"));
  CHECK(chained.stale(changed) == all);
  changed = chained.loaded.catalog;
  changed.patchsets.erase("b");
  CHECK(chained.stale(changed) == Paths(all.begin() + 2, all.end()));
}

TEST_CASE("drop_stale: a release that is gone takes its own files along, not those of one that pins the same") {
  const ChainedCatalog chained;
  Catalog changed = chained.loaded.catalog;
  changed.releases.erase(*Version::parse("1.1"));
  CHECK(chained.stale(changed) == Paths{"patchsets/a/certificates/1.1.json goes",
                                        "patchsets/b/certificates/1.1.json goes",
                                        "patchsets/c/certificates/1.1.json goes"});
}

TEST_CASE("drop_stale: certificates that a replaced patchset of a lower layer has alone are not touched") {
  ChainedCatalog chained;
  catalog::RecordedFile& file = chained.loaded.recorded.front();
  file.edges.push_back(file.edges.front());
  file.edges.back().patch = sha256("replaced");
  CHECK(chained.stale(chained.loaded.catalog).empty());
}
