// SPDX-License-Identifier: BSD-3-Clause
#include "trees/verify/verify.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "forge.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/toy_upstream.h"
#include "trees/prepare/patched_tree.h"
#include "trees/prepare/prepare.h"

namespace torchpatch::trees {

namespace {

Variant& block_limit(Catalog& catalog) {
  catalog.results.clear();  // they are of the plan before this change
  return catalog.patchsets.at("block-limit").variants.at(0);
}

/// Lets the fix of "block-limit" add pytorch/tools/added.py.
void add_file(Catalog& catalog) {
  const std::string bytes = "# added\n";
  block_limit(catalog).files.push_back({.file = "files/added.py",
                                        .repository = {Component::torch, ""},
                                        .path = "tools/added.py",
                                        .sha256 = sha256(bytes),
                                        .bytes = bytes});
}

/// Lets it change the first of two equal parts of pytorch/setup.py.
void add_patch(Catalog& catalog) {
  const std::string text =
      "Description: Change a part\n\n--- a/setup.py\n+++ b/setup.py\n@@ -63,7 +63,7 @@\n # part 3\n # part 4\n # part "
      "5\n"
      "-# part 6\n+# another part\n # part 7\n # part 8\n # part 9\n";
  block_limit(catalog).patches.push_back(
      {.file = "V1/0003-part.patch", .sha256 = sha256(text), .repository = {Component::torch, ""}, .text = text});
}

struct PreparedTree {
  explicit PreparedTree(const std::function<void(Catalog&)>& change = {}) {
    upstream.certify();
    catalog = upstream.load();
    if (change) change(catalog);
    const Plan plan = plan::make_plan(catalog, "1.1.0", "small", "", {});
    source::MirrorSource source({upstream.mirror()}, console);
    PrepareOptions options;
    options.output = root();
    options.allow_uncertified = bool(change);
    prepare(catalog, plan, source, options, console);
  }

  std::string root() const { return upstream.scratch() + "/out"; }
  std::string path(const std::string& name) const { return root() + "/" + name; }
  VerifyReport verify_with(VerifyOptions options = {}) {
    return verify(
        root(), [this](const auto&) { return catalog; }, options, console);
  }

  /// The differences as "path reason", joined.
  std::string differences(VerifyOptions options = {}) {
    std::vector<std::string> lines;
    for (const Difference& difference : verify_with(std::move(options)).differences)
      lines.push_back(difference.path + " " + difference.reason);
    return join(lines, "\n");
  }

  Manifest manifest() const {
    return record::parse_manifest(read_file(path("torchpatch/manifest.json")), "manifest.json");
  }

  /// The manifest, with what the files on disk make of its digests, trees and counts.
  Manifest manifest_of_disk() {
    Manifest forged = manifest();
    std::vector<tree::ScannedEntry> scanned = tree::list_tree(root());
    tree::hash_files(root(), scanned, 1, console);
    std::vector<tree::Leaf> leaves;
    for (const tree::ScannedEntry& entry : scanned) {
      if (entry.type == tree::EntryType::directory || starts_with(entry.path, "torchpatch/")) continue;
      const FileMode file = entry.mode & 0100 ? FileMode::executable : FileMode::regular;
      leaves.push_back({entry.path, entry.type == tree::EntryType::link ? FileMode::link : file, entry.blob});
    }
    std::vector<tree::Leaf> of_torch = {{"third_party/onnx", FileMode::gitlink, forged.repositories.at(1).gitlink()}};
    for (const tree::Leaf& leaf : leaves) {
      if (!starts_with(leaf.path, "pytorch/") || starts_with(leaf.path, "pytorch/third_party/onnx/")) continue;
      of_torch.push_back({leaf.path.substr(std::string_view("pytorch/").size()), leaf.mode, leaf.id});
    }
    forged.repositories.at(0).patched_tree = tree::tree_id(of_torch);
    const WholeTrees whole = whole_trees(forged.components, leaves);
    forged.trees = whole.trees;
    forged.tree = whole.tree;
    return forged;
  }

  void forge(const Manifest& forged) { test::forge_manifest(root(), forged); }

  /// Writes a file and its sum.
  void write_summed(const std::string& name, const std::string& bytes) {
    write_file_atomically(path(name), bytes);
    record::Sums sums = record::parse_sums(read_file(path("torchpatch/SHA256SUMS")), "SHA256SUMS");
    sums[name] = sha256(bytes);
    write_file_atomically(path("torchpatch/SHA256SUMS"), record::sums_text(sums));
  }

  test::ToyUpstream upstream;
  NullConsole console;
  Catalog catalog;
};

void append(const std::string& path, const std::string& bytes) { write_file_atomically(path, read_file(path) + bytes); }

}  // namespace

TEST_CASE("verify: a fresh tree has no differences", "[trees]") {
  PreparedTree tree;
  CHECK(tree.differences() == "");
  const VerifyReport report = tree.verify_with({.strict_modes = true});
  CHECK(report.differences.empty());
  CHECK(report.links == 1);
  CHECK(report.notes.empty());
}

TEST_CASE("verify: a tree that another machine builds has no differences", "[trees]") {
  PreparedTree tree;
  PlanOptions options;
  options.host = "plain";
  const Plan plan = plan::make_plan(tree.catalog, "1.1.0", "small", "", options);
  source::MirrorSource source({tree.upstream.mirror()}, tree.console);
  PrepareOptions prepare_options;
  prepare_options.output = tree.upstream.scratch() + "/hosted";
  const Prepared prepared = prepare(tree.catalog, plan, source, prepare_options, tree.console);
  CHECK(prepared.manifest.host.at("board") == "plain");
  CHECK(prepared.manifest.host.at("image") == "one");
  CHECK(verify(
            prepare_options.output, [&](const auto&) { return tree.catalog; }, {}, tree.console)
            .differences.empty());
  CHECK_THAT(read_file(prepare_options.output + "/torchpatch/build.env"),
             Catch::Contains("# host plain: another machine builds for the board's CPU"));
}

TEST_CASE("verify: a tree that was moved is the same tree", "[trees]") {
  PreparedTree tree;
  const std::string moved = tree.upstream.scratch() + "/moved elsewhere";
  REQUIRE(rename(tree.root().c_str(), moved.c_str()) == 0);
  CHECK(verify(
            moved, [&](const auto&) { return tree.catalog; }, {}, tree.console)
            .differences.empty());
}

TEST_CASE("verify: names each difference by path and reason", "[trees]") {
  PreparedTree tree;
  SECTION("changed byte") {
    append(tree.path("pytorch/third_party/onnx/onnx.h"), "x");
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/third_party/onnx/onnx.h changed"));
  }
  SECTION("executable bit set") {
    chmod(tree.path("pytorch/setup.py").c_str(), 0755);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/setup.py mode"));
  }
  SECTION("executable bit cleared") {
    REQUIRE(chmod(tree.path("pytorch/tools/run.sh").c_str(), 0644) == 0);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/tools/run.sh mode"));
  }
  SECTION("group bits count only with strict modes") {
    chmod(tree.path("pytorch/setup.py").c_str(), 0600);
    CHECK(tree.differences() == "");
    CHECK(tree.differences({.strict_modes = true}) == "pytorch/setup.py mode");
  }
  SECTION("link retargeted") {
    unlink(tree.path("pytorch/tools/latest").c_str());
    REQUIRE(symlink("../setup.py", tree.path("pytorch/tools/latest").c_str()) == 0);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/tools/latest link"));
  }
  SECTION("file replaced by a link to the same bytes") {
    REQUIRE(rename(tree.path("pytorch/setup.py").c_str(), tree.path("pytorch/other.py").c_str()) == 0);
    REQUIRE(symlink("other.py", tree.path("pytorch/setup.py").c_str()) == 0);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/other.py extra\npytorch/setup.py type"));
  }
  SECTION("missing") {
    unlink(tree.path("vision/setup.py").c_str());
    CHECK_THAT(tree.differences(), Catch::Contains("vision/setup.py missing"));
  }
  SECTION("extra file, empty directory and FIFO") {
    write_file_atomically(tree.path("pytorch/extra"), "");
    make_directories(tree.path("vision/build"));
    REQUIRE(mkfifo(tree.path("torchpatch/pipe").c_str(), 0644) == 0);
    CHECK(tree.differences() == "pytorch/extra extra\ntorchpatch/pipe extra\nvision/build extra");
  }
  SECTION("times and owners do not count") {
    const timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    REQUIRE(utimensat(AT_FDCWD, tree.path("pytorch/setup.py").c_str(), now, 0) == 0);
    CHECK(tree.differences() == "");
  }
}

TEST_CASE("verify: --after-build lists what a build added, and still finds what it changed", "[trees]") {
  PreparedTree tree;
  make_directories(tree.path("pytorch/build/lib"));
  write_file_atomically(tree.path("pytorch/build/lib/x.o"), "object");
  const VerifyReport report = tree.verify_with({.after_build = true});
  CHECK(report.differences.empty());
  CHECK(report.added_by_build == std::vector<std::string>{"pytorch/build"});
  make_directories(tree.path("dist"));
  write_file_atomically(tree.path("dist/lock"), "123 host\n");  // which a killed build.sh leaves
  CHECK(tree.differences({.after_build = true}) == "");
  append(tree.path("pytorch/setup.py"), "changed\n");
  CHECK_THAT(tree.differences({.after_build = true}), Catch::Contains("pytorch/setup.py changed"));
}

TEST_CASE("verify: --after-build takes nothing for a build's that runs in the place of a source", "[trees]") {
  PreparedTree tree;
  const std::string added =
      GENERATE("sitecustomize.py", "torchpatch/install.sh", "audio/x", "pytorch/setup.so",
               "pytorch/setup.cpython-37m-aarch64-linux-gnu.so", "pytorch/setup/__init__.py", "pytorch/setup.pyc",
               "pytorch/__pycache__/setup.cpython-37.pyc", "pytorch/tools.py", "pytorch/setupmodule.so",
               "pytorch/glob.py", "pytorch/x/y.py", "pytorch/setup.cfg", "dist/torch.py", "dist/a.whl/b.whl",
               "dist.whl", "vision/dist.whl", "pytorch/tools/glob.py", "pytorch/tools/evil.pth",
               "pytorch/aten/src/ATen/native/Evil.cpp", "pytorch/aten/src/ATen/math.h", "pytorch/cmake/Evil.cmake",
               "pytorch/torch/csrc/evil.cpp", "pytorch/yaml.egg-info/entry_points.txt", "pytorch/.eggs/evil.egg/x.py",
               "pytorch/torch/csrc/evil/CMakeLists.txt");
  make_directories(parent_path(tree.path(added)));
  write_file_atomically(tree.path(added), "evil");
  CHECK_THAT(tree.differences({.after_build = true}), Catch::Contains(" extra"));
  CHECK(tree.verify_with({.after_build = true}).added_by_build.empty());
}

TEST_CASE("verify: --after-build takes the sources that a build writes, and no others", "[trees]") {
  PreparedTree tree([](Catalog& catalog) {
    add_file(catalog);
    block_limit(catalog).files.back().path = "torch/csrc/api/version.h.in";
  });
  const auto [added, is_built] = GENERATE(table<std::string, bool>({{"torch/csrc/api/version.h", true},
                                                                    {"torch/csrc/jit/generated/x.cpp", true},
                                                                    {"torch/lib/include/x.h", true},
                                                                    {"torch/version.py", true},
                                                                    {"torch/csrc/api/other.h", false},
                                                                    {"torch/csrc/jit/x.cpp", false},
                                                                    {"torch/csrc/jit/CMakeLists.txt", false}}));
  const std::string path = tree.path("pytorch/" + added);
  make_directories(parent_path(path));
  write_file_atomically(path, "built");
  const std::string differences = tree.differences({.after_build = true});
  CHECK((differences.find("extra") == std::string::npos) == is_built);
}

TEST_CASE("verify: --after-build takes what a build writes, where it writes it", "[trees]") {
  PreparedTree tree;
  const std::string added =
      GENERATE("pytorch/build/lib/x.py", "pytorch/dist/torch.whl", "pytorch/torch.egg-info/PKG-INFO",
               "pytorch/compile_commands.json", "pytorch/torch/version.py", "vision/build/x.so", "pytorch/tools/x.o",
               "pytorch/build.log", "dist/torch-1.1.0-cp35-cp35m-linux_aarch64.whl", "dist/vision.log");
  make_directories(parent_path(tree.path(added)));
  write_file_atomically(tree.path(added), "built");
  const bool is_package = added == "pytorch/torch/version.py";  // the toy has no directory of that name
  CHECK(tree.differences({.after_build = true}) == (is_package ? "pytorch/torch extra" : ""));
}

TEST_CASE("verify: --after-build takes no link for what a build makes", "[trees]") {
  PreparedTree tree;
  make_directories(tree.root() + "-elsewhere");
  REQUIRE(symlink((tree.root() + "-elsewhere").c_str(), tree.path("dist").c_str()) == 0);
  CHECK(tree.differences({.after_build = true}) == "dist extra");
  REQUIRE(symlink("/etc", tree.path("pytorch/build").c_str()) == 0);
  CHECK(tree.differences({.after_build = true}) == "dist extra\npytorch/build extra");
}

TEST_CASE("verify: SHA256SUMS is what was read first", "[trees]") {
  PreparedTree prepared;
  ScannedTree tree = scan_prepared_tree(prepared.root(), 1, prepared.console);
  CHECK(verify(tree, prepared.catalog, {}, prepared.console).differences.empty());
  tree.sums_digest = sha256("what somebody put there for a moment");
  const VerifyReport report = verify(tree, prepared.catalog, {}, prepared.console);
  REQUIRE(report.differences.size() == 1);
  CHECK(report.differences[0].path == "torchpatch/SHA256SUMS");
  CHECK(report.differences[0].reason == "changed");
}

TEST_CASE("verify: a manifest of other bytes is not the one that is written", "[trees]") {
  PreparedTree tree;
  SECTION("a blank") {
    append(tree.path("torchpatch/manifest.json"), "\n");
    record::Sums sums = record::parse_sums(read_file(tree.path("torchpatch/SHA256SUMS")), "SHA256SUMS");
    sums["torchpatch/manifest.json"] = sha256(read_file(tree.path("torchpatch/manifest.json")));
    write_file_atomically(tree.path("torchpatch/SHA256SUMS"), record::sums_text(sums));
    CHECK_THAT(tree.differences(), Catch::Contains("torchpatch/manifest.json manifest"));
  }
  SECTION("another version of torchpatch that writes the same files") {
    Manifest forged = tree.manifest();
    forged.tool_version = "9.9.9";
    tree.forge(forged);
    CHECK(tree.differences() == "torchpatch/manifest.json unvouched");
  }
  SECTION("edges in another order") {
    Manifest forged = tree.manifest();
    std::vector<PatchEdge>& edges = forged.patches.at(1).edges;
    REQUIRE(edges.size() == 2);
    std::swap(edges[0], edges[1]);
    tree.forge(forged);
    CHECK(tree.differences() == "torchpatch/manifest.json manifest");
  }
}

TEST_CASE("verify: a signature that nobody asked about is noted", "[trees]") {
  PreparedTree tree;
  write_file_atomically(tree.path("torchpatch/manifest.json.minisig"), "anything");
  const VerifyReport report = tree.verify_with();
  CHECK(report.differences.empty());
  CHECK(report.notes == std::vector<std::string>{
                            "'torchpatch/manifest.json.minisig' was not checked: pass --signature FILE to check it"});
}

TEST_CASE("verify: tree, sums and manifest edited together are found out", "[trees]") {
  PreparedTree tree;
  SECTION("a changed source file") {
    append(tree.path("pytorch/setup.py"), "import evil\n");
    Manifest forged = tree.manifest();
    tree.forge(forged);
    CHECK_THAT(tree.differences(), Catch::Contains("torch base-tree"));
  }
  SECTION("a build script that no plan gives") {
    append(tree.path("torchpatch/build.sh"), "rm -rf /\n");
    chmod(tree.path("torchpatch/build.sh").c_str(), 0755);
    tree.forge(tree.manifest());
    CHECK(tree.differences() == "torchpatch/build.sh changed");
  }
  SECTION("an SBOM that the manifest does not give") {
    std::string sbom = read_file(tree.path("torchpatch/sbom.cdx.json"));
    const std::string bytes = sbom;
    sbom.replace(sbom.find("unofficial"), 10, "backported");
    tree.forge(tree.manifest());
    CHECK(tree.differences() == "");
    tree.write_summed("torchpatch/sbom.cdx.json", sbom);
    const VerifyReport report = tree.verify_with();
    REQUIRE(report.differences.size() == 1);
    CHECK(report.differences[0].path == "torchpatch/sbom.cdx.json");
    CHECK(report.differences[0].reason == "companion");
    CHECK(report.differences[0].detail ==
          concat("differs from what the manifest implies, first at byte ", bytes.find("unofficial") + 1));
  }
  SECTION("no SBOM at all") {
    REQUIRE(unlink(tree.path("torchpatch/sbom.spdx.json").c_str()) == 0);
    record::Sums sums = record::parse_sums(read_file(tree.path("torchpatch/SHA256SUMS")), "SHA256SUMS");
    sums.erase("torchpatch/sbom.spdx.json");
    write_file_atomically(tree.path("torchpatch/SHA256SUMS"), record::sums_text(sums));
    CHECK(tree.differences() == "torchpatch/sbom.spdx.json sums");
  }
  SECTION("another licence") {
    Manifest forged = tree.manifest();
    forged.repositories.at(0).licences = {{"LICENSE", "MIT"}};
    tree.forge(forged);
    CHECK(tree.differences() == "torch licence");
  }
  SECTION("another title of an issue") {
    Manifest forged = tree.manifest();
    forged.answered_issues.at(0).title = "nothing";
    tree.forge(forged);
    CHECK(tree.differences() == "torchpatch/manifest.json manifest");
  }
  SECTION("a patch as that of another variant") {
    Manifest forged = tree.manifest();
    forged.patches.at(0).variant = "other";
    tree.forge(forged);
    CHECK(tree.differences() == "torchpatch/manifest.json manifest");
  }
  SECTION("another environment") {
    Manifest forged = tree.manifest();
    REQUIRE_FALSE(forged.environment.empty());
    forged.environment.front().value = "evil";
    tree.forge(forged);
    CHECK_THAT(tree.differences(), Catch::Contains("torchpatch/manifest.json manifest"));
  }
  SECTION("a component's variable for every build") {
    Manifest forged = tree.manifest();
    const auto own = std::find_if(forged.environment.begin(), forged.environment.end(),
                                  [](const PlannedSetting& setting) { return setting.component == Component::vision; });
    REQUIRE(own != forged.environment.end());
    own->component.reset();
    tree.forge(forged);
    CHECK_THAT(tree.differences(), Catch::Contains("torchpatch/manifest.json manifest"));
  }
  SECTION("what is counted and listed") {
    Manifest forged = tree.manifest();
    const std::string field = GENERATE("byte_count", "file_count", "timestamp", "executables");
    if (field == "byte_count") ++forged.byte_count;
    if (field == "file_count") ++forged.file_count;
    if (field == "timestamp") --forged.timestamp;
    if (field == "executables") forged.executables.emplace_back("vision/zz");
    tree.forge(forged);
    const std::vector<Difference> found = tree.verify_with().differences;
    CHECK(std::ranges::count(found, concat("the files give a different '", field, "'"), &Difference::detail) == 1);
  }
  SECTION("where it comes from") {
    Manifest forged = tree.manifest();
    const bool is_submodule = GENERATE(false, true);
    forged.repositories.at(is_submodule ? 1 : 0).url = "https://example.org/onnx/evil.git";
    tree.forge(forged);
    CHECK_THAT(tree.differences(),
               Catch::Contains(is_submodule ? "torch:third_party/onnx manifest" : "torch pin-not-in-catalog"));
  }
  SECTION("another pin with its own tree") {
    Manifest forged = tree.manifest();
    forged.repositories.back().raw_commit += "\n";
    forged.repositories.back().commit = git_object_id("commit", forged.repositories.back().raw_commit);
    tree.forge(forged);
    CHECK_THAT(tree.differences(), Catch::Contains("vision pin-not-in-catalog"));
  }
}

TEST_CASE("verify: with the sources, forged files are named", "[trees]") {
  PreparedTree tree;
  source::MirrorSource source({tree.upstream.mirror()}, tree.console);
  VerifyOptions options;
  options.source = &source;
  CHECK(tree.differences(options) == "");
  append(tree.path("pytorch/setup.py"), "import evil\n");
  REQUIRE(unlink(tree.path("pytorch/include/limits.h").c_str()) == 0);
  record::Sums sums = record::parse_sums(read_file(tree.path("torchpatch/SHA256SUMS")), "SHA256SUMS");
  sums.erase("pytorch/include/limits.h");
  write_file_atomically(tree.path("torchpatch/SHA256SUMS"), record::sums_text(sums));
  tree.write_summed("pytorch/sitecustomize.py", "import evil\n");
  REQUIRE(chmod(tree.path("pytorch/tools/run.sh").c_str(), 0644) == 0);
  tree.forge(tree.manifest_of_disk());
  const std::string found = tree.differences(options);
  CHECK_THAT(found,
             Catch::Contains("pytorch/setup.py changed\n") && Catch::Contains("pytorch/sitecustomize.py extra\n"));
  CHECK_THAT(found, Catch::Contains("pytorch/include/limits.h missing\n") &&
                        Catch::Contains("pytorch/tools/run.sh mode\n") && Catch::Contains("torch patch"));
  for (const Difference& difference : tree.verify_with(options).differences)
    if (difference.reason == "patch") CHECK(difference.follows == "pytorch/include/limits.h");
  CHECK_THAT(tree.differences(), !Catch::Contains("setup.py"));
}

TEST_CASE("verify: what is listed everywhere and of no plan is found out", "[trees]") {
  PreparedTree tree;
  SECTION("a file beside the components") {
    tree.write_summed("sitecustomize.py", "import evil\n");
    tree.forge(tree.manifest_of_disk());
    CHECK(tree.differences() == "sitecustomize.py extra");
  }
  SECTION("a package beside the components") {
    make_directories(tree.path("numpy"));
    tree.write_summed("numpy/__init__.py", "import evil\n");
    tree.forge(tree.manifest_of_disk());
    CHECK(tree.differences() == "numpy/__init__.py extra");
  }
  SECTION("a script beside the manifest") {
    tree.write_summed("torchpatch/install.sh", "evil\n");
    Manifest forged = tree.manifest();
    forged.side_files.push_back({"install.sh", sha256("evil\n"), true});
    std::ranges::sort(forged.side_files, {}, &ManifestSideFile::name);
    chmod(tree.path("torchpatch/install.sh").c_str(), 0755);
    tree.forge(forged);
    CHECK(tree.differences() == "torchpatch/install.sh manifest");
  }
  SECTION("a link in the place of a script, which is listed as both") {
    Manifest forged = tree.manifest();
    forged.links.push_back({"torchpatch/build.sh", "check.sh"});
    std::ranges::sort(forged.links);
    tree.forge(forged);
    REQUIRE(unlink(tree.path("torchpatch/build.sh").c_str()) == 0);
    REQUIRE(symlink("check.sh", tree.path("torchpatch/build.sh").c_str()) == 0);
    CHECK_THAT(tree.differences(), Catch::Contains("torchpatch/build.sh link"));
  }
}

TEST_CASE("verify: an added file is what the catalog adds", "[trees]") {
  PreparedTree tree(add_file);
  REQUIRE(tree.manifest().added_files.size() == 1);
  CHECK(tree.differences() == "");
  SECTION("changed, with its sum and the trees") {
    tree.write_summed("pytorch/tools/added.py", "import evil\n");
    tree.forge(tree.manifest_of_disk());
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/tools/added.py changed"));
  }
  SECTION("changed, with everything that the manifest says of it") {
    const std::string evil = "import evil\n";
    tree.write_summed("pytorch/tools/added.py", evil);
    tree.write_summed("torchpatch/files/pytorch/tools/added.py", evil);
    Manifest forged = tree.manifest_of_disk();
    forged.added_files.at(0).blob = git_blob_id(evil);
    forged.added_files.at(0).sha256 = sha256(evil);
    tree.forge(forged);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/tools/added.py patch-not-in-catalog"));
  }
  SECTION("executable") {
    chmod(tree.path("pytorch/tools/added.py").c_str(), 0755);
    Manifest forged = tree.manifest_of_disk();
    forged.added_files.at(0).mode = FileMode::executable;
    forged.executables.emplace_back("pytorch/tools/added.py");
    std::ranges::sort(forged.executables);
    tree.forge(forged);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/tools/added.py patch-not-in-catalog"));
  }
}

TEST_CASE("verify: a hunk lies where the patch puts it, and not at another place with the same lines", "[trees]") {
  PreparedTree tree(add_patch);
  CHECK(tree.differences() == "");
  std::string text = read_file(tree.path("pytorch/setup.py"));
  const std::string patched = "# another part\n";
  const std::string original = "# part 6\n";
  text.replace(text.rfind(original), original.size(), patched);
  text.replace(text.find(patched), patched.size(), original);
  write_file_atomically(tree.path("pytorch/setup.py"), text);
  Manifest forged = tree.manifest_of_disk();
  forged.patches.at(2).edges.at(0).after = git_blob_id(text);
  tree.forge(forged);
  CHECK(tree.differences() == "torch patch");
}

TEST_CASE("verify: what cannot be written again is a finding, unless somebody vouches for the manifest", "[trees]") {
  PreparedTree tree;
  const bool is_other_version = GENERATE(true, false);
  Manifest forged = tree.manifest();
  if (is_other_version)
    forged.tool_version = "0.0.9";
  else
    forged.origins.at(0).digest = {};
  write_file_atomically(tree.path("torchpatch/build.sh"), "#!/bin/sh\nevil\n");
  chmod(tree.path("torchpatch/build.sh").c_str(), 0755);
  tree.forge(forged);
  CHECK_THAT(tree.differences(), Catch::Contains("torchpatch/build.sh unvouched"));
  const VerifyReport report = tree.verify_with();
  CHECK_THAT(report.differences.back().detail, Catch::Contains("--expect DIGEST"));
  CHECK_THAT(tree.differences({.expect = forged.tree.hex()}), Catch::Contains("torchpatch/build.sh unvouched"));

  const std::string digest = sha256(read_file(tree.path("torchpatch/manifest.json"))).hex();
  const VerifyReport vouched = tree.verify_with({.expect = digest});
  CHECK(vouched.differences.empty());
  REQUIRE(vouched.notes.size() == 1);
  CHECK_THAT(vouched.notes[0], Catch::Contains("--expect covers the manifest"));
}

TEST_CASE("verify: says what whoever prepared it chose", "[trees]") {
  PreparedTree tree;
  Manifest forged = tree.manifest();
  forged.settings["CC"] = "/tmp/evilcc";
  forged.allow_uncertified = true;
  forged.gaps.push_back({{Component::vision, ""}, "gone", FileMode::regular, forged.tree});
  tree.forge(forged);
  const std::vector<std::string> options = {"--set CC=/tmp/evilcc", "--allow-uncertified", "--allow-partial"};
  CHECK(tree.verify_with().options == options);
  std::vector<std::string> found;
  for (const Difference& difference : tree.verify_with({.no_options = true}).differences)
    if (difference.reason == "option") found.push_back(difference.detail);
  CHECK(found == std::vector<std::string>{"set when the tree was prepared: '--set CC=/tmp/evilcc'",
                                          "set when the tree was prepared: '--allow-uncertified'",
                                          "set when the tree was prepared: '--allow-partial'"});
}

TEST_CASE("verify: files that are larger than anything that was written are not read", "[trees]") {
  PreparedTree tree;
  const auto grow = [&](const std::string& name, off_t size) {
    if (!file_exists(tree.path(name))) write_file_atomically(tree.path(name), "");
    REQUIRE(truncate(tree.path(name).c_str(), size) == 0);
  };
  const auto detail_of = [&](const std::string& name) {
    std::string text;
    for (const Difference& difference : tree.verify_with().differences)
      if (difference.path == name) text += concat(difference.reason, ": ", difference.detail, "; ");
    return text;
  };
  const off_t mebibyte = 1 << 20;
  SECTION("one of 5 TiB") {
    grow("pytorch/setup.py", 5 * mebibyte * mebibyte);
    CHECK(detail_of("pytorch/setup.py") ==
          "unreadable: it has 5497558138880 bytes, more than any file written by torchpatch; ");
  }
  SECTION("a signature, and what is in no list") {
    grow("torchpatch/manifest.json.sig", mebibyte * mebibyte);
    grow("pytorch/more", mebibyte * mebibyte);
    CHECK(tree.differences() == "pytorch/more extra\ntorchpatch/manifest.json.sig unreadable");
  }
  SECTION("some that are not too large each, but together") {
    grow("pytorch/setup.py", 200 * mebibyte);
    grow("pytorch/empty", 60 * mebibyte);
    CHECK_THAT(detail_of("pytorch/setup.py"),
               Catch::StartsWith("unreadable: not read: the size of all files together is 273"));
    CHECK_THAT(detail_of("pytorch/empty"), Catch::StartsWith("changed: found sha256 "));
  }
}

TEST_CASE("verify: says which path was edited, and what follows from it", "[trees]") {
  PreparedTree tree;
  append(tree.path("pytorch/setup.py"), "import evil\n");
  tree.forge(tree.manifest());  // with its sum: nothing but the trees tells
  std::vector<std::string> lines;
  for (const Difference& difference : tree.verify_with().differences)
    lines.push_back(concat(difference.path, " ", difference.reason, " < ", difference.follows));
  CHECK(join(lines, "\n") == " tree < torch\npytorch tree < torch\ntorch patched-tree < torch\ntorch base-tree < ");

  tree.write_summed("vision/setup.py", "evil\n");
  write_file_atomically(tree.path("vision/setup.py"), "worse\n");
  for (const Difference& difference : tree.verify_with().differences)
    if (difference.path == "vision" && difference.reason != "changed") CHECK(difference.follows == "vision/setup.py");
}

TEST_CASE("verify: a patch that was slipped in is shown", "[trees]") {
  PreparedTree tree;
  Manifest forged = tree.manifest();
  const std::string before = read_file(tree.path("vision/setup.py"));
  const std::string after = before + "# slipped in\n";
  const std::string patch =
      concat("diff --git a/setup.py b/setup.py\nindex ", git_blob_id(before).hex(), "..", git_blob_id(after).hex(),
             " 100644\n--- a/setup.py\n+++ b/setup.py\n@@ -1 +1,2 @@\n # vision\n+# slipped in\n");
  write_file_atomically(tree.path("vision/setup.py"), after);
  tree.write_summed("torchpatch/patches/0003-slipped.patch", patch);
  forged.patches.push_back({"slipped",
                            "V1",
                            "patches/0003-slipped.patch",
                            sha256(patch),
                            {Component::vision, ""},
                            {"quiet"},
                            true,
                            {{"setup.py", git_blob_id(before), git_blob_id(after)}}});
  forged.side_files.push_back({"patches/0003-slipped.patch", sha256(patch), false});
  std::sort(forged.side_files.begin(), forged.side_files.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  tree.forge(forged);
  const std::string differences = tree.differences();
  CHECK_THAT(differences, Catch::Contains("torchpatch/patches/0003-slipped.patch patch-not-in-catalog"));
  CHECK_THAT(differences, !Catch::Contains("base-tree"));
}

TEST_CASE("verify: --expect compares with the tree id or the manifest's digest", "[trees]") {
  PreparedTree tree;
  const Manifest manifest = tree.manifest();
  CHECK(tree.differences({.expect = manifest.tree.hex()}) == "");
  CHECK(tree.differences({.expect = "swh:1:dir:" + manifest.tree.hex()}) == "");
  CHECK(tree.differences({.expect = sha256(read_file(tree.path("torchpatch/manifest.json"))).hex()}) == "");
  CHECK(tree.differences({.expect = std::string(40, '0')}) == " expected-id");
}

TEST_CASE("verify: each flipped byte of a small file is found", "[trees]") {
  PreparedTree tree;
  const std::string path = tree.path("pytorch/tools/run.sh");
  const std::string good = read_file(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    write_file_atomically(path, bad);
    chmod(path.c_str(), 0755);
    CHECK_THAT(tree.differences(), Catch::Contains("pytorch/tools/run.sh changed"));
  }
}

TEST_CASE("verify: a directory that is no prepared tree is an error that says so", "[trees]") {
  const TempDir empty;
  NullConsole console;
  CHECK_THROWS_WITH(verify(empty.path(), {}, {}, console), Catch::Contains("is not a prepared tree"));
}

}  // namespace torchpatch::trees
