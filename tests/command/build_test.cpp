// SPDX-License-Identifier: BSD-3-Clause
// The recipes are run by their own run.sh; an engine that only notes how it was called stands for a container's.
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/staging.h"

using namespace torchpatch;
using Catch::Contains;
using Catch::StartsWith;
using test::CliResult;

namespace {

using Words = std::vector<std::string>;

struct Builds : test::ToyWorkspace {
  Builds() {
    upstream.certify();
    engine_does("exit 0");
  }

  /// What stands for docker: `script` runs for `docker build`.
  void engine_does(const std::string& script) const {
    write("bin/docker", concat("#!/bin/sh\ncase $1 in build) ;; *) exit 0 ;; esac\necho \"$@\" >>", path("calls"), "\n",
                               script, "\n"));
    REQUIRE(chmod(path("bin/docker").c_str(), 0755) == 0);
  }
  CliResult build(const Words& more = {"--yes"}, const Words& words = {}) const {
    Words line = {"build",           "--version", "1.1.0",     "--board",  "plain",    "--mirror",
                  upstream.mirror(), "--kind",    "container", "--output", path("out")};
    line.insert(line.end(), more.begin(), more.end());
    line.insert(line.end(), {"--", "--engine", path("bin/docker")});
    line.insert(line.end(), words.begin(), words.end());
    return run(line);
  }
  std::size_t calls() const { return split(read_file(path("calls")), '\n').size() - 1; }
  /// What tells whether a file was written again.
  ino_t inode(const std::string& name) const {
    struct stat status = {};
    REQUIRE(::stat(path(name).c_str(), &status) == 0);
    return status.st_ino;
  }
};

}  // namespace

TEST_CASE("build: from nothing to the end of run.sh, and nothing is done twice") {
  const Builds workspace;
  const CliResult first = workspace.build();
  INFO(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(first.out ==
        "done: PyTorch 1.1.0 for plain (one)\n"
        "  wheels   in the container image named in the log\n"
        "  numbers  on the board: python3 numerics.py, from $TMP/out/tree/torchpatch\n"
        "  log      $TMP/out/build.log\n"
        "  next     read $TMP/out/recipe/README.md\n");
  CHECK_THAT(first.err,
             StartsWith("build of PyTorch 1.1.0 for plain (one) in '$TMP/out'\n  components  torch, vision\n"
                        "  changes     0 patches, 0 added files, ") &&
                 Contains("  recipe      container\n  time        unknown: no similar build is recorded\n") &&
                 Contains("run.sh: copying $TMP/out/tree\n") &&
                 Contains("run.sh: built the image torchpatch-1.1.0-plain\n"));
  CHECK(list_directory(workspace.path("out")) == Words{"build.log", "recipe", "tree", "work"});
  CHECK_THAT(read_file(workspace.path("out/build.log")), Contains("run.sh: built the image torchpatch-1.1.0-plain\n"));

  const ino_t tree = workspace.inode("out/tree/torchpatch/manifest.json"),
              recipe = workspace.inode("out/recipe/run.sh"),
              copy = workspace.inode("out/work/tree/torchpatch/manifest.json");
  // It was consented to, and the kind is that of the recipe.
  const CliResult again =
      workspace.run({"build", "--version", "1.1.0", "--board", "plain", "--mirror", "/nowhere", "--output",
                     workspace.path("out"), "--", "--engine", workspace.path("bin/docker")});
  INFO(again.err);
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Contains("  recipe      container\n") && Contains("run.sh: resuming in $TMP/out/work/tree\n"));
  CHECK(workspace.inode("out/tree/torchpatch/manifest.json") == tree);
  CHECK(workspace.inode("out/recipe/run.sh") == recipe);
  CHECK(workspace.inode("out/work/tree/torchpatch/manifest.json") == copy);
  CHECK(workspace.calls() == 2);
}

TEST_CASE("build: what is not there yet is done, and only that") {
  const Builds workspace;
  REQUIRE(workspace.build().exit_code == 0);
  const ino_t tree = workspace.inode("out/tree/torchpatch/manifest.json");
  remove_tree(workspace.path("out/recipe"));
  remove_tree(workspace.path("out/work"));
  make_directories(workspace.path("out/.recipe.torchpatch-staging"));  // of a killed run
  const CliResult result = workspace.build({"--yes", "--json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out ==
        "{\n  \"schema\": 1,\n  \"ok\": true,\n  \"board\": \"plain\",\n  \"image\": \"one\",\n  \"image_reason\": "
        "null,\n  \"wheels\": [],\n  \"install\": null\n}\n");
  CHECK(workspace.inode("out/tree/torchpatch/manifest.json") == tree);
  CHECK(file_exists(workspace.path("out/recipe/run.sh")));
}

TEST_CASE("build --allow-partial: continues without what no mirror has") {
  const Builds workspace;
  std::filesystem::remove_all(workspace.upstream.mirror() + "/nested");
  const CliResult refused = workspace.build({});  // before it asks
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Contains("torchpatch: error: this host lacks 1 thing for the build:\n  ") &&
                              Contains(": the commit was not found\nhint: pass sources that have what is missing with "
                                       "--mirror or --archive, or continue without single submodules and files "
                                       "(--allow-partial)\n"));
  for (int i = 0; i < 2; ++i) {
    const CliResult result = workspace.build({"--yes", "--allow-partial"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("build: asks once, and a script has to say yes") {
  const Builds workspace;
  const CliResult refused = workspace.build({});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("  recipe      container\n") &&
                              Catch::EndsWith("torchpatch: error: build needs a confirmation, but standard input is "
                                              "not a terminal\nhint: add --yes\n"));
  CHECK_FALSE(file_exists(workspace.path("out")));
}

TEST_CASE("build: lists everything the host lacks before it writes anything") {
  const Builds workspace;
  const CliResult result =
      workspace.run({"build", "--version", "1.1.0", "--board", "plain", "--mirror", workspace.upstream.mirror(),
                     "--kind", "native", "--yes", "--set", "arch=armv7l", "--output", workspace.path("out"), "--json"});
  CHECK(result.exit_code == 7);
  CHECK_THAT(result.err, Contains("torchpatch: error: this host lacks ") && Contains(" things for the build:\n  "));
  CHECK_THAT(result.err, Contains("\n  arch: found ") && Contains(", need armv7l (image one); "));
  CHECK_THAT(result.err, Contains("hint: 'torchpatch doctor' checks this host; --kind chooses another recipe\n"));
  CHECK_FALSE(file_exists(workspace.path("out")));
  if (geteuid() != 0)
    CHECK_THAT(workspace
                   .run({"build", "--version", "1.1.0", "--board", "plain", "--mirror", workspace.upstream.mirror(),
                         "--kind", "chroot", "--yes", "--output", workspace.path("out")})
                   .err,
               Contains("hint: run it with sudo: sudo torchpatch build …; --kind chooses another recipe\n"));

  const CliResult engine =
      workspace.run({"build", "--version", "1.1.0", "--board", "plain", "--mirror", workspace.upstream.mirror(),
                     "--kind", "container", "--yes", "--output", workspace.path("out"), "--", "--engine", "no-engine"});
  CHECK(engine.exit_code == 7);
  CHECK_THAT(engine.err, Contains("torchpatch: error: this host lacks 1 thing for the build:\n  no-engine not found: "
                                  "apt-get install buildah\n"));
  workspace.engine_does("");
  workspace.write("bin/docker", "#!/bin/sh\nexit 1\n");
  REQUIRE(chmod(workspace.path("bin/docker").c_str(), 0755) == 0);
  CHECK_THAT(workspace.build().err, Contains("  the Docker daemon is not available: start it, or join the group "));
  CHECK_FALSE(file_exists(workspace.path("out")));

  const CliResult word = workspace.build({"--yes"}, {"--rot"});
  CHECK(word.exit_code == 2);
  CHECK_THAT(
      word.err,
      Contains("torchpatch: error: words for run.sh: unknown option '--rot'\nhint: these are the words after '--'\n"));
  CHECK_FALSE(file_exists(workspace.path("out")));
}

TEST_CASE("build: runs no recipe but the one it writes, for no tree but the one of the plan") {
  const Builds workspace;
  REQUIRE(workspace.build().exit_code == 0);
  const auto refuses = [&](const std::string& what, int code, const std::string& text, const Words& more = {"--yes"}) {
    CAPTURE(what);
    const std::size_t before = workspace.calls();
    const CliResult result = workspace.build(more);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.out + result.err, Contains(text));
    CHECK(workspace.calls() == before);
  };
  test::edit(workspace.path("out/recipe/run.sh"), "set -eu\n",
             concat("set -eu\ntouch ", workspace.path("canary"), "\n"));
  refuses("a stranger's recipe", 6,
          "torchpatch: error: '$TMP/out/recipe' is not the recipe of this build: 'run.sh' differs\n"
          "hint: remove it, so that build writes it again, or choose another --output\n");
  CHECK_FALSE(file_exists(workspace.path("canary")));
  remove_tree(workspace.path("out/recipe"));
  REQUIRE(workspace.build().exit_code == 0);
  refuses("another plan", 7,
          "torchpatch: error: '$TMP/out/tree' is a tree prepared from another plan\nhint: choose another --output, or "
          "use the options that it was prepared with\n",
          {"--yes", "--set", "USE_OPENCV=1"});
  workspace.write("out/notes", "mine");
  refuses("somebody's files", 7, "'$TMP/out': it contains 'notes', which torchpatch did not write\n");
  remove_tree(workspace.path("out/notes"));
  {
    const UniqueFd lock = tree::lock_directory(workspace.path("out"));
    refuses("a lock that is held", 7,
            "torchpatch: error: writing to '$TMP/out': it is locked by another run of torchpatch\n");
  }
  workspace.write("out/tree/pytorch/setup.py", "# edited\n");
  refuses("a changed tree", 1, "changed 'pytorch/setup.py'");
  remove_tree(workspace.path("out/build.log"));
  workspace.write("mine", "precious\n");
  REQUIRE(symlink(workspace.path("mine").c_str(), workspace.path("out/build.log").c_str()) == 0);
  refuses("a link in place of the log", 6,
          "torchpatch: error: building in '$TMP/out': 'build.log' was not created by build\n"
          "hint: remove it, or choose another directory\n");
  CHECK(read_file(workspace.path("mine")) == "precious\n");
  remove_tree(workspace.path("out/build.log"));
  REQUIRE(chmod(workspace.path("out").c_str(), 0777) == 0);
  refuses("a directory that anybody can write to", 6, "other users can change what runs there, through '$TMP/out'\n");
}

TEST_CASE("build: a failure is diagnosed, with the command that applies the fix, and a repaired host resumes") {
  const Builds workspace;
  test::edit(workspace.upstream.catalog_directory() + "/known_issues/quiet.md", "too much", "frobnicator is too loud");
  workspace.engine_does("echo 'E: frobnicator is too loud' >&2; exit 125");
  const CliResult result = workspace.build({"--yes", "--without", "be-quiet"});
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("quiet: Issue quiet") &&
                             Contains("run.sh: error: $TMP/bin/docker failed to build the stage 'runtime'\n") &&
                             Contains("  log     $TMP/out/build.log\n") &&
                             Contains("torchpatch build --version 1.1.0") && Contains("--with be-quiet --mirror ") &&
                             Contains(" --output $TMP/out-be-quiet -- "));
  CHECK(workspace.build({"--yes", "--without", "be-quiet", "--json"}).exit_code == 1);
  // The log of an earlier run is not diagnosed again.
  workspace.engine_does("exit 125");
  CHECK_THAT(workspace.build({"--yes", "--without", "be-quiet"}).out, !Contains("Issue quiet"));
  workspace.engine_does("exit 0");
  CHECK(workspace.build({"--yes", "--without", "be-quiet"}).exit_code == 0);
}
