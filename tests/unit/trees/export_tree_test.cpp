// SPDX-License-Identifier: BSD-3-Clause
#include "trees/storage/storage.h"

#include <unistd.h>

#include "plan/make_plan.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/toy_upstream.h"
#include "trees/prepare/prepare.h"

namespace torchpatch::trees {

namespace {

struct Scanned {
  Scanned() {
    upstream.certify();
    const Catalog catalog = upstream.load();
    const Plan plan = plan::make_plan(catalog, "1.1.0", "small", "", {});
    source::MirrorSource source({upstream.mirror()}, console);
    PrepareOptions options;
    options.output = root();
    prepare(catalog, plan, source, options, console);
    tree = scan_prepared_tree(root(), 1, console);
  }
  std::string root() const { return upstream.scratch() + "/out"; }
  std::string archive() const { return places.path() + "/a.tar"; }
  ExportReport write(bool replace = false) { return export_tree(tree, {archive(), "", replace}, console); }

  test::ToyUpstream upstream;
  TempDir places;
  NullConsole console;
  ScannedTree tree;
};

}  // namespace

TEST_CASE("export_tree: counts what it wrote", "[trees]") {
  Scanned scanned;
  const ExportReport report = scanned.write();
  CHECK(report.prefix == "a");
  CHECK(report.links == 1);
  CHECK(report.files + report.links + report.directories == scanned.tree.scanned.size());
  CHECK(report.tar_size == read_file(scanned.archive()).size());
  CHECK(report.tar_sha256 == report.sha256);
}

TEST_CASE("export_tree: only what was verified goes in, or nothing is left", "[trees]") {
  Scanned scanned;
  const std::string path = scanned.root() + "/pytorch/setup.py";
  const std::string bytes = read_file(path);
  SECTION("other bytes of the same length") {
    write_file_atomically(path, std::string(bytes.size(), 'x'));
    CHECK_THROWS_WITH(scanned.write(), "it changed between two reads");
  }
  SECTION("another length") {
    write_file_atomically(path, bytes + "x");
    CHECK_THROWS_WITH(scanned.write(), "it changed between two reads");
  }
  SECTION("a link in its place") {
    REQUIRE(rename(path.c_str(), (path + ".away").c_str()) == 0);
    REQUIRE(symlink("setup.py.away", path.c_str()) == 0);
    CHECK_THROWS_AS(scanned.write(), Error);
  }
  SECTION("gone") {
    REQUIRE(unlink(path.c_str()) == 0);
    CHECK_THROWS_AS(scanned.write(), Error);
  }
  CHECK(list_directory(scanned.places.path()).empty());
}

TEST_CASE("export_tree: what appears at the output meanwhile stays", "[trees]") {
  Scanned scanned;
  write_file_atomically(scanned.archive(), "mine");
  CHECK_THROWS_WITH(scanned.write(), Catch::Contains("a.tar': it was created in the meantime"));
  CHECK(read_file(scanned.archive()) == "mine");
  CHECK(list_directory(scanned.places.path()).size() == 1);
  scanned.write(true);
  CHECK(read_file(scanned.archive()) != "mine");
}

}  // namespace torchpatch::trees
