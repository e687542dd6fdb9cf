// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diff/diff.h"
#include "report/reports.h"

#include <algorithm>

#include "plan/make_plan.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/text.h"
#include "support/toy_upstream.h"
#include "trees/prepare/prepare.h"

namespace torchpatch::trees {

namespace {

/// The manifest of a real preparation, to be changed as a forger or another catalog would.
struct Manifests {
  Manifests() {
    upstream.certify();
    const Catalog catalog = upstream.load();
    const Plan plan = plan::make_plan(catalog, "1.1.0", "small", "", {});
    source::MirrorSource source({upstream.mirror()}, console);
    PrepareOptions options;
    options.output = upstream.scratch() + "/out";
    prepare(catalog, plan, source, options, console);
    a = diff_input_of_manifest(options.output + "/torchpatch/manifest.json");
    b = a;
  }

  /// The entries as "level subject change[ explained]", joined.
  std::string entries() const {
    std::vector<std::string> lines;
    for (const DiffEntry& entry : diff(a, b).entries) {
      lines.push_back(concat(name_of(entry.level), " ", entry.subject, " ", entry.change,
                             entry.because.empty() ? "" : " explained"));
    }
    return join(lines, "\n");
  }

  test::ToyUpstream upstream;
  NullConsole console;
  DiffInput a, b;
};

}  // namespace

TEST_CASE("diff: nothing explains what no decision, option or catalog accounts for", "[trees]") {
  Manifests sides;
  Manifest& forged = sides.b.manifest;
  CHECK(sides.entries() == "");
  SECTION("a patch that is gone") {
    forged.patches.pop_back();
    CHECK(sides.entries() ==
          "patch block-limit in torch only_in_a\npatched_file pytorch/include/added.h only_in_a\n"
          "patched_file pytorch/include/limits.h changed");
  }
  SECTION("patches in another order") {
    std::swap(forged.patches[0], forged.patches[1]);
    CHECK_THAT(sides.entries(), Catch::StartsWith("patch order of patches order\n"));
  }
  SECTION("a patch with other bytes") {
    forged.patches[0].sha256 = Sha256();
    CHECK_THAT(sides.entries(), Catch::Contains("patch block-limit in torch changed"));
  }
  SECTION("another blob") {
    forged.patches[1].edges[0].after = forged.patches[1].edges[1].after;
    CHECK_THAT(sides.entries(), Catch::Contains("patched_file pytorch/include/"));
  }
  SECTION("another commit of a component") {
    forged.repositories[0].commit = ObjectId();
    CHECK_THAT(sides.entries(), Catch::StartsWith("pin torch changed"));
  }
  SECTION("another commit of a submodule") {
    forged.repositories[1].commit = ObjectId();
    CHECK(sides.entries() == "pin torch:third_party/onnx changed");
  }
  SECTION("a submodule more") {
    forged.repositories.push_back(forged.repositories[1]);
    forged.repositories.back().path.path = "third_party/more";
    CHECK(sides.entries() == "pin torch:third_party/more only_in_b");
  }
  SECTION("another place for the same commit") {
    forged.repositories[1].url = "https://example.org/elsewhere.git";
    CHECK(sides.entries() == "pin torch:third_party/onnx changed");
  }
  SECTION("another tree of the same commit") {
    forged.repositories[1].patched_tree = ObjectId();
    CHECK(sides.entries() == "pin torch:third_party/onnx changed");
  }
  SECTION("another tree of the same plan") {
    forged.tree = ObjectId();
    CHECK(sides.entries() == "manifest tree of equal plans changed");
  }
  SECTION("a variable") {
    forged.environment.front().value += "x";
    CHECK_THAT(sides.entries(), Catch::StartsWith("setting ") && !Catch::Contains("explained"));
  }
  SECTION("a bound") {
    forged.tool_bounds.clear();
    CHECK(sides.entries() == "tool_bound cmake only_in_a");
  }
  SECTION("a decision") {
    forged.issues.front().status = IssueStatus::declined;
    CHECK(sides.entries() == "issue block-limit changed");
  }
  SECTION("a warning") {
    forged.warnings.emplace_back("take care");
    CHECK(sides.entries() == "warning take care only_in_b");
  }
  SECTION("a fact of the board") {
    forged.target["glibc"] = "2.31";
    CHECK(sides.entries() == "request target glibc changed");
  }
  SECTION("an executable, and a link") {
    forged.executables.clear();
    forged.links[0].target = "../setup.py";
    CHECK(sides.entries() == "file pytorch/tools/latest mode\nfile pytorch/tools/run.sh mode");
  }
  SECTION("what no comparison knows") {
    ++forged.byte_count;
    CHECK(sides.entries() == "manifest manifest changed");
  }
}

TEST_CASE("diff: another catalog explains what its entries decide", "[trees]") {
  Manifests sides;
  Manifest& other = sides.b.manifest;
  const auto entry = std::find_if(other.origins.begin(), other.origins.end(),
                                  [](const auto& origin) { return origin.entry == "patchset block-limit"; });
  REQUIRE(entry != other.origins.end());
  entry->digest = Sha256();
  other.patches[0].sha256 = Sha256();
  const std::string entries = sides.entries();
  CHECK_THAT(entries, Catch::Contains("catalog patchset block-limit changed explained"));
  CHECK_THAT(entries, Catch::Contains("patch block-limit in torch changed explained"));
}

TEST_CASE("diff: another release explains its pins, and they what lies in them", "[trees]") {
  Manifests sides;
  Manifest& other = sides.b.manifest;
  other.release = "1.2.0";
  other.repositories[0].commit = ObjectId();
  other.repositories[2].commit = ObjectId();
  const DiffReport report = diff(sides.a, sides.b);
  const auto because = [&](const std::string& subject) {
    for (const DiffEntry& entry : report.entries)
      if (entry.level == DiffLevel::pin && entry.subject == subject) return entry.because;
    return std::string("no entry");
  };
  CHECK(because("torch") == "pinned by release 1.1.0 and by 1.2.0");
  // The repository around it is at the same commit, which names one commit only.
  CHECK(because("torch:third_party/onnx/deep/six") == "");
  CHECK(count_unexplained(report) == 1);
  CHECK(report.entries.front().because.empty());
}

}  // namespace torchpatch::trees
