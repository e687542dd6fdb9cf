// SPDX-License-Identifier: BSD-3-Clause
// patch new, patch edit, patch refresh.
#include <algorithm>
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/source_directory.h"
#include "support/text.h"
#include "support/toy_proof.h"

using namespace torchpatch;
using test::CliResult;
using test::git;

namespace {

const char* const kFirst = "V1/0001-cap.patch";
const char* const kSecond = "V1/0002-cap-more.patch";
const std::string kLimits = "pytorch/include/limits.h";

/// A certified toy, and a work of its patchset.
struct Work : test::ToyWorkspace {
  Work() {
    upstream.certify();
    set_variable("SOURCE_DATE_EPOCH", "1700000000");  // 2023-11-14
    std::filesystem::create_directory(path("mine"));
  }
  CliResult begin(std::vector<std::string> args) const {
    args.insert(args.end(), {"--version", "1.1.0", "--mirror", upstream.mirror(), "--work", work(), "--quiet"});
    return run(args);
  }
  CliResult edit_set() const { return begin({"patch", "edit", "block-limit", "V1"}); }
  CliResult refresh() const { return run({"patch", "refresh", work(), "--quiet"}); }

  std::string work() const { return path("desk"); }
  std::string file(const std::string& name) const { return work() + "/" + name; }
  void edit(const std::string& name, const std::string& from, const std::string& to) const {
    test::edit(file(name), from, to);
  }
  std::string in_set(const std::string& name) const {
    return concat(upstream.catalog_directory(), "/patchsets/block-limit/", name);
  }
  std::string patch(const std::string& name) const { return read_file(in_set(name)); }
  /// All files of the catalog with their bytes.
  std::vector<std::string> catalog_state() const {
    std::vector<std::string> state;
    for (const std::string& name : list_files_below(upstream.catalog_directory()))
      state.push_back(concat(name, " ", sha256(read_file(upstream.catalog_directory() + "/" + name)).hex()));
    return state;
  }
  /// Refuses, and leaves the catalog as it was.
  void refuses(const std::string& message) const {
    const std::vector<std::string> before = catalog_state();
    const CliResult result = refresh();
    CHECK(result.exit_code == 5);
    CHECK_THAT(result.err, Catch::Contains(message));
    CHECK(catalog_state() == before);
  }
};

}  // namespace

TEST_CASE("patch edit: one commit for the pinned files that the patches touch, one for each patch in order") {
  const Work toy;
  const CliResult result = toy.edit_set();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK(result.out == "$TMP/desk/pytorch/include/added.h\n$TMP/desk/pytorch/include/limits.h\n");
  CHECK(git(toy.work(), {"log", "--reverse", "--format=%s"}) ==
        "The pinned files of 1.1.0\nPatch-File: V1/0001-cap.patch\nPatch-File: V1/0002-cap-more.patch");
  CHECK(git(toy.work(), {"ls-tree", "-r", "--name-only", "HEAD~2"}) == kLimits);
  CHECK(git(toy.work(), {"rev-parse", "HEAD~2:" + kLimits}) ==
        git(toy.upstream.mirror() + "/torch", {"rev-parse", toy.upstream.torch_commit() + ":include/limits.h"}));
  CHECK(git(toy.work(), {"status", "--porcelain"}).empty());
  CHECK_THAT(git(toy.work(), {"log", "-1", "--format=%B"}), Catch::Contains("Description: Cap the other limit"));
}

TEST_CASE("patch refresh: what nobody changed keeps its bytes") {
  const Work toy;
  toy.edit_set();
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result = toy.refresh();
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("\n  nothing to do\n"));
  CHECK(toy.catalog_state() == before);
}

TEST_CASE("patch refresh: an edit that is not committed belongs to the last patch") {
  const Work toy;
  toy.edit_set();
  const std::string first = toy.patch(kFirst), old = toy.patch(kSecond);
  toy.edit(kLimits, "// another limit\n", "// a third limit\n");
  const CliResult result = toy.refresh();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK(toy.patch(kFirst) == first);
  const std::string now = toy.patch(kSecond);
  CHECK_THAT(now,
             Catch::StartsWith("Description: Cap the other limit\nOrigin: vendor, Example\n") &&
                 Catch::Contains("\nLast-Update: 2023-11-14\nSPDX-License-Identifier: BSD-3-Clause\n\ndiff --git ") &&
                 Catch::Contains("+// a third limit\n"));
  CHECK_THAT(toy.patch("patchset.json"), Catch::Contains(sha256(now).hex()) && Catch::Contains(sha256(first).hex()) &&
                                             !Catch::Contains(sha256(old).hex()));
  const CliResult checked = toy.run({"check", "--mirror", toy.upstream.mirror(), "--quiet"});
  CHECK(checked.exit_code == 0);
  CHECK_THAT(checked.out, Catch::Contains(": 1 applied, 2 environment"));
  CHECK_THAT(toy.refresh().out, Catch::Contains("\n  nothing to do\n"));  // refreshed already
}

TEST_CASE("patch refresh: an earlier patch that is amended changes those behind it, and keeps names and order") {
  const Work toy;
  toy.edit_set();
  git(toy.work(), {"reset", "-q", "--hard", "HEAD~1"});
  const std::string second = git(toy.work(), {"rev-parse", "ORIG_HEAD"});
  toy.edit(kLimits, "// limit of 512\n", "// limit of 256\n");
  git(toy.work(), {"commit", "-q", "-a", "--amend", "--no-edit"});
  git(toy.work(), {"cherry-pick", second});
  const CliResult result = toy.run({"patch", "refresh", toy.work(), "--quiet", "--json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("\"V1/0001-cap.patch\"") && !Catch::Contains("\"changed\": false"));
  CHECK_THAT(toy.patch(kFirst), Catch::Contains("+// limit of 256\n"));
  CHECK(toy.run({"check", "--mirror", toy.upstream.mirror(), "--quiet"}).exit_code == 0);
}

TEST_CASE("patch refresh: a commit without a name belongs to the patch before it") {
  const Work toy;
  toy.edit_set();
  toy.edit("pytorch/include/added.h", "// added\n", "// added, and more\n");
  git(toy.work(), {"commit", "-q", "-a", "-m", "more"});
  CHECK(toy.refresh().exit_code == 0);
  CHECK_THAT(toy.patch(kSecond), Catch::Contains("+// added, and more\n"));
}

TEST_CASE("patch refresh: proof outcomes of the old patches go, and nothing else") {
  const Work toy;
  test::write_proof(toy.upstream);
  REQUIRE(
      toy.run({"prove", "--mirror", toy.upstream.mirror(), "--record", toy.upstream.catalog_directory()}).exit_code ==
      0);
  const std::string outcome = toy.in_set("proofs/1.1.0.json");
  REQUIRE(file_exists(outcome));
  toy.edit_set();
  CHECK(toy.refresh().exit_code == 0);
  CHECK(file_exists(outcome));
  toy.edit(kLimits, "// another limit\n", "// a third limit\n");
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result = toy.refresh();
  CHECK_THAT(result.out, Catch::Contains("proofs/1.1.0.json"));
  CHECK(!file_exists(outcome));
  std::vector<std::string> changed, after = toy.catalog_state();
  std::ranges::set_difference(before, after, std::back_inserter(changed));
  for (std::string& line : changed) line = line.substr(0, line.find(' '));
  CHECK(changed == std::vector<std::string>{
                       "patchsets/block-limit/V1/0002-cap-more.patch", "patchsets/block-limit/certificates/1.1.0.json",
                       "patchsets/block-limit/patchset.json", "patchsets/block-limit/proofs/1.1.0.json"});
}

TEST_CASE("patch refresh: a layer over the patchset's loses what was recorded there of the old patches") {
  const Work toy;
  const std::string above = toy.path("mine/patchsets/block-limit/certificates/1.1.0.json");
  make_directories(parent_path(above));
  write_file_atomically(above, toy.patch("certificates/1.1.0.json"));
  CHECK(toy.begin({"patch", "edit", "block-limit", "V1", "--catalog", toy.path("mine")}).exit_code == 0);
  toy.edit(kLimits, "// another limit\n", "// a third limit\n");
  const CliResult result = toy.refresh();
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::Contains("$TMP/mine/patchsets/block-limit/certificates/1.1.0.json"));
  CHECK(!(read_file(above) == toy.patch("certificates/1.1.0.json")));
  CHECK(toy.run({"check", "--catalog", toy.path("mine"), "--mirror", toy.upstream.mirror(), "--quiet"}).exit_code == 0);
}

TEST_CASE("patch refresh: marks of a conflict, an empty change and another file are refused") {
  const Work toy;
  toy.edit_set();
  SECTION("marks of a conflict") {
    toy.edit(kLimits, "// another limit\n", "<<<<<<< ours\n// another limit\n=======\n>>>>>>> theirs\n");
    toy.refuses(
        "torchpatch: error: the patch 'V1/0002-cap-more.patch' leaves a conflict marker in "
        "'include/limits.h', line 50: '<<<<<<< ours'\nhint: resolve the conflict and remove the markers\n");
  }
  SECTION("an empty change") {
    git(toy.work(), {"checkout", "-q", "HEAD~1", "--", "."});
    git(toy.work(), {"rm", "-q", "-f", "pytorch/include/added.h"});
    toy.refuses(
        "torchpatch: error: the patch 'V1/0002-cap-more.patch' changes nothing\n"
        "hint: edit its files, or remove it\n");
  }
  SECTION("another file") {
    write_file_atomically(toy.file("pytorch/other.h"), "// other\n");
    toy.refuses(
        "torchpatch: error: 'pytorch/other.h' is not a file of this work, but the patch "
        "'V1/0002-cap-more.patch' changes it\nhint: remove the change, or start again with this file listed\n");
  }
}

TEST_CASE("patch refresh: commits that are not one for each patch in order are refused") {
  const Work toy;
  toy.edit_set();
  SECTION("one is gone") {
    git(toy.work(), {"reset", "-q", "--hard", "HEAD~1"});
    toy.refuses(
        "the commits in the work directory are for V1/0001-cap.patch, not for V1/0001-cap.patch, "
        "V1/0002-cap-more.patch\nhint: each patch needs one commit, in order, with the line 'Patch-File: NAME' in its "
        "message; ");
  }
  SECTION("one has lost its name") {
    git(toy.work(), {"commit", "-q", "--amend", "-m", "Description: other"});
    toy.refuses("the commits in the work directory are for V1/0001-cap.patch, not for");
  }
  SECTION("a merge") {
    git(toy.work(), {"checkout", "-q", "-b", "side", "HEAD~1"});
    git(toy.work(), {"commit", "-q", "--allow-empty", "-m", "side"});
    git(toy.work(), {"merge", "-q", "--no-edit", "work"});
    toy.refuses("hint: make its history linear\n");
  }
}

TEST_CASE("patch refresh: a header that lint rejects is refused") {
  const Work toy;
  toy.edit_set();
  const std::string message = git(toy.work(), {"log", "-1", "--format=%B"});
  const std::size_t bug = message.find("Bug:");
  git(toy.work(),
      {"commit", "-q", "--amend", "-m", message.substr(0, bug) + message.substr(message.find("Forwarded:"))});
  toy.refuses("torchpatch: error: the patch 'V1/0002-cap-more.patch': the header has no field 'Bug'\n");
  for (const char* hidden : {"\t", "\033[31m", "\u202E"}) {
    std::string changed = message;
    changed.insert(changed.find("Description: ") + 16, hidden);
    git(toy.work(), {"commit", "-q", "--amend", "--cleanup=verbatim", "-m", changed});
    CHECK_THAT(toy.refresh().err, Catch::Contains("the field 'Description' has an invisible character"));
  }
}

TEST_CASE("patch refresh: resumes after being killed between changing the catalog and recording that") {
  const Work toy;
  toy.edit_set();
  toy.edit(kLimits, "// another limit\n", "// a third limit\n");
  const std::string before = read_file(toy.file(".git/torchpatch.json"));
  REQUIRE(toy.refresh().exit_code == 0);
  const std::string after = read_file(toy.file(".git/torchpatch.json"));
  CHECK(!file_exists(toy.file(".git/torchpatch.next.json")));
  write_file_atomically(toy.file(".git/torchpatch.json"), before);
  SECTION("as the kill left it") {
    write_file_atomically(toy.file(".git/torchpatch.next.json"), after);
    const std::vector<std::string> state = toy.catalog_state();
    const CliResult result = toy.refresh();
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(toy.catalog_state() == state);
    CHECK(read_file(toy.file(".git/torchpatch.json")) == after);
  }
  SECTION("of another catalog") {
    std::filesystem::copy(toy.upstream.catalog_directory(), toy.path("other"),
                          std::filesystem::copy_options::recursive);
    write_file_atomically(toy.file(".git/torchpatch.next.json"), after);
    test::edit(toy.file(".git/torchpatch.next.json"), real_path(toy.upstream.catalog_directory()), toy.path("other"));
    toy.refuses("changed since this work began");
  }
  SECTION("with a catalog that was changed since") {
    write_file_atomically(toy.file(".git/torchpatch.next.json"), after);
    test::edit(toy.in_set("patchset.json"), "\"summary\": \"Cap\"", "\"summary\": \"Cap it\"");
    toy.refuses("changed since this work began");
  }
}

TEST_CASE("patch refresh: a catalog that changed meanwhile is refused") {
  const Work toy;
  toy.edit_set();
  toy.edit(kLimits, "// another limit\n", "// a third limit\n");
  SECTION("the patchset") {
    test::edit(toy.in_set("patchset.json"), "\"summary\": \"Cap\"", "\"summary\": \"Cap it\"");
    toy.refuses(
        "changed since this work began\nhint: start again with 'torchpatch patch edit block-limit V1 "
        "--version 1.1.0 --work DIR'");
  }
  SECTION("the pin") {
    remove_tree(toy.in_set("certificates"));
    remove_tree(toy.upstream.catalog_directory() + "/results");
    test::edit(toy.upstream.catalog_directory() + "/releases/1.1.0.json", toy.upstream.torch_commit(),
               std::string(40, 'a'));
    toy.refuses(
        "the pins of release 1.1.0 are not those with which this work began: pass the same --archive options, if "
        "any\n");
  }
}

TEST_CASE("patch refresh: patches that no longer go together leave the catalog as it was") {
  const Work toy;
  const std::string torch = toy.upstream.mirror() + "/torch", catalog = toy.upstream.catalog_directory();
  test::edit(torch + "/include/limits.h", "// limits 30\n", "// limits thirty\n");
  const std::string first = toy.patch(kFirst);
  const std::string other = first.substr(0, first.find("diff --git")) + git(torch, {"diff", "--full-index"}) + "\n";
  make_directories(catalog + "/patchsets/other");
  write_file_atomically(catalog + "/patchsets/other/one.patch", other);
  write_file_atomically(
      catalog + "/patchsets/other/patchset.json",
      concat(R"({"schema": 1, "id": "other", "summary": "Other", "after": ["block-limit"], "variants": [
  {"id": "O1", "releases": "==1.1.0", "patches": [{"file": "one.patch", "sha256": ")",
             sha256(other).hex(), R"(", "repository": "torch"}]}]})"));
  std::string page = read_file(catalog + "/known_issues/block-limit.md");
  for (std::size_t at; (at = page.find("block-limit")) != std::string::npos;) page.replace(at, 11, "other");
  write_file_atomically(catalog + "/known_issues/other.md", page.replace(page.find("\"cap\""), 5, "\"cap-other\""));
  toy.upstream.certify();

  toy.edit_set();
  toy.edit(kLimits, "// limits 31\n", "// limits thirty-one\n");
  toy.refuses("torchpatch: error: no certificates were written, since not every patch applies:\n");
  toy.edit(kLimits, "// limits thirty-one\n", "// limits 31\n");
  toy.edit(kLimits, "// limits 58\n", "// limits fifty-eight\n");
  CHECK(toy.refresh().exit_code == 0);  // and what follows the old patch is certified anew
  CHECK_THAT(toy.run({"check", "--mirror", toy.upstream.mirror(), "--quiet"}).out,
             Catch::Contains(": 2 applied, 2 environment, "));
}

TEST_CASE("patch new: a patchset of one variant, certified") {
  const Work toy;
  const CliResult begun = toy.begin(
      {"patch", "new", "my-patch", "setup.py", "include/new.h", "--repository", "torch", "--into", toy.path("mine")});
  CHECK(begun.err.empty());
  CHECK(begun.out == "$TMP/desk/pytorch/include/new.h\n$TMP/desk/pytorch/setup.py\n");
  CHECK(toy.refresh().err ==
        "torchpatch: error: the patch '1.1.0/0001-my-patch.patch' changes nothing\n"
        "hint: edit its files, or remove it\n");
  toy.edit("pytorch/setup.py", "# setup 7\n", "# setup seven\n");
  make_directories(toy.file("pytorch/include"));
  write_file_atomically(toy.file("pytorch/include/new.h"), "// new\n");
  const CliResult marked = toy.refresh();
  CHECK(marked.exit_code == 5);
  CHECK_THAT(marked.err, Catch::Contains("the header still contains the placeholder FILL-IN") &&
                             Catch::Contains("the field 'Bug' must be an http or https link"));
  CHECK(list_directory(toy.path("mine")).empty());
  std::string message = git(toy.work(), {"log", "-1", "--format=%B"});
  CHECK_THAT(message, Catch::StartsWith("Patch-File: 1.1.0/0001-my-patch.patch\n\nDescription: FILL-IN: "));
  message =
      "Patch-File: 1.1.0/0001-my-patch.patch\n\nDescription: Count to seven\n Because.\nOrigin: other, me\n"
      "Bug: https://example.org/7\nForwarded: no\nLast-Update: 2020-01-01\n"
      "SPDX-License-Identifier: BSD-3-Clause\n";
  git(toy.work(), {"add", "-A"});
  git(toy.work(), {"commit", "-q", "--amend", "-m", message});
  const CliResult result = toy.refresh();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK(list_files_below(toy.path("mine")) == std::vector<std::string>{"patchsets/my-patch/1.1.0/0001-my-patch.patch",
                                                                       "patchsets/my-patch/certificates/1.1.0.json",
                                                                       "patchsets/my-patch/patchset.json"});
  CHECK_THAT(read_file(toy.path("mine/patchsets/my-patch/patchset.json")),
             Catch::Contains("\"summary\": \"Count to seven\"") && Catch::Contains("\"releases\": \"==1.1.0\""));
  CHECK(toy.run({"check", "--catalog", toy.path("mine"), "--mirror", toy.upstream.mirror(), "--quiet"}).exit_code == 0);
  CHECK_THAT(toy.refresh().out, Catch::Contains("\n  nothing to do\n"));
}

TEST_CASE("patch new, patch edit: what cannot be begun is refused, and nothing is left behind") {
  const Work toy;
  const auto refused = [&](const std::vector<std::string>& args, int code, const std::string& error) {
    const CliResult result = toy.begin(args);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.err, Catch::StartsWith("torchpatch: error: " + error));
    CHECK(!file_exists(toy.work()));
  };
  const std::string mine = toy.path("mine");
  refused({"patch", "new", "block-limit", "setup.py", "--repository", "torch", "--into", mine}, 2,
          "the patchset 'block-limit' already exists\nhint: choose another id; ");
  refused({"patch", "new", "mine", "--repository", "torch", "--into", mine}, 2, "missing: PATH\n");
  refused({"patch", "new", "mine", "setup.py", "--repository", "nowhere", "--into", mine}, 2,
          "--repository 'nowhere' is not a repository\n");
  refused({"patch", "new", "mine", "setup.py", "--repository", "torch:third_party/none", "--into", mine}, 2,
          "release 1.1.0 has no repository 'torch:third_party/none'\n");
  refused({"patch", "new", "mine", "../setup.py", "--repository", "torch", "--into", mine}, 2,
          "the path '../setup.py' ");
  refused({"patch", "new", "mine", "tools", "--repository", "torch", "--into", mine}, 2,
          "'tools' of torch is not a file\n");
  refused({"patch", "new", "mine", "third_party/onnx", "--repository", "torch", "--into", mine}, 2,
          "'third_party/onnx' of torch is not a file\n");
  refused({"patch", "edit", "block-limit", "V2"}, 2, "patchset 'block-limit' has no variant 'V2'\nhint: it has V1\n");
  CHECK(toy.run({"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--source", "sample", "--mirror", mine})
            .exit_code == 2);
  toy.write("desk/file", "");
  CHECK(toy.edit_set().err ==
        "torchpatch: error: '$TMP/desk' is not empty\nhint: choose a new directory with --work\n");
}

TEST_CASE("patch edit: certificates of another layer's pins do not belong beside the patchset") {
  Work toy;
  toy.set_variable("TORCHPATCH_DATA", test::source_directory());
  const CliResult result = toy.run(
      {"patch", "edit", "cuda-threads", "T2", "--version", "1.1.0", "--source", "sample", "--work", toy.work()});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: release 1.1.0 belongs to the layer 'sample', which is above the layer of the patchset "
        "'cuda-threads': its certificates would not be valid there\nhint: omit that layer, or copy "
        "patchsets/cuda-threads into it without its certificates and proofs, with '\"replaces\": DIGEST' in "
        "patchset.json\n");
  CHECK(!file_exists(toy.work()));
}

TEST_CASE("patch refresh: a directory that is no work is refused") {
  const Work toy;
  toy.write("desk/file", "");
  const CliResult result = toy.refresh();
  CHECK(result.exit_code == 7);
  CHECK(result.err ==
        "torchpatch: error: '$TMP/desk' was not written by 'patch new' or 'patch edit'\n"
        "hint: no '$TMP/desk/.git/torchpatch.json'\n");
}

TEST_CASE("patch new: links, modes and files without a final newline come through") {
  const Work toy;
  const CliResult begun = toy.begin({"patch", "new", "my-patch", "tools/run.sh", "tools/latest", "no_newline",
                                     "--repository", "torch", "--into", toy.path("mine")});
  CHECK(begun.exit_code == 0);
  CHECK_THAT(git(toy.work(), {"ls-tree", "-r", "HEAD"}),
             Catch::Contains("100644 blob ") && Catch::Contains("120000 blob ") && Catch::Contains("100755 blob "));
  CHECK(std::filesystem::read_symlink(toy.file("pytorch/tools/latest")) == "run.sh");
  CHECK(read_file(toy.file("pytorch/no_newline")) == "the end");
  CHECK(git(toy.work(), {"status", "--porcelain"}).empty());
}
