// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

struct Against : test::ToyWorkspace {
  Against() {
    upstream.certify();
    std::filesystem::copy(upstream.catalog_directory(), other(), std::filesystem::copy_options::recursive);
  }
  std::string other() const { return path("other"); }
  /// Changes the other catalog's copy of a patch.
  void change_patch(const std::string& file, const std::string& from, const std::string& to) const {
    const std::string patchset = other() + "/patchsets/block-limit/";
    std::string text = read_file(patchset + file), listed = read_file(patchset + "patchset.json");
    const std::string before = sha256(text).hex();
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    listed.replace(listed.find(before), before.size(), sha256(text).hex());
    write_file_atomically(patchset + file, text);
    write_file_atomically(patchset + "patchset.json", listed);
    for (const std::string& each : list_files_below(patchset + "certificates"))
      remove_tree(patchset + "certificates/" + each);
  }
  CliResult audit(const std::string& against, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "--version", "1.1.0", "--board", "small", "--quiet", "--against", against});
    return run(more);
  }
};

}  // namespace

TEST_CASE("audit --against: equal series") {
  const Against toy;
  const CliResult result = toy.audit(toy.other());
  CHECK(result.err.empty());
  CHECK_THAT(result.out,
             Catch::StartsWith("From release 1.1.0 for small (one) by the catalog in '$TMP/other' to release "
                               "1.1.0 for small (one)\n  2 same\n"));
  CHECK_THAT(result.out, Catch::Contains("  1       =  1      Cap the limit                       same\n"
                                         "                    block-limit/V1/0001-cap.patch\n"));
  CHECK_THAT(toy.audit("1.1.0").out, Catch::Contains("2 same\n"));
}

TEST_CASE("audit --against: --version newest is the release that it is by the line's own catalog") {
  const Against toy;
  toy.change_patch("V1/0001-cap.patch", "// limit of 512", "// limit of 256");
  const CliResult newest = toy.run({"audit", "--version", "newest", "--board", "small", "--against", toy.other()});
  CHECK(newest.err == "release 1.1.0 is the newest certified one that fits board 'small'\n");
  CHECK(newest.out == toy.audit(toy.other()).out);
}

TEST_CASE("audit --against: what changed in a patch, without its surroundings") {
  const Against toy;
  toy.change_patch("V1/0001-cap.patch", "// limit of 512", "// limit of 256");
  const CliResult result = toy.run({"audit", "--all", "--against", toy.other(), "--quiet"});
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::Contains("1 same, 1 changed\n") &&
                             Catch::Contains("  1       !  1      Cap the limit                       changed\n"));
  CHECK_THAT(result.out, Catch::Contains("-+// limit of 256\n") && Catch::Contains("++// limit of 512\n"));
  CHECK_THAT(result.out, !Catch::Contains("limits 9"));
}

TEST_CASE("audit --against: context and positions do not count") {
  const Against toy;
  toy.change_patch("V1/0001-cap.patch", " // limits 9\n", " // limits nine\n");
  CHECK_THAT(toy.run({"audit", "--all", "--against", toy.other(), "--quiet"}).out,
             Catch::Contains("1 same, 1 shifted\n") && Catch::Contains("  same change, other lines around it\n"));
}

TEST_CASE("audit --against: patches that are gone, new, or in another order") {
  const Against toy;
  const std::string file = toy.other() + "/patchsets/block-limit/patchset.json";
  const std::string listed = read_file(file);
  const std::size_t first = listed.find("  {\"file\": \"V1/0001"), second = listed.find("  {\"file\": \"V1/0002");
  const std::size_t end = listed.find("}]}]}");
  SECTION("another order") {
    const std::string one = listed.substr(first, second - first - 2), two = listed.substr(second, end + 1 - second);
    write_file_atomically(file, listed.substr(0, first) + two + ",\n" + one + listed.substr(end + 1));
    CHECK_THAT(toy.run({"audit", "--all", "--against", toy.other(), "--quiet"}).out,
               Catch::Contains("2 same, 1 in another order\n") && Catch::Contains("  same, in another order\n"));
  }
  SECTION("new") {
    write_file_atomically(file, listed.substr(0, second - 2) + "]}]}");
    remove_tree(toy.other() + "/patchsets/block-limit/V1/0002-cap-more.patch");
    remove_tree(toy.other() + "/patchsets/block-limit/certificates");
    const std::string text = toy.run({"audit", "--all", "--against", toy.other(), "--quiet"}).out;
    CHECK_THAT(text, Catch::Contains("1 same, 1 new\n"));
    CHECK_THAT(text, Catch::Contains("  -       >  2      "));
  }
}

TEST_CASE("audit --against: a prepared tree, its manifest, and what is neither") {
  const Against toy;
  REQUIRE(toy.run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", toy.upstream.mirror(), "--output",
                   toy.path("out"), "--quiet"})
              .exit_code == 0);
  CHECK_THAT(toy.audit(toy.path("out")).out, Catch::Contains("2 same\n"));
  CHECK_THAT(toy.audit(toy.path("out/torchpatch/manifest.json")).out, Catch::Contains("2 same\n"));
  CHECK_THAT(toy.run({"audit", toy.path("out"), "--against", "1.1.0"}).out, Catch::Contains("2 same\n"));
  toy.write("empty/file", "");
  const CliResult neither = toy.audit(toy.path("empty"));
  CHECK(neither.exit_code == 2);
  CHECK_THAT(neither.err,
             Catch::Contains("--against '$TMP/empty' is neither a prepared tree, its manifest, nor a catalog"));
  CHECK_THAT(toy.audit("1.1").err, Catch::Contains("1.1"));
  CHECK_THAT(toy.run({"audit", "--all", "--against", "1.1.0"}).err,
             Catch::Contains("--against '1.1.0': with --all, it must be another catalog"));
  CHECK_THAT(toy.audit("1.1.0", {"--format", "sarif"}).err, Catch::Contains("--against does not support SARIF"));
}

TEST_CASE("audit --against: the other forms") {
  const Against toy;
  toy.change_patch("V1/0001-cap.patch", "// limit of 512", "// limit of 256");
  const auto form = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = {"audit", "--all", "--against", toy.other(), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return toy.run(args).out;
  };
  CHECK_THAT(form({"--json"}), Catch::Contains("\"change\": \"changed\""));
  CHECK_THAT(form({"--format", "markdown"}), Catch::Contains("\n-+// limit of 256\n++// limit of 512\n"));
  CHECK_THAT(form({"--format", "html"}), Catch::Contains("<del class=\"word\">256</del>"));
}

TEST_CASE("audit --against: a tree that is not what was prepared is told") {
  const Against toy;
  REQUIRE(toy.run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", toy.upstream.mirror(), "--output",
                   toy.path("out"), "--quiet", "--allow-uncertified"})
              .exit_code == 0);
  CHECK(toy.audit(toy.path("out")).exit_code == 0);
  toy.write("out/pytorch/setup.py", "# edited\n");
  const CliResult result = toy.audit(toy.path("out"));
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("differs from what was prepared, "));
}
