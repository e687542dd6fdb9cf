// SPDX-License-Identifier: BSD-3-Clause
// Release archives as a source: made by git, tar, bsdtar and zip, beside a mirror that has commits and trees alone.
#include <unistd.h>

#include <cstdlib>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

using Arguments = std::vector<std::string>;

/// A certified upstream, a tree prepared from it, and repositories without blobs below trees().
struct ArchiveShop : test::ToyWorkspace {
  ArchiveShop() {
    upstream.certify();
    for (const auto& [name, directory] : repositories()) {
      const std::string repository = upstream.mirror() + "/" + directory;
      test::git(repository, {"config", "uploadpack.allowFilter", "true"});
      test::git(upstream.scratch(), {"clone", "--quiet", "--bare", "--filter=blob:none", "file://" + repository,
                                     concat(trees(), "/", name, ".git")});
    }
    REQUIRE(prepare("plain", {"--mirror", upstream.mirror()}).exit_code == 0);
  }

  static std::vector<std::pair<std::string, std::string>> repositories() {
    return {{"torch", "torch"}, {"vision", "vision"}, {"onnx", "nested/deeper/onnx"}, {"six", "a-fork-of-six"}};
  }
  std::string trees() const { return path("trees"); }

  CliResult prepare(const std::string& out, const Arguments& more) const {
    Arguments args = {"prepare", "--version", "1.1.0", "--board", "small", "--output", path(out), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  /// With the mirror of trees alone.
  CliResult prepare_from(const std::string& out, const Arguments& archives, const Arguments& more = {}) const {
    Arguments args = {"--mirror", trees()};
    for (const std::string& archive : archives) args.insert(args.end(), {"--archive", archive});
    args.insert(args.end(), more.begin(), more.end());
    return prepare(out, args);
  }
  void shell(const std::string& command) const {
    REQUIRE(std::system(("cd " + shell_quote(path(".")) + " && " + command).c_str()) == 0);
  }
  std::string git_archive(const std::string& directory, const std::string& file, const Arguments& options = {}) const {
    Arguments args = {"archive", "-o", path(file)};
    args.insert(args.end(), options.begin(), options.end());
    args.push_back(directory == "torch" ? upstream.torch_commit() : "HEAD");
    test::git(upstream.mirror() + "/" + directory, args);
    return path(file);
  }
  /// The sources with all submodules, as they stand in the tree that was prepared without patches.
  std::string release_asset(const std::string& leave_out) const {
    REQUIRE(prepare("unpatched", {"--mirror", upstream.mirror(), "--unpatched"}).exit_code == 0);
    shell(concat("tar -czf asset.tar.gz ", leave_out, " -C unpatched pytorch"));
    return "torch=" + path("asset.tar.gz");
  }
  std::string vision() const { return "vision=" + git_archive("vision", "vision.zip"); }
  std::string sums(const std::string& out) const { return read_file(path(out + "/torchpatch/SHA256SUMS")); }
};

}  // namespace

TEST_CASE("prepare --archive: archives of every kind give the tree that a mirror gives") {
  const ArchiveShop shop;
  const std::string onnx = shop.upstream.mirror() + "/nested/deeper/onnx";
  shop.shell(concat("bsdtar -cJf onnx.tar.xz --exclude .git -C ", shell_quote(onnx), " ."));
  shop.shell(concat("(cd ", shell_quote(shop.upstream.mirror() + "/a-fork-of-six"), " && zip -qr ",
                    shell_quote(shop.path("six.zip")), " six.py)"));
  const Arguments archives = {"torch=" + shop.git_archive("torch", "torch.tar.gz", {"--prefix=pytorch-1.1.0/"}),
                              shop.vision(), "torch:third_party/onnx=" + shop.path("onnx.tar.xz"),
                              "torch:third_party/onnx/deep/six=" + shop.path("six.zip")};
  for (const std::string out : {"cold", "warm", "mended"}) {
    if (out == "mended") {
      shop.shell(
          "for file in cache/torchpatch/archives/*/objects/pack/*.pack; do chmod u+w $file; echo x >> $file; done");
    }
    const CliResult result = shop.prepare_from(out, archives, {"--report", shop.path("report.json")});
    CHECK(result.err.empty());
    REQUIRE(result.exit_code == 0);
    CHECK(shop.sums(out) == shop.sums("plain"));
  }
  const std::string report = read_file(shop.path("report.json"));
  for (const char* format : {"tar.gz", "tar.xz", "zip"})
    CHECK_THAT(report, Catch::Contains(concat("\"format\": \"", format, "\"")));
  CHECK_THAT(report, Catch::Contains("\"commit\": \"" + shop.upstream.torch_commit() + "\""));
  const std::string kept = shop.path("cache/torchpatch/archives");
  CHECK(list_directory(kept).size() == 4);

  const std::string link = kept + "/" + list_directory(kept).front(), elsewhere = shop.path("elsewhere");
  REQUIRE(rename(link.c_str(), elsewhere.c_str()) == 0);
  REQUIRE(symlink(elsewhere.c_str(), link.c_str()) == 0);
  const CliResult linked = shop.prepare_from("linked", archives);
  CHECK(linked.exit_code == 6);
  CHECK_THAT(linked.err, Catch::Contains("' is a link that leads out of it\n"));
}

TEST_CASE("prepare --archive: a release asset has the submodules' files as well") {
  const ArchiveShop shop;
  const CliResult result = shop.prepare_from("out", {shop.release_asset(""), shop.vision()});
  CHECK(result.err.empty());
  REQUIRE(result.exit_code == 0);
  CHECK(shop.sums("out") == shop.sums("plain"));
}

TEST_CASE("prepare --archive: says what is missing, and goes on only where it is allowed") {
  const ArchiveShop shop;
  const Arguments archives = {
      shop.release_asset("--exclude pytorch/tools/run.sh --exclude pytorch/third_party/onnx/onnx.h"), shop.vision()};
  const CliResult refused = shop.prepare_from("out", archives);
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Catch::Contains("    'tools/run.sh' is not in '$TMP/asset.tar.gz'\n") &&
                              Catch::Contains("    'onnx.h' is not in '$TMP/asset.tar.gz'\n") &&
                              Catch::Contains(": 2 files are not there\n") &&
                              Catch::EndsWith("hint: pass a source that has them with --mirror or --archive; or "
                                              "continue without them (--allow-partial)\n"));
  CHECK(!file_exists(shop.path("out")));

  const CliResult partial = shop.prepare_from("out", archives, {"--allow-partial"});
  REQUIRE(partial.exit_code == 0);
  CHECK_THAT(partial.err, Catch::Contains("warning: the tree is partial: 2 files of the pinned commits are missing\n"));
  CHECK_THAT(partial.out, Catch::Contains("  PARTIAL   2 files of the pinned commits are missing\n"
                                          "            'pytorch/tools/run.sh'\n"
                                          "            'pytorch/third_party/onnx/onnx.h'\n"));
  CHECK(!file_exists(shop.path("out/pytorch/tools/run.sh")));
  CHECK_THAT(read_file(shop.path("out/torchpatch/KNOWN_ISSUES.md")), Catch::Contains("the tree is partial"));
  CHECK_THAT(read_file(shop.path("out/torchpatch/manifest.json")), Catch::Contains("\"path\": \"tools/run.sh\""));
  CHECK_THAT(read_file(shop.path("out/torchpatch/sbom.cdx.json")), Catch::Contains("\"aggregate\": \"incomplete\""));
  CHECK_THAT(read_file(shop.path("out/torchpatch/provenance.intoto.json")), Catch::Contains("\"allow_partial\": true"));

  const CliResult verified = shop.run({"verify", shop.path("out")});
  CHECK(verified.exit_code == 0);
  CHECK_THAT(verified.out,
             Catch::StartsWith("note: prepared with '--allow-partial', a choice that cannot be verified\n"
                               "note: the tree is partial: 2 files of the pinned commits are missing\n") &&
                 Catch::Contains(": OK except 2 missing paths, matches the pinned commits"));
  CHECK_THAT(shop.run({"verify", shop.path("out"), "--json"}).out,
             Catch::Contains("\"partial\": true") && Catch::Contains("\"missing\": 2") &&
                 Catch::Contains("\"pytorch/third_party/onnx/onnx.h\""));
  CHECK_THAT(verified.out, Catch::Contains("missing: 'pytorch/tools/run.sh'\n"));

  SECTION("another file that is missing is a difference") {
    shop.shell("rm out/pytorch/empty");
    CHECK(shop.run({"verify", shop.path("out")}).exit_code == 1);
  }
  SECTION("so is a missing one that is put back unlisted") {
    shop.shell("cp unpatched/pytorch/tools/run.sh out/pytorch/tools/");
    for (const std::string option : {"--quiet", "--after-build"})
      CHECK_THAT(shop.run({"verify", shop.path("out"), option}).out, Catch::Contains("extra 'pytorch/tools/run.sh'"));
  }
  SECTION("it is built again from its manifest, where that is allowed, and from the same sources") {
    const Arguments locked = {"prepare",  "--locked",         shop.path("out/torchpatch/manifest.json"),
                              "--output", shop.path("again"), "--quiet"};
    const auto with = [&](const Arguments& more) {
      Arguments args = locked;
      args.insert(args.end(), more.begin(), more.end());
      return shop.run(args);
    };
    const Arguments source = {"--mirror", shop.trees(), "--archive", archives[0], "--archive", archives[1]};
    CHECK(with(source).exit_code == 4);
    CHECK_THAT(
        with({"--mirror", shop.upstream.mirror(), "--allow-partial"}).err,
        Catch::Contains("the sources lack 0 files or submodules; the tree of the manifest lacks 2, and they are"));
    Arguments allowed = source;
    allowed.push_back("--allow-partial");
    REQUIRE(with(allowed).exit_code == 0);
    CHECK(shop.sums("again") == shop.sums("out"));
  }
}

TEST_CASE("mirror --allow-partial: what no source has is missing from the mirror alone") {
  const ArchiveShop shop;
  const Arguments archives = {shop.release_asset("--exclude pytorch/tools/run.sh --exclude pytorch/third_party/onnx"),
                              shop.vision()};
  const auto mirror = [&](const Arguments& more) {
    Arguments args = {"mirror", "--version", "1.1.0", "--mirror", shop.trees(), "--quiet"};
    for (const std::string& archive : archives) args.insert(args.end(), {"--archive", archive});
    args.insert(args.end(), more.begin(), more.end());
    return shop.run(args);
  };
  remove_tree(shop.trees() + "/onnx.git");
  const CliResult refused = mirror({"--output", shop.path("m")});
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Catch::EndsWith("; or continue without them (--allow-partial)\n"));
  const CliResult bundle = mirror({"--bundle", shop.path("b.tar")});
  CHECK(bundle.exit_code == 4);
  CHECK_THAT(bundle.err, !Catch::Contains("--allow-partial"));
  CHECK(mirror({"--bundle", shop.path("b.tar"), "--allow-partial"}).exit_code == 2);

  for (int i = 0; i < 2; ++i) {
    const CliResult partial = mirror({"--output", shop.path("m"), "--allow-partial"});
    CHECK(partial.exit_code == 0);
    CHECK(partial.err ==
          "warning: the mirror is partial, it lacks\n  'pytorch/third_party/onnx'\n  'pytorch/tools/run.sh'\n");
    if (i == 1) CHECK_THAT(partial.out, Catch::Contains(", 0 new, "));
  }
  REQUIRE(shop.prepare_from("from-archives", archives, {"--allow-partial"}).exit_code == 0);
  const CliResult prepared = shop.prepare("from-mirror", {"--mirror", shop.path("m"), "--allow-partial"});
  INFO(prepared.err);
  REQUIRE(prepared.exit_code == 0);
  CHECK(shop.sums("from-mirror") == shop.sums("from-archives"));
  const std::string torch = shop.path("m/git/example.org/pytorch/pytorch.git");
  CHECK(test::git(torch, {"for-each-ref"}).empty());
  REQUIRE(shop.run({"mirror", "--version", "1.1.0", "--mirror", shop.upstream.mirror(), "--output", shop.path("m"),
                    "--quiet"})
              .exit_code == 0);
  CHECK_THAT(test::git(torch, {"for-each-ref"}), Catch::Contains(shop.upstream.torch_commit()));
}

TEST_CASE("prepare --allow-partial: a submodule that nobody has is left out as a whole") {
  const ArchiveShop shop;
  remove_tree(shop.trees() + "/onnx.git");
  const Arguments archives = {"torch=" + shop.git_archive("torch", "torch.tar"), shop.vision()};
  const CliResult refused = shop.prepare_from("out", archives);
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Catch::Contains(": 1 commit is not there\n") &&
                              Catch::EndsWith("; or continue without them (--allow-partial)\n"));
  const CliResult partial = shop.prepare_from("out", archives, {"--allow-partial"});
  REQUIRE(partial.exit_code == 0);
  CHECK_THAT(partial.out, Catch::Contains("  PARTIAL   1 submodule of the pinned commits is missing\n"));
  CHECK_THAT(read_file(shop.path("out/torchpatch/manifest.json")), Catch::Contains("\"mode\": \"160000\""));
  CHECK(shop.run({"verify", shop.path("out")}).exit_code == 0);
}

TEST_CASE("prepare: where a companion alone lacks files, the hint says how to leave it out") {
  const ArchiveShop shop;
  const std::string torch = shop.release_asset("");
  shop.shell("echo other >unpatched/vision/setup.py && tar -cf part.tar -C unpatched vision");
  const Arguments archives = {torch, "vision=" + shop.path("part.tar")};
  const CliResult refused = shop.prepare_from("out", archives);
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Catch::EndsWith("or leave vision out (--component torch)\n"));
  CHECK(shop.prepare_from("out", archives, {"--component", "torch"}).exit_code == 0);
}

TEST_CASE("prepare --allow-partial: a patch needs its file") {
  const ArchiveShop shop;
  const Arguments archives = {shop.release_asset("--exclude pytorch/include/limits.h"), shop.vision()};
  const CliResult result = shop.prepare_from("out", archives, {"--allow-partial"});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.err, Catch::Contains("patching 'torch: include/limits.h': it is missing from the sources"));
}

TEST_CASE("prepare --archive: an archive alone cannot say what is pinned") {
  const ArchiveShop shop;
  const CliResult result =
      shop.prepare("out", {"--archive", shop.vision(), "--archive", shop.release_asset(""), "--offline"});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.err,
             Catch::Contains("the commit was not found; not in the cache") &&
                 Catch::Contains("hint: an archive contains only files: the pinned commits and trees must come from "
                                 "a repository. Pass one with --mirror"));
}

TEST_CASE("prepare --archive: names have to be of this form") {
  const test::ToyWorkspace workspace;
  const auto refusal = [&](const std::string& archive, int code = 2) {
    const CliResult result =
        workspace.run({"prepare", "--version", "1.1.0", "--board", "plain", "--archive", archive, "--output", "out"});
    CHECK(result.exit_code == code);
    return result.err;
  };
  const std::string hint = "hint: such as torch=pytorch-1.1.0.tar.gz or torch:third_party/onnx=onnx.zip\n";
  for (const std::string text : {"a.tar.gz", "torch=", "caffe=a.tar.gz", "torch:../x=a.tar.gz"})
    CHECK(refusal(text) == concat("torchpatch: error: --archive '", text, "': it is not REPOSITORY=FILE\n", hint));
  CHECK(refusal("torch=" + workspace.path("no.tar"), 7) ==
        "torchpatch: error: opening the archive '$TMP/no.tar': it is not there\n"
        "hint: use --archive REPOSITORY=FILE, where FILE is a release archive\n");
}

TEST_CASE("cache: what was read of archives is listed, verified, and goes when it is damaged or told to go") {
  const ArchiveShop shop;
  const Arguments archives = {"torch=" + shop.git_archive("torch", "torch.tar.gz"), shop.vision()};
  REQUIRE(shop.prepare_from("out", archives, {"--mirror", shop.upstream.mirror()}).exit_code == 0);
  CHECK_THAT(shop.run({"cache", "list", "--quiet"}).out, Catch::Contains("  archive  "));
  const std::string json = shop.run({"cache", "list", "--json", "--quiet"}).out;
  CHECK_THAT(json, Catch::Contains("\"archives\": [\n"));
  CHECK(shop.run({"cache", "verify", "--quiet"}).exit_code == 0);
  CHECK_THAT(shop.run({"cache", "gc", "--older-than", "1", "--quiet"}).out, !Catch::Contains("archive"));

  const std::string folder = shop.path("cache/torchpatch/archives");
  const std::string first = concat(folder, "/", list_directory(folder).at(0));
  shop.shell(concat("for file in ", shell_quote(first), "/objects/pack/*.pack; do chmod u+w $file; ",
                    "printf XXXX | dd of=$file bs=1 seek=20 conv=notrunc status=none; done"));
  CHECK(shop.run({"cache", "verify", "--quiet"}).exit_code == 1);
  CHECK_THAT(shop.run({"cache", "gc", "--damaged", "--dry-run", "--quiet"}).out, Catch::Contains(" 1 archive, "));
  CHECK(list_directory(folder).size() == 2);
  CHECK(shop.run({"cache", "gc", "--damaged", "--quiet"}).exit_code == 0);
  CHECK(list_directory(folder).size() == 1);
  CHECK(shop.run({"cache", "gc", "--all", "--quiet"}).exit_code == 0);
  CHECK(list_directory(folder).empty());
}
