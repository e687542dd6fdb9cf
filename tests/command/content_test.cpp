// SPDX-License-Identifier: BSD-3-Clause
// Components pinned by the content of an archive: no folder has their commits.
#include <cstdlib>

#include "command/toy_workspace.h"
#include "model/release.h"
#include "record/manifest_file.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

using Arguments = std::vector<std::string>;

/// An archive of torch, the table of its submodules, and in submodules() the repositories of all but torch.
struct ContentShop : test::ToyWorkspace {
  ContentShop() {
    upstream.certify();
    shell("mkdir mine submodules && cp -r $MIRROR/nested $MIRROR/a-fork-of-six $MIRROR/vision submodules");
    test::git(torch(), {"archive", "--prefix=pytorch-1.1.0/", "-o", file(), upstream.torch_commit()});
    write("pins",
          concat("# the list of a friend\n\nthird_party/onnx ", onnx(), " https://example.org/onnx/onnx.git\n"));
  }

  std::string torch() const { return upstream.mirror() + "/torch"; }
  std::string onnx() const { return test::git(torch(), {"rev-parse", upstream.torch_commit() + ":third_party/onnx"}); }
  std::string tree() const { return test::git(torch(), {"rev-parse", upstream.torch_commit() + "^{tree}"}); }
  std::string file() const { return path("pytorch-1.1.0.tar"); }
  std::string submodules() const { return path("submodules"); }
  void shell(const std::string& command) const {
    REQUIRE(std::system(
                concat("cd ", shell_quote(path(".")), " && MIRROR=", shell_quote(upstream.mirror()), " && ", command)
                    .c_str()) == 0);
  }

  CliResult add(const Arguments& more = {}, const std::string& archive = "pytorch-1.1.0.tar") const {
    Arguments line = {"release", "add",        "1.1.1",      "--archive",  "torch=" + path(archive),
                      "--pins",  path("pins"), "--into",     path("mine"), "--vision",
                      "none",    "--mirror",   submodules(), "--quiet",    "--all"};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }
  std::string added() const { return read_file(path("mine/releases/1.1.1.json")); }
  /// Returns what an added release has at a key of a text: 40 or 64 hex digits.
  std::string added_id(const std::string& key) const {
    const std::string text = added(), start = concat("\"", key, "\": \"");
    REQUIRE(text.find(start) != std::string::npos);
    const std::size_t at = text.rfind(start) + start.size();
    return text.substr(at, text.find('"', at) - at);
  }
  /// Lets the shipped release 1.1.0 have the content as well.
  void pin_shipped(const std::string& archive = "pytorch-1.1.0.tar") const {
    REQUIRE(add({"--commit", upstream.torch_commit()}, archive).exit_code == 0);
    const std::string text = added(), start = "\"content\": {";
    const std::size_t at = text.find(start);
    const std::string content = text.substr(at, text.find("\n      }", at) + 8 - at);
    test::edit(upstream.catalog_directory() + "/releases/1.1.0.json", concat("\"", upstream.torch_commit(), "\""),
               concat("\"", upstream.torch_commit(), "\", ", content));
  }

  CliResult prepare(const std::string& version, const std::string& out, const Arguments& more = {}) const {
    Arguments line = {"prepare", "--version", version,      "--board",   "small",      "--output",
                      path(out), "--mirror",  submodules(), "--catalog", path("mine"), "--quiet"};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }
  Arguments archive(const std::string& name = "pytorch-1.1.0.tar") const {
    return {"--archive", "torch=" + path(name)};
  }
  Manifest manifest(const std::string& out) const {
    const std::string place = path(out + "/torchpatch/manifest.json");
    return record::parse_manifest(read_file(place), place);
  }
  CliResult verify(const std::string& out, const Arguments& more = {}) const {
    Arguments line = {"verify", path(out), "--catalog", path("mine")};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }
};

}  // namespace

TEST_CASE("release add --pins: a whole archive has the tree of upstream's commit, which it only claims to be") {
  const ContentShop shop;
  const CliResult result = shop.add();
  CHECK_THAT(result.err, Catch::StartsWith("warning: torch of 1.1.0 is not available: places move to the nearest line "
                                           "that names the variable; new variables, submodules and licence files are "
                                           "not listed\n"));
  CHECK_THAT(result.out,
             Catch::Contains(concat("torch 1.1.1: ", shop.added_id("commit"), ", constructed of its content")));
  CHECK_THAT(result.out, Catch::Contains("unverified, because they cannot be derived: the date, Python, CUDA"));
  REQUIRE(result.exit_code == 0);
  CHECK(shop.added_id("tree") == shop.tree());
  CHECK(shop.added_id("claims") == shop.upstream.torch_commit());
  CHECK_THAT(result.out, Catch::Contains("torch: content of pytorch-1.1.0.tar, SHA-256 "));
  CHECK_THAT(result.out, Catch::Contains(concat("; upstream's commit ", shop.upstream.torch_commit(),
                                                " is claimed, not proven; tree ", shop.tree())));
  CHECK_THAT(shop.added(), Catch::Contains("the list of a friend"));

  const CliResult again = shop.add({"--mirror", shop.upstream.mirror()});
  CHECK_THAT(again.out, Catch::Contains(shop.upstream.torch_commit() + " has the same tree; tree "));

  const CliResult absent = shop.prepare("1.1.1", "out", {"--unpatched"});
  CHECK(absent.exit_code == 4);
  CHECK_THAT(absent.err, Catch::Contains("torch: content of pytorch-1.1.0.tar, SHA-256 "));
  CHECK_THAT(absent.err, Catch::Contains("; pass that file with --archive torch=FILE\n"));
  CHECK_THAT(absent.err, !Catch::Contains("fetch"));
}

TEST_CASE("prepare: of content it gives the tree that the commit gives, and says so") {
  const ContentShop shop;
  shop.pin_shipped();
  REQUIRE(shop.prepare("1.1.0", "plain", {"--mirror", shop.upstream.mirror()}).exit_code == 0);
  const std::string digest = concat("pytorch-1.1.0.tar, SHA-256 ", sha256(read_file(shop.file())).hex());
  CHECK_THAT(shop.prepare("1.1.0", "out").err,
             Catch::Contains("hint: pass --archive torch=FILE, where FILE is " + digest));
  shop.write("other.tar.gz", "");
  shop.shell("gzip -kc pytorch-1.1.0.tar >other.tar.gz");
  CHECK_THAT(shop.prepare("1.1.0", "out", shop.archive("other.tar.gz")).err,
             Catch::Contains("hint: '$TMP/other.tar.gz' has SHA-256 ") &&
                 Catch::Contains("; 1.1.0 pins the content of " + digest + "; or an archive contains only files"));
  const CliResult result = shop.prepare("1.1.0", "out", shop.archive());
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.err, Catch::Contains("torch is pinned by content, not by commit: content of pytorch-1.1.0.tar"));
  CHECK(shop.manifest("out").tree == shop.manifest("plain").tree);
  const ManifestRepository torch = shop.manifest("out").repositories.front();
  REQUIRE(torch.content);
  CHECK(torch.base_tree == shop.manifest("plain").repositories.front().base_tree);
  CHECK(torch.commit == torch.content->commit);
  CHECK(torch.content->claims == shop.manifest("plain").repositories.front().commit);

  const CliResult verified = shop.verify("out");
  CHECK(verified.exit_code == 0);
  CHECK_THAT(verified.out, Catch::Contains("torch is pinned by content, not by commit"));
  CHECK_THAT(verified.out, Catch::Contains("OK, matches the pinned content plus 2 patches"));
  CHECK_THAT(shop.verify("out", {"--mirror", shop.submodules()}).err,
             Catch::Contains("; pass that file with --archive torch=FILE\n"));
  const CliResult sources =
      shop.verify("out", {"--mirror", shop.upstream.mirror(), "--archive", "torch=" + shop.file()});
  CHECK(sources.exit_code == 0);
  CHECK_THAT(sources.out, Catch::Contains(" has the same tree"));
  CHECK(shop.verify("out", {"--archive", "torch=" + shop.file()}).exit_code == 2);
  CHECK_THAT(read_file(shop.path("out/torchpatch/KNOWN_ISSUES.md")), Catch::Contains("is pinned by content"));
  for (const char* name : {"sbom.spdx.json", "sbom.cdx.json", "provenance.intoto.json", "openvex.json"}) {
    const std::string text = read_file(shop.path(concat("out/torchpatch/", name)));
    CHECK_THAT(text, !Catch::Contains("pytorch.git@"));
    CHECK_THAT(text, !Catch::Contains("rev:" + torch.commit.hex()));
    CHECK_THAT(text, !Catch::Contains("commit:sha1:" + torch.commit.hex()));
    CHECK_THAT(text, !Catch::Contains("\"gitCommit\": \"" + torch.commit.hex()));
  }
  CHECK_THAT(read_file(shop.path("out/torchpatch/sbom.spdx.json")),
             Catch::Contains("pkg:generic/pytorch?checksum=sha256:" + torch.content->sha256.hex()));
  const CliResult audit = shop.run({"audit", shop.path("out"), "--json"});
  CHECK_THAT(audit.out, Catch::Contains("torch: content of pytorch-1.1.0.tar"));
  CHECK_THAT(
      shop.run({"explain", "--version", "1.1.0", "--board", "small"}).out,
      Catch::Contains("torch: --archive torch=pytorch-1.1.0.tar uses the content of that file instead of the commit"));

  REQUIRE(shop.run({"prepare", "--locked", shop.path("out/torchpatch/manifest.json"), "--output", shop.path("locked"),
                    "--mirror", shop.submodules(), "--archive", "torch=" + shop.file(), "--quiet"})
              .exit_code == 0);
  CHECK(read_file(shop.path("locked/torchpatch/manifest.json")) ==
        read_file(shop.path("out/torchpatch/manifest.json")));
}

TEST_CASE("content pins: what one kind of pin certifies holds for equal files of the other alone") {
  const ContentShop shop;
  shop.shell(
      "mkdir x && tar -xf pytorch-1.1.0.tar -C x && sed -i 's/limits 30/changed/' x/*/include/limits.h && "
      "tar -cf changed.tar -C x pytorch-1.1.0");
  shop.pin_shipped("changed.tar");
  const CliResult changed = shop.prepare("1.1.0", "out", shop.archive("changed.tar"));
  CHECK(changed.exit_code == 5);
  CHECK_THAT(changed.err, Catch::Contains("before the patch: found "));

  const std::string certificates = shop.upstream.catalog_directory() + "/patchsets/block-limit/certificates/";
  remove_tree(certificates);
  const CliResult none = shop.prepare("1.1.0", "out", {"--mirror", shop.upstream.mirror()});
  CHECK(none.exit_code == 5);
  CHECK_THAT(none.err, Catch::Contains("no certificate for a patch needed by release 1.1.0"));
  REQUIRE(shop.run({"patch", "certify", "--version", "1.1.0", "--into", shop.upstream.catalog_directory(), "--mirror",
                    shop.submodules(), "--archive", "torch=" + shop.path("changed.tar"), "--quiet"})
              .exit_code == 0);
  CHECK(shop.prepare("1.1.0", "content", shop.archive("changed.tar")).exit_code == 0);
  CHECK_THAT(shop.prepare("1.1.0", "out", {"--mirror", shop.upstream.mirror()}).err,
             Catch::Contains("before the patch: found "));
}

TEST_CASE("content pins: nothing can be put in the place of what is pinned") {
  const ContentShop shop;
  REQUIRE(shop.add().exit_code == 0);
  const std::string release = shop.path("mine/releases/1.1.1.json"), good = read_file(release);
  const auto refused = [&](const std::string& from, const std::string& to, int exit_code, const std::string& text) {
    write_file_atomically(release, good);
    test::edit(release, from, to);
    remove_tree(shop.path("cache/torchpatch"));  // else the pinned commit is there already
    Arguments more = shop.archive();
    more.emplace_back("--unpatched");
    const CliResult result = shop.prepare("1.1.1", "out", more);
    CHECK(result.exit_code == exit_code);
    CHECK_THAT(result.err, Catch::Contains(text));
  };
  const std::string made = shop.added_id("commit"), claimed = shop.upstream.torch_commit();
  const std::string not_made = "is not the one that tree, archive and sha256 make: ";
  refused("\"archive\": \"pytorch-1.1.0.tar\"", "\"archive\": \"pytorch-1.1.0-1.tar\"", 3, not_made);
  refused("\"tree\": \"", "\"tree\": \"0000000000000000000000000000000000000000\", \"was\": \"", 3, not_made);
  refused(shop.onnx(), claimed, 3, concat("but ", shop.tree(), " is pinned"));
  refused("third_party/onnx", "third_party/six", 3, "make tree ");
  refused("\"gitlinks\": {",
          concat("\"gitlinks\": {\"third_party/cpuinfo\": \"", shop.onnx(), " https://example.org/x\",\n"), 3,
          ": has the commit of 'third_party/cpuinfo' in line ");
  refused("third_party/onnx", "tools", 3, "has files at 'tools'");
  write_file_atomically(release, good);
  test::edit(release, concat("\"tree\": \"", shop.tree(), "\",\n        \"commit\": \"", made),
             concat("\"tree\": \"", shop.tree(), "\",\n        \"commit\": \"", claimed));
  CHECK_THAT(shop.run({"show", "release", "1.1.1", "--catalog", shop.path("mine")}).err,
             Catch::Contains(not_made + made));

  write_file_atomically(release, good);
  REQUIRE(shop.prepare("1.1.1", "warm", {"--archive", "torch=" + shop.file(), "--unpatched"}).exit_code == 0);
  test::edit(release, shop.onnx(), claimed);
  const CliResult warm = shop.prepare("1.1.1", "out", {"--archive", "torch=" + shop.file(), "--unpatched"});
  CHECK(warm.exit_code == 3);
  CHECK_THAT(warm.err, Catch::Contains(concat("reading torch: tree ", shop.tree(),
                                              " has different submodules from 'gitlinks' of its content pin")));

  write_file_atomically(release, good);
  shop.shell(
      "cp pytorch-1.1.0.tar other.tar && printf x | dd of=other.tar bs=1 seek=$(grep -abo 'part 3' other.tar | "
      "head -1 | cut -d: -f1) conv=notrunc status=none");
  const CliResult other = shop.prepare("1.1.1", "out", {"--archive", "torch=" + shop.path("other.tar"), "--unpatched"});
  CHECK(other.exit_code == 4);
  CHECK_THAT(other.err, Catch::Contains("; pass that file with --archive torch=FILE\n"));
}

TEST_CASE("content pins: a manifest that calls upstream's commit content is refused") {
  const ContentShop shop;
  REQUIRE(shop.add().exit_code == 0);
  Arguments more = shop.archive();
  more.emplace_back("--unpatched");
  REQUIRE(shop.prepare("1.1.1", "out", more).exit_code == 0);
  CHECK(shop.verify("out").exit_code == 0);
  const std::string manifest = shop.path("out/torchpatch/manifest.json"), good = read_file(manifest);
  const std::string made = shop.added_id("commit");
  test::edit(manifest, concat("\"commit\": \"", made), concat("\"commit\": \"", shop.upstream.torch_commit()));
  CHECK(shop.verify("out").exit_code != 0);
  write_file_atomically(manifest, good);
  test::edit(manifest, "\"claims\": \"", "\"claims\": \"0000000000000000000000000000000000000000\", \"was\": \"");
  CHECK(shop.verify("out").exit_code != 0);
  write_file_atomically(manifest, good);
  test::edit(manifest, shop.upstream.torch_commit(), shop.onnx());  // the claim
  CHECK_THAT(shop.verify("out").out, Catch::Contains("differs from the catalog's plan for these options"));
}

TEST_CASE("release add --pins: what a stripped archive lacks is a list") {
  const ContentShop shop;
  shop.shell(
      "mkdir x && tar -xf pytorch-1.1.0.tar -C x && rm x/*/.gitmodules x/*/no_newline && "
      "tar -cf stripped.tar -C x pytorch-1.1.0");
  shop.write("pins", "third_party/onnx -\nthird_party/gone -\n");
  REQUIRE(shop.add({}, "stripped.tar").exit_code == 0);
  CHECK_THAT(
      shop.added(),
      Catch::Contains("\"absent\": [\n          \"third_party/gone\",\n          \"third_party/onnx\"\n        ]"));
  Arguments more = shop.archive("stripped.tar");
  more.emplace_back("--unpatched");
  const CliResult refused = shop.prepare("1.1.1", "out", more);
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Catch::Contains("the archive 'stripped.tar' of torch lacks\n  third_party/gone\n"
                                          "  third_party/onnx\nand no commit is known for them"));
  more.emplace_back("--allow-partial");
  const CliResult partial = shop.prepare("1.1.1", "out", more);
  REQUIRE(partial.exit_code == 0);
  CHECK_THAT(partial.out, Catch::Contains("2 submodules of the pinned commits are missing"));
  CHECK_THAT(partial.out,
             Catch::Contains("next      this tree cannot be built: prepare it again") && !Catch::Contains("build.sh"));
  shop.shell("! sh out/torchpatch/check.sh >checked && ! sh out/torchpatch/build.sh 2>built");
  const std::string missing = "FAIL pytorch-submodules: not found, need third_party/gone/, third_party/onnx/";
  CHECK_THAT(read_file(shop.path("checked")), Catch::Contains(missing));
  CHECK_THAT(read_file(shop.path("built")), Catch::Contains(missing));
  shop.shell(
      "mkdir -p out/pytorch/third_party/gone out/pytorch/third_party/onnx && touch out/pytorch/third_party/gone/x && "
      "! sh out/torchpatch/check.sh >checked && touch out/pytorch/third_party/onnx/x && "
      "! sh out/torchpatch/check.sh >filled && rm -r out/pytorch/third_party");
  CHECK_THAT(read_file(shop.path("checked")), Catch::Contains(missing));
  CHECK_THAT(read_file(shop.path("filled")), !Catch::Contains("FAIL pytorch-submodules"));
  const CliResult verified = shop.verify("out");
  CHECK(verified.exit_code == 0);
  CHECK_THAT(verified.out, Catch::Contains("missing: 'pytorch/third_party/gone'"));
  const CliResult recorded =
      shop.run({"results", "record", "--version", "1.1.1", "--catalog", shop.path("mine"), "--into", shop.path("mine"),
                "--mirror", shop.submodules(), "--archive", "torch=" + shop.path("stripped.tar"), "--quiet"});
  CHECK(recorded.exit_code == 0);
  CHECK_THAT(recorded.err, Catch::Contains("'third_party/gone' was not found: no tree is recorded for its component"));
  CHECK_THAT(read_file(shop.path("mine/results/1.1.1.json")), !Catch::Contains("\"torch\""));

  shop.shell("rm -r mine/releases out");
  shop.write("pins", concat("third_party/onnx ", shop.onnx(), " https://example.org/onnx/onnx.git\n"));
  REQUIRE(shop.add({}, "stripped.tar").exit_code == 0);
  more.pop_back();
  REQUIRE(shop.prepare("1.1.1", "out", more).exit_code == 0);
  CHECK(read_file(shop.path("out/pytorch/.gitmodules")) ==
        "[submodule \"third_party/onnx\"]\n\tpath = third_party/onnx\n\turl = https://example.org/onnx/onnx.git\n");
  CHECK(file_exists(shop.path("out/pytorch/third_party/onnx/deep/six/six.py")));
}

TEST_CASE("release add --pins: a constructed .gitmodules is the same, however the table spells its URLs") {
  const ContentShop shop;
  shop.shell(
      "mkdir x && tar -xf pytorch-1.1.0.tar -C x && rm x/*/.gitmodules x/*/no_newline && "
      "tar -cf stripped.tar -C x pytorch-1.1.0");
  const auto spelled = [&](const std::string& url) {
    shop.shell("rm -rf mine/releases");
    shop.write("pins", concat("third_party/onnx ", shop.onnx(), " ", url, "\n"));
    REQUIRE(shop.add({}, "stripped.tar").exit_code == 0);
    return shop.added();
  };
  const std::string plain = spelled("https://github.com/onnx/onnx");
  CHECK_THAT(plain, Catch::Contains(" https://github.com/onnx/onnx.git\""));
  CHECK(spelled("https://github.com/onnx/onnx.git") == plain);
  CHECK_THAT(spelled("https://example.org/onnx/onnx"), Catch::Contains(" https://example.org/onnx/onnx\""));
  // Once a release of the catalog has it without ".git", so does the next.
  const std::string content = R"("content": {"archive": "x.tar", "sha256": ")" + std::string(64, '0') +
                              R"(", "tree": ")" + std::string(40, '0') + R"(", "commit": "COMMIT", "gitlinks": {)" +
                              R"("third_party/onnx": ")" + shop.onnx() + R"( https://github.com/onnx/onnx"}})";
  ContentPin pin{.archive = "x.tar", .sha256 = {}, .tree = {}, .commit = {}};
  const std::string commit = git_object_id("commit", pin.raw_commit()).hex();
  const std::string quoted = concat("\"", shop.upstream.torch_commit(), "\"");
  test::edit(shop.upstream.catalog_directory() + "/releases/1.1.0.json", quoted,
             concat(quoted, ", ", std::string(content).replace(content.find("COMMIT"), 6, commit)));
  const std::string known = spelled("https://github.com/onnx/onnx.git");
  CHECK_THAT(known, Catch::Contains(" https://github.com/onnx/onnx\""));
  CHECK(spelled("https://github.com/onnx/onnx") == known);
}

TEST_CASE("release add --pins: tables and archives that do not go together are refused") {
  const ContentShop shop;
  const auto refused = [&](const std::string& pins, const Arguments& more, int exit_code, const std::string& text) {
    shop.write("pins", pins);
    const CliResult result = shop.add(more);
    CHECK(result.exit_code == exit_code);
    CHECK_THAT(result.err, Catch::Contains(text));
  };
  const std::string row = concat("third_party/onnx ", shop.onnx(), " https://example.org/onnx/onnx.git\n");
  refused(
      row + row + "../x -\n" + "x abc https://example.org/x.git\n" + "y " + shop.onnx() + " git@github.com:x/y\n", {},
      3,
      "line 2: 'third_party/onnx' is in line 1 as well\n"
      "  line 3: the path '../x' has a component that is '..'\n"
      "  line 4: 'x' has neither a commit of 40 hex digits and a URL nor '-'\n"
      "  line 5: 'y': the URL '***@github.com:x/y' is refused: it is not of the form scheme://host/path\n"
      "hint: a line is PATH COMMIT URL or PATH -, such as third_party/onnx COMMIT https://github.com/onnx/onnx.git; "
      "a URL begins with https, http, git, ssh or file\n");
  refused("a " + shop.onnx() + " https://example.org/onnx/onnx\n" + row + "third_party/cpuinfo " + shop.onnx() +
              " https://example.org/cpuinfo.git\n",
          {}, 3,
          "line 3: 'third_party/cpuinfo' has the commit of 'a' in line 1, which has another URL; if its own is not "
          "known, write 'third_party/cpuinfo -'\n");
  refused(concat("third_party/onnx ", shop.onnx(), " https://example.org/other/onnx.git\n"), {}, 2,
          "pinning 'third_party/onnx' at 'https://example.org/other/onnx.git': .gitmodules of '");
  refused(concat("third_party/x ", shop.onnx(), " https://example.org/x.git\n"), {}, 2, " has none");
  refused(row, {"--commit", shop.onnx()}, 2, "was made from commit " + shop.upstream.torch_commit());
  shop.write("pins", row);
  CHECK_THAT(shop.run({"release", "add", "1.1.1", "--pins", shop.path("pins"), "--into", shop.path("mine"), "--vision",
                       "none", "--mirror", shop.submodules()})
                 .err,
             Catch::Contains("--pins lists submodules of torch, but no --archive is for torch"));
  CHECK_THAT(shop.add({"--archive", "vision=" + shop.file()}).err,
             Catch::Contains("is of a vision whose version is not named"));
}

TEST_CASE("release add --like: works without the sources of the older release") {
  const ContentShop shop;
  const std::string release = shop.upstream.catalog_directory() + "/releases/1.1.0.json";
  test::edit(release, "\"sources\": [", R"("flags": {"USE_A": "setup.py:40", "USE_B": "setup.py:2"},
    "citations": {"1.1.0": {"setup.py:9": "part 12"}}, "sources": [{"keys": ["flags"], "source": "x", "verified": true}, )");
  shop.shell(
      "mkdir x && tar -xf pytorch-1.1.0.tar -C x && cd x/*/ && "
      "printf \"print('USE_A is not set')\\nA = os.getenv('USE_A')\\n\" >> setup.py && "
      "tar -cf ../../new.tar -C .. pytorch-1.1.0");
  const CliResult result = shop.add({}, "new.tar");
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(shop.added(), Catch::Contains("\"USE_A\": \"setup.py:86\""));  // not where it is only printed
  CHECK_THAT(shop.added(), Catch::Contains("\"setup.py:72\": \"part 12\""));
  CHECK_THAT(result.out, Catch::Contains("USE_B"));
  CHECK_THAT(result.out, Catch::Contains("1 of them to a line to review, 1 lost"));

  const CliResult checked = shop.run({"check", "--version", "1.1.1", "--catalog", shop.path("mine"), "--archive",
                                      "torch=" + shop.path("new.tar"), "--mirror", shop.submodules()});
  CHECK_THAT(checked.out, Catch::Contains("citations of sources were checked (1 of flags, 0 of pages, 1 of releases"));
  test::edit(shop.path("mine/releases/1.1.1.json"), "setup.py:86", "setup.py:84");
  CHECK_THAT(shop.run({"check", "--version", "1.1.1", "--catalog", shop.path("mine"), "--archive",
                       "torch=" + shop.path("new.tar"), "--mirror", shop.submodules()})
                 .out,
             Catch::Contains("setup.py:84"));
}

TEST_CASE("release add --like: a companion of the older release may be missing alone") {
  const ContentShop shop;
  shop.shell("mkdir older && cp -r $MIRROR/torch older && rm -r submodules/vision");
  const CliResult result = shop.add({"--mirror", shop.path("older")});
  CHECK(result.err.empty());
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("gone vision: https://example.org/pytorch/vision.git"));
}

TEST_CASE("patch certify: certifies what is there, and says what is left") {
  const ContentShop shop;
  shop.pin_shipped();
  const std::string shipped = shop.upstream.catalog_directory(), vision = shop.upstream.mirror() + "/vision";
  write_file_atomically(vision + "/setup.py", "# sight\n");
  const std::string patch = concat(
      "Description: See\nOrigin: vendor, Example\nBug: https://example.org/1\nForwarded: no\n"
      "Last-Update: 2026-11-21\nSPDX-License-Identifier: BSD-3-Clause\n\n",
      test::git(vision, {"diff", "--full-index"}), "\n");
  make_directories(shipped + "/patchsets/sight");
  write_file_atomically(shipped + "/patchsets/sight/0001-see.patch", patch);
  write_file_atomically(
      shipped + "/patchsets/sight/patchset.json",
      concat(R"({"schema": 1, "id": "sight", "summary": "See", "variants": [{"id": "V1", "releases": "==1.1.0",
        "patches": [{"file": "0001-see.patch", "repository": "vision", "sha256": ")",
             sha256(patch).hex(), "\"}]}]}"));
  shop.shell("rm -r submodules/vision");
  const CliResult result = shop.run({"patch", "certify", "--version", "1.1.0", "--into", shipped, "--mirror",
                                     shop.submodules(), "--archive", "torch=" + shop.file(), "--quiet"});
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.err, Catch::Contains("not certified, since their sources were not found; everything else was "
                                         "written:\n  vision: commit "));
  const std::string certificates = read_file(shipped + "/patchsets/block-limit/certificates/1.1.0.json");
  CHECK_THAT(certificates, Catch::Contains(shop.added_id("commit")) && Catch::Contains(shop.upstream.torch_commit()));
  CHECK(!file_exists(shipped + "/patchsets/sight/certificates/1.1.0.json"));
}
