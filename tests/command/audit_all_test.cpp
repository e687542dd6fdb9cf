// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;
using test::edit;

namespace {

/// The toy with a second release, 1.2.0, whose torch is the commit `change` makes of 1.1.0's.
struct TwoReleases : test::ToyWorkspace {
  explicit TwoReleases(const std::string& limits) {
    upstream.certify();
    const std::string torch = upstream.mirror() + "/torch";
    test::git(torch, {"checkout", "-q", "-f", upstream.torch_commit()});
    write_file_atomically(torch + "/include/limits.h", limits);
    write_file_atomically(torch + "/include/added.h", "// added\n");
    test::git(torch, {"add", "-A"});
    test::git(torch, {"commit", "-q", "-m", "later"});
    add_release(test::git(torch, {"rev-parse", "HEAD"}));
  }
  void add_release(const std::string& commit) const {
    std::string text = read_file(upstream.catalog_directory() + "/releases/1.1.0.json");
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    };
    replace("1.1.0", "1.2.0");
    replace(upstream.torch_commit(), commit);
    write_file_atomically(upstream.catalog_directory() + "/releases/1.2.0.json", text);
  }
  std::string audit(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "--version", "1.1.0", "--board", "small", "--quiet", "--mirror",
                               upstream.mirror(), "--no-pager"});
    const CliResult result = run(more);
    CHECK(result.err.empty());
    return result.out;
  }
};

std::string limits_with(const std::string& ten, const std::string& fifty, const std::string& sixty) {
  std::string text;
  for (int i = 1; i <= 60; ++i) {
    text += i == 10 ? ten : i == 50 ? fifty : i == 60 ? sixty : concat("// limits ", i);
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("audit: a change that a later release has is upstream's from there on") {
  SECTION("the very blob") {
    const TwoReleases toy(limits_with("// limit of 512", "// another limit", "// limits 60"));
    const std::string text = toy.audit();
    CHECK_THAT(text, Catch::Contains("upstream has it from release 1.2.0 on: at 1.2.0 include/limits.h is blob ") &&
                         Catch::Contains(", which has this change and others"));
    CHECK_THAT(text, Catch::Contains(", the same as with the patch; include/limits.h is blob "));
  }
  SECTION("among other changes") {
    const TwoReleases toy(limits_with("// limit of 512", "// limits 50", "// limits sixty"));
    const std::string text = toy.audit();
    CHECK_THAT(text, Catch::Contains("upstream has it from release 1.2.0 on: at 1.2.0 include/limits.h is blob "));
    CHECK_THAT(text, Catch::Contains("not found in the 1 later release; upstream may have fixed it in another way"));
    CHECK_THAT(text, Catch::Contains("From this patch to upstream's own include/limits.h at 1.2.0\n"
                                     "    The files are equal around the change; they differ elsewhere.\n"));
  }
  SECTION("beside another change") {
    std::string limits = limits_with("// limit of 512", "// limits 50", "// limits 60");
    limits.replace(limits.find("// limits 15"), 12, "// another 15");
    const std::string text = TwoReleases(limits).audit();
    CHECK_THAT(text, Catch::Contains("    15        -// limits 15\n           15 +// another 15\n"));
  }
  SECTION("not at all") {
    const TwoReleases toy(limits_with("// limit of 511", "// limits 50", "// limits 60"));
    CHECK_THAT(toy.audit(), !Catch::Contains("upstream has it"));
  }
}

TEST_CASE("audit: a later release whose commit is nowhere is not looked at") {
  const TwoReleases toy(limits_with("// limit of 512", "// another limit", "// limits 60"));
  toy.add_release("0123456789012345678901234567890123456789");
  CHECK_THAT(toy.audit(), Catch::Contains("not checked (commits unavailable): 1.2.0"));
}

TEST_CASE("audit --all: every patch, where it applies, and what certificates say of it") {
  test::ToyWorkspace toy;
  toy.upstream.certify();
  const CliResult result = toy.run({"audit", "--all", "--mirror", toy.upstream.mirror(), "--quiet"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("Audit of every patch of the catalog\n  2 patches, "));
  CHECK_THAT(result.out, Catch::Contains("  Shown in                 1.1.0 for small (one)\n"
                                         "  Applies                  1.1.0: small\n"));
  CHECK_THAT(result.out, Catch::Contains("  1 certified change of a file\n    include/limits.h: "));
  CHECK_THAT(result.out, Catch::Contains("\n     9      9  // limits 9\n    10     10  // limit of 512\n") ||
                             Catch::Contains("\n    40     40  // limits 40\n"));
  CHECK_THAT(toy.run({"audit", "--all", "--quiet"}).out,
             Catch::Contains("not available: context lines come from the patches"));
}

TEST_CASE("audit --all: says how the variants of a patch differ") {
  test::ToyWorkspace toy;
  const std::string directory = toy.upstream.catalog_directory() + "/patchsets/block-limit/";
  std::string json = read_file(directory + "patchset.json");
  const std::size_t begin = json.find('{', json.find("\"variants\"")), end = json.rfind(']');
  std::string variant = json.substr(begin, end - begin);
  for (std::size_t at = 0; (at = variant.find("V1", at)) != std::string::npos;) variant.replace(at, 2, "V2");
  variant.replace(variant.find("1.1.0"), 5, "1.2.0");
  make_directories(directory + "V2");
  for (const std::string& name : list_files_below(directory + "V1"))
    write_file_atomically(directory + "V2/" + name, read_file(directory + "V1/" + name));
  const std::string first = sha256(read_file(directory + "V2/0001-cap.patch")).hex();
  edit(directory + "V2/0001-cap.patch", "Cap the limit", "Cap that limit");
  variant.replace(variant.find(first), 64, sha256(read_file(directory + "V2/0001-cap.patch")).hex());
  write_file_atomically(directory + "patchset.json", json.insert(end, ", " + variant));
  const CliResult result = toy.run({"audit", "--all", "--quiet", "--no-pager"});
  INFO(result.err);
  CHECK_THAT(result.out, Catch::Contains("changed against block-limit/V1/0001-cap.patch") &&
                             Catch::Contains("same as block-limit/V1/0002-cap-more.patch"));
}

TEST_CASE("audit --all: a patch that nobody gets is shown as it is") {
  test::ToyWorkspace toy;
  const CliResult result = toy.run({"audit", "--all", "--mirror", toy.upstream.mirror(), "--quiet"});
  CHECK_THAT(result.out, Catch::Contains("  Shown in                 no release: it is not applied anywhere\n"));
  CHECK_THAT(result.out, Catch::Contains("Certificate              none: "));
}

TEST_CASE("audit: forms agree, and each is the same every time") {
  test::ToyWorkspace toy;
  toy.upstream.certify();
  const std::vector<std::string> line = {"audit",    "--version",           "1.1.0",   "--board", "small",
                                         "--mirror", toy.upstream.mirror(), "--quiet", "--format"};
  const auto form = [&](const char* name) {
    std::vector<std::string> args = line;
    args.push_back(name);
    return toy.run(args).out;
  };
  const std::string html = form("html");
  CHECK(html == form("html"));
  CHECK_THAT(html, Catch::StartsWith("<!DOCTYPE html>\n"));
  CHECK_THAT(html, Catch::Contains("<h1>Audit of release 1.1.0 for small (one)</h1>"));
  CHECK_THAT(html, Catch::Contains("<span class=\"sign\">+</span><ins>// limit of 512</ins>"));
  const std::string text = form("text");
  const std::string digest = text.substr(text.find("\n  Digest  ") + 11, 64);
  CHECK_THAT(html, Catch::Contains(digest));
  CHECK_THAT(form("markdown"), Catch::Contains(digest));
  CHECK_THAT(form("sarif"), Catch::Contains(digest));
}
